"""The commands of ``python -m evaluation``, one per file."""
