"""The chunkers, one a file."""
