"""XLSX: every visible sheet as a heading and a Markdown table of its stored values."""

import io
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, time
from typing import Any

from chunkers.support.limits import MAX_BYTES
from chunkers.text.file_parts import Parts
from chunkers.text.reader_output import Extracted, counted, too_large
from chunkers.text.table_text import Row, cell_text, check_columns, check_rows, table_text

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)"')
_WITHOUT_VALUE = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v></v>|</c>)")
_LAST_ROW = 2**20
"""The last row that a spreadsheet has; a file may name a later one, up to which every row would be made."""

_DRAWN = {"picture": re.compile(r"xl/media/."), "chart": re.compile(r"xl/charts/chart\d*\.xml")}


def read_workbook(data: bytes, packed: zipfile.ZipFile, name: str) -> Extracted:
    """Return the sheets of a workbook in order. Formulas are not calculated: their last stored values count.

    A cell that is merged over rows has its text in each of them. Hidden sheets, pictures, charts, comments and formulas
    without a stored value are left out and counted.

    Raises
    ------
    InputError
        If a sheet has too many rows or columns, or the text is too large.
    """
    load_workbook = _load_workbook()
    left_out: Counter[str] = Counter()
    for member in packed.namelist():
        left_out.update(what for what, path in _DRAWN.items() if path.match(member))
        if member.startswith("xl/comments"):
            left_out["comment"] += packed.read(member).count(b"<comment ")
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheets = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            left_out["hidden sheet"] += 1
            continue
        source = packed.read(sheet._worksheet_path)
        left_out["uncalculated formula"] += len(_WITHOUT_VALUE.findall(source))
        merged = [*_merged_in(source)]
        rows = _rows(sheet, name)
        _fill_down(rows, merged)
        table = table_text(
            [Row(number, cells) for number, cells in rows.items()],
            name,
            {top for left, top, right, _ in merged if left < right},
        )
        if table.text:
            sheets.append((cell_text(sheet.title).replace("\\|", "|"), table))
    text = ""
    starts: list[int] = []
    labels: list[str] = []
    for title, table in sheets:
        head = f"# {title}\n\n"
        text += "\n\n" * bool(text)
        # The heading belongs to the first row.
        starts += [len(text) + (number and len(head) + start) for number, start in enumerate(table.starts)]
        labels += [f"{title}!{label}" if len(sheets) > 1 else label for label in table.labels]
        text += head + table.text
        if len(text) > MAX_BYTES:
            raise too_large(name, len(text), "at least ", what="the text")
    parts = Parts("row", tuple(starts), tuple(labels)) if starts else None
    return Extracted(text, tuple(counted(left_out)), parts=parts)


def _load_workbook() -> Callable[..., Any]:
    """Import openpyxl without NumPy, whose threads reserve more memory than a process that reads files may have."""
    without = "numpy" not in sys.modules
    if without:
        sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        from openpyxl import load_workbook
    finally:
        if without:
            del sys.modules["numpy"]
    loads: Callable[..., Any] = load_workbook
    return loads


def _rows(sheet: Any, name: str) -> dict[int, list[str]]:
    """Return the texts of the cells of every row that has any, by the row's number."""
    # A file may state other dimensions than it has.
    sheet.reset_dimensions()
    rows = {}
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _LAST_ROW:
            check_rows(number, name)
        cells = [*map(_value_text, values)]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            check_columns(len(cells), name)
            rows[number] = cells
            check_rows(len(rows), name)
    return rows


def _value_text(value: Any) -> str:
    """Return a stored value as text: a number with the 15 digits that spreadsheet programs show, a date as ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return cell_text(str(value))


def _merged_in(source: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield left, top, right and bottom of the merged ranges of a sheet's XML, all counted from 1."""
    for left, top, right, bottom in _MERGED.findall(source):
        yield _column(left), int(top), _column(right), int(bottom)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:4]:
        number = number * 26 + letter - ord("A") + 1
    return number


def _fill_down(rows: dict[int, list[str]], merged: Iterable[tuple[int, int, int, int]]) -> None:
    """Write the text of each cell that is merged over rows into those of them that are not empty."""
    last = max(rows, default=0)
    for left, top, _, bottom in merged:
        above = rows.get(top, [])
        if len(above) < left or not above[left - 1]:
            continue
        for number in range(top + 1, min(bottom, last) + 1):
            if cells := rows.get(number):
                cells += [""] * (left - len(cells))
                cells[left - 1] = cells[left - 1] or above[left - 1]
