"""The parts of a text that are drawn bold, monospaced or as a list's marker, and their offsets in the browser."""

import json
from itertools import pairwise

import pytest

from chunkers import Document
from chunkers.text.blocks_and_headings import headings
from sample_docs import SAMPLES_FOLDER, load_sample, sample_titles
from tests import ROOT
from viz.components.bold_and_monospaced_ranges import find_formatted_ranges
from viz.components.browser_exchange import text_payload


def formatted(text, kind):
    """Return the parts of a text that look so."""
    return [text[look.start : look.end] for look in find_formatted_ranges(text)[0] if look.kind == kind]


def monospaced(text):
    return formatted(text, "mono")


def titles(text):
    return [(heading.level, heading.title) for heading in find_formatted_ranges(text)[1]]


def test_headings_are_bold_to_their_last_letter_whatever_ends_their_lines():
    assert formatted("# One\r\ntext\r\nTwo\r\n---\r\n", "heading") == ["# One", "text\r\nTwo\r\n---"]
    assert formatted("# One\rtext\r", "heading") == ["# One"]
    assert titles("# One\n\n## Two ##\ntext\n###\n#no\n####### no") == [(1, "One"), (2, "Two"), (3, "")]


def test_a_comment_in_source_code_is_no_heading_and_all_of_it_is_monospaced():
    source = "# What it does\nimport os\n\ndef f(x):\n    return x\n"
    assert headings(source)
    assert find_formatted_ranges(source) == ([(0, len(source), "mono")], ())


def test_the_mark_of_an_item_is_set_apart_from_its_text():
    assert formatted("- one\n  - of one\n10. ten\n-no\n* * *", "marker") == ["- ", "- ", "10. ", "* "]
    assert formatted("```\n- no\n```", "marker") == []


def test_lines_between_fences_are_code_with_the_fences():
    assert monospaced("Before.\n```js\nlet a;\n\nlet b;\n```\nAfter.") == ["```js\nlet a;\n\nlet b;\n```"]
    assert monospaced("~~~\n```\n~~~") == ["~~~\n```\n~~~"]
    assert monospaced("It is\n\n$$\n\\sigma\n$$\n\nand $$x$$ too.") == ["$$\n\\sigma\n$$"]
    assert monospaced("1. Run\n\n   ```sh\n   make\n   ```\n\n2. Wait.") == ["   ```sh\n   make\n   ```"]
    # A fence that nothing closes goes on to the end, as for the chunkers.
    assert monospaced("Before.\n```\nAll the rest of it.") == ["```\nAll the rest of it."]


def test_lines_of_a_table_are_monospaced_with_or_without_pipes_at_their_ends():
    assert monospaced("See:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.") == ["| a | b |\n|---|---|\n| 1 | 2 |"]
    # A line directly below a table is a row, as for the chunkers.
    assert monospaced("| a | b |\n|---|---|\nIt is read so.") == ["| a | b |\n|---|---|\nIt is read so."]
    assert monospaced("See:\n\na | b\n--- | ---\n1 | 2\n\nDone.") == ["a | b\n--- | ---\n1 | 2"]
    assert monospaced("| no | head |\nDone.") == ["| no | head |"]
    assert monospaced("| mode = fast path | yes |\nDone.") == ["| mode = fast path | yes |"]
    assert monospaced("He said this | that.") == []


def test_a_table_in_a_quotation_is_monospaced_and_the_marks_of_quotations_are_no_relations():
    table = "> | a | b |\n> |---|---|\n> | 1 | 2 |"
    assert monospaced(f"See:\n\n{table}\n>\n> Done.") == [table]
    assert monospaced("> item\n>   > nested\n\n> > more of it") == []
    assert monospaced(">>> x = 1\nIt is one.") == [">>> x = 1"]


def test_indented_lines_are_monospaced_if_they_stand_apart_or_something_opens_them():
    assert monospaced("Run this:\n\n    make\n    make test\n\nThen wait.") == ["    make\n    make test"]
    loop = "while b != 0:\n    a, b = b, a % b"
    assert monospaced(f"A loop:\n{loop}\nIt ends.") == [loop]
    body = "class A:\n\tx = 1\n\n\ty = 2"
    assert monospaced(f"{body}\n" + "It was said.\n" * 9) == [body]


