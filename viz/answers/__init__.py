"""The Answers page: the answers that a language model gives from each chunker's chunks, and their quality."""
