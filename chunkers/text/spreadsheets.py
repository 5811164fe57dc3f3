"""Spreadsheets and CSV files as Markdown tables; a table without a header gets one of the columns' letters."""

import csv
import io
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, time
from itertools import islice
from typing import Any, NamedTuple

from chunkers.support import MAX_FILE_BYTES, MOST_TABLE_COLUMNS, MOST_TABLE_ROWS, InputError
from chunkers.text.extracted_text import ExtractedText, TextParts, omissions_from_counts, too_large_error

_MOST_COMPARED_ROWS = 50
"""Rows below a possible header that are compared with it."""

_LEAST_NUMERIC_SHARE_IN_COLUMN = 0.8
"""Share of a column's cells that must be numbers or dates for it to be a column of them."""

_NUMBER_OR_DATE_PATTERN = re.compile(r"(?=\D*\d)[-+\d\s.,:/'’%()€$£¥°TZeE]+")
_YEAR_PATTERN = re.compile(r"(?:19|20)\d\d")
_MISSING_VALUE_WORDS = frozenset({"", "-", "na", "n/a", "#n/a", "nan", "null", "none"})


class Row(NamedTuple):
    """A row's number, from 1 as spreadsheet programs count, and its cells without line breaks; see `markdown_cell_text`."""

    number: int
    cells: list[str]


class TableText(NamedTuple):
    """A table as Markdown, with the offset and the number of every row."""

    text: str
    starts: list[int]
    labels: list[str]

    def row_starts_and_labels(self) -> TextParts | None:
        """Return the rows as parts of the text; None if there are none."""
        return TextParts("row", tuple(self.starts), tuple(self.labels)) if self.starts else None


def markdown_cell_text(value: str) -> str:
    """Return a cell's text on one line, with its vertical bars escaped as Markdown needs it."""
    value = value.strip()
    if not value.isprintable():
        value = " ".join(filter(None, (line.strip() for line in value.splitlines())))
    return value.replace("|", "\\|")


def check_row_count(count: int, name: str) -> None:
    """Raise InputError if a table has more than `MOST_TABLE_ROWS` rows, empty ones included."""
    if count > MOST_TABLE_ROWS:
        raise InputError(
            f"{name}: a table may have at most {MOST_TABLE_ROWS:,} rows; this table has more. Divide the table."
        )


def check_column_count(count: int, name: str) -> None:
    """Raise InputError if a table has more than `MOST_TABLE_COLUMNS` columns."""
    if count > MOST_TABLE_COLUMNS:
        raise InputError(
            f"{name}: a table may have at most {MOST_TABLE_COLUMNS:,} columns; this table has {count:,}. Remove columns "
            "that are not needed."
        )


def markdown_table(rows: Sequence[Row], file_name: str, merged_cell_row_numbers: Collection[int] = ()) -> TableText:
    """Write rows as a Markdown table.

    Rows and columns without any text are left out. Rows above the table with text in the first column alone, such as a
    title, become paragraphs. The header is the first row of the rest; or the first two, joined, if the first has gaps
    above names of the second; or the letters of the columns, if the first row is like those below it.

    Parameters
    ----------
    merged_cell_row_numbers
        The numbers of rows with cells that are merged across columns.

    Raises
    ------
    InputError
        If the text is too large.
    """
    markdown_lines: list[str] = []
    row_start_offsets: list[int] = []
    source_row_numbers: list[str] = []
    markdown_text_length = row_start_offset = 0
    for line, source_row_number in _lines_with_row_numbers([row for row in rows if row.cells], merged_cell_row_numbers):
        markdown_lines.append(line)
        markdown_text_length += len(line) + 1
        if source_row_number:
            row_start_offsets.append(row_start_offset)
            source_row_numbers.append(source_row_number)
            row_start_offset = markdown_text_length
        if markdown_text_length > MAX_FILE_BYTES:
            raise too_large_error(file_name, markdown_text_length, "at least ", refused_item_noun="the text")
    return TableText("\n".join(markdown_lines), row_start_offsets, source_row_numbers)


