"""Tables in Markdown, as benchmarks print them and benchmarks/README.md has them."""

import re


def tables(text):
    """Return the tables in a text, each as a list of rows by column."""
    all_tables = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines())
        all_tables.append([dict(zip(head, row, strict=True)) for row in rows])
    return all_tables
