"""Chunkers by name, their recipes and presets, and the files of a result."""
