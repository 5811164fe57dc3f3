"""Formats of numbers and lists for sentences, and of text in cells for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any


def format_number(number: float, format_spec: str = "g") -> str:
    """Format a number, with a typographic minus sign if negative; a number that rounds to zero has no sign.

    A hyphen may be separated from its number at the end of a line, and may be read aloud as a hyphen. Files for programs
    keep the hyphen, and so do error messages and commands, whose numbers are shown as typed.

    Parameters
    ----------
    format_spec
        Format of floating-point numbers, such as ``.2f``, or ``+.1f`` to sign all numbers.
    """
    format_spec_sign, unsigned_format_spec = ("+", format_spec[1:]) if format_spec.startswith("+") else ("", format_spec)
    return f"{number:{format_spec_sign}z{unsigned_format_spec}}".replace("-", "−")


def pluralize(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``3 chunks``; ``plural`` is the plural if it is irregular."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def join_words(words: Sequence[str]) -> str:
    """Join words for a sentence, as in ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def format_milliseconds(milliseconds: float) -> str:
    """Format a time in milliseconds, without the unit; longer times get fewer decimals."""
    decimal_place_count = 2 if milliseconds < 1 else 1 if milliseconds < 10 else 0
    return f"{milliseconds:,.{decimal_place_count}f}"


def format_three_figures(value: float) -> str:
    """Format a number with at most three significant figures and thousands separators."""
    three_figure_value = float(f"{value:.3g}")
    return f"{three_figure_value:,.0f}" if three_figure_value >= 1000 else f"{three_figure_value:g}"


def round_up_estimate(count: int) -> int:
    """Round an estimate up to two significant digits."""
    rounding_unit = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // rounding_unit) * rounding_unit


def format_bound_of_range(value: float) -> str:
    """Format a bound of a range for use in a sentence: whole numbers in full, with thousands separators."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def text_table(title: str, column_headings: Sequence[str], rows: Sequence[Sequence[str]], min_column_width: int = 0) -> str:
    """Return a table as text below its title: the names of the rows on the left, and cells aligned on the right.

    Parameters
    ----------
    column_headings
        Headings of the cells; the names have none.
    rows
        A name and its cells for each row.
    min_column_width
        Minimum width, in characters, of a column of cells, including the two spaces in front of it.
    """
    all_rows = [["", *column_headings], *rows]
    name_width, *cell_column_widths = (max(map(len, column)) for column in zip(*all_rows, strict=True))
    return "\n".join(
        [
            title,
            *(
                "  ".join(
                    [
                        name.ljust(name_width),
                        *(
                            cell.rjust(max(width, min_column_width - 2))
                            for cell, width in zip(cells, cell_column_widths, strict=True)
                        ),
                    ]
                )
                for name, *cells in all_rows
            ),
        ]
    )


# Cells of CSV files that spreadsheets do not mistake for formulas.

_FORMULA_START_PATTERN = re.compile(r"'*[=+\-@\t\r]")


def escape_csv_cell(value: Any) -> Any:
    """Escape a value for a CSV file: text that a spreadsheet would run as a formula gets a leading apostrophe.

    Otherwise a spreadsheet would run the formula, which may send the contents of other cells elsewhere.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA_START_PATTERN.match(value) else value


def csv_text(column_headings: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV, with every value escaped as `escape_csv_cell` does."""
    csv_text_buffer = io.StringIO(newline="")
    csv_row_writer = csv.writer(csv_text_buffer)
    csv_row_writer.writerow(column_headings)
    csv_row_writer.writerows(map(escape_csv_cell, row) for row in rows)
    return csv_text_buffer.getvalue()


def unescape_csv_cell(text: str) -> str:
    """Undo `escape_csv_cell`: remove the apostrophe before text that looks like a formula."""
    return text[1:] if text.startswith("'") and _FORMULA_START_PATTERN.match(text[1:]) else text
