"""The cause of a failed question, and the text passed to the model for a question: cases worked by hand."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, Span, build_chunker
from evaluation.questions.corpus_ranges_and_rulers import CharacterRuler, Corpus, TokenRuler, difference_of_ranges
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import Limit
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval.budget import Budgets, fill_budget
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.measures import evaluate_retrieval, excerpt_ranges
from evaluation.retrieval.retrieved_chunks_and_failures import (
    MeasuredChunker,
    Seam,
    given_chunks,
    judge_answer_retrieval,
    list_missed_excerpts_per_chunker,
)
from evaluation.search.index import cut_and_index_corpus
from evaluation.search.ranking import nearest_vector_indices_per_query
from tests.support import AngleEmbedder, HashEmbedder, tools

TEXT = "0 alpha.\n40 beta.\n90 gamma.\n130 delta."
"""Sentences at 0, 9, 18 and 28, of two words each."""
CORPUS = Corpus((Document.from_text(TEXT, "lines", "one"),), exact_ends=True)
RULER = TokenRuler(TEXT, tools().tokenizer)
ONE_CHUNK = Limit(top=1)


def measured(rows, *settings, embedder=AngleEmbedder, corpus=CORPUS, ruler=RULER):
    text = "\n".join(json.dumps({"question": question, "excerpts": excerpts}) for question, excerpts in rows)
    questions = read_questions(text.encode(), "questions.jsonl", corpus).usable
    runs = {}
    for number, setting in enumerate(settings):
        bench = tools(embedder())
        index = cut_and_index_corpus(corpus, build_chunker("fixed_sentences", setting), bench)
        runs[number] = MeasuredChunker(
            evaluate_retrieval(index, questions, bench, ruler), measure_at_standard_budgets(index, questions, bench, ruler)
        )
    return runs


def holder_of(failure):
    """Return the number and the rank of the chunk with most of a missed excerpt, and how much of it the chunk holds."""
    holder = failure.retrieval.chunk_with_most_answer
    return holder.number, holder.rank, failure.retrieval.count_answer_characters_in_chunk(holder)


def test_an_excerpt_that_a_cut_split():
    runs = measured([("90", ["40 beta.\n90 gamma."])], {"size": 1}, {"size": 4}, {"size": 1, "overlap": 0})
    lost = list_missed_excerpts_per_chunker(runs, ONE_CHUNK, RULER)
    (failure,) = lost[0]
    # “90 gamma.” is found; “40 beta.”, of 8 characters, and the white space after it are not.
    retrieval = failure.retrieval
    assert (failure.question, retrieval.answer, retrieval.answer_character_count, retrieval.missed_character_count) == (
        0,
        Span(9, 27),
        18,
        9,
    )
    assert dict(failure.missed_characters_by_chunker) == {0: 9, 1: 0, 2: 9}
    reason = runs[0].ladder.reasons[18]
    assert (retrieval.fate, retrieval.cuts_inside(runs[0].ladder.reasons)) == ("split", (Seam(18, 1, 2, reason),))
    assert reason
    # The chunk that holds 9 of its 18 characters is the best ranked.
    assert holder_of(failure) == (2, 1, 9)
    assert failure.other_successful_chunkers(0) == (1,)
    assert lost[1] == []


def test_an_excerpt_that_is_whole_in_a_chunk_of_too_low_a_rank_was_split_by_no_cut():
    runs = measured([("0", ["130 delta."]), ("90", ["90 gamma."])], {"size": 1})
    (failure,) = list_missed_excerpts_per_chunker(runs, ONE_CHUNK, RULER)[0]
    assert (failure.retrieval.fate, failure.retrieval.cuts_inside({})) == ("not retrieved", ())
    assert holder_of(failure) == (3, 4, 10)
    assert dict(failure.missed_characters_by_chunker) == {0: 10}
    assert failure.other_successful_chunkers(0) == ()
    assert list_missed_excerpts_per_chunker(runs, Limit(top=4), RULER) == {0: []}


def test_at_a_budget_what_is_cut_off_is_missed():
    runs = measured([("0", ["0 alpha.", "40 beta."])], {"size": 2})
    # Three of the first chunk's four words: “40 ” of “40 beta.” is given, “beta.” is not.
    runs = {0: runs[0]._replace(ladder=climbed(runs[0], Budgets((3, 4), "tokens", "cut"), size=2))}
    (failure,) = list_missed_excerpts_per_chunker(runs, Limit(3), RULER)[0]
    assert (failure.retrieval.answer, failure.retrieval.fate, dict(failure.missed_characters_by_chunker)) == (
        Span(9, 17),
        "cut off",
        {0: 5},
    )
    assert holder_of(failure) == (0, 1, 8)
    assert list_missed_excerpts_per_chunker(runs, Limit(4), RULER) == {0: []}
    (cut,) = given_chunks(runs[0], Limit(3), 0, RULER).chunks
    assert (cut.rank, cut.spans, cut.given, cut.is_wholly_retrieved) == (1, (Span(0, 17),), (Span(0, 12),), False)


def climbed(found, *budgets, size=1, kept=400):
    before = ladders.standard_budget_sets, ladders.KEPT_RANK_COUNT
    ladders.standard_budget_sets, ladders.KEPT_RANK_COUNT = lambda corpus, ruler: budgets, kept
    try:
        bench = tools(AngleEmbedder())
        index = cut_and_index_corpus(CORPUS, build_chunker("fixed_sentences", {"size": size}), bench)
        return measure_at_standard_budgets(index, found.evaluation.search.questions, bench, RULER)
    finally:
        ladders.standard_budget_sets, ladders.KEPT_RANK_COUNT = before


def test_what_is_left_out_is_shown_and_not_given():
    (run,) = measured([("0", ["40 beta."])], {"size": 1}).values()
    ladder = climbed(run, Budgets((2, 3, 100), "tokens", "left_out"))

    def given_in(budget):
        given = given_chunks(run._replace(ladder=ladder), Limit(budget, last="left_out"), 0, RULER)
        return [(chunk.number, bool(chunk.given)) for chunk in given.chunks], given.filled_length

    assert given_in(3) == ([(0, True), (1, False)], 2)
    # A full budget leaves out nothing for want of room, and a large one nothing at all.
    assert given_in(2) == ([(0, True)], 2)
    assert given_in(100) == ([(number, True) for number in range(4)], 8)
    lost = {
        budget: list_missed_excerpts_per_chunker(
            {0: MeasuredChunker(run.evaluation, ladder)}, Limit(budget, last="left_out"), RULER
        )[0]
        for budget in (3, 100)
    }
    assert [dict(failure.missed_characters_by_chunker) for failure in lost[3]] == [{0: 8}]
    assert lost[100] == []


def test_what_is_given_beyond_the_ranks_that_are_kept_is_not_missed():
    (run,) = measured([("0", ["130 delta."])], {"size": 1}).values()
    ladder = climbed(run, Budgets((7, 8), "tokens", "cut"), kept=2)
    runs = {0: MeasuredChunker(run.evaluation, ladder)}
    assert list_missed_excerpts_per_chunker(runs, Limit(8), RULER) == {0: []}
    # The last of the four is cut off after “130 ”.
    (cut,) = list_missed_excerpts_per_chunker(runs, Limit(7), RULER)[0]
    assert (dict(cut.missed_characters_by_chunker), cut.retrieval.fate, holder_of(cut)) == ({0: 6}, "cut off", (3, 4, 10))
    given = given_chunks(runs[0], Limit(8), 0, RULER)
    assert ([chunk.number for chunk in given.chunks], given.chunk_count_beyond_kept_ranks, given.filled_length) == (
        [0, 1],
        2,
        8,
    )


def test_most_missed_comes_first_and_equals_keep_their_order():
    rows = [("0", ["90 gamma.", "130 delta."]), ("1", ["0 alpha."]), ("130", ["40 beta."]), ("2", ["90 gamma."])]
    runs = measured(rows, {"size": 1})
    lost = list_missed_excerpts_per_chunker(runs, ONE_CHUNK, RULER)[0]
    assert [(failure.question, failure.missed_characters_by_chunker[0]) for failure in lost] == [
        (0, 10),
        (0, 9),
        (3, 9),
        (2, 8),
    ]


def test_white_space_alone_is_not_missed():
    spaced = Corpus((Document.from_text("0 alpha.   \n   40 beta.", "lines", "one"),), exact_ends=True)
    ruler = TokenRuler(spaced.joined_document.text, tools().tokenizer)
    runs = measured([("0", ["0 alpha.   \n   40 beta."])], {"size": 1}, corpus=spaced, ruler=ruler)
    assert list_missed_excerpts_per_chunker(runs, Limit(top=2), ruler) == {0: []}


def test_a_chunk_that_lacks_only_white_space_holds_all_of_it():
    # “90 gamma.” with the break after it, beside a chunk that has the break alone.
    chunks = {2: (Span(18, 27),), 5: (Span(27, 28),)}
    retrieval = judge_answer_retrieval(TEXT, chunks, {2: 4, 5: 1}, {5: chunks[5]}, Span(18, 28))
    assert (retrieval.fate, retrieval.missed_character_count, retrieval.outside_character_count) == ("not retrieved", 9, 0)
    assert (retrieval.chunk_with_most_answer.number, retrieval.chunk_with_most_answer.rank, retrieval.cuts_inside({})) == (
        2,
        4,
        (),
    )


def test_a_run_without_a_ladder_says_what_it_knows():
    runs = {0: measured([("0", ["130 delta."])], {"size": 1})[0]._replace(ladder=None)}
    (failure,) = list_missed_excerpts_per_chunker(runs, ONE_CHUNK, RULER)[0]
    assert holder_of(failure) == (3, 4, 10)
    assert list_missed_excerpts_per_chunker({}, ONE_CHUNK, RULER) == {}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["red sea", "blue", "green hill far", "a"]), min_size=1, max_size=10),
    st.integers(1, 3),
    st.data(),
)
def test_what_is_given_is_what_fills_the_budget(lines, size, data):
    text = "\n".join(f"{line} {number}." for number, line in enumerate(lines))
    corpus = Corpus((Document.from_text(text, "lines", "one"),), exact_ends=True)
    ruler = TokenRuler(text, tools().tokenizer)
    rows = [("which", [f"{line} {number}."]) for number, line in enumerate(lines)]
    last = data.draw(st.sampled_from(("cut", "left_out")))
    unit = data.draw(st.sampled_from(("tokens", "characters")))
    budget = data.draw(st.integers(1, 30))
    before = ladders.standard_budget_sets
    ladders.standard_budget_sets = lambda corpus, ruler: (Budgets((budget,), unit, last),)
    try:
        (run,) = measured(rows, {"size": size}, embedder=HashEmbedder, corpus=corpus, ruler=ruler).values()
    finally:
        ladders.standard_budget_sets = before
    index = run.evaluation.searched_index
    (ranked,) = nearest_vector_indices_per_query(tools().embed(["which"]), index.vectors, len(index.chunks))
    filled = fill_budget(
        [index.chunks[chunk] for chunk in ranked.tolist()], budget, ruler if unit == "tokens" else CharacterRuler(), last
    )
    wanted = [span for spans in filled for span in spans]
    assert given_chunks(run, Limit(budget, unit=unit, last=last), 0, ruler).retrieved_spans == wanted
    missed = {
        number: sum(
            end - start
            for start, end in difference_of_ranges(excerpt_ranges(corpus, question), wanted)
            if text[start:end].strip()
        )
        for number, question in enumerate(run.evaluation.search.questions)
    }
    lost = list_missed_excerpts_per_chunker({0: run}, Limit(budget, unit=unit, last=last), ruler)[0]
    assert {failure.question: failure.missed_characters_by_chunker[0] for failure in lost} == {
        key: value for key, value in missed.items() if value
    }
    top = given_chunks(run, Limit(top=run.evaluation.top_k), 0, ruler)
    assert [chunk.number for chunk in top.chunks] == ranked[:5].tolist()
