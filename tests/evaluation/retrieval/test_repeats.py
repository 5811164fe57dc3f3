"""Near-duplicates in a top k and at budgets, against a plain recomputation from complete rankings."""

import json
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from chunkers import Cancelled, Document, InputError, build_chunker
from evaluation.questions.corpus_ranges_and_rulers import CharacterRuler, Corpus, TokenRuler, total_length_of_ranges
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, Budgets, evaluate_at_budgets, fill_budget
from evaluation.retrieval.budgets_and_near_duplicates import (
    count_bm25_duplicates_per_question,
    find_retrieved_duplicates,
    measure_at_standard_budgets,
)
from evaluation.retrieval.computed_reports import ReportChoice, Reports
from evaluation.retrieval.measures import RANGE_UNITS, evaluate_retrieval, excerpt_ranges, scores_of_retrieved_ranges
from evaluation.retrieval.measures_as_json import encode_evaluation_as_json_bytes, evaluation_from_json
from evaluation.retrieval.retrieved_chunks_and_failures import MeasuredChunker
from evaluation.search.index import PreparedQuestions, cut_and_index_corpus
from evaluation.search.near_duplicates import find_near_duplicate_texts, shingles
from evaluation.search.ranking import SEARCH_METHODS, Bm25
from evaluation.search.text_returned_for_chunks import ReturnedText, copy_index_with_returned_text
from evaluation.statistics.paired_tests import paired_difference
from tests.support import tools

WORDS = ["red", "blue", "sea", "mark", "lamp", "tide", "reef", "buoy", "fog", "bell"]
SIZES = {"characters": (60, 200), "tokens": (12, 40)}


def corpus():
    """Return three documents of lines, two in three of which are copies of another but for a last word."""
    rng = random.Random(4)
    originals = [" ".join(rng.choices(WORDS, k=12)) for _ in range(9)]
    lines = [*originals, *(f"{line} again" for line in originals[:6] for _ in range(3)), *originals[:3]]
    rng.shuffle(lines)
    texts = ["\n".join(f"{line}." for line in lines[start::3]) for start in range(3)]
    return Corpus(tuple(Document.from_text(text, "lines", f"{number}.txt") for number, text in enumerate(texts)))


CORPUS = corpus()
RULER = TokenRuler(CORPUS.joined_document.text, tools().tokenizer)


def questions():
    lines = [line for document in CORPUS.documents for line in document.text.split("\n")]
    rng = random.Random(7)
    rows = [{"question": " ".join(rng.sample(WORDS, 4)), "excerpts": [line]} for line in rng.sample(lines, 9)]
    rows.append({"question": "none", "excerpts": []})
    return read_questions("\n".join(map(json.dumps, rows)).encode(), "questions.jsonl", CORPUS).usable


QUESTIONS = questions()


def indexed(method="embedding", size=1):
    return cut_and_index_corpus(CORPUS, build_chunker("fixed_sentences", {"size": size}), tools(), search_method=method)


def near(index, one, other):
    first, second = shingles(index.texts[one]), shingles(index.texts[other])
    return len(first & second) >= 0.8 * len(first | second)


def complete(index):
    """Return every question's ranking of all chunks, and the places in it that near-duplicates take."""
    queries = PreparedQuestions.of(index, [question.text for question in QUESTIONS], tools())
    rankings = queries.ranked(np.arange(len(QUESTIONS)), len(index.chunks)).tolist()
    taken = [
        [place for place, chunk in enumerate(row) if any(near(index, chunk, better) for better in row[:place])]
        for row in rankings
    ]
    return rankings, taken


def recall(question, spans, unit):
    excerpts = excerpt_ranges(CORPUS, question)
    value = scores_of_retrieved_ranges(excerpts, spans, RULER if unit == "tokens" else total_length_of_ranges)[
        "recall"
    ].value
    return float("nan") if value is None else value


def others(row, taken):
    return [chunk for place, chunk in enumerate(row) if place not in taken]


