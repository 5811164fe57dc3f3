"""The problems found by a check, their places and their levels."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document, InputError, Span, build_chunker
from chunkers.text.extracted_text import TextParts
from evaluation.checking.problems import CHECK_RULE_BY_NAME, PROBLEM_LEVELS, Check, _Lines, parse_severity_levels
from evaluation.findings.rules import RULES, find_suspicious_cuts
from evaluation.segmentation.chunk_statistics import SizeBounds
from tests.support import HashEmbedder, tools

TABLE = "# Tides\n\nSome words about tides.\n\n| a | b |\n|---|---|\n" + "| high water | low water |\n" * 6
LINES = st.lists(st.sampled_from(["a", "é", "🌊", " ", "\n", "\r\n", "\r", "\u2028", "\x0b"]), min_size=1, max_size=30).map(
    "".join
)


def check(chunker, levels=None, embedder=None, **given):
    parameters = {key: given.pop(key) for key in [*given] if key not in ("bounds", "embedded_as")}
    return Check(build_chunker(chunker, parameters), tools(embedder), levels or {}, **given)


@given(LINES, st.data())
def test_a_place_is_where_an_editor_shows_the_passage(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    place = _Lines(Document.from_text(text, "regex", "a.txt"), "a.txt").file_range_of(Span(start, end))
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    assert place.line <= place.last_line <= len(lines)
    before = "".join(lines[: place.line - 1])
    assert len(before) + place.column - 1 == start
    assert len("".join(lines[: place.last_line - 1])) + place.last_column - 1 == end


def test_a_file_that_is_no_plain_text_has_no_lines_but_pages():
    document = Document.from_text("One. Two.", "regex", "a.pdf", TextParts("page", (0, 5), ("iv", "v")))
    lines = _Lines(document, "a.pdf")
    assert lines.file_range_of(Span(0, 3)) is None
    assert lines.page_or_part_phrase(Span(0, 3)) == "page iv"
    assert lines.page_or_part_phrase(Span(0, 9)) == "pages iv, v"
    assert _Lines(Document.from_text("One.", "regex", "a.txt"), "a.txt").page_or_part_phrase(Span(0, 3)) == ""


def test_what_the_inbox_finds_is_found_at_its_place():
    document = Document.from_text(TABLE, "regex", "tides.md")
    looked = check("fixed_characters", size=60).check_document(document, "docs/tides.md")
    messages = [
        (problem.rule, problem.message.rstrip(".").lower().partition("; it cannot")[0]) for problem in looked.problems
    ]
    messages = [pair for pair in messages if pair[0] != "size"]
    assert sorted(messages) == sorted(
        (finding.rule, finding.reason.lower()) for finding in find_suspicious_cuts(looked.chunking)
    )
    (table,) = (problem for problem in looked.problems if problem.rule == "inside_table")
    assert (table.level, table.file, table.place[:2]) == ("note", "docs/tides.md", (5, 1))
    assert table.passage.startswith("| a | b |")


def test_a_size_that_is_asked_for_is_kept():
    document = Document.from_text("One two three. Four. Five six.", "regex", "a.txt")
    looked = check("fixed_sentences", {"tiny": "off"}, size=1, bounds=SizeBounds(2, 2, "words")).check_document(
        document, "a.txt"
    )
    messages = {problem.passage: problem.message for problem in looked.problems if problem.rule == "size"}
    assert messages == {
        "One two three.": "The chunk has 3 words; asked for are 2 to 2 words.",
        "Four.": "The chunk has 1 word; asked for are 2 to 2 words.",
    }
    # Without bounds, those of the chunker's parameters count, and one that asks for none has none to keep.
    assert not [
        problem
        for problem in check("fixed_sentences", size=1).check_document(document, "a.txt").problems
        if problem.rule == "size"
    ]


def test_what_the_embedder_does_not_read_is_told_of_the_text_that_is_embedded():
    class Short(HashEmbedder):
        max_tokens = 20

    document = Document.from_text("# A long heading of tides\n\nA sentence of it.", "regex", "a.md")
    plain = check("fixed_words", embedder=Short(), size=4, overlap=0)
    read = [problem.passage for problem in plain.check_document(document, "a.md").problems if problem.rule == "unread"]
    with_path = check("fixed_words", embedder=Short(), size=4, overlap=0, embedded_as="heading_path")
    more = [problem.passage for problem in with_path.check_document(document, "a.md").problems if problem.rule == "unread"]
    assert set(read) < set(more)
    assert "of it." in set(more) - set(read)


@given(st.dictionaries(st.sampled_from([*CHECK_RULE_BY_NAME]), st.sampled_from([*PROBLEM_LEVELS, "off"])))
def test_a_level_says_whether_a_problem_is_there_and_how_grave(levels):
    document = Document.from_text(TABLE, "regex", "tides.md")
    usual = check("fixed_characters", size=60).check_document(document, "tides.md").problems
    problems = (
        check("fixed_characters", parse_severity_levels([*map("=".join, levels.items())]), size=60)
        .check_document(document, "tides.md")
        .problems
    )
    expected = [
        (problem.rule, problem.passage, levels.get(problem.rule, problem.level))
        for problem in usual
        if levels.get(problem.rule) != "off"
    ]
    assert [(problem.rule, problem.passage, problem.level) for problem in problems] == expected


def test_a_block_that_no_chunk_can_hold_is_a_note_and_one_that_fits_is_not():
    document = Document.from_text(TABLE, "regex", "tides.md")
    for size, level in ((60, "note"), (190, "error")):
        (table,) = (
            problem
            for problem in check("fixed_characters", size=size).check_document(document, "a.md").problems
            if problem.rule == "inside_table"
        )
        assert (table.level, "it cannot be whole: 181 characters" in table.message) == (level, level == "note")
    # Where no size is asked for, every cut could be avoided.
    problems = (
        check("fixed_words", size=10, overlap=0, bounds=SizeBounds(5, None, "words"))
        .check_document(document, "a.md")
        .problems
    )
    assert {problem.level for problem in problems if problem.rule == "inside_table"} == {"error"}


def test_a_cut_inside_a_sentence_is_a_note_if_no_chunk_can_hold_it_and_nothing_if_only_its_stop_is_cut_off():
    document = Document.from_text("The tide goes out and comes in. It is low.", "regex", "tides.md")

    def levels(chunker, size):
        problems = check(chunker, size=size).check_document(document, "a.md").problems
        return [(problem.level, problem.passage[:8]) for problem in problems if problem.rule == "inside_sentence"]

    assert levels("recursive", 20)[0] == ("note", "The tide")
    # A chunk holds the sentence, and ends before its stop.
    assert levels("recursive", 33) == []
    document = Document.from_text("It is low. The tide goes out and comes in.", "regex", "tides.md")
    assert levels("fixed_characters", 35) == [("warning", "The tide")]


IGNORED = "# Tides\n\nOne.\n\n{}\n\n- high water\n- low water\n- slack water\n\n{}"


@pytest.mark.parametrize(
    ("comment", "quiet"),
    [
        ("<!-- seamark: ignore -->", {"inside_list": "ignored"}),
        ("<!-- seamark: ignore inside_list, inside_code -->", {"inside_list": "ignored"}),
        ("<!--seamark:ignore\n  inside_list-->", {"inside_list": "ignored"}),
        ("<!-- seamark: ignore tiny -->", {"inside_list": ""}),
        ("<!-- seamark: ignored -->", {"inside_list": ""}),
        ("<!-- something else -->", {"inside_list": ""}),
        ("```\n<!-- seamark: ignore -->\n```", {"inside_list": ""}),
    ],
)
def test_a_comment_ignores_the_block_behind_it_alone(comment, quiet):
    def lists(text, file):
        document = Document.from_text(text, "lines", file)
        problems = check("fixed_sentences", size=1).check_document(document, file).problems
        return {problem.rule: problem.suppression_reason for problem in problems if problem.rule == "inside_list"}

    assert lists(IGNORED.format(comment, ""), "a.md") == quiet
    # A comment behind a block is not about it.
    assert lists(IGNORED.format("Two.", comment), "a.md") == {"inside_list": ""}
    assert lists(IGNORED.format(comment, ""), "a.html") == {"inside_list": ""}


def test_a_comment_that_names_no_rule_ignores_nothing_and_is_told():
    document = Document.from_text(IGNORED.format("<!-- seamark: ignore inside_lists -->", ""), "lines", "a.md")
    looked = check("fixed_sentences", size=1).check_document(document, "docs/a.md")
    assert not [problem for problem in looked.problems if problem.suppression_reason]
    assert looked.remarks == ("docs/a.md:5: a comment may only ignore rules; 'inside_lists' is none.",)


def test_every_rule_of_the_inbox_is_a_rule_of_the_check():
    assert {*RULES} < {*CHECK_RULE_BY_NAME}
    assert {rule.level for rule in CHECK_RULE_BY_NAME.values()} == {*PROBLEM_LEVELS}


@pytest.mark.parametrize("wrong", ["tables=error", "tiny=grave", "tiny"])
def test_wrong_levels_are_refused(wrong):
    with pytest.raises(InputError, match=r"^--level"):
        parse_severity_levels([wrong])
