"""Tested changes to a column, as sent to the browser."""

from typing import TypedDict


class RemedyLine(TypedDict):
    """A tested change of settings that solves a column's problem.

    Attributes
    ----------
    setting
        Identifies the chunker and all its parameters.
    words, said
        The change in words, and the measured effects on the chunks.
    column
        The index of the column that has these settings; None if no column has them.
    """

    setting: str
    words: str
    said: list[str]
    column: int | None


class ColumnRemedies(TypedDict):
    """The changes of settings that solve a problem of one column, and the state of the search for them.

    Attributes
    ----------
    state
        ``offered`` until the user starts the search, then ``looking``, ``done``, or ``failed``.
    share, said
        The share of the search that is done, and a sentence with the status, the error, or that no remedy exists.
    wanted
        The label of the button that starts the search.
    full
        True if Compare has no room for another column.
    """

    state: str
    share: float
    said: str
    wanted: str
    lines: list[RemedyLine]
    full: bool
