"""The page Answers: what a language model answers from each chunker's chunks, and how good that is."""
