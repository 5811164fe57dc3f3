"""Chunks made by another program, located in their text."""
