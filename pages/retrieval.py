"""Retrieval: the excerpts that each chunker's chunks find for questions with known excerpts."""

from viz.retrieval.page import show

show()
