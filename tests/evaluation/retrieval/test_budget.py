"""Retrieval at an equal budget: cases worked by hand, and the quick measure beside the plain one."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, Span, build_chunker, load_tokenizer
from evaluation.questions.corpus_ranges_and_rulers import CharacterRuler, Corpus, TokenRuler
from evaluation.questions.question_files import Excerpt, Question, read_questions
from evaluation.retrieval import budget
from evaluation.retrieval.budget import MOST_BUDGETS, Budgets, evaluate_at_budgets, fill_budget
from evaluation.retrieval.measures import RANGE_UNITS, RETRIEVED_TEXT_MEASURES, scores_of_retrieved_ranges
from evaluation.search import index as indexing
from evaluation.search.index import cut_and_index_corpus, search_for_all_questions
from tests.support import AngleEmbedder, HashEmbedder, tools

CHARACTERS = CharacterRuler()
WORDS = TokenRuler("one two  three four\n\nfive six", load_tokenizer("words"))
"""The words begin at 0, 4, 9, 15, 21 and 26."""


def test_a_budget_ends_inside_a_chunk():
    chunks = [[Span(0, 8)], [Span(8, 19)], [Span(21, 29)]]
    # Two words and one of the next two; the cut is before the word that is too many.
    assert fill_budget(chunks, 3, WORDS) == [(Span(0, 8),), (Span(8, 15),)]
    assert fill_budget(chunks, 3, WORDS, "left_out") == [(Span(0, 8),)]
    # 8 characters and 4 of the next 11.
    assert fill_budget(chunks, 12, CHARACTERS) == [(Span(0, 8),), (Span(8, 12),)]
    # A budget that is full where a chunk ends cuts nothing.
    assert fill_budget(chunks, 4, WORDS) == fill_budget(chunks, 4, WORDS, "left_out") == [(Span(0, 8),), (Span(8, 19),)]


def test_a_passage_fills_the_budget_as_often_as_it_is_given():
    # 0..10 and 5..15 are 15 places and 20 characters: of a third chunk one is left.
    chunks = [[Span(0, 10)], [Span(5, 15)], [Span(20, 29)]]
    assert fill_budget(chunks, 21, CHARACTERS) == [(Span(0, 10),), (Span(5, 15),), (Span(20, 21),)]
    assert fill_budget(chunks, 15, CHARACTERS) == [(Span(0, 10),), (Span(5, 10),)]


def test_a_budget_below_one_chunk():
    assert fill_budget([[Span(0, 19)], [Span(21, 25)]], 3, WORDS) == [(Span(0, 15),)]
    # What comes after the first chunk that does not fit is left out, though it would fit.
    assert fill_budget([[Span(0, 19)], [Span(21, 25)]], 3, WORDS, "left_out") == []


def test_a_budget_above_the_corpus_takes_everything():
    chunks = [[Span(0, 19)], [Span(21, 29)]]
    for last in ("cut", "left_out"):
        assert fill_budget(chunks, 1000, WORDS, last) == [(Span(0, 19),), (Span(21, 29),)]
    assert fill_budget([], 1000, WORDS) == []


def test_a_chunk_in_several_places_is_cut_in_their_order():
    chunks = [[Span(0, 3), Span(9, 19), Span(21, 25)]]
    # One word, then one of the two at 9, 15.
    assert fill_budget(chunks, 2, WORDS) == [(Span(0, 3), Span(9, 15))]
    assert fill_budget(chunks, 3, WORDS) == [(Span(0, 3), Span(9, 19))]
    assert fill_budget(chunks, 7, CHARACTERS) == [(Span(0, 3), Span(9, 13))]
    assert fill_budget(chunks, 3, WORDS, "left_out") == []


def test_of_a_character_that_is_several_tokens_none_or_all_are_given():
    class Bytes:
        name = "bytes"

        def starts(self, text):
            return np.array([0, 1, 1, 1, 2])

    ruler = TokenRuler("aéb", Bytes())
    assert [ruler.shorten_span(Span(0, 3), most) for most in range(6)] == [(0, end) for end in (0, 1, 1, 1, 2, 3)]


@settings(deadline=None)
@given(st.text("ab \n", max_size=30), st.data())
def test_a_beginning_is_the_longest_that_fits(text, data):
    for ruler in (CHARACTERS, TokenRuler(text, load_tokenizer("words")), TokenRuler(text, load_tokenizer())):
        start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
        most = data.draw(st.integers(1, 12))
        beginning = ruler.shorten_span(Span(start, end), most)
        assert beginning.start == start <= beginning.end <= end
        assert ruler([beginning]) <= most
        assert beginning.end == end or ruler([(start, beginning.end + 1)]) > most
        assert ruler.range_lengths([(start, end), beginning]).tolist() == [ruler([(start, end)]), ruler([beginning])]


TWO = {"first": "0 alpha.\n40 beta.\n90 gamma.", "second": "130 delta."}


def corpus(**texts):
    return Corpus(tuple(Document.from_text(text, "lines", name) for name, text in texts.items()), exact_ends=True)


def at(sizes, *excerpts, question="120", unit="tokens", last="cut"):
    both = corpus(**TWO)
    rows = json.dumps({"question": question, "excerpts": list(excerpts)}).encode()
    equipped = tools(AngleEmbedder())
    index = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": 1}), equipped)
    questions = read_questions(rows, "questions.jsonl", both).usable
    return evaluate_at_budgets(
        index, questions, equipped, TokenRuler(both.joined_document.text, equipped.tokenizer), Budgets(sizes, unit, last)
    )


def values(found, size, unit="tokens"):
    return tuple(found.question_values_at_budget(name, size, unit)[0] for name in RETRIEVED_TEXT_MEASURES)


def test_one_search_is_measured_at_every_budget():
    # The question at 120 degrees finds 130, 90, 40 and 0, of two words each; the excerpt is the third.
    measured = at((1, 4, 5, 6, 100), "40 beta.")
    assert measured.taken[:, 0].tolist() == [1, 2, 3, 3, 4]
    assert measured.given[RANGE_UNITS.index("tokens"), :, 0].tolist() == [1, 4, 5, 6, 8]
    assert values(measured, 1) == values(measured, 4) == (0, 0, 0)
    # One of its two words in five; then both in six, and in all eight.
    assert values(measured, 5) == (1 / 2, 1 / 5, 1 / 6)
    assert values(measured, 6) == (1, 2 / 6, 2 / 6)
    assert values(measured, 100) == (1, 2 / 8, 2 / 8)
    # In characters: “40 ” of “40 beta.” are 3 of 8.
    given = measured.given[RANGE_UNITS.index("characters"), :, 0].tolist()
    assert values(measured, 5, "characters") == pytest.approx((3 / 8, 3 / given[2], 3 / (given[2] + 5)))


def test_a_chunk_that_does_not_fit_may_be_left_out():
    measured = at((1, 5), "40 beta.", "130 delta.", last="left_out")
    assert measured.taken[:, 0].tolist() == [0, 2]
    recall, precision, iou = values(measured, 1)
    assert (recall, iou) == (0, 0)
    assert np.isnan(precision)
    assert values(measured, 5) == (2 / 4, 2 / 4, 2 / 6)


def test_a_question_without_an_excerpt_has_no_measure_and_is_given_as_much():
    measured = at((5,))
    assert np.isnan(measured.scores).all()
    assert measured.given[RANGE_UNITS.index("tokens"), :, 0].tolist() == [5]


def test_no_questions_have_no_measures():
    both, equipped = corpus(**TWO), tools(AngleEmbedder())
    index = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": 1}), equipped)
    measured = evaluate_at_budgets(
        index, (), equipped, TokenRuler(both.joined_document.text, equipped.tokenizer), Budgets((5, 10))
    )
    assert measured.scores.shape == (2, 2, 3, 0)


LINES = [f"{'word ' * (1 + 7 * number % 13)}{number}." for number in range(60)]


@pytest.mark.parametrize("last", ["cut", "left_out"])
@pytest.mark.parametrize("unit", RANGE_UNITS)
@pytest.mark.parametrize(
    ("chunker", "parameters"),
    [
        ("fixed_sentences", {"size": 1}),
        ("fixed_sentences", {"size": 3, "overlap": 2}),
        ("kmeans", {"clusters": 9}),
        ("recursive", {"size": 5, "overlap": 2, "unit": "words"}),
    ],
)
def test_it_measures_what_the_plain_definition_says(chunker, parameters, unit, last, monkeypatch):
    # So that a question's ranks are looked for in several goes, and few questions at a time.
    monkeypatch.setattr(budget, "_RANKS_AT_ONCE", 30)
    both = corpus(one="\n".join(LINES[:40]), other="\n".join(LINES[40:]))
    equipped = tools(HashEmbedder())
    ruler = TokenRuler(both.joined_document.text, equipped.tokenizer)
    index = cut_and_index_corpus(both, build_chunker(chunker, parameters), equipped)
    rows = "\n".join(json.dumps({"question": f"{n}?", "excerpts": [LINES[n], LINES[3 * n][5:]]}) for n in range(1, 14))
    questions = read_questions(rows.encode(), "q.jsonl", both).usable
    sizes = (1, 7, 20, 64, 300, 100_000)
    measured = evaluate_at_budgets(index, questions, equipped, ruler, Budgets(sizes, unit, last))
    ranked = search_for_all_questions(index, questions, equipped, len(index.chunks)).ranked
    measuring = {"characters": CHARACTERS, "tokens": ruler}
    for number, question in enumerate(questions):
        excerpts = [both.span_in_corpus(excerpt.document, excerpt.span) for excerpt in question.excerpts]
        for size in sizes:
            filled = fill_budget([index.chunks[place] for place in ranked[number]], size, measuring[unit], last)
            retrieved = [span for spans in filled for span in spans]
            for name, length in measuring.items():
                expected = scores_of_retrieved_ranges(excerpts, retrieved, length)
                scores = [measured.question_values_at_budget(score, size, name)[number] for score in RETRIEVED_TEXT_MEASURES]
                assert [None if np.isnan(figure) else figure for figure in scores] == [
                    expected[score].value for score in RETRIEVED_TEXT_MEASURES
                ]
                assert measured.given[RANGE_UNITS.index(name), sizes.index(size), number] == length(retrieved)


def test_a_search_goes_only_as_deep_as_the_budget_needs(monkeypatch):
    asked = []

    def nearest(queries, vectors, count):
        asked.append((len(queries), count))
        return exact(queries, vectors, count)

    exact = indexing.nearest_vector_indices_per_query
    monkeypatch.setattr(indexing, "nearest_vector_indices_per_query", nearest)
    numbered = corpus(only="\n".join(f"{number} word." for number in range(180)))
    equipped = tools(AngleEmbedder())
    index = cut_and_index_corpus(numbered, build_chunker("fixed_sentences", {"size": 1}), equipped)
    questions = [Question(f"{number}", ()) for number in range(50)]
    ruler = TokenRuler(numbered.joined_document.text, equipped.tokenizer)
    measured = evaluate_at_budgets(index, questions, equipped, ruler, Budgets((10, 20)))
    # 20 words are 10 chunks, searched for with a quarter to spare.
    assert asked == [(50, 17)]
    assert measured.taken.tolist() == [[5] * 50, [10] * 50]


def test_measuring_can_be_cancelled():
    both, equipped = corpus(**TWO), tools(AngleEmbedder())
    index = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": 1}), equipped)
    stopped = tools(AngleEmbedder(), cancelled=lambda: True)
    with pytest.raises(Cancelled):
        evaluate_at_budgets(
            index, [Question("1", ())], stopped, TokenRuler(both.joined_document.text, stopped.tokenizer), Budgets((5,))
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (((),), "The number of budgets must be from 1 to 100; got 0."),
        ((tuple(range(1, MOST_BUDGETS + 2)),), "The number of budgets must be from 1 to 100; got 101."),
        (((0, 5),), "A budget must be at least 1; got 0."),
        (((5, 5),), "Budgets must be in ascending order, each once; got 5, 5."),
        (((5,), "words"), "The unit of budgets must be one of characters, tokens; got 'words'."),
        (((5,), "tokens", "first"), "The treatment of a budget's last chunk must be one of cut, left_out; got 'first'."),
    ],
)
def test_budgets_of_no_use_are_refused_in_a_sentence(given, message):
    with pytest.raises(InputError) as error:
        Budgets(*given)
    assert str(error.value).endswith(message)


def test_an_index_without_chunks_gives_nothing():
    empty, equipped = corpus(only=" \n "), tools(AngleEmbedder())
    index = cut_and_index_corpus(empty, build_chunker("fixed_sentences", {"size": 1}), equipped)
    assert not index.chunks
    question = Question("1", (Excerpt(0, Span(0, 1)),))
    measured = evaluate_at_budgets(
        index, [question], equipped, TokenRuler(empty.joined_document.text, equipped.tokenizer), Budgets((5,))
    )
    assert (measured.taken.tolist(), measured.given[:, 0, 0].tolist()) == ([[0]], [0, 0])
    assert values(measured, 5, "characters")[0] == 0


@pytest.mark.parametrize("at_once", [1 << 22, 20])
def test_a_question_that_finds_short_chunks_is_searched_deeper(at_once, monkeypatch):
    monkeypatch.setattr(budget, "_RANKS_AT_ONCE", at_once)
    # Up to 59 degrees a sentence has one word, and from there on forty: 100 words are 61 chunks from 0 on, or 3 from 179 on.
    numbered = corpus(only="\n".join(f"{number}." if number < 60 else f"{number}{' word' * 39}." for number in range(180)))
    equipped = tools(AngleEmbedder())
    index = cut_and_index_corpus(numbered, build_chunker("fixed_sentences", {"size": 1}), equipped)
    excerpt = (Excerpt(0, numbered.documents[0].sentences[60]),)
    questions = [Question(text, excerpt) for text in ("0", "179", "1", "178")]
    measured = evaluate_at_budgets(
        index, questions, equipped, TokenRuler(numbered.joined_document.text, equipped.tokenizer), Budgets((100,))
    )
    assert measured.taken.tolist() == [[61, 3, 61, 3]]
    assert measured.question_values_at_budget("recall", 100, "tokens").tolist() == [1, 0, 1, 0]
