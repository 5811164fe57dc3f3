"""CSV text that spreadsheets do not mistake for formulas."""

from __future__ import annotations

import re
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def as_cell(value: Any) -> Any:
    """Escape a value for a CSV file: text that a spreadsheet would run as a formula gets a leading apostrophe.

    Otherwise a spreadsheet would run the formula, which may send the contents of other cells elsewhere.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def from_cell(text: str) -> str:
    """Undo `as_cell`: remove the apostrophe before text that looks like a formula."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
