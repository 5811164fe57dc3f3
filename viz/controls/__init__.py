"""The widgets of the side bar."""
