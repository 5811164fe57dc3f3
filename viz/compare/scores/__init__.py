"""Comparison of the columns of Compare: their measures side by side, and their ranking."""
