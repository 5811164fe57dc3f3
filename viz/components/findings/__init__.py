"""A list of findings that lead into the text."""
