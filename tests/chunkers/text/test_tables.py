"""Tables in files: two programs write each kind with the faults that such files have; rows stay whole, with their header."""

import csv
import io
import random
import re
import zipfile
from datetime import date, datetime
from functools import cache

import openpyxl
import pytest
import xlsxwriter

from chunkers import Document, InputError, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.file_reading import read_document_text
from chunkers.text.spreadsheets import check_row_count, column_letters, find_csv_separator
from tests.support import tools

WORDS = ["North", "lamp, red", '5" pipe', "a | b", "Zoë", "“quoted”", "Müller & Co", "#1 choice", "x\\", "two\nlines", ""]


class Sheet:
    """A table with the faults of its seed: what a program writes, and the names and rows that a reader has to find."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.seed = seed
        width = chance.randint(2, 9)
        self.decimal = ".,"[seed % 4 == 2]
        self.groups = []
        named = [f"Name {column_letters(number)}" for number in range(width)]
        if seed % 5 == 1:
            named = ["Region", *(f"Q{number}" for number in range(1, width))]
            self.groups = ["", *("2023" if number <= width // 2 else "2024" for number in range(1, width))]
        elif seed % 5 == 2:
            named = []
        self.header = named
        self.above = ["Sales, by region", "of the whole year"][: seed % 3] if width > 1 else []
        # The first column has texts, the second numbers, as a table mostly has.
        self.rows = [
            [f"row {number}", round(number * 1.25, 2), *(self.cell(chance, number) for _ in range(width - 2))]
            for number in range(chance.randint(3, 70))
        ]
        if seed == 7:
            self.rows[1][0] = "much " * 300
        if seed % 4 == 3 and named:
            for row in self.rows[2::9]:
                del row[2:]
        self.empty_rows, self.empty_column = seed % 3 == 0, seed % 4 == 1

    def cell(self, chance, number):
        return chance.choice([*WORDS, number, f"2024-03-{1 + number % 28:02}", f"word{number} " * chance.randint(1, 12)])

    def lines(self):
        """Return all lines as a program would write them, a title in the first cell."""
        lines = [[words] for words in self.above]
        if self.groups:
            before = ["", *self.groups]
            lines.append([group if group != before[number] else "" for number, group in enumerate(self.groups)])
        if self.header:
            lines.append(self.header)
        for number, row in enumerate(self.rows):
            lines += [[]] * (self.empty_rows and number % 5 == 0) + [row]
        return [[*line[:1], None, *line[1:]] for line in lines] if self.empty_column else lines

    def names(self):
        if not self.header:
            columns = max(map(len, self.rows)) + self.empty_column
            return [column_letters(column) for column in range(columns) if not (self.empty_column and column == 1)]
        groups = self.groups or [""] * len(self.header)
        return [f"{group} {name}".strip() for group, name in zip(groups, self.header, strict=True)]


def by_csv(sheet):
    dialect = {"delimiter": ",;\t|"[sheet.seed % 4], "lineterminator": ["\r\n", "\n"][sheet.seed % 2]}
    lines = [[number_of(cell, sheet.decimal) for cell in line] for line in sheet.lines()]
    file = io.StringIO(newline="")
    csv.writer(file, quoting=[csv.QUOTE_MINIMAL, csv.QUOTE_ALL][sheet.seed % 2], **dialect).writerows(lines)
    text = file.getvalue()
    if sheet.seed % 6 == 5:
        text = f"sep={dialect['delimiter']}\r\n{text}"
    return text.encode(["utf-8", "utf-8-sig", "cp1252", "utf-16"][sheet.seed % 4])


def by_pandas(sheet):
    import pandas

    lines = [[number_of(cell, sheet.decimal) for cell in line] for line in sheet.lines()]
    text = pandas.DataFrame(lines, dtype=object).to_csv(sep=";,"[sheet.seed % 2], header=False, index=False)
    return text.encode(["utf-8-sig", "utf-8"][sheet.seed % 2])


def number_of(cell, decimal, *, whole=False):
    if not isinstance(cell, float):
        return cell
    return f"{cell:g}" if whole else str(cell).replace(".", decimal)


def stored(cell):
    """Return a cell as a workbook stores it: its dates are dates."""
    return date.fromisoformat(cell) if re.fullmatch(r"2024-\d\d-\d\d", str(cell)) else cell


def merges(sheet):
    """Return the merged ranges, as (first row, first column, last row, last column) from 1: groups and their first names."""
    place = {number: number + (sheet.empty_column and number > 1) for number in range(1, len(sheet.groups) + 1)}
    row = len(sheet.above) + 1
    ranges = []
    for group in dict.fromkeys(filter(None, sheet.groups)):
        columns = [number for number, label in enumerate(sheet.groups, 1) if label == group]
        if len(columns) > 1 and place[columns[0]] == columns[0] + (place[columns[-1]] - columns[-1]):
            ranges.append((row, place[columns[0]], row, place[columns[-1]]))
    return ranges


def by_openpyxl(sheet):
    book = openpyxl.Workbook()
    page = book.active
    for number, line in enumerate(sheet.lines(), 1):
        for column, cell in enumerate(line, 1):
            page.cell(number, column, None if cell == "" else stored(cell))
    for first, left, last, right in merges(sheet):
        page.merge_cells(start_row=first, start_column=left, end_row=last, end_column=right)
    if sheet.seed % 3 == 1:
        book.create_sheet("Lists").sheet_state = "hidden"
        book["Lists"]["A1"] = "hidden"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def by_xlsxwriter(sheet):
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"constant_memory": sheet.seed % 2 == 0}) as book:
        page = book.add_worksheet()
        day = book.add_format({"num_format": "d. mmm yy"})
        for number, line in enumerate(sheet.lines()):
            for column, cell in enumerate(line):
                if isinstance(stored(cell), date):
                    page.write_datetime(number, column, stored(cell), day)
                elif cell not in ("", None):
                    page.write(number, column, cell)
        if sheet.seed % 2:
            for first, left, last, right in merges(sheet):
                page.merge_range(first - 1, left - 1, last - 1, right - 1, sheet.lines()[first - 1][left - 1])
    return file.getvalue()


PROGRAMS = {
    "csv": {"csv": by_csv, "pandas": by_pandas},
    "xlsx": {"openpyxl": by_openpyxl, "xlsxwriter": by_xlsxwriter},
}
FILES = [
    (kind, program, seed)
    for kind, programs in PROGRAMS.items()
    for place, program in enumerate(programs)
    for seed in range(12 * place, 12 * place + 12)
]
"""Twelve files of each program, no two alike."""


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def plain(value):
    text = "" if value is None else " ".join(str(value).strip().split("\n")).replace("|", "\\|")
    return text


@cache
def read(kind, program, seed):
    sheet = Sheet(seed)
    return sheet, read_document_text(PROGRAMS[kind][program](sheet), f"table.{kind}")


@pytest.mark.parametrize(("kind", "program", "seed"), FILES)
def test_every_row_is_a_line_of_one_table_below_the_names_of_its_columns(kind, program, seed):
    sheet, file_text = read(kind, program, seed)
    lines = [line for line in file_text.text.split("\n") if line.startswith("|")]
    paragraphs = file_text.text.split("\n\n")
    if kind == "xlsx":
        assert paragraphs.pop(0) in ("# Sheet", "# Sheet1")
        assert file_text.left_out == ("Left out: 1 hidden sheet." if (program, seed % 3) == ("openpyxl", 1) else "")
    assert paragraphs[: len(sheet.above)] == sheet.above
    assert cells_of(lines[0]) == sheet.names()
    width = len(sheet.names())
    decimal = sheet.decimal if kind == "csv" else "."
    expected = []
    for row in sheet.rows:
        cells = [plain(number_of(value, decimal, whole=kind == "xlsx")) for value in row]
        expected.append(cells + [""] * (width - len(cells)))
    assert [cells_of(line) for line in lines[2:]] == expected
    # The labels are the rows' numbers in the file; of two header rows, the second stands for the delimiter row.
    numbers = [number for number, line in enumerate(sheet.lines(), 1) if any(cell not in (None, "") for cell in line)]
    assert [*file_text.parts.labels] == [str(number) for number in numbers]
    for start, line in zip(file_text.parts.starts[-len(expected) :], lines[2:], strict=True):
        assert file_text.text.startswith(line, start) or not sheet.header


@pytest.mark.slow
@pytest.mark.parametrize("most", [60, 250])
@pytest.mark.parametrize(("kind", "program", "seed"), FILES)
def test_no_row_is_cut_and_each_has_its_header_unless_both_are_longer_than_a_chunk(kind, program, seed, most):
    _, file_text = read(kind, program, seed)
    count = load_tokenizer("all-MiniLM-L6-v2").count
    document = Document.from_text(file_text.text, parts=file_text.parts)
    chunking = run_and_time_chunker(
        build_chunker("structure", {"max_size": most}), document, tools(tokenizer="all-MiniLM-L6-v2")
    )
    head, rule, *rows = [line for line in file_text.text.split("\n") if line.startswith("|")]
    (held,) = count([f"{head}\n{rule}"])
    for line in rows:
        (size,) = count([line])
        holding = [chunk for chunk in chunking.chunks if line in chunk.text.split("\n")]
        assert holding or size > most, line
        if held + size <= most:
            assert any(head in f"{chunk.context}\n{chunk.text}".split("\n") for chunk in holding), line
    for chunk in chunking.chunks:
        assert count([chunk.text])[0] + (count([chunk.context])[0] if chunk.context else 0) <= most


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a,b\n1,2\n", "| a | b |\n|-|-|\n| 1 | 2 |"),
        ("1,2\n3,4\n", "| A | B |\n|-|-|\n| 1 | 2 |\n| 3 | 4 |"),
        ("Region,2021,2022\nN,1,2\n", "| Region | 2021 | 2022 |\n|-|-|-|\n| N | 1 | 2 |"),
        ("A12,yes\nB12,no\nC12,yes\n", "| A | B |\n|-|-|\n| A12 | yes |\n| B12 | no |\n| C12 | yes |"),
        (
            ",2023,,2024,\nRegion,Q1,Q2,Q1,Q2\nN,1,2,3,4\n",
            "| Region | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2 |\n|-|-|-|-|-|\n| N | 1 | 2 | 3 | 4 |",
        ),
        ("a;b\n1,5;2,5\n", "| a | b |\n|-|-|\n| 1,5 | 2,5 |"),
        ("name\nx\n", "| name |\n|-|\n| x |"),
        ('a,b\n"1,2\n3,4\n', '| a | b |\n|-|-|\n| "1 | 2 |\n| 3 | 4 |'),
        ("n,a\n1,2,3\n4\n5,6", "| n | a |\n|-|-|\n| 1 | 2 | 3 |\n| 4 |  |\n| 5 | 6 |"),
        ("a,,b,\n1,,2,\n,,,\n3,,4,\n", "| a | b |\n|-|-|\n| 1 | 2 |\n| 3 | 4 |"),
        ("sep=|\na|b\n1|2\n", "| a | b |\n|-|-|\n| 1 | 2 |"),
    ],
)
def test_a_small_csv_file_is_read_as_a_reader_would(data, text):
    assert read_document_text(data.encode(), "a.csv").text == text


def test_a_tsv_file_is_read_by_its_tabs_and_says_how():
    file_text = read_document_text("a\tb\nö, e\t2\n".encode("cp1252"), "a.TSV")
    assert (file_text.text, file_text.read_as) == ("| a | b |\n|-|-|\n| ö, e | 2 |", "CSV, by csv, in cp1252")
    assert file_text.guessed
    assert file_text.parts.label_of_spans([(20, 25)]) == "row 2"
    assert file_text.parts.label_of_spans([(0, 25)]) == "rows 1–2"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\n ,,\n", r"a\.csv: the CSV must contain text; it contains none\."),
        (b"a" + b",a" * 1000, r"a\.csv: a table may have at most 1,000 columns; this table has 1,001\."),
        ((b"a" + b",a" * 999 + b"\n" + b"b\n" * 20_000), r"a\.csv: the text may have at most 20 MB"),
        (b"PK\x03\x04\x00\x00\x00\x08" * 9, r"a\.csv: "),
    ],
)
def test_a_csv_file_that_cannot_be_read_is_a_sentence(data, words):
    with pytest.raises(InputError, match=words) as caught:
        read_document_text(data, "a.csv")
    assert "\n" not in str(caught.value)


def workbook(*sheets, **changed):
    """Return a workbook with sheets of rows; ``changed`` sets attributes of the first."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        page = book.create_sheet(title)
        for row in rows:
            page.append(row)
    for name, value in changed.items():
        if name == "merged":
            for cell_range in value:
                book.worksheets[0].merge_cells(cell_range)
        else:
            setattr(book.worksheets[0], name, value)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_the_sheets_of_a_workbook_are_headings_and_rows_name_their_sheet():
    data = workbook(
        ("Prices | 2024", [["Item", "Price"], ["lamp", 1.5], ["buoy", 0.1 + 0.2]]),
        ("Empty", []),
        ("Notes", [["Item", "Since", "Sold", "Sum"], ["lamp", datetime(2024, 3, 1, 14, 30), True, "=1+1"]]),
    )
    file_text = read_document_text(data, "a.xlsx")
    assert file_text.text == (
        "# Prices | 2024\n\n| Item | Price |\n|-|-|\n| lamp | 1.5 |\n| buoy | 0.3 |\n\n"
        "# Notes\n\n| Item | Since | Sold | Sum |\n|-|-|-|-|\n| lamp | 2024-03-01 14:30:00 | TRUE |  |"
    )
    assert file_text.read_as == "XLSX, by openpyxl"
    assert file_text.left_out == "Left out: 1 uncalculated formula."
    assert file_text.parts.labels == ("Prices | 2024!1", "Prices | 2024!2", "Prices | 2024!3", "Notes!1", "Notes!2")
    place = file_text.text.index("| lamp | 2024")
    assert file_text.parts.label_of_spans([(place, place + 5)]) == "row Notes!2"
    assert file_text.parts.label_of_spans([(0, 20)]) == "row Prices | 2024!1"


