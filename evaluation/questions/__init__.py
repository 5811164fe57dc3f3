"""Questions and their excerpts: read from files, located in the documents of a corpus, and written again."""
