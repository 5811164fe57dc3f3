"""The chunkers, one per file."""
