"""Session state of Compare."""
