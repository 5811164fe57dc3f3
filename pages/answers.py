"""Answers: a language model's answers from each chunker's chunks, and their quality."""

from viz.answers.page import show

show()
