"""Compare: one document, several chunkers side by side."""

from viz.compare.page import show

show()
