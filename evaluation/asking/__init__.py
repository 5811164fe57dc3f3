"""One question over the chunks of one text: what a search retrieves within a budget, and what became of the answer."""