def test_the_first_line_of_a_paragraph_and_the_rest_of_a_lists_item_are_not():
    assert monospaced("One.\n\n    It was a dark\nand stormy night.\n\n    The rain\nfell.") == []
    assert monospaced("- one\n    - of one\n\n    more of it\n\n- two") == []
    assert monospaced(f"One.\n\n    {'A whole paragraph. ' * 20}\n\nTwo.") == []


def test_a_line_that_relates_two_terms_is_a_formula_a_sentence_that_does_is_none():
    assert monospaced("It is\nA = pi * r^2\nby proof.\n3 + 10/71 < pi < 3 + 1/7") == [
        "A = pi * r^2",
        "3 + 10/71 < pi < 3 + 1/7",
    ]
    assert monospaced("In the formula x = 2 there are two terms.") == []
    assert monospaced("One hears it said:\nProfit = sales.\nIt is true.") == []


def test_of_prose_nothing_is_monospaced_of_the_samples_with_code_tables_and_formulas_much():
    for name in ("article", "essay", "dialogue", "stubs", "legal"):
        assert monospaced(load_sample(name).text) == [], name
    assert len(monospaced((SAMPLES_FOLDER / "table.md").read_text(encoding="utf-8"))) == 4
    assert monospaced((SAMPLES_FOLDER / "algorithm.txt").read_text(encoding="utf-8")) == [
        "while b != 0:\n    a, b = b, a % b"
    ]


def test_source_code_is_told_from_documents_even_from_those_that_have_code_in_them():
    samples = {path.name: path.read_text(encoding="utf-8") for path in SAMPLES_FOLDER.glob("*.txt")}
    assert [name for name, text in samples.items() if monospaced(text) == [text]] == ["source_code.txt"]
    script = (ROOT / "viz/components/reader/axis.js").read_text(encoding="utf-8")
    assert monospaced(script) == [script]
    text = f"# How\n\n```js\n{script}\n```\n"
    assert titles(text) == [(1, "How")]
    assert find_formatted_ranges("") == ([], ())


def test_looks_are_in_order_without_overlap():
    table = (SAMPLES_FOLDER / "table.md").read_text(encoding="utf-8")
    looks, _ = find_formatted_ranges(f"# A heading\n\n- an item\n{table}".replace("\n", "\r\n"))
    assert {look.kind for look in looks} == {"heading", "marker", "mono"}
    assert all(after.start >= before.end for before, after in pairwise(looks))


def test_the_browser_gets_them_in_its_own_units():
    text = "😀😀\n\n# A 😀 *title*\n\n- item 😀\n\nLast 😀\n----\n"
    head = json.loads(text_payload(Document.from_text(text, "regex")).split(b"\n", 1)[0])
    units = text.encode("utf-16-le")
    assert [(units[2 * start : 2 * end].decode("utf-16-le"), kind) for start, end, kind in head["looks"]] == [
        ("# A 😀 *title*", "heading"),
        ("- ", "marker"),
        ("Last 😀\n----", "heading"),
    ]
    assert [(heading["level"], heading["title"]) for heading in head["headings"]] == [(1, "A 😀 title"), (2, "Last 😀")]
    assert [[heading["start"], heading["end"]] for heading in head["headings"]] == [
        [start, end] for start, end, kind in head["looks"] if kind == "heading"
    ]


@pytest.mark.parametrize("name", sample_titles())
def test_headings_that_are_drawn_are_those_of_the_outline(name):
    text = load_sample(name).text
    looks, drawn = find_formatted_ranges(text)
    assert drawn == (() if name == "source_code" else headings(text))
    assert [(look.start, look.end) for look in looks if look.kind == "heading"] == [tuple(heading.span) for heading in drawn]


LINES = [
    " ",
    "(",
    "|",
    "--|",
    "    x:",
    "a |",
    "$$",
    "aa = ",
    "- ",
    "# ",
    "#",
    "*",
    "[",
    "](",
    "`",
    "=",
    "a\n=",
    "1. ",
    "> ",
]


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_whatever_the_lines_are_looks_lie_in_the_text_in_order(end):
    for line in LINES:
        text = (line * (2 if end else 1) + end) * 500
        places = [place for look in find_formatted_ranges(text)[0] for place in look[:2]]
        assert places == sorted(places)
        assert not places or places[-1] <= len(text)
