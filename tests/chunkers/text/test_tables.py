"""Tables in files: two programs write each kind with the faults that such files have; rows stay whole, with their header."""

import csv
import io
import random
import re
from functools import cache

import pandas
import pytest

from chunkers import Document, InputError, build_chunker, load_tokenizer
from chunkers.contract.base import run
from chunkers.text.delimited import separator_of
from chunkers.text.reading import read_document
from chunkers.text.table_text import check_rows, letters_of
from tests.support import tools

WORDS = ["North", "lamp, red", '5" pipe', "a | b", "Zoë", "“quoted”", "Müller & Co", "#1 choice", "x\\", "two\nlines", ""]
SEEDS = range(20)


class Sheet:
    """A table with the faults of its seed: what a program writes, and the names and rows that a reader has to find."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.seed = seed
        width = chance.randint(2, 9)
        self.decimal = ".,"[seed % 4 == 2]
        self.groups = []
        named = [f"Name {letters_of(number)}" for number in range(width)]
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
            return [letters_of(column) for column in range(columns) if not (self.empty_column and column == 1)]
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
    lines = [[number_of(cell, sheet.decimal) for cell in line] for line in sheet.lines()]
    text = pandas.DataFrame(lines, dtype=object).to_csv(sep=";,"[sheet.seed % 2], header=False, index=False)
    return text.encode(["utf-8-sig", "utf-8"][sheet.seed % 2])


def number_of(cell, decimal):
    return str(cell).replace(".", decimal) if isinstance(cell, float) else cell


PROGRAMS = {"csv": {"csv": by_csv, "pandas": by_pandas}}
FILES = [(kind, program, seed) for kind, programs in PROGRAMS.items() for program in programs for seed in SEEDS]


def cells_of(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def plain(value):
    text = "" if value is None else " ".join(str(value).strip().split("\n")).replace("|", "\\|")
    return text


@cache
def read(kind, program, seed):
    sheet = Sheet(seed)
    return sheet, read_document(PROGRAMS[kind][program](sheet), f"table.{kind}")


@pytest.mark.parametrize(("kind", "program", "seed"), FILES)
def test_every_row_is_a_line_of_one_table_below_the_names_of_its_columns(kind, program, seed):
    sheet, found = read(kind, program, seed)
    lines = [line for line in found.text.split("\n") if line.startswith("|")]
    assert found.text.split("\n\n")[: len(sheet.above)] == sheet.above
    assert cells_of(lines[0]) == sheet.names()
    width = len(sheet.names())
    decimal = sheet.decimal if kind == "csv" else "."
    expected = []
    for row in sheet.rows:
        cells = [plain(number_of(value, decimal)) for value in row]
        expected.append(cells + [""] * (width - len(cells)))
    assert [cells_of(line) for line in lines[2:]] == expected
    # The labels are the rows' numbers in the file.
    numbers = [number for number, line in enumerate(sheet.lines(), 1) if any(cell not in (None, "") for cell in line)]
    head = len(sheet.above) + bool(sheet.header) + bool(sheet.groups)
    assert [*found.parts.labels[-len(expected) :]] == [str(number) for number in numbers[head:]]
    for start, line in zip(found.parts.starts[-len(expected) :], lines[2:], strict=True):
        assert found.text.startswith(line, start) or not sheet.header


@pytest.mark.parametrize("most", [60, 250])
@pytest.mark.parametrize(("kind", "program", "seed"), FILES)
def test_no_row_is_cut_and_each_has_its_header_unless_both_are_longer_than_a_chunk(kind, program, seed, most):
    _, found = read(kind, program, seed)
    count = load_tokenizer("all-MiniLM-L6-v2").count
    document = Document.from_text(found.text, parts=found.parts)
    chunking = run(build_chunker("structure", {"max_size": most}), document, tools(tokenizer="all-MiniLM-L6-v2"))
    head, rule, *rows = [line for line in found.text.split("\n") if line.startswith("|")]
    (held,) = count([f"{head}\n{rule}"])
    for line in rows:
        (size,) = count([line])
        holding = [one for one in chunking.chunks if line in one.text.split("\n")]
        assert holding or size > most, line
        if held + size <= most:
            assert any(head in f"{one.context}\n{one.text}".split("\n") for one in holding), line
    for one in chunking.chunks:
        assert count([one.text])[0] + (count([one.context])[0] if one.context else 0) <= most


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
    assert read_document(data.encode(), "a.csv").text == text


def test_a_tsv_file_is_read_by_its_tabs_and_says_how():
    found = read_document("a\tb\nö, e\t2\n".encode("cp1252"), "a.TSV")
    assert (found.text, found.read_as) == ("| a | b |\n|-|-|\n| ö, e | 2 |", "CSV, by csv, in cp1252")
    assert found.guessed
    assert found.parts.said([(20, 25)]) == "row 2"
    assert found.parts.said([(0, 25)]) == "rows 1–2"


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
        read_document(data, "a.csv")
    assert "\n" not in str(caught.value)


def test_a_table_has_a_limit_of_rows():
    with pytest.raises(InputError, match=r"a\.csv: a table may have at most 1,000,000 rows; this table has more\."):
        check_rows(1_000_001, "a.csv")


@pytest.mark.parametrize(
    ("text", "separator"),
    [("a,b\n", ","), ("a;b,c\n1;2\n3;4\n", ";"), ("one\ntwo\n", ","), ("a\tb, c, d\n1\t2, 3, 4\n", "\t"), ("", ",")],
)
def test_the_separator_is_the_one_of_the_most_even_rows(text, separator):
    assert separator_of(text) == separator
