"""The row at the top of every page about a text: enter a text or choose a sample."""