@pytest.mark.parametrize("method", SEARCH_METHODS)
@pytest.mark.parametrize("way", ["chunk", "window:1"])
@pytest.mark.parametrize("top_k", [1, 3, 7])
def test_in_a_top_k_they_are_left_out_and_the_next_ones_move_up(method, way, top_k):
    index = copy_index_with_returned_text(indexed(method), ReturnedText.parse(way))
    evaluation = evaluate_retrieval(index, QUESTIONS, tools(), RULER, top_k)
    # As the run does, with room for a larger top k.
    repeats = find_retrieved_duplicates(index, QUESTIONS, tools(), RULER, 7)
    rankings, taken = complete(index)
    for unit in RANGE_UNITS:
        cost = repeats.repeat_cost_in_top_k(evaluation, unit, RULER)
        assert cost.taken.tolist() == [sum(place < top_k for place in places) for places in taken]
        assert (cost.retrieved == top_k).all()
        expected = [
            recall(
                question,
                [span for spans in index.returned_spans_without_repeats(others(row, places)[:top_k]) for span in spans],
                unit,
            )
            for question, row, places in zip(QUESTIONS, rankings, taken, strict=True)
        ]
        np.testing.assert_allclose(cost.recall_without_repeats, expected)
        np.testing.assert_array_equal(cost.recall, evaluation.values("recall", unit))
        assert cost.difference == paired_difference(cost.recall_without_repeats, cost.recall)
    assert top_k == 1 or sum(cost.taken) > 0
    assert repeats.near_duplicate_count == sum(
        any(near(index, one, other) for other in range(len(index.texts)) if other != one) for one in range(len(index.texts))
    )


@pytest.mark.parametrize("method", SEARCH_METHODS)
@pytest.mark.parametrize("last", LAST_CHUNK_CHOICES)
@pytest.mark.parametrize("unit", RANGE_UNITS)
def test_at_a_budget_other_chunks_fill_their_room(method, last, unit):
    index = indexed(method)
    at = evaluate_at_budgets(index, QUESTIONS, tools(), RULER, Budgets(SIZES[unit], unit, last))
    repeats = find_retrieved_duplicates(index, QUESTIONS, tools(), RULER, 1, [at])
    rankings, taken = complete(index)
    length = RULER if unit == "tokens" else CharacterRuler()
    for place, size in enumerate(SIZES[unit]):
        cost = repeats.repeat_cost_at_budget(at, size, unit)
        assert cost.retrieved.tolist() == at.taken[place].tolist()
        assert cost.taken.tolist() == [
            sum(rank < count for rank in places) for places, count in zip(taken, cost.retrieved.tolist(), strict=True)
        ]
        filled = [
            fill_budget([index.chunks[chunk] for chunk in others(row, places)], size, length, last)
            for row, places in zip(rankings, taken, strict=True)
        ]
        spans = [[span for spans in parts for span in spans] for parts in filled]
        np.testing.assert_allclose(
            cost.recall_without_repeats, [recall(*pair, unit) for pair in zip(QUESTIONS, spans, strict=True)]
        )
        np.testing.assert_array_equal(cost.recall, at.question_values_at_budget("recall", size, unit))
    assert sum(cost.taken) > 0
    assert (cost.recall_without_repeats != cost.recall)[:-1].any()


def test_where_everything_else_is_retrieved_near_duplicates_come_last():
    index = indexed()
    rankings, taken = complete(index)
    queries = PreparedQuestions.of(
        replace(index, demoted_near_duplicates=find_near_duplicate_texts(index.texts)),
        [question.text for question in QUESTIONS],
        tools(),
    )
    for depth in (1, 5, len(index.chunks), 3 * len(index.chunks)):
        expected = [
            (others(row, places) + [row[place] for place in places])[:depth]
            for row, places in zip(rankings, taken, strict=True)
        ]
        assert queries.ranked(np.arange(len(QUESTIONS)), depth).tolist() == expected


def test_without_near_duplicates_nothing_is_taken():
    index = indexed(size=40)
    assert len(index.chunks) == 3
    evaluation = evaluate_retrieval(index, QUESTIONS, tools(), RULER, 2)
    repeats = find_retrieved_duplicates(index, QUESTIONS, tools(), RULER, 2)
    cost = repeats.repeat_cost_in_top_k(evaluation, "characters", RULER)
    assert (repeats.near_duplicate_count, repeats.group_count, repeats.repeat_ranks_by_question) == (0, 0, {})
    assert not cost.taken.any()
    np.testing.assert_array_equal(cost.recall_without_repeats, cost.recall)


