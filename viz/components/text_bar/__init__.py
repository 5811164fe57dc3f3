"""The row that is on top of every page about a text: give a text of one's own, or choose a sample."""
