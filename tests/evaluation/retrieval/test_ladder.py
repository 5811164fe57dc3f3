"""The ladder of budgets: what is kept to show it, and which chunk holds an excerpt, at which rank."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, build_chunker
from evaluation.questions.corpus_ranges_and_rulers import CharacterRuler, Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval.budget import Budgets, evaluate_at_budgets
from evaluation.retrieval.budgets_and_near_duplicates import (
    BUDGETS_BY_UNIT,
    budgets_for_length,
    chunks_with_largest_excerpt_part,
    measure_at_standard_budgets,
    standard_budget_sets,
)
from evaluation.search.index import cut_and_index_corpus, search_for_all_questions
from evaluation.search.ranking import SEARCH_METHODS
from tests.support import AngleEmbedder, HashEmbedder, tools

SMALL = (Budgets((1, 4, 5), "tokens", "cut"), Budgets((8, 30), "characters", "left_out"))


def corpus():
    return Corpus((Document.from_text("0 alpha.\n40 beta.\n90 gamma.\n130 delta.", "lines", "one"),))


def climbed(rows, size=1, overlap=0, monkeypatch=None, kept=400):
    if monkeypatch is not None:
        monkeypatch.setattr(ladders, "standard_budget_sets", lambda corpus, ruler: SMALL)
        monkeypatch.setattr(ladders, "KEPT_RANK_COUNT", kept)
    text = "\n".join(json.dumps({"question": question, "excerpts": excerpts}) for question, excerpts in rows)
    questions = read_questions(text.encode(), "questions.jsonl", corpus()).usable
    bench = tools(AngleEmbedder())
    index = cut_and_index_corpus(corpus(), build_chunker("fixed_sentences", {"size": size, "overlap": overlap}), bench)
    return (
        index,
        questions,
        measure_at_standard_budgets(index, questions, bench, TokenRuler(corpus().joined_document.text, bench.tokenizer)),
    )


def test_both_units_go_equally_far_and_the_last_chunk_is_cut_off_or_left_out():
    assert [(budgets.unit, budgets.last) for budgets in standard_budget_sets(corpus(), CharacterRuler())] == [
        ("characters", "cut"),
        ("characters", "left_out"),
        ("tokens", "cut"),
        ("tokens", "left_out"),
    ]
    assert [4 * size for size in BUDGETS_BY_UNIT["tokens"]] == [*BUDGETS_BY_UNIT["characters"]]


@pytest.mark.parametrize(
    ("length", "unit", "expected"),
    [
        (1_170, "tokens", (10, 25, 50, 100, 250, 500)),
        (4_700, "characters", (40, 100, 200, 400, 1000, 2000)),
        (19_728, "tokens", (250, 500, 1000, 2000, 4000, 8000)),
        (32_000, "tokens", (500, 1000, 2000, 4000, 8000, 16_000)),
        (10**9, "tokens", (500, 1000, 2000, 4000, 8000, 16_000)),
        (20, "tokens", (1, 2, 5, 10)),
        (1, "tokens", (1,)),
        (0, "characters", (4,)),
    ],
)
def test_budgets_go_up_to_half_of_the_text(length, unit, expected):
    assert budgets_for_length(length, unit) == expected


def test_it_keeps_as_many_ranks_as_the_largest_budget_needs(monkeypatch):
    # Of 130, 90, 40 and 0, of two words and 9 characters each, five tokens need three; of 30 characters three fit.
    _, _, ladder = climbed([("120", ["40 beta."]), ("0", [])], monkeypatch=monkeypatch)
    assert ladder.results_in_unit("tokens", "cut").taken[:, 0].tolist() == [1, 2, 3]
    assert ladder.results_in_unit("tokens", "cut").cut_chunk_length[:, 0].tolist() == [1, 0, 1]
    assert ladder.results_in_unit("characters", "left_out").taken[:, 0].tolist() == [0, 3]
    assert not ladder.results_in_unit("characters", "left_out").cut_chunk_length.any()
    # And one more: the one that does not fit.
    assert ladder.ranked.tolist() == [[3, 2, 1, 0], [0, 1, 2, 3]]
    assert ladder.lower_ranked_excerpt_chunks.tolist() == []


def test_of_the_ranks_that_are_not_kept_those_with_part_of_an_excerpt_are(monkeypatch):
    _, _, ladder = climbed([("120", ["40 beta."]), ("0", ["40 beta."])], monkeypatch=monkeypatch, kept=2)
    assert ladder.ranked.tolist() == [[3, 2], [0, 1]]
    assert ladder.lower_ranked_excerpt_chunks.tolist() == [[0, 1, 3]]


@pytest.mark.parametrize("kept", [1, 400])
def test_an_excerpt_has_a_holder_with_its_rank(monkeypatch, kept):
    asked = [("120", ["0 alpha.", "40 beta.\n90 gamma."]), ("10", ["130 delta."]), ("1", [])]
    _, _, ladder = climbed(asked, monkeypatch=monkeypatch, kept=kept)
    # 120 finds 130, 90, 40, 0; of beta and gamma the longer one. 10 finds 0, 40, 90, 130.
    assert ladder.best_holders.tolist() == [[0, 4], [2, 2], [3, 4]]


def test_of_equal_holders_the_best_ranked_counts(monkeypatch):
    # Chunks 0+40, 40+90, 90+130: the question at 110 degrees finds the last, then the second, both of which hold gamma.
    index, questions, ladder = climbed([("110", ["90 gamma."])], size=2, overlap=1, monkeypatch=monkeypatch, kept=0)
    (excerpt,) = questions[0].excerpts
    assert chunks_with_largest_excerpt_part(index, excerpt.span) == [1, 2]
    assert chunks_with_largest_excerpt_part(index, (0, 0)) == []
    assert ladder.best_holders.tolist() == [[2, 1]]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(["red", "blue", "green", "red sea"]), min_size=1, max_size=12),
    st.integers(0, 3),
    st.sampled_from(SEARCH_METHODS),
)
def test_a_holder_s_rank_is_that_of_the_search(lines, kept, method):
    text = "\n".join(f"{line} {number}." for number, line in enumerate(lines))
    line_corpus = Corpus((Document.from_text(text, "lines", "one"),))
    rows = "\n".join(
        json.dumps({"question": f"which {line} {number}", "excerpts": [f"{line} {number}."]})
        for number, line in enumerate(lines)
    )
    bench = tools(HashEmbedder())
    questions = read_questions(rows.encode(), "questions.jsonl", line_corpus).usable
    index = cut_and_index_corpus(line_corpus, build_chunker("fixed_sentences", {"size": 1}), bench, search_method=method)
    before, ladders.KEPT_RANK_COUNT = ladders.KEPT_RANK_COUNT, kept
    try:
        ladder = measure_at_standard_budgets(index, questions, bench, TokenRuler(text, bench.tokenizer))
    finally:
        ladders.KEPT_RANK_COUNT = before
    ranked = search_for_all_questions(index, questions, bench, len(index.chunks)).ranked
    for (chunk, rank), row in zip(ladder.best_holders.tolist(), ranked.tolist(), strict=True):
        assert row[rank - 1] == chunk


def test_the_reasons_of_the_cuts_inside_excerpts(monkeypatch):
    index, _, ladder = climbed([("120", ["alpha.\n40 beta.\n90"]), ("0", ["130 delta."])], monkeypatch=monkeypatch)
    assert sorted(index.reasons) == [9, 18, 28]
    assert ladder.reasons == {place: index.reasons[place] for place in (9, 18)}


def test_each_of_several_budgets_is_what_it_is_alone():
    index, questions, ladder = climbed([("120", ["40 beta."]), ("0", ["130 delta."])])
    bench = tools(AngleEmbedder())
    for at_budgets in ladder.at:
        alone = evaluate_at_budgets(
            index, questions, bench, TokenRuler(corpus().joined_document.text, bench.tokenizer), at_budgets.budgets
        )
        for name in ("taken", "cut_chunk_length", "given", "retrieved_excerpt_length", "excerpt_length", "scores"):
            np.testing.assert_array_equal(getattr(at_budgets, name), getattr(alone, name))


def test_no_question_is_a_ladder_of_nothing_and_a_cancelled_one_is_none():
    index, questions, _ = climbed([("120", ["40 beta."])])
    bench = tools(AngleEmbedder())
    ruler = TokenRuler(corpus().joined_document.text, bench.tokenizer)
    nothing = measure_at_standard_budgets(index, (), bench, ruler)
    assert (nothing.ranked.shape, nothing.best_holders.shape, nothing.at[0].scores.shape[-1]) == ((0, 0), (0, 2), 0)
    asked = iter([False, True, True, True])
    with pytest.raises(Cancelled):
        measure_at_standard_budgets(index, questions, tools(AngleEmbedder(), cancelled=lambda: next(asked, True)), ruler)
