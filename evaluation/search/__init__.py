"""Search in the chunks of a corpus: by embeddings, by words, and with a cross-encoder."""
