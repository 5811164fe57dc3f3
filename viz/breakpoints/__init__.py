"""The Breakpoints page."""
