"""Tables of measures: heads and cells, drawn by the page, the terminal and the report."""
