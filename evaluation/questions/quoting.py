"""Quoting of values in messages, and the separator of documents; imported by the process that reads files."""

from __future__ import annotations

JOINT = "\n\n"
"""The separator of documents in the joined text of a corpus; no range crosses it."""


def short(value: object) -> str:
    """Return a value's ``repr`` for use in a message, shortened if it is long."""
    return cut(repr(value), 60)


def cut(text: str, most: int = 200) -> str:
    """Shorten a text to at most ``most`` characters, ending in three dots."""
    return text if len(text) <= most else text[: most - 3] + "..."
