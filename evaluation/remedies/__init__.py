"""Tested changes to a column that keep an answer whole or remove a suspicious finding."""
