"""Locating excerpts by place and by text, and resolving document names."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document, InputError, Span
from chunkers.text.quotation_search import SearchableText
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import ExcerptFinder, excerpt_as_json, read_questions

TEXT = "The tide goes out.\nIt comes back.\nThe tide goes out.\n"


def finder(*names):
    return ExcerptFinder(Corpus(tuple(Document.from_text(TEXT, "lines", name) for name in names)))


@pytest.mark.parametrize(("start", "found"), [(34, 34), (34.0, 34), (None, 0), (7, 0)])
def test_a_place_is_used_where_the_text_is_there_and_else_the_first_occurrence(start, found):
    item = {"content": "The tide goes out.", "start_index": start}
    assert finder("a.txt").locate(item, 0).spans == (Span(found, found + 18),)


@pytest.mark.parametrize("start", [-19, -1, True, 3.5, "34", [34], float("nan")])
def test_a_place_that_is_none_is_a_sentence_and_never_counts_from_the_end(start):
    with pytest.raises(InputError, match="start_index must be a whole number of at least 0; got"):
        finder("a.txt").locate({"content": "The tide goes out.", "start_index": start}, 0)


def test_a_whole_name_goes_before_a_stem():
    assert finder("x/a.txt", "a").document_number("a") == 1
    assert finder("x/a.txt", "b.txt").document_number("a") == 0
    assert finder("x/a.txt", "b.txt").document_number("x/a.txt") == 0


def test_a_stem_of_two_documents_names_neither():
    with pytest.raises(InputError, match=r"corpus_id must match one document; 'a' matches several: x/a.txt, y/a.md"):
        finder("x/a.txt", "y/a.md").document_number("a")


@pytest.mark.parametrize("name", [7, ["a"], {"a": 1}])
def test_a_name_of_another_kind_is_a_sentence(name):
    with pytest.raises(InputError, match="corpus_id must be one of a"):
        finder("a").document_number(name)


def test_half_of_a_surrogate_pair_is_a_sentence_and_the_other_questions_stay():
    data = b'{"question": "\\ud800", "excerpts": ["It comes back."]}\n{"question": "When?", "excerpts": ["It comes back."]}'
    read = read_questions(data, "q.jsonl", finder("a").corpus)
    assert [question.text for question in read.usable] == ["When?"]
    assert "the question must be valid Unicode" in read.problems[0]


BEFORE = (
    "Mussels hang on threads that they spin.\nThe threads hold in surf that moves stones.\nA limpet returns to its place.\n"
    "Limpets graze at high water.\nBarnacles stand on their heads.\n"
)
EDITED = (
    "A new beginning.\nMussels hang on threads that they spin.\nA note of several words now stands between these two, and "
    "it is longer than both of them together.\nThe threads hold in surf that moves stones.\n"
    "A limpet  returns to its place.\n"
)


def labelled(*excerpts):
    rows = [
        excerpt_as_json("a.txt", BEFORE, Span(BEFORE.index(excerpt), BEFORE.index(excerpt) + len(excerpt)))
        for excerpt in excerpts
    ]
    return json.dumps({"question": "What?", "references": rows}).encode()


def states(text, *excerpts):
    read = read_questions(labelled(*excerpts), "q.jsonl", Corpus((Document.from_text(text, "lines", "a.txt"),)))
    return read, [(label.excerpt, label.state, [text[start:end] for start, end in label.spans]) for label in read.labels]


def test_what_has_become_of_every_excerpt_after_an_edit():
    two = "Mussels hang on threads that they spin.\nThe threads hold in surf that moves stones."
    whole, moved, gone = BEFORE.splitlines()[2], BEFORE.splitlines()[1], BEFORE.splitlines()[4]
    assert states(BEFORE, two, whole)[1] == [(two, "valid", [two]), (whole, "valid", [whole])]
    read, labels = states(EDITED, two, whole, moved, gone)
    assert labels == [
        (two, "split", two.splitlines()),
        (whole, "found again", ["A limpet  returns to its place."]),
        (moved, "merged", [moved]),
        (gone, "orphaned", []),
    ]
    # All that is left of the answer is measured, each passage once.
    (question,) = read.usable
    assert [EDITED[start:end] for _, (start, end) in question.excerpts] == [
        *two.splitlines(),
        "A limpet  returns to its place.",
    ]
    assert "in parts, at 17 and" in read.changes[0]


def test_overlapping_excerpts_that_stand_where_they_were_are_valid():
    two, first_line = BEFORE[:83], BEFORE.splitlines()[0]
    assert [state for _, state, _ in states(BEFORE, two, first_line)[1]] == ["valid", "valid"]


@given(st.permutations("abcdefghijklmnopqrstuvwxyz0123456789"), st.integers(12, 24), st.integers(1, 40))
def test_a_quotation_that_was_divided_is_found_in_its_parts(letters, cut, between):
    text = "".join(letters)
    parts = [text[:cut], text[cut:]]
    searched = SearchableText(f"x {parts[0]}{'-' * between}{parts[1]} x")
    assert [searched.text[start:end] for start, end in searched.match_in_parts(text)] == parts
    assert searched.match_in_parts(f"{text}{'+' * 12}") == []
    assert SearchableText(f"{parts[1]} {parts[0]}").match_in_parts(text) == []


@given(st.text("ab", min_size=24, max_size=60), st.text("ab-", min_size=24, max_size=120))
def test_parts_that_are_found_are_the_quotation(quoted, text):
    spans = SearchableText(text).match_in_parts(quoted)
    assert "".join(text[start:end] for start, end in spans) in ("", quoted)
    assert all(earlier.end <= later.start for earlier, later in pairwise(spans))
