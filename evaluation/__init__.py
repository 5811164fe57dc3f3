"""Measures of chunkers, against known boundaries and with questions."""
