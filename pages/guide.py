"""Guide: an introduction to chunks, and an explanation of each chunker."""

from viz.guide.page import show

show()
