"""Which column of Compare is best: their numbers side by side, and their ranking."""
