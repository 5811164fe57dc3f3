"""Answers: what a language model answers from each chunker's chunks, and how good that is."""

from viz.answers.page import show

show()
