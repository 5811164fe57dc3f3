"""The list of what was missed: its words, and what a press on a row shows."""

from types import SimpleNamespace

import streamlit as st

from chunkers import Span
from evaluation.retrieval.retrieved_chunks_and_failures import AnswerRetrieval, MissedExcerpt, RankedChunk, Seam
from viz.retrieval.failed.missed_excerpts import (
    MISSED_EXCERPTS_KEY,
    _holding_chunk_in_words,
    _select_clicked_question,
    _successful_chunkers_in_words,
    build_excerpt_cut_payload,
)

PLAN = SimpleNamespace(numbered_chunker_titles=["1. Recursive", "2. Optimal", "3. Breakpoint"])


def failure(missed, rank=31, fate="not retrieved", held=40):
    chunk = RankedChunk(rank, 11, (Span(10, 10 + held),), ())
    return MissedExcerpt(6, missed, AnswerRetrieval(Span(10, 50), fate, (chunk,), missed[0], 0))


def report(budget, taken, cut=False, parents=None, new=99):
    """Return a report with ``taken`` chunks given, of which those after rank ``new`` return what is there already."""
    chunks = [
        SimpleNamespace(rank=rank, spans=texts, given=texts, is_wholly_retrieved=not (cut and rank == taken))
        for rank in range(1, taken + 1)
        for texts in [(1,) if rank <= new else ()]
    ]
    choice = SimpleNamespace(budget=budget, unit="tokens", top_k=5)
    chunkers = {0: SimpleNamespace(evaluation=SimpleNamespace(searched_index=SimpleNamespace(parents=parents)))}
    given = SimpleNamespace(chunks=chunks, taken_count=taken)
    return SimpleNamespace(choice=choice, chunkers=chunkers, chunks_retrieved_for_question=lambda number, question: given)


def test_it_says_why_the_chunk_that_holds_it_was_not_enough():
    whole = failure({0: 40, 1: 0})
    assert (
        _holding_chunk_in_words(report(2000, 20), whole, 0)
        == "Chunk 12 holds all of it and has rank 31: the 2,000 tokens are full after 20 chunks."
    )
    assert (
        _holding_chunk_in_words(report(0, 5), whole, 0) == "Chunk 12 holds all of it and has rank 31: only the top 5 count."
    )
    part = failure({0: 12}, 3, "split", held=28)
    sentence = "Chunk 12 holds 28 of 40 characters and has rank 3: it was found, the rest was not."
    assert _holding_chunk_in_words(report(2000, 20), part, 0) == sentence
    assert _holding_chunk_in_words(report(2000, 3, cut=True), part, 0).endswith("has rank 3, where the budget cuts it off.")
    # The run does not keep the ranks of the last chunks one by one.
    beyond = failure({0: 40}, 31, "cut off")
    assert (
        _holding_chunk_in_words(report(2000, 31), beyond, 0)
        == "Chunk 12 holds all of it and has rank 31, where the budget cuts it off."
    )
    assert (
        _holding_chunk_in_words(report(0, 5), failure({0: 40}, rank=0), 0)
        == "Chunk 12 holds all of it; its rank is not known."
    )
    nowhere = MissedExcerpt(6, {0: 40}, AnswerRetrieval(Span(10, 50), "in no chunk", (), 40, 40))
    assert _holding_chunk_in_words(report(0, 5), nowhere, 0) == "No chunk holds any of it."


def test_a_child_whose_parent_a_better_one_returned_was_found():
    part = failure({0: 12}, 4, "split", held=28)
    sentence = "Child 12 holds 28 of 40 characters and has rank 4: it was found, the rest was not."
    assert _holding_chunk_in_words(report(0, 5, parents=(), new=2), part, 0) == sentence


def test_it_says_who_found_it():
    assert (
        _successful_chunkers_in_words(PLAN, failure({0: 40, 1: 0, 2: 0}), 0) == "Found whole by 2. Optimal, 3. Breakpoint."
    )
    assert _successful_chunkers_in_words(PLAN, failure({0: 40, 1: 1, 2: 40}), 0) == "No other chunker found it whole."
    assert _successful_chunkers_in_words(PLAN, failure({0: 40}), 0) == ""


def test_a_cut_without_a_reason_has_its_chunks_and_its_place():
    text = "It shines at night. It floats\nby day."
    assert build_excerpt_cut_payload(text, Seam(20, 3, 4, "")) == {
        "before": "It shines at night.",
        "after": "It floats by day.",
        "reason": "between chunks 4 and 5, at character 20",
    }
    assert build_excerpt_cut_payload(text, Seam(20, 3, 4, "distance 0.72 > 0.5"))["reason"] == "distance 0.72 > 0.5"


def test_a_row_shows_its_question_and_the_chunker_that_missed_it_beside_one_that_found_it(monkeypatch):
    state = {MISSED_EXCERPTS_KEY: {"chosen": {"question": 6, "at": 5.0}}}
    monkeypatch.setattr(st, "session_state", state)
    words = {"disagree": "yes", "question": "1", "left": "2", "right": "2"}
    _select_clicked_question([failure({0: 40, 1: 5, 2: 0})], 0, words)
    assert words == {"disagree": "no", "question": "7", "left": "1", "right": "3"}
    # What was told once is not done again; nor is a question that is no longer in the list shown.
    words["question"] = "1"
    _select_clicked_question([failure({0: 40, 1: 5, 2: 0})], 0, words)
    state[MISSED_EXCERPTS_KEY] = {"chosen": {"question": 99, "at": 6.0}}
    _select_clicked_question([failure({0: 40})], 0, words)
    assert words["question"] == "1"
    # Where nobody found it whole, it is shown beside the one that missed least.
    state[MISSED_EXCERPTS_KEY] = {"chosen": {"question": 6, "at": 7.0}}
    _select_clicked_question([failure({0: 40, 1: 9, 2: 5})], 0, words)
    assert words["right"] == "3"
