"""Measure chunks with questions: corpora, excerpts, indexes, measures and reports."""
