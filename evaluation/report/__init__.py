"""Heads and cells for tables of measures, and a comparison as a single HTML file that can be opened offline."""
