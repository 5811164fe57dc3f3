"""Locating excerpts by place and by text, and resolving document names."""

import pytest

from chunkers import Document, InputError, Span
from evaluation.questions.corpus import Corpus
from evaluation.questions.excerpts import Finder
from evaluation.questions.reading import read_questions

TEXT = "The tide goes out.\nIt comes back.\nThe tide goes out.\n"


def finder(*names):
    return Finder(Corpus(tuple(Document.from_text(TEXT, "lines", name) for name in names)))


@pytest.mark.parametrize(("start", "found"), [(34, 34), (34.0, 34), (None, 0), (7, 0)])
def test_a_place_is_used_where_the_text_is_there_and_else_the_first_occurrence(start, found):
    item = {"content": "The tide goes out.", "start_index": start}
    assert finder("a.txt").locate(item, 0).span == Span(found, found + 18)


@pytest.mark.parametrize("start", [-19, -1, True, 3.5, "34", [34], float("nan")])
def test_a_place_that_is_none_is_a_sentence_and_never_counts_from_the_end(start):
    with pytest.raises(InputError, match="start_index must be a whole number of at least 0; got"):
        finder("a.txt").locate({"content": "The tide goes out.", "start_index": start}, 0)


def test_a_whole_name_goes_before_a_stem():
    assert finder("x/a.txt", "a").number("a") == 1
    assert finder("x/a.txt", "b.txt").number("a") == 0
    assert finder("x/a.txt", "b.txt").number("x/a.txt") == 0


def test_a_stem_of_two_documents_names_neither():
    with pytest.raises(InputError, match=r"corpus_id must match one document; 'a' matches several: x/a.txt, y/a.md"):
        finder("x/a.txt", "y/a.md").number("a")


@pytest.mark.parametrize("name", [7, ["a"], {"a": 1}])
def test_a_name_of_another_kind_is_a_sentence(name):
    with pytest.raises(InputError, match="corpus_id must be one of a"):
        finder("a").number(name)


def test_half_of_a_surrogate_pair_is_a_sentence_and_the_other_questions_stay():
    data = b'{"question": "\\ud800", "excerpts": ["It comes back."]}\n{"question": "When?", "excerpts": ["It comes back."]}'
    read = read_questions(data, "q.jsonl", finder("a").corpus)
    assert [question.text for question in read.usable] == ["When?"]
    assert "the question must be valid Unicode" in read.problems[0]
