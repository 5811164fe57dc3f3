"""Retrieval: what the chunks of several chunkers find for questions whose excerpts are known."""

from viz.retrieval.page import show

show()
