"""Heads and cells of tables of measures, and a comparison as one file of HTML, to be opened offline and sent on."""
