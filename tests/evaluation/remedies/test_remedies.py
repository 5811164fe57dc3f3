"""Changes that keep an answer whole: every one does what it says, and none that the whole grid has is missed."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, Tools, Watcher, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from evaluation.questions.corpus_ranges_and_rulers import TokenRuler
from evaluation.remedies.settings_search import MOST_REMEDIES, OTHER_CHUNKER_SETTINGS, SLIDER_STEP_COUNTS, setting_variations
from evaluation.remedies.tested_changes import FailingColumn, remedies_for_answer, try_settings_leaving_answer_uncut
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    PosedQuestion,
    build_search_index_of_text,
    check_and_trim_answer_span,
    judge_retrieval,
    retrieve_for_question,
)
from tests.fixtures.exhaustive_search import equals_exhaustive, is_whole, keeps_whole, search_exhaustively
from tests.support import AngleEmbedder, HashEmbedder

COLUMNS = (
    ("fixed_sentences", {"size": 2}),
    ("breakpoint", {"amount": 60.0}),
    ("double_pass", {}),
    ("recursive", {"size": 60}),
    ("fixed_words", {"size": 9, "overlap": 2}),
    ("structure", {"max_size": 30, "join_below": 10}),
)

WORDS = ["salt", "tide", "clock", "bridge", "paper", "bird", "moon", "river", "lamp", "stone", "glass", "wind"]

LINES = "\n".join(f"{angle} is the angle of this line." for angle in (0, 5, 80, 85, 30, 35, 60, 65))
"""Pairs of lines that are alike; each has seven words."""


def made_tools(document, embedder=None):
    """Return tools with the sentences' embeddings, as a page has them."""
    made = Tools(embedder or HashEmbedder(), load_tokenizer("words"))
    made.embed(document.sentence_texts)
    return made


def failure_of(seed, column, limit, method):
    """Return a failure in a generated text, and what asking takes; None where the column gives the answer whole."""
    draw = random.Random(seed)
    lines = [" ".join(draw.choices(WORDS, k=draw.randint(2, 9))).capitalize() + "." for _ in range(draw.randint(4, 24))]
    joints = [draw.choice((" ", " ", "\n\n")) for _ in lines]
    document = Document.from_text("".join(map("".join, zip(lines, joints, strict=True))), "regex").split()
    tools, ruler = made_tools(document), TokenRuler(document.text, load_tokenizer("words"))
    places = sorted(draw.sample(range(len(document.text) + 1), 2))
    first, last = (document.sentence_at(min(place, len(document.text) - 1)) for place in places)
    last = min(max(first, last), first + 3)
    answer = check_and_trim_answer_span(
        document.text, document.sentences[max(first, 0)].start, document.sentences[max(last, 0)].end
    )
    posed = PosedQuestion(" ".join(draw.choices(WORDS, k=3)), answer)
    chunker = build_chunker(*column)
    chunking = run_and_time_chunker(chunker, document, tools)
    if is_whole(chunking, posed, method, limit, tools, ruler)[0]:
        return None
    return FailingColumn(chunker, chunking, method, limit, posed=posed), tools, ruler


def found_for(failure, tools, ruler):
    """Return the remedies of a failure."""
    return [*remedies_for_answer(failure, try_settings_leaving_answer_uncut(failure, tools), tools, ruler)]


LIMITS = st.one_of(
    st.integers(5, 120).map(lambda tokens: Limit(budget=tokens)), st.integers(1, 5).map(lambda top: Limit(top=top))
)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(COLUMNS), LIMITS, st.sampled_from(["embedding", "bm25", "hybrid"]))
def test_every_remedy_keeps_its_promise_and_none_is_missed(seed, column, limit, method):
    setup = failure_of(seed, column, limit, method)
    if setup is None:
        return
    failure, tools, ruler = setup
    tried = try_settings_leaving_answer_uncut(failure, tools)
    given = [*remedies_for_answer(failure, tried, tools, ruler)]
    assert equals_exhaustive(given, search_exhaustively(failure, tools, keeps_whole(failure, tools, ruler)))
    assert len({remedy.variation.kind for remedy in given}) == len(given) <= MOST_REMEDIES
    assert [remedy.changed for remedy in given] == sorted(remedy.changed for remedy in given)
    _, tokens = is_whole(failure.chunking, failure.posed, method, limit, tools, ruler)
    for remedy in given:
        # Who takes the setting finds the answer whole, and with a number of chunks is not given more for it.
        chunking = run_and_time_chunker(remedy.variation.chunker, failure.chunking.document, tools)
        assert len(chunking.chunks) == remedy.chunks > 1
        assert is_whole(chunking, failure.posed, method, limit, tools, ruler)[0]
        assert is_whole(chunking, failure.posed, method, Limit(budget=limit.budget or tokens), tools, ruler)[0]


def angles(limit, others=(), known=None, column=("fixed_sentences", {"size": 1}), question="2"):
    document = Document.from_text(LINES, "lines").split()
    tools, ruler = made_tools(document, AngleEmbedder()), TokenRuler(LINES, load_tokenizer("words"))
    chunker = build_chunker(*column)
    posed = PosedQuestion(question, check_and_trim_answer_span(LINES, 0, document.sentences[1].end))
    others = tuple(
        PosedQuestion(text, check_and_trim_answer_span(LINES, *document.sentences[line])) for text, line in others
    )
    made = FailingColumn(
        chunker, run_and_time_chunker(chunker, document, tools), "embedding", limit, "plain", others, known, posed=posed
    )
    return made, tools, ruler


