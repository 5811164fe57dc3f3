"""Measure chunkers against known boundaries and with questions."""
