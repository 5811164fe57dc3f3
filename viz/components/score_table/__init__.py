"""The table of measures in which a row is chosen."""