def test_what_is_merged_over_rows_stands_in_each_of_them():
    rows = [["Region", "2023", None], [None, "Q1", "Q2"], ["North", 1, 2], [None, 3, 4], ["South", 5, 6]]
    data = workbook(("Sales", rows), merged=["A1:A2", "B1:C1", "A3:A4"])
    assert read_document_text(data, "a.xlsx").text == (
        "# Sales\n\n| Region | 2023 Q1 | 2023 Q2 |\n|-|-|-|\n| North | 1 | 2 |\n| North | 3 | 4 |\n| South | 5 | 6 |"
    )


def without(data, part):
    """Return a workbook without one of its parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w") as packed:
        for name in before.namelist():
            if name != part:
                packed.writestr(name, before.read(name))
    return file.getvalue()


BOOK = workbook(("Sheet", [["a", "b"], ["c", 1]]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no zip at all", r"a\.xlsx: the file must be a valid XLSX; .*not a zip file"),
        (BOOK[:-900], r"a\.xlsx: the file must be a valid XLSX; "),
        (without(BOOK, "xl/worksheets/sheet1.xml"), r"a\.xlsx: the XLSX must contain text; it contains none\."),
        (workbook(("Sheet", [])), r"a\.xlsx: the XLSX must contain text; it contains none\."),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99,
            r"a\.xlsx: the file must not have a password or the format of Office 2003",
        ),
        (workbook(("Sheet", [["x"] * 1001])), r"a\.xlsx: a table may have at most 1,000 columns; this table has 1,001\."),
    ],
)
def test_a_workbook_that_cannot_be_read_is_a_sentence(data, words):
    with pytest.raises(InputError, match=words) as caught:
        read_document_text(data, "a.xlsx")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_cells_far_apart_do_not_fill_what_lies_between():
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B500000"] = "first", "last"
    file = io.BytesIO()
    book.save(file)
    file_text = read_document_text(file.getvalue(), "a.xlsx")
    assert file_text.text == "# Sheet\n\nfirst\n\n|  | last |\n|-|-|"
    assert file_text.parts.labels == ("1", "500000")


def test_a_table_has_a_limit_of_rows():
    with pytest.raises(InputError, match=r"a\.csv: a table may have at most 1,000,000 rows; this table has more\."):
        check_row_count(1_000_001, "a.csv")


@pytest.mark.parametrize(
    ("text", "separator"),
    [("a,b\n", ","), ("a;b,c\n1;2\n3;4\n", ";"), ("one\ntwo\n", ","), ("a\tb, c, d\n1\t2, 3, 4\n", "\t"), ("", ",")],
)
def test_the_separator_is_the_one_of_the_most_even_rows(text, separator):
    assert find_csv_separator(text) == separator
