"""A number below zero is shown with a minus sign, never a hyphen: `chunkers.support.formatting.format_number` writes it."""

import ast
import re
from collections.abc import Mapping

import pytest

from chunkers import build_chunker
from chunkers.methods.breakpoint import convert_chunking_to_similarities
from chunkers.results.result_html import result_html
from chunkers.support.formatting import format_number
from evaluation.report.html_page import ComparedColumns, html_report
from evaluation.segmentation.boundary_and_structure_ranking import ChunkingLead
from evaluation.segmentation.threshold_staircase import Stretch
from evaluation.statistics.paired_tests import Difference
from tests import ROOT
from tests.sources import parsed
from tests.support import AngleEmbedder, cut, tools
from viz.breakpoints.decision_steps_by_chunker import greedy_scan_steps
from viz.breakpoints.gap_table import build_gap_table_columns
from viz.components.reader.column_body import score_curve_data
from viz.double_pass.passes import data_for_drawing_pass_rows, steps_of_both_passes

HYPHEN = re.compile(r"(?<![\w.=/-])-\.?\d")
"""A hyphen before a digit that is no part of a word, a date, a path or a setting as it is typed."""

OPPOSITE = "0\n170\n10\n150\n330\n20\n200\n190"
"""Angles whose cosines are mostly below zero."""

NEGATIVE = [
    ("breakpoint", {"threshold": "slope", "amount": -0.5, "buffer": 0}),
    ("breakpoint", {"threshold": "absolute_gradient", "amount": -0.2, "buffer": 0}),
    ("breakpoint", {"threshold": "standard_deviation", "amount": -1, "buffer": 0}),
    ("breakpoint", {"threshold": "depth", "amount": -1, "buffer": 0}),
    ("breakpoint", {"threshold": "distance", "amount": 1.5, "buffer": 0}),
    ("max_min", {"hard_threshold": -0.3}),
    ("double_pass", {"initial_threshold": -0.9, "appending_threshold": -0.5, "merging_threshold": -0.2}),
]


def strings(data):
    """Yield every text in nested data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from strings(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from strings(value)


def words_of(html):
    """Return the visible text of a page, without tags, styles or scripts."""
    return re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(style|script).*?</\1>", " ", html))


def said_of(chunker, chunking):
    """Yield the texts about a result in the library, on the pages and in a report."""
    for gap in chunking.gaps:
        yield from (gap.reason, gap.why.brief(), str(chunker.tipping(chunking, gap, tools(AngleEmbedder())) or ""))
    yield from (chunker.describe(), chunker.remark("amount"), words_of(result_html(chunking)))
    yield from strings(
        [
            score_curve_data(chunker, chunking, are_lines_movable=True),
            build_gap_table_columns(chunking, 0.1),
            greedy_scan_steps(chunking, 0.1, None),
        ]
    )
    if chunking.comparisons:
        yield from strings([data_for_drawing_pass_rows(chunking, None, {}), steps_of_both_passes(chunking, None)])


@pytest.mark.parametrize(("name", "parameters"), NEGATIVE)
def test_what_is_said_of_a_result_has_no_hyphen_before_a_number(name, parameters):
    chunker = build_chunker(name, parameters)
    chunking = cut(chunker, OPPOSITE, embedder=AngleEmbedder())
    texts = [*said_of(chunker, chunking), *(gap.reason for gap in convert_chunking_to_similarities(chunking).gaps)]
    texts.append(words_of(html_report(ComparedColumns(chunking.document, [(chunker, chunking)]))))
    assert [text for text in texts if HYPHEN.search(text)] == []
    assert any("−" in text for text in texts)


def test_verdicts_have_no_hyphen_before_a_number():
    below = Difference(-0.029, -0.051, -0.004, 0.01, 0.01, 0.05, 40)
    level = Difference(-0.01, -0.03, 0.02, 0.4, 0.4, 0.05, 40)
    sentences = [
        below.words("A", "B", "recall"),
        level.words("A", "B", "recall"),
        ChunkingLead(-0.1, level).words("recall"),
        Stretch(-1.5, -0.5, 4).in_words(),
    ]
    assert [sentence for sentence in sentences if HYPHEN.search(sentence)] == []
    assert all("−" in sentence for sentence in sentences)
    assert below.interval_phrase == "95 % between −5.1 and −0.4"


def test_the_sign():
    assert [format_number(-2.94, ".1f"), format_number(2.94, ".1f"), format_number(2.94, "+.1f")] == ["−2.9", "2.9", "+2.9"]
    assert [
        format_number(-0.001, ".2f"),
        format_number(-0.0),
        format_number(-0.001, "+.2f"),
        format_number(-1234.5, ",.1f"),
    ] == [
        "0.00",
        "0",
        "+0.00",
        "−1,234.5",
    ]


def hyphens(tree):
    """Return the lines of a module that format a signed number otherwise, or have a hyphen before a number in a sentence."""
    # Refusals quote what is typed, and docstrings are code.
    others = [node for node in ast.walk(tree) if isinstance(node, ast.Raise | ast.Expr)]
    typed = {id(part) for node in others for part in ast.walk(node)}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            spec = node.format_spec.values[0]
            wrong = isinstance(spec, ast.Constant) and spec.value[:1] in ("+", "z")
        else:
            written = node.value if isinstance(node, ast.Constant) and id(node) not in typed else None
            wrong = isinstance(written, str) and re.search(r"[a-z,:] -\d+ [a-z]", written)
        if wrong:
            lines.append(node.lineno)
    return lines


def test_nothing_else_formats_a_signed_number():
    wrong_files = {}
    for room in ("chunkers", "corpus", "evaluation", "integrations", "viz", "benchmarks"):
        for file in (ROOT / room).rglob("*.py"):
            places = hyphens(parsed(file))
            if places and file != ROOT / "chunkers" / "support" / "numbers.py":
                wrong_files[file.relative_to(ROOT).as_posix()] = places
    assert not wrong_files


@pytest.mark.parametrize("code", ['f"{a:+.1f}"', 'f"{a:z.2f} points"', 'x = "0 between, -1 inside a sentence"'])
def test_such_a_place_is_found(code):
    assert hyphens(ast.parse(code)) == [1]
    assert not hyphens(ast.parse('raise InputError(f"{name} must be from -1 to 1.")'))
