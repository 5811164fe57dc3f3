"""Guide: every chunker on a screen of its own."""

from viz.guide.page import show

show()
