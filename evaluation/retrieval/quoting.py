"""How messages quote values, and how documents are joined: what the process that reads files needs of this room."""

from __future__ import annotations

JOINT = "\n\n"
"""The separator of documents on the axis; no range crosses it."""


def short(value: object) -> str:
    """Return a value as text, shortened if it is long."""
    return cut(repr(value), 60)


def cut(text: str, most: int = 200) -> str:
    """Return a text, shortened to ``most`` characters."""
    return text if len(text) <= most else text[: most - 3] + "..."
