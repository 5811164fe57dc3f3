"""State of Compare: its choices, and its values of the session."""
