"""Chunks against questions: corpora, excerpts, indexes, measures and what can be told from them."""