def test_what_a_remedy_does_to_other_questions_and_to_the_boundaries():
    # The other answers are the third line, which two chunks of 14 words do not leave out, and the fourth.
    known = (LINES.index("80"), LINES.index("30"), LINES.index("60"))
    failure, tools, ruler = angles(Limit(budget=14), [("80", 2), ("47", 5)], known)
    size = next(remedy for remedy in found_for(failure, tools, ruler) if remedy.variation.kind == "size")
    assert size.variation.words == "sentences per chunk 2"
    assert (size.chunks, size.tokens) == (4, 14)
    # Each line was a chunk: every boundary was a cut. Four cuts are gone, which are eight ends.
    assert size.boundary_counts == (3, 3, 3)
    assert size.changed == 8
    assert size.other_question_count == 2
    document = failure.chunking.document
    cut = run_and_time_chunker(size.variation.chunker, document, tools)
    before, after = (
        [is_whole(chunking, other, "embedding", failure.limit, tools, ruler)[0] for other in failure.other_questions]
        for chunking in (failure.chunking, cut)
    )
    assert size.won_answer_count == sum(new and not old for old, new in zip(before, after, strict=True))
    assert size.lost == sum(old and not new for old, new in zip(before, after, strict=True))


def test_larger_chunks_alone_do_not_win_where_a_number_of_chunks_is_retrieved():
    failure, tools, ruler = angles(Limit(top=1))
    # The best chunk has 7 words now, and the answer 14.
    assert found_for(failure, tools, ruler) == []
    failure, tools, ruler = angles(Limit(top=2))
    remedies = found_for(failure, tools, ruler)
    assert remedies
    for remedy in remedies:
        passages = build_search_index_of_text(
            run_and_time_chunker(remedy.variation.chunker, failure.chunking.document, tools), tools, "embedding"
        )
        asked = retrieve_for_question(passages, failure.posed.question, tools, Limit(budget=14), ruler)
        assert judge_retrieval(asked, failure.posed.answer).fate == "whole"


def test_an_uncut_text_is_no_remedy():
    failure, tools, ruler = angles(Limit(budget=56), column=("fixed_sentences", {"size": 1}))
    tried = try_settings_leaving_answer_uncut(failure, tools)
    assert any(
        len(run_and_time_chunker(trial.variation.chunker, failure.chunking.document, tools).chunks) == 1 for trial in tried
    )
    assert all(remedy.chunks > 1 for remedy in remedies_for_answer(failure, tried, tools, ruler))


def test_nothing_is_embedded_to_cut_and_the_count_is_of_what_was_cut():
    failure, tools, _ = angles(Limit(budget=14), column=("breakpoint", {"amount": 10.0}))
    grid = setting_variations(failure.chunker, tools.embedder)
    before = tools.meter.embedded
    tried = try_settings_leaving_answer_uncut(failure, tools)
    assert tools.meter.embedded == before
    # Joined sentences would have to be embedded first.
    assert {variation.kind for variation in grid} - {trial.variation.kind for trial in tried} == {"buffer"}
    assert len(tried) == len(grid) - sum(variation.kind == "buffer" for variation in grid)


def test_a_search_stops_when_it_is_told_to():
    failure, tools, ruler = angles(Limit(budget=14))
    tried = try_settings_leaving_answer_uncut(failure, tools)
    tools.watcher = Watcher(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        try_settings_leaving_answer_uncut(failure, tools)
    with pytest.raises(Cancelled):
        [*remedies_for_answer(failure, tried, tools, ruler)]


def test_the_grid_changes_one_parameter_at_a_time_and_names_it():
    chunker = build_chunker("double_pass", {"merging_threshold": 0.3, "initial_threshold": 0.2, "appending_threshold": 0.4})
    grid = setting_variations(chunker, HashEmbedder())
    near = [variation for variation in grid if variation.chunker.name == "double_pass"]
    now = chunker.model_dump()
    for variation in near:
        assert [name for name, value in variation.chunker.model_dump().items() if value != now[name]] == [variation.kind]
    merging = {variation.chunker.merging_threshold for variation in near if variation.kind == "merging_threshold"}
    assert merging == {
        round(0.3 + sign * 0.01 * step, 6) for step in SLIDER_STEP_COUNTS for sign in (-1, 1) if sign * 0.01 * step >= -0.3
    }
    words = [variation.words for variation in grid]
    assert "merging threshold 0.28" in words
    assert "minimum chunk size 200 characters" in words
    assert len(set(words)) == len(words)
    others = {variation.kind for variation in grid if variation.chunker.name != "double_pass"}
    assert others == {name for _, name, _ in OTHER_CHUNKER_SETTINGS} - {"double_pass"}


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            ("breakpoint", {"amount": 70.0}),
            {"percentile 69.5", "threshold type gradient", "maximum chunk size 500 characters"},
        ),
        (
            ("fixed_sentences", {"size": 2, "min_size": 90}),
            {"sentences per chunk 3", "minimum chunk size 45 characters", "no minimum chunk size"},
        ),
        (("recursive", {"size": 200, "unit": "words"}), {"chunk size 210 words", "separators markdown"}),
        (("structure", {}), {"maximum chunk size 240 tokens", "Change points, eager"}),
    ],
)
def test_changes_in_words(column, said):
    assert said <= {variation.words for variation in setting_variations(build_chunker(*column), HashEmbedder())}


def test_without_an_embedder_nothing_is_tried_that_needs_one():
    grid = setting_variations(build_chunker("fixed_sentences", {}), None)
    assert grid
    assert not any(variation.chunker.embeds for variation in grid)