def _lines_with_row_numbers(rows: list[Row], merged_cell_row_numbers: Collection[int]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a table with the numbers of their rows; without one, a line belongs to the row of the next."""
    if not rows:
        return
    filled_column_indices = _filled_column_indices(rows)
    if len(filled_column_indices) <= filled_column_indices[-1]:
        rows = [
            Row(number, [cells[column] for column in filled_column_indices if column < len(cells)]) for number, cells in rows
        ]
    row_count_above_table = _count_rows_above_table(rows) if len(filled_column_indices) > 1 else 0
    for row in rows[:row_count_above_table]:
        yield f"{row.cells[0]}\n", str(row.number)
    table_rows = rows[row_count_above_table:]
    count_of_header_rows = _count_header_rows(table_rows, merged_cell_row_numbers)
    header_rows, rows_below = table_rows[:count_of_header_rows], table_rows[count_of_header_rows:]
    column_names = (
        _column_names(header_rows) if header_rows else [column_letters(column) for column in filled_column_indices]
    )
    column_count = (
        max(len(column_names), sorted(len(row.cells) for row in rows_below)[len(rows_below) // 2])
        if rows_below
        else len(column_names)
    )
    header_lines = [_markdown_row(column_names, column_count), f"|{'-|' * column_count}"]
    # Of two header rows, the second begins at the delimiter row.
    for header_line in header_lines if count_of_header_rows > 1 else ["\n".join(header_lines)]:
        yield header_line, str(header_rows.pop(0).number) if header_rows else ""
    for row in rows_below:
        yield _markdown_row(row.cells, column_count), str(row.number)


def column_letters(column_index: int) -> str:
    """Return the name that spreadsheet programs give to a column, counted from 0: A, B, ..., Z, AA."""
    column_name_letters = ""
    column_index += 1
    while column_index:
        column_index, letter_index = divmod(column_index - 1, 26)
        column_name_letters = chr(ord("A") + letter_index) + column_name_letters
    return column_name_letters


def _markdown_row(cells: Sequence[str], column_count: int) -> str:
    return f"| {' | '.join(cells)} |{'  |' * (column_count - len(cells))}"


def _filled_column_indices(rows: Sequence[Row]) -> list[int]:
    widest_row_cell_count = max(len(row.cells) for row in rows)
    return [
        column for column in range(widest_row_cell_count) if any(_cell_of_row_or_empty(row.cells, column) for row in rows)
    ]


def _count_rows_above_table(rows: Sequence[Row]) -> int:
    """Return the number of rows above the table that have text in the first column alone."""
    row_count_above_table = next((number for number, row in enumerate(rows) if len(row.cells) > 1), 0)
    return row_count_above_table if all(len(row.cells) == 1 for row in rows[:row_count_above_table]) else 0


def _count_header_rows(rows: Sequence[Row], merged_cell_row_numbers: Collection[int]) -> int:
    """Return the number of header rows: 0, 1 or 2."""
    first_row_cells, *cells_of_rows_below = [row.cells for row in rows[: _MOST_COMPARED_ROWS + 1]]
    if not cells_of_rows_below:
        return int(not any(_is_number_or_date(cell) for cell in first_row_cells))
    second_row_cells, *cells_of_rows_below_second = cells_of_rows_below
    first_row_has_gaps = any(
        name and not _cell_of_row_or_empty(first_row_cells, column) for column, name in enumerate(second_row_cells)
    )
    if first_row_has_gaps and cells_of_rows_below_second and not any(_is_number_or_date(cell) for cell in second_row_cells):
        header_favouring_column_count, header_opposing_column_count, _ = _count_header_evidence_by_kind(
            second_row_cells, cells_of_rows_below_second
        )
        if rows[0].number in merged_cell_row_numbers or (header_favouring_column_count and not header_opposing_column_count):
            return 2
    header_favouring_column_count, header_opposing_column_count, header_repeating_column_count = (
        _count_header_evidence_by_kind(first_row_cells, [cells for cells in cells_of_rows_below if cells != first_row_cells])
    )
    return int(
        header_favouring_column_count > header_opposing_column_count
        or (
            header_favouring_column_count == header_opposing_column_count
            and bool(header_favouring_column_count or not header_repeating_column_count)
        )
    )


def _count_header_evidence_by_kind(header_cells: Sequence[str], rows_below: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """Count columns by what their first cell shows: a name above values, a value above values, a text that comes again."""
    names_above_values_count = values_above_values_count = repeated_header_column_count = 0
    for column_index, header_cell in enumerate(header_cells):
        filled_cell_texts_below = [
            cell
            for row in rows_below
            if (cell := _cell_of_row_or_empty(row, column_index)).lower() not in _MISSING_VALUE_WORDS
        ]
        if header_cell.lower() in _MISSING_VALUE_WORDS or not filled_cell_texts_below:
            continue
        if sum(
            _NUMBER_OR_DATE_PATTERN.fullmatch(cell) is not None for cell in filled_cell_texts_below
        ) >= _LEAST_NUMERIC_SHARE_IN_COLUMN * len(filled_cell_texts_below):
            # A year may be a name, but not above other years.
            if _is_number_or_date(header_cell) or (
                _YEAR_PATTERN.fullmatch(header_cell)
                and all(_YEAR_PATTERN.fullmatch(cell) for cell in filled_cell_texts_below)
            ):
                values_above_values_count += 1
            else:
                names_above_values_count += 1
        elif header_cell in filled_cell_texts_below:
            repeated_header_column_count += 1
    return names_above_values_count, values_above_values_count, repeated_header_column_count


def _is_number_or_date(cell: str) -> bool:
    """Return whether a cell is a number or a date, and not just a year, which headers have too."""
    return _NUMBER_OR_DATE_PATTERN.fullmatch(cell) is not None and not _YEAR_PATTERN.fullmatch(cell)


def _cell_of_row_or_empty(row_cells: Sequence[str], column_index: int) -> str:
    return row_cells[column_index] if column_index < len(row_cells) else ""


def _column_names(header_rows: Sequence[Row]) -> list[str]:
    """Return the names of the columns; above a name of the second row counts what stands to the left of a gap."""
    if len(header_rows) == 1:
        return header_rows[0].cells
    return [*_joined_column_names(*(row.cells for row in header_rows))]


def _joined_column_names(first_row_cells: Sequence[str], second_row_cells: Sequence[str]) -> Iterator[str]:
    group_name = ""
    for column_index in range(max(len(first_row_cells), len(second_row_cells))):
        first_row_name, second_row_name = (
            _cell_of_row_or_empty(first_row_cells, column_index),
            _cell_of_row_or_empty(second_row_cells, column_index),
        )
        group_name = first_row_name or group_name
        yield (
            f"{group_name} {second_row_name}".strip()
            if second_row_name and second_row_name != group_name
            else second_row_name or first_row_name
        )


# CSV, whose separator is found from the rows.

_SEPARATORS = "\t;|,"
_LEAST_SHARE_OF_BEST_SEPARATOR = 0.9
"""Share of the most even separator's rows that another one's must reach."""

_SAMPLE_CHARACTERS = 100_000
"""Characters by which the separator is chosen."""

_SAMPLE_ROWS = 500
_SEPARATOR_LINE_BEGINNINGS = ("sep=", '"sep=')
"""Beginnings of a first line in which Excel names the separator."""


def read_csv(text: str, name: str) -> TableText:
    """Return a CSV text as a Markdown table; a line break inside a cell becomes a space.

    Raises
    ------
    InputError
        If there are too many rows or columns, or the table is too large as Markdown.
    """
    text = text.removeprefix("\ufeff")
    first_line, _, text_below_first_line = text.partition("\n")
    csv_field_separator = (
        first_line.strip().strip('"')[4:5] if first_line.lower().startswith(_SEPARATOR_LINE_BEGINNINGS) else ""
    )
    if csv_field_separator:
        text = text_below_first_line
    csv_field_separator = csv_field_separator or find_csv_separator(text)
    csv_rows = [*_csv_rows(text, csv_field_separator, name)]
    if text.count('"') % 2 and csv_rows and any("\n" in cell for cell in csv_rows[-1]):
        # A quotation mark that is never closed has taken all that follows it into one cell.
        csv_rows = [*_csv_rows(text, csv_field_separator, name, uses_quotation_marks=False)]
    return markdown_table([Row(number, [*map(markdown_cell_text, cells)]) for number, cells in enumerate(csv_rows, 1)], name)


def _csv_rows(text: str, separator: str, name: str, *, uses_quotation_marks: bool = True) -> Iterator[list[str]]:
    for row_number, cells in enumerate(
        csv_reader_with_separator(text, separator, uses_quotation_marks=uses_quotation_marks), 1
    ):
        check_row_count(row_number, name)
        while cells and not cells[-1].strip():
            cells.pop()
        check_column_count(len(cells), name)
        yield cells


def csv_reader_with_separator(
    text: str, separator: str, *, uses_quotation_marks: bool = True, strict: bool = False
) -> Iterator[list[str]]:
    """Return a reader of a CSV text, without a limit to the length of a cell.

    Parameters
    ----------
    uses_quotation_marks
        False if quotation marks mean nothing.
    strict
        True to raise csv.Error where the text is not CSV.
    """
    csv.field_size_limit(MAX_FILE_BYTES)
    return csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if uses_quotation_marks else csv.QUOTE_NONE,
        strict=strict,
    )


def find_csv_separator(text: str) -> str:
    """Return the separator by which most rows of a CSV text have one number of columns, and more than one.

    Commas are in prose and in numbers too, so they come last of the separators that nearly as many rows agree on. A comma
    is also returned if there is no separator.
    """
    row_share_by_separator = {
        separator: _most_common_width_share(text[:_SAMPLE_CHARACTERS], separator, len(text) > _SAMPLE_CHARACTERS)
        for separator in _SEPARATORS
    }
    least_accepted_share = max(row_share_by_separator.values()) * _LEAST_SHARE_OF_BEST_SEPARATOR
    return (
        next(separator for separator in _SEPARATORS if row_share_by_separator[separator] >= least_accepted_share)
        if least_accepted_share
        else ","
    )


def _most_common_width_share(sample: str, separator: str, is_sample_cut_off: bool) -> float:
    """Return the share of rows with the most common number of columns above one."""
    sample_rows = [*islice(csv_reader_with_separator(sample, separator), _SAMPLE_ROWS)]
    if is_sample_cut_off and 1 < len(sample_rows) < _SAMPLE_ROWS:
        sample_rows.pop()
    row_count_by_column_count = Counter(len(row) for row in sample_rows if row)
    multi_column_row_counts = [count for width, count in row_count_by_column_count.items() if width > 1]
    return max(multi_column_row_counts) / row_count_by_column_count.total() if multi_column_row_counts else 0.0


# XLSX: every visible sheet as a heading and a Markdown table of its stored values.


_MERGED_RANGE_PATTERN = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)"')
_FORMULA_WITHOUT_VALUE_PATTERN = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v></v>|</c>)")
_MOST_SHEET_ROWS = 2**20
"""The last row that a spreadsheet has; a file may name a later one, up to which every row would be made."""

_DRAWING_PATH_PATTERN_BY_NOUN = {"picture": re.compile(r"xl/media/."), "chart": re.compile(r"xl/charts/chart\d*\.xml")}


def read_workbook_text(data: bytes, archive: zipfile.ZipFile, file_name: str) -> ExtractedText:
    """Return the sheets of a workbook in order. Formulas are not calculated: their last stored values count.

    A cell that is merged over rows has its text in each of them. Hidden sheets, pictures, charts, comments and formulas
    without a stored value are left out and counted.

    Raises
    ------
    InputError
        If a sheet has too many rows or columns, or the text is too large.
    """
    load_workbook = _import_load_workbook_without_numpy()
    omission_counts: Counter[str] = Counter()
    for member_name in archive.namelist():
        omission_counts.update(what for what, path in _DRAWING_PATH_PATTERN_BY_NOUN.items() if path.match(member_name))
        if member_name.startswith("xl/comments"):
            omission_counts["comment"] += archive.read(member_name).count(b"<comment ")
    openpyxl_workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    titled_tables = []
    for sheet in openpyxl_workbook.worksheets:
        if sheet.sheet_state != "visible":
            omission_counts["hidden sheet"] += 1
            continue
        sheet_xml = archive.read(sheet._worksheet_path)
        omission_counts["uncalculated formula"] += len(_FORMULA_WITHOUT_VALUE_PATTERN.findall(sheet_xml))
        merged_ranges = [*_merged_ranges(sheet_xml)]
        cells_by_row_number = _sheet_rows(sheet, file_name)
        _copy_merged_cells_down(cells_by_row_number, merged_ranges)
        markdown_table_of_sheet = markdown_table(
            [Row(number, cells) for number, cells in cells_by_row_number.items()],
            file_name,
            {top for left, top, right, _ in merged_ranges if left < right},
        )
        if markdown_table_of_sheet.text:
            titled_tables.append((markdown_cell_text(sheet.title).replace("\\|", "|"), markdown_table_of_sheet))
    workbook_text = ""
    row_start_offsets: list[int] = []
    row_labels: list[str] = []
    for sheet_title, markdown_table_of_sheet in titled_tables:
        sheet_heading_markdown = f"# {sheet_title}\n\n"
        workbook_text += "\n\n" * bool(workbook_text)
        # The heading belongs to the first row.
        row_start_offsets += [
            len(workbook_text) + (number and len(sheet_heading_markdown) + start)
            for number, start in enumerate(markdown_table_of_sheet.starts)
        ]
        row_labels += [
            f"{sheet_title}!{label}" if len(titled_tables) > 1 else label for label in markdown_table_of_sheet.labels
        ]
        workbook_text += sheet_heading_markdown + markdown_table_of_sheet.text
        if len(workbook_text) > MAX_FILE_BYTES:
            raise too_large_error(file_name, len(workbook_text), "at least ", refused_item_noun="the text")
    row_starts_and_labels = TextParts("row", tuple(row_start_offsets), tuple(row_labels)) if row_start_offsets else None
    return ExtractedText(workbook_text, tuple(omissions_from_counts(omission_counts)), parts=row_starts_and_labels)


def _import_load_workbook_without_numpy() -> Callable[..., Any]:
    """Import openpyxl without NumPy, whose threads reserve more memory than a process that reads files may have."""
    numpy_is_unloaded = "numpy" not in sys.modules
    if numpy_is_unloaded:
        sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        from openpyxl import load_workbook
    finally:
        if numpy_is_unloaded:
            del sys.modules["numpy"]
    typed_load_workbook: Callable[..., Any] = load_workbook
    return typed_load_workbook


def _sheet_rows(sheet: Any, file_name: str) -> dict[int, list[str]]:
    """Return the texts of the cells of every row that has any, by the row's number."""
    # A file may state other dimensions than it has.
    sheet.reset_dimensions()
    cells_by_row_number = {}
    for row_number, cell_values in enumerate(sheet.iter_rows(values_only=True), 1):
        if row_number > _MOST_SHEET_ROWS:
            check_row_count(row_number, file_name)
        row_cell_texts = [*map(_cell_value_text, cell_values)]
        while row_cell_texts and not row_cell_texts[-1]:
            row_cell_texts.pop()
        if row_cell_texts:
            check_column_count(len(row_cell_texts), file_name)
            cells_by_row_number[row_number] = row_cell_texts
            check_row_count(len(cells_by_row_number), file_name)
    return cells_by_row_number


def _cell_value_text(value: Any) -> str:
    """Return a stored value as text: a number with the 15 digits that spreadsheet programs show, a date as ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return markdown_cell_text(str(value))


def _merged_ranges(sheet_xml: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield left, top, right and bottom of the merged ranges of a sheet's XML, all counted from 1."""
    for left_column_letters, top_row_number, right_column_letters, bottom_row_number in _MERGED_RANGE_PATTERN.findall(
        sheet_xml
    ):
        yield (
            _column_number(left_column_letters),
            int(top_row_number),
            _column_number(right_column_letters),
            int(bottom_row_number),
        )


def _column_number(letters: bytes) -> int:
    column_number_from_letters = 0
    for letter in letters[:4]:
        column_number_from_letters = column_number_from_letters * 26 + letter - ord("A") + 1
    return column_number_from_letters


def _copy_merged_cells_down(
    cells_by_row_number: dict[int, list[str]], merged_ranges: Iterable[tuple[int, int, int, int]]
) -> None:
    """Write the text of each cell that is merged over rows into those of them that are not empty."""
    last_sheet_row_number = max(cells_by_row_number, default=0)
    for left_column, top_row, _, bottom_row in merged_ranges:
        top_row_cells = cells_by_row_number.get(top_row, [])
        if len(top_row_cells) < left_column or not top_row_cells[left_column - 1]:
            continue
        for row_number in range(top_row + 1, min(bottom_row, last_sheet_row_number) + 1):
            if row_cells := cells_by_row_number.get(row_number):
                row_cells += [""] * (left_column - len(row_cells))
                row_cells[left_column - 1] = row_cells[left_column - 1] or top_row_cells[left_column - 1]
