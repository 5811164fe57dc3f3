"""Significance of differences between chunkers, and intervals of means, exact for few questions."""
