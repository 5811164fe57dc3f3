"""Tested changes to a column, each with a button that makes it a column."""
