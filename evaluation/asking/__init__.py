"""One question over the chunks of one text: the chunks retrieved within a budget, and the fate of the answer."""
