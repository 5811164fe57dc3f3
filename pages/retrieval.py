"""Retrieval: how well each chunker's chunks retrieve known excerpts for questions."""

from viz.retrieval.page import show

show()
