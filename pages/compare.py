"""Compare: one document, several chunkers side by side."""

from viz.compare import show

show()
