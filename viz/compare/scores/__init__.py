"""Scores of Compare's columns: their measures side by side, and their ranking."""
