"""The Double pass page."""