def test_a_report_has_the_cost_at_its_limit_and_what_is_stored_tells_the_same(monkeypatch):
    monkeypatch.setattr(
        ladders,
        "standard_budget_sets",
        lambda *_: tuple(Budgets(SIZES[unit], unit, last) for unit in RANGE_UNITS for last in LAST_CHUNK_CHOICES),
    )
    index = indexed()
    evaluation = evaluate_retrieval(index, QUESTIONS, tools(), RULER, 5)
    ladder = measure_at_standard_budgets(index, QUESTIONS, tools(), RULER, 7)
    written = encode_evaluation_as_json_bytes(evaluation, ladder)
    again = MeasuredChunker(*evaluation_from_json(written, CORPUS, QUESTIONS))
    for choice in (
        ReportChoice("recall", "tokens", 3, 0),
        ReportChoice("recall", "characters", 6, 0),
        ReportChoice("iou", "tokens", 5, 0, 40, "cut"),
        ReportChoice("recall", "characters", 5, 0, 200, "left_out"),
    ):
        one, other = (
            Reports(RULER, ["one"]).report_comparing_chunkers({0: measured}, choice).chunkers[0].repeats
            for measured in (MeasuredChunker(evaluation, ladder), again)
        )
        assert one.near_duplicate_count == other.near_duplicate_count > 0
        assert one.difference == other.difference
        for name in ("retrieved", "taken", "recall", "recall_without_repeats"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        direct = find_retrieved_duplicates(index, QUESTIONS, tools(), RULER, 7, ladder.at)
        if choice.budget:
            expected = direct.repeat_cost_at_budget(
                ladder.results_in_unit(choice.unit, choice.last), choice.budget, choice.unit
            )
        else:
            expected = direct.repeat_cost_in_top_k(evaluation.with_top_k(choice.top_k, RULER), choice.unit, RULER)
        np.testing.assert_array_equal(one.recall_without_repeats, expected.recall_without_repeats)
        assert one.taken.sum() == expected.taken.sum() > 0

    before = json.loads(written)
    del before["ladder"]["repeats"]
    old = MeasuredChunker(*evaluation_from_json(json.dumps(before).encode(), CORPUS, QUESTIONS))
    assert old.ladder.repeats is None
    assert (
        Reports(RULER, ["one"])
        .report_comparing_chunkers({0: old}, ReportChoice("recall", "tokens", 3, 0))
        .chunkers[0]
        .repeats
        is None
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"places": [[99, [1]]]}, "must refer only to its own 10 questions"),
        ({"places": [[0, [1]]], "ranked": [[999]]}, "must refer only to its own 30 chunks"),
        ({"places": [[0, [1]]], "ranked": []}, "must have repeats of the shape 1 × any"),
        ({"near": "many"}, "ladder.repeats.near is invalid"),
    ],
)
def test_stored_repeats_that_do_not_fit_are_a_sentence(change, sentence):
    index = indexed()
    stored = json.loads(
        encode_evaluation_as_json_bytes(
            evaluate_retrieval(index, QUESTIONS, tools(), RULER),
            measure_at_standard_budgets(index, QUESTIONS, tools(), RULER, 7),
        )
    )
    stored["ladder"]["repeats"] |= {"places": [[0, [1]]], "ranked": [[0]], "at": []} | change
    with pytest.raises(InputError, match=sentence):
        evaluation_from_json(json.dumps(stored).encode(), CORPUS, QUESTIONS)


def test_it_can_be_stopped():
    with pytest.raises(Cancelled):
        find_retrieved_duplicates(indexed(), QUESTIONS, tools(cancelled=lambda: True), RULER, 5)


def test_places_ascend():
    repeats = find_retrieved_duplicates(indexed(), QUESTIONS, tools(), RULER, 20)
    assert repeats.repeat_ranks_by_question
    for places in repeats.repeat_ranks_by_question.values():
        assert all(one < other for one, other in pairwise(places))
        assert places[-1] < 20


@pytest.mark.parametrize("top_k", [1, 3, 8])
def test_among_the_best_by_words_each_chunk_that_repeats_a_better_one_is_counted(top_k):
    index = indexed(size=1)
    questions = [*(question.text for question in QUESTIONS), "zzz"]
    expected = []
    for question in questions:
        scores = Bm25(index.texts, "en").scores(question)
        best = [chunk for chunk in sorted(range(len(scores)), key=lambda chunk: -scores[chunk]) if scores[chunk]][:top_k]
        alike = [any(near(index, chunk, better) for better in best[:place]) for place, chunk in enumerate(best)]
        expected.append(sum(alike))
    assert count_bm25_duplicates_per_question(index.texts, "en", questions, top_k, 0.8).tolist() == expected
    assert any(expected) == (top_k > 1)
    assert expected[-1] == 0
