"""The text returned for a chunk (neighbours, section, page), without repeats, at the top k and at budgets; by hand."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, InputError, Span, build_chunker, load_tokenizer
from chunkers.text.extracted_text import TextParts
from evaluation.questions.corpus_ranges_and_rulers import (
    CharacterRuler,
    Corpus,
    TokenRuler,
    total_length_of_ranges,
    union_of_ranges,
)
from evaluation.questions.question_files import Excerpt, Question
from evaluation.retrieval import Limit
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, Budgets, evaluate_at_budgets, fill_budget
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.measures import (
    RANGE_UNITS,
    RETRIEVED_TEXT_MEASURES,
    evaluate_retrieval,
    score_search,
    scores_of_retrieved_ranges,
)
from evaluation.retrieval.retrieved_chunks_and_failures import (
    MeasuredChunker,
    given_chunks,
    list_missed_excerpts_per_chunker,
)
from evaluation.search.index import Index, cut_and_index_corpus, search_for_all_questions
from evaluation.search.text_returned_for_chunks import (
    MOST_NEIGHBOURS,
    ReturnedText,
    copy_index_with_returned_text,
    sectionless_documents_note,
)
from tests.support import AngleEmbedder, HashEmbedder, tools


def index_of(corpus, *chunks):
    """Return an index of chunks on the axis, each given by its spans."""
    spans = tuple(tuple(Span(*span) for span in chunk) for chunk in chunks)
    return Index(
        corpus,
        spans,
        0.0,
        0.0,
        0.0,
        0,
        0,
        "embedding",
        ("",) * len(spans),
        np.eye(len(spans), dtype=np.float32),
    )


def returns(index, word):
    return [tuple(map(tuple, spans)) for spans in copy_index_with_returned_text(index, ReturnedText.parse(word)).returns]


LINES = Corpus((Document.from_text("aa bb cc dd", "lines", "one"), Document.from_text("ee ff", "lines", "two")))
"""The second document begins at 13."""
WORDS = index_of(LINES, [(0, 2)], [(3, 5)], [(6, 8)], [(9, 11)], [(13, 15)], [(16, 18)])


def test_neighbours_are_those_of_the_same_document():
    one = [((0, 2), (3, 5)), ((0, 2), (3, 5), (6, 8)), ((3, 5), (6, 8), (9, 11)), ((6, 8), (9, 11))]
    two = [((13, 15), (16, 18))] * 2
    assert returns(WORDS, "window:1") == one + two
    assert returns(WORDS, "window:2")[0] == ((0, 2), (3, 5), (6, 8))
    assert returns(WORDS, "window:3") == [((0, 2), (3, 5), (6, 8), (9, 11))] * 4 + two
    assert copy_index_with_returned_text(WORDS, ReturnedText.parse("chunk")).returns is None


def test_neighbours_of_chunks_that_overlap_or_lie_in_several_places_are_joined():
    overlapping = index_of(LINES, [(0, 5)], [(3, 8)], [(6, 11)])
    assert returns(overlapping, "window:1") == [((0, 8),), ((0, 11),), ((3, 11),)]
    scattered = index_of(LINES, [(0, 2), (9, 11)], [(3, 5)], [(6, 8)])
    assert returns(scattered, "window:1")[0] == ((0, 2), (3, 5), (9, 11))


TEXT = "Before.\n\n# One\n\nAlpha.\n\n## Two\n\nBeta. Gamma.\n\n# Three\n\nDelta.\n"
SECTIONS = Corpus((Document.from_text(TEXT, "lines", "tide.md"), Document.from_text("Plain text.", "lines", "plain.txt")))


def at(corpus, document, *words):
    text = corpus.documents[document].text
    return [corpus.span_in_corpus(document, (text.index(word), text.index(word) + len(word))) for word in words]


def texts(corpus, spans):
    return [corpus.joined_document.text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("section", ["Before.", "# One\n\nAlpha.", "## Two\n\nBeta. Gamma.", "# Three\n\nDelta."]),
        ("section:1", ["Before.", *2 * ["# One\n\nAlpha.\n\n## Two\n\nBeta. Gamma."], "# Three\n\nDelta."]),
    ],
)
def test_a_section_goes_from_its_heading_to_the_next(word, expected):
    chunks = [at(SECTIONS, 0, sentence) for sentence in ("Before.", "Alpha.", "Gamma.", "Delta.")]
    index = copy_index_with_returned_text(index_of(SECTIONS, *chunks), ReturnedText.parse(word))
    assert [texts(SECTIONS, spans) for spans in index.returns] == [[text] for text in expected]


def test_a_chunk_of_several_sections_returns_all_of_them():
    several = at(SECTIONS, 0, "Alpha.", "Delta.")
    across = at(SECTIONS, 0, "Alpha.\n\n## Two\n\nBeta.")
    beginning = at(SECTIONS, 0, "\n\n## Two")
    index = copy_index_with_returned_text(index_of(SECTIONS, several, across, beginning), ReturnedText.parse("section"))
    assert [texts(SECTIONS, spans) for spans in index.returns] == [
        ["# One\n\nAlpha.", "# Three\n\nDelta."],
        ["# One\n\nAlpha.", "## Two\n\nBeta. Gamma."],
        # The white space before a heading is no part of the section that it ends.
        ["## Two\n\nBeta. Gamma."],
    ]


def test_without_headings_a_chunk_returns_itself_and_that_is_told():
    index = copy_index_with_returned_text(
        index_of(SECTIONS, at(SECTIONS, 1, "Plain"), at(SECTIONS, 0, "Beta")), ReturnedText.parse("section")
    )
    assert [texts(SECTIONS, spans) for spans in index.returns] == [["Plain"], ["## Two\n\nBeta. Gamma."]]
    assert sectionless_documents_note(SECTIONS, ReturnedText.parse("section")) == (
        "plain.txt has no headings that are found: there a chunk returns itself."
    )
    both = Corpus((SECTIONS.documents[1], replace(SECTIONS.documents[1], name="2")))
    assert sectionless_documents_note(both, ReturnedText.parse("section:2")) == (
        "2 of 2 documents have no headings of level 1 to 2 that are found: there a chunk returns itself."
    )
    assert sectionless_documents_note(Corpus(SECTIONS.documents[:1]), ReturnedText.parse("section")) == ""
    assert sectionless_documents_note(SECTIONS, ReturnedText.parse("window:2")) == ""


def test_a_page_is_returned_where_there_are_pages():
    parts = TextParts("page", (0, 6, 6, 12), ("i", "ii", "iii", "iv"))
    corpus = Corpus((Document("aa bb cc dd ee", (Span(0, 14),), "a", parts=parts), Document("ff", (Span(0, 2),), "b")))
    index = copy_index_with_returned_text(
        index_of(corpus, [(0, 2)], [(6, 8)], [(3, 8)], [(12, 14)], [(16, 18)]), ReturnedText.parse("page")
    )
    assert [texts(corpus, spans) for spans in index.returns] == [["aa bb"], ["cc dd"], ["aa bb", "cc dd"], ["ee"], ["ff"]]
    assert (
        sectionless_documents_note(corpus, ReturnedText.parse("page"))
        == "b has no pages or chapters: there a chunk returns itself."
    )


def test_what_was_given_is_not_given_again():
    index = copy_index_with_returned_text(WORDS, ReturnedText.parse("window:1"))
    # The second word returns 0 to 8, of which the third has 3 to 8 and adds 9 to 11; the first adds nothing.
    assert [list(map(tuple, spans)) for spans in index.returned_spans_without_repeats([1, 2, 0, 4])] == [
        [(0, 2), (3, 5), (6, 8)],
        [(9, 11)],
        [],
        [(13, 15), (16, 18)],
    ]
    # Chunks that return themselves count as often as they overlap.
    overlapping = index_of(LINES, [(0, 5)], [(3, 8)])
    assert [list(map(tuple, spans)) for spans in overlapping.returned_spans_without_repeats([0, 1])] == [[(0, 5)], [(3, 8)]]


def sought(word, budgets=None, top_k=1):
    """Ask the words of two documents, which are embedded as their angles, for the one at 41 degrees."""
    angles = Corpus((Document.from_text("0 a. 20 b. 40 c. 60 d. 80 e.", "regex", "one"),), exact_ends=True)
    equipped = tools(AngleEmbedder())
    index = copy_index_with_returned_text(
        cut_and_index_corpus(angles, build_chunker("fixed_sentences", {"size": 1}), equipped), ReturnedText.parse(word)
    )
    ruler = TokenRuler(angles.joined_document.text, load_tokenizer("words"))
    # The excerpt is the fourth sentence; found is the third.
    asked = [Question("41", (Excerpt(0, Span(17, 22)),))]
    if budgets is None:
        return evaluate_retrieval(index, asked, equipped, ruler, top_k)
    return evaluate_at_budgets(index, asked, equipped, ruler, budgets)


@pytest.mark.parametrize(
    ("word", "top_k", "recall", "precision", "omega"),
    [
        # 40 c. alone is found.
        ("chunk", 1, 0, 0, 1),
        # 20 b., 40 c. and 60 d. are given, 15 characters of which 5 are the excerpt, as around the best chunk.
        ("window:1", 1, 1, 5 / 15, 5 / 15),
        # Then 60 d. adds 80 e. alone.
        ("window:1", 2, 1, 5 / 20, 5 / 15),
    ],
)
def test_what_is_returned_counts_at_the_top_k(word, top_k, recall, precision, omega):
    evaluation = sought(word, top_k=top_k)
    assert [evaluation.values(name)[0] for name in ("recall", "precision", "precision_omega")] == [recall, precision, omega]
    assert (
        evaluation.mean_retrieved_length(total_length_of_ranges)
        == {("chunk", 1): 5, ("window:1", 1): 15, ("window:1", 2): 20}[word, top_k]
    )
    again = evaluation.with_top_k(
        2, TokenRuler(evaluation.searched_index.corpus.joined_document.text, load_tokenizer("words"))
    )
    assert again.values("recall")[0] == sought(word, top_k=2).values("recall")[0]


@pytest.mark.parametrize(
    ("last", "given_now", "hit"),
    [
        # 4 characters cut 20 b. off; 12 take it, 40 c. and 2 of 60 d.; 17 all of these and 2 of 80 e.; all have 24.
        ("cut", [4, 12, 17, 24], [0, 2, 5, 5]),
        ("left_out", [0, 0, 15, 24], [0, 0, 5, 5]),
    ],
)
def test_what_is_returned_fills_the_budget(last, given_now, hit):
    at_budgets = sought("window:1", Budgets((4, 12, 17, 40), "characters", last))
    unit = RANGE_UNITS.index("characters")
    assert at_budgets.given[unit, :, 0].tolist() == given_now
    assert at_budgets.retrieved_excerpt_length[unit, :, 0].tolist() == hit


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.sampled_from(["a b c.", "d.", "# e", "## f", "g h i j k."]), min_size=1, max_size=12),
    st.sampled_from(["chunk", "window:1", "window:2", "section", "section:1"]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from(RANGE_UNITS),
    st.sampled_from(["cut", "left_out"]),
    st.data(),
)
def test_budgets_measure_what_the_plain_way_does(pieces, word, size, unit, last, data):
    """`fill_budget` over what each chunk adds, all of them ranked."""
    corpus = Corpus(
        (Document.from_text("\n\n".join(pieces), "paragraphs", "a"), Document.from_text("x y. z.", "regex", "b"))
    )
    equipped = tools(HashEmbedder())
    chunker = build_chunker("fixed_words", {"size": size, "overlap": size // 2})
    index = copy_index_with_returned_text(cut_and_index_corpus(corpus, chunker, equipped), ReturnedText.parse(word))
    start = data.draw(st.integers(0, len(corpus.documents[0].text) - 1))
    asked = [Question("a?", (Excerpt(0, Span(start, start + 1)),))]
    ruler = TokenRuler(corpus.joined_document.text, load_tokenizer("words"))
    budgets = Budgets((1, 2, 5, 9, 30, 200), unit, last)
    at_budgets = evaluate_at_budgets(index, asked, equipped, ruler, budgets)
    ranked = search_for_all_questions(index, asked, equipped, len(index.chunks)).ranked[0].tolist()
    given_by = list(index.returned_spans_without_repeats(ranked))
    lengths = (CharacterRuler(), ruler)
    excerpts = [Span(start, start + 1)]
    for budget in budgets.sizes:
        filled = fill_budget(given_by, budget, lengths[RANGE_UNITS.index(unit)], last)
        taken = [span for spans in filled for span in spans]
        for name, length in zip(RANGE_UNITS, lengths, strict=True):
            scores = scores_of_retrieved_ranges(excerpts, taken, length)
            for score_name in RETRIEVED_TEXT_MEASURES:
                value = scores[score_name].value
                assert at_budgets.question_values_at_budget(score_name, budget, name)[0] == pytest.approx(
                    np.nan if value is None else value, nan_ok=True
                )
    if word != "chunk":
        everything = [span for spans in given_by for span in spans]
        assert total_length_of_ranges(everything) == total_length_of_ranges(union_of_ranges(everything))
        assert union_of_ranges(everything) == union_of_ranges(span for spans in index.returns for span in spans)
    assert score_search(search_for_all_questions(index, asked, equipped, 10), ruler, 3).values("recall")[0] == pytest.approx(
        scores_of_retrieved_ranges(excerpts, [span for spans in given_by[:3] for span in spans], total_length_of_ranges)[
            "recall"
        ].value
    )


ANGLES = Corpus((Document.from_text("0 a. 20 b. 40 c. 60 d. 80 e.", "regex", "one"),), exact_ends=True)
SENTENCES = ANGLES.documents[0].sentences
ANGLES_RULER = TokenRuler(ANGLES.joined_document.text, load_tokenizer("words"))


def climbed(word):
    """Measure the sentences of `ANGLES` for a question at 41 degrees, whose excerpt is 60 d. and 80 e."""
    equipped = tools(AngleEmbedder())
    index = copy_index_with_returned_text(
        cut_and_index_corpus(ANGLES, build_chunker("fixed_sentences", {"size": 1}), equipped), ReturnedText.parse(word)
    )
    asked = [Question("41", (Excerpt(0, Span(17, 28)),))]
    evaluation = evaluate_retrieval(index, asked, equipped, ANGLES_RULER, 2)
    both = tuple(Budgets((500,), unit, last) for unit in RANGE_UNITS for last in LAST_CHUNK_CHOICES)
    with mock.patch.object(ladders, "standard_budget_sets", return_value=both):
        return MeasuredChunker(evaluation, measure_at_standard_budgets(index, asked, equipped, ANGLES_RULER))


def test_what_a_question_is_given_is_told_rank_by_rank():
    run = climbed("window:2")
    given_now = given_chunks(run, Limit(top=run.evaluation.top_k), 0, ANGLES_RULER)
    # 40 c. returns everything, 60 d. nothing that is new.
    assert [(chunk.rank, chunk.number, chunk.spans) for chunk in given_now.chunks] == [(1, 2, SENTENCES), (2, 3, ())]
    run = climbed("window:1")
    assert [chunk.given for chunk in given_chunks(run, Limit(top=run.evaluation.top_k), 0, ANGLES_RULER).chunks] == [
        SENTENCES[1:4],
        SENTENCES[4:],
    ]
    at = given_chunks(run, Limit(500), 0, ANGLES_RULER)
    assert at.filled_length == 10
    assert sorted(at.retrieved_spans) == list(SENTENCES)


def test_an_excerpt_that_a_neighbour_returns_is_found():
    missed = {}
    for word in ("chunk", "window:1"):
        run = climbed(word)
        lost = list_missed_excerpts_per_chunker({0: run}, Limit(top=1), ANGLES_RULER)[0]
        missed[word] = [dict(failure.missed_characters_by_chunker) for failure in lost]
        assert list_missed_excerpts_per_chunker({0: run}, Limit(500), ANGLES_RULER)[0] == []
    # 40 c. alone has nothing of it; with its neighbours it has 60 d.
    assert missed == {"chunk": [{0: 11}], "window:1": [{0: 6}]}


@pytest.mark.parametrize("word", ["chunk", "window:1", "window:20", "section", "section:1", "page", "parent"])
def test_a_setting_is_read_as_it_is_written(word):
    assert str(ReturnedText.parse(word)) == word
    assert str(ReturnedText.parse("section:6")) == "section"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("window", "The returned text must be chunk, window:N, section, section:N, page or parent; got 'window'."),
        ("window:two", "The returned text must be chunk"),
        ("section:", "The returned text must be chunk"),
        ("page:2", "The returned text must be chunk"),
        ("window:0", f"The number of neighbours must be from 1 to {MOST_NEIGHBOURS}; got 0."),
        ("window:21", f"The number of neighbours must be from 1 to {MOST_NEIGHBOURS}; got 21."),
        ("section:7", "The heading level of a section must be from 1 to 6; got 7."),
    ],
)
def test_a_setting_of_no_use_is_refused(word, message):
    with pytest.raises(InputError) as error:
        ReturnedText.parse(word)
    assert message in str(error.value)
