"""CSV text that spreadsheets do not mistake for formulas."""

from __future__ import annotations

import re
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def as_cell(value: Any) -> Any:
    """Return a value for a CSV file; a text that a spreadsheet would take for a formula gets an apostrophe before it.

    Whoever opens the file in a spreadsheet would run the formula, which may send what is in other cells somewhere.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def from_cell(text: str) -> str:
    """Return the text of which `as_cell` made this one."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
