"""The web interface: pages, components, background jobs and session state."""
