"""A comparison as one file of HTML: text, chunks, curves, measures and verdicts, to be opened offline and sent on."""
