"""Questions that a language model asks about documents, with the excerpts that answer them: a data set for retrieval."""
