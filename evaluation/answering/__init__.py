"""Answers of a language model from each chunker's chunks alone, and what a judging model and the embedder say of them."""
