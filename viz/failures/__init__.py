"""The Failures page."""
