"""The commands that measure, one per file."""
