"""Tested changes to a column as the browser is sent them."""

from __future__ import annotations

from typing import TypedDict


class RemedyLine(TypedDict):
    """A tested change that reaches the goal.

    Attributes
    ----------
    setting
        Identifies its chunker and all parameters.
    words, said
        The change, and what is known of its chunks and of what else they change.
    column
        The index of the column that has these settings; None if no column has them.
    """

    setting: str
    words: str
    said: list[str]
    column: int | None


class ColumnRemedies(TypedDict):
    """Remedies for a problem of a column.

    Attributes
    ----------
    state
        ``offered`` until the search is wanted, ``looking``, ``done``, or ``failed``.
    share, said
        The share of the search that is done, and a sentence: how far it is, what is wrong, or that there is none.
    wanted
        The question that begins the search.
    full
        Whether Compare has no room for another column.
    """

    state: str
    share: float
    said: str
    wanted: str
    lines: list[RemedyLine]
    full: bool
