"""Cells of tables of measures: the page, the terminal and the report draw the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunkers.support.numbers import signed


class Cell(NamedTuple):
    """Table cell with a formatted number, its value for sorting, and an explanation.

    Attributes
    ----------
    text, value
        Displayed text, and the number to sort by; None comes last.
    why
        An explanation of the number.
    dots
        Numbers to draw as a strip plot if the table supports it.
    """

    text: str
    value: float | None = None
    why: str = ""
    dots: Sequence[int] = ()


class Head(NamedTuple):
    """Heading of a table column: its label and an explanation."""

    label: str
    help: str


def unknown(why: str = "") -> Cell:
    """Return the table cell for a number that is undefined or unknown."""
    return Cell("–", None, why)


def count(value: int, why: str = "") -> Cell:
    """Return the table cell for a count, formatted with thousands separators."""
    return Cell(f"{value:,}", value, why)


def share(value: float | None, why: str = "") -> Cell:
    """Return the table cell for a share from 0 to 1, formatted in percent."""
    return unknown(why) if value is None else Cell(f"{value * 100:.3g}\N{NO-BREAK SPACE}%", value, why)


def difference(value: float | None, why: str = "") -> Cell:
    """Return the table cell for a signed number, formatted with two decimals."""
    return unknown(why) if value is None else Cell(signed(value, ".2f"), value, why)
