"""CSV: the separator of its columns, found from its rows, and its rows as a Markdown table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from chunkers.support.limits import MAX_BYTES
from chunkers.text.table_text import Row, TableText, cell_text, check_columns, check_rows, table_text

_SEPARATORS = "\t;|,"
_NEARLY = 0.9
"""Share of the most even separator's rows that another one's must reach."""

_SAMPLE = 100_000
"""Characters by which the separator is chosen."""

_SAMPLE_ROWS = 500
_DECLARED = ("sep=", '"sep=')
"""Beginnings of a first line in which Excel names the separator."""


def read_csv(text: str, name: str) -> TableText:
    """Return a CSV text as a Markdown table; a line break inside a cell becomes a space.

    Raises
    ------
    InputError
        If there are too many rows or columns, or the table is too large as Markdown.
    """
    text = text.removeprefix("\ufeff")
    head, _, rest = text.partition("\n")
    separator = head.strip().strip('"')[4:5] if head.lower().startswith(_DECLARED) else ""
    if separator:
        text = rest
    separator = separator or separator_of(text)
    rows = [*_rows(text, separator, name)]
    if text.count('"') % 2 and rows and any("\n" in cell for cell in rows[-1]):
        # A quotation mark that is never closed has taken all that follows it into one cell.
        rows = [*_rows(text, separator, name, quoted=False)]
    return table_text([Row(number, [*map(cell_text, cells)]) for number, cells in enumerate(rows, 1)], name)


def _rows(text: str, separator: str, name: str, *, quoted: bool = True) -> Iterator[list[str]]:
    csv.field_size_limit(MAX_BYTES)
    lines = io.StringIO(text, newline="")
    if quoted:
        reader = csv.reader(lines, delimiter=separator)
    else:
        reader = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    for number, cells in enumerate(reader, 1):
        check_rows(number, name)
        while cells and not cells[-1].strip():
            cells.pop()
        check_columns(len(cells), name)
        yield cells


def separator_of(text: str) -> str:
    """Return the separator by which most rows of a CSV text have one number of columns, and more than one.

    Commas are in prose and in numbers too, so they come last of the separators that nearly as many rows agree on. A comma
    is also returned if there is no separator.
    """
    shares = {separator: _evenness(text[:_SAMPLE], separator, len(text) > _SAMPLE) for separator in _SEPARATORS}
    least = max(shares.values()) * _NEARLY
    return next(separator for separator in _SEPARATORS if shares[separator] >= least) if least else ","


def _evenness(sample: str, separator: str, cut_off: bool) -> float:
    """Return the share of rows with the most common number of columns above one."""
    csv.field_size_limit(MAX_BYTES)
    rows = [*islice(csv.reader(io.StringIO(sample, newline=""), delimiter=separator), _SAMPLE_ROWS)]
    if cut_off and 1 < len(rows) < _SAMPLE_ROWS:
        rows.pop()
    widths = Counter(len(row) for row in rows if row)
    apart = [count for width, count in widths.items() if width > 1]
    return max(apart) / widths.total() if apart else 0.0
