"""One question over the chunks of a text: ranks and the end of a budget worked by hand, and what became of an answer."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Chunk, Chunking, Document, InputError, Span, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from evaluation.answering.questions_and_answers import QuestionItem, questions_of_file
from evaluation.questions.corpus_ranges_and_rulers import Corpus, TokenRuler
from evaluation.questions.question_files import Excerpt, Question, read_questions
from evaluation.questions.questions_with_documents import (
    MarkedQuestion,
    marked_questions_to_csv,
    question_set_from_user_marks,
)
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    MOST_ANSWER_CHARACTERS,
    MOST_QUESTION_CHARACTERS,
    build_search_index_of_text,
    check_and_trim_answer_span,
    checked_question,
    first_cut_reason,
    format_search_score,
    judge_retrieval,
    retrieve_for_question,
)
from evaluation.retrieval.budget import fill_budget
from evaluation.search.index import cut_and_index_corpus, search_for_all_questions
from evaluation.search.ranking import SEARCH_METHODS
from tests.support import AngleEmbedder, HashEmbedder, tools

LINES = "\n".join(f"{angle} is the angle of this line." for angle in (0, 80, 30, 10, 60))
"""By the cosine with 12 degrees the lines are ranked 4, 1, 3, 5, 2; each has seven words."""


def asked_of(text=LINES, question="12", tokens=0, top=0, method="embedding", chunker="fixed_sentences", **parameters):
    parameters = parameters or {"size": 1}
    document = Document.from_text(text, "lines")
    with_tools = tools(AngleEmbedder())
    chunking = run_and_time_chunker(build_chunker(chunker, parameters), document, with_tools)
    passages = build_search_index_of_text(chunking, with_tools, method)
    ruler = TokenRuler(document.text, load_tokenizer("words"))
    return retrieve_for_question(passages, question, with_tools, Limit(budget=tokens, top=top), ruler)


def test_ranks_scores_and_where_the_budget_ends():
    asked = asked_of(tokens=18)
    assert asked.ranking.order.tolist() == [3, 0, 2, 4, 1]
    np.testing.assert_allclose([hit.score for hit in asked.hits], np.cos(np.radians([2, 12, 18])), rtol=1e-5)
    assert [(hit.number, hit.rank, hit.is_wholly_retrieved) for hit in asked.hits] == [
        (3, 1, True),
        (0, 2, True),
        (2, 3, False),
    ]
    # Four words of the third are left.
    begins = LINES.index("30")
    assert asked.hits[2].given == (Span(begins, begins + len("30 is the angle ")),)
    assert asked.tokens == 18


def test_the_best_chunks_are_given_whole():
    asked = asked_of(top=2)
    assert [hit.number for hit in asked.hits] == [3, 0]
    assert all(hit.is_wholly_retrieved for hit in asked.hits)
    assert len(asked_of(top=9).hits) == 5


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.sampled_from(["embedding", "bm25", "hybrid"]), st.integers(0, 90))
def test_the_budget_is_filled_as_everywhere(budget, method, angle):
    asked = asked_of(question=f"{angle} angle line", tokens=budget, method=method)
    ruler = TokenRuler(LINES, load_tokenizer("words"))
    spans = asked.index.chunks
    wanted = fill_budget([spans[chunk] for chunk in asked.ranking.order], budget, ruler)
    assert [hit.given for hit in asked.hits] == wanted
    assert asked.tokens == ruler([part for parts in wanted for part in parts]) <= budget


@pytest.mark.parametrize("embedded_as", ["plain", "heading_path"])
@pytest.mark.parametrize("method", SEARCH_METHODS)
def test_the_ranks_are_those_of_retrieval(method, embedded_as):
    text = "\n".join(f"Sentence number {number} of this document, {'salt' * (number % 3)}." for number in range(30))
    document = Document.from_text(f"# The tides\n{text}", "lines")
    chunker, with_tools = build_chunker("fixed_sentences", {"size": 2}), tools(HashEmbedder())
    question = "Which number has saltsalt?"
    index = cut_and_index_corpus(Corpus((document,)), chunker, with_tools, embedded_as, method)
    retrieved = search_for_all_questions(index, [Question(question, ())], with_tools, 16).ranked[0].tolist()
    passages = build_search_index_of_text(
        run_and_time_chunker(chunker, document, with_tools), with_tools, method, embedded_as
    )
    asked = retrieve_for_question(
        passages, question, with_tools, Limit(top=15), TokenRuler(document.text, load_tokenizer("words"))
    )
    ranked = asked.ranking.order.tolist()
    # Of chunks without a word of the question BM25 says nothing; Retrieval has them at the end, in their order.
    assert retrieved == [*ranked, *sorted({*range(16)} - {*ranked})]
    assert index.texts == passages.texts


def test_nothing_is_embedded_that_is_not_there_already_when_asked_so():
    document = Document.from_text(LINES, "lines")
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {}), document, tools(AngleEmbedder()))
    with pytest.raises(Cancelled):
        build_search_index_of_text(chunking, tools(AngleEmbedder(), cancelled=lambda: True), "hybrid")


def test_without_an_embedder_words_alone_rank():
    document = Document.from_text(LINES, "lines")
    without = tools()
    without.embedder = None
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 1}), document, without)
    passages = build_search_index_of_text(chunking, without, "hybrid")
    asked = retrieve_for_question(
        passages, "the line of 80", without, Limit(top=3), TokenRuler(LINES, load_tokenizer("words"))
    )
    assert asked.index.searched_by == "bm25"
    assert asked.hits[0].number == 1


def test_a_text_without_chunks_gives_nothing():
    assert asked_of("  \n ", top=3).hits == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this one is empty."),
        (" \n", "this one is empty."),
        ("a" * 10_000, "this one has 10,000."),
        ("\ud800", "Remove the broken character."),
    ],
)
def test_a_question_that_cannot_be_asked_is_a_sentence(text, said):
    with pytest.raises(InputError) as error:
        checked_question(text)
    assert str(error.value).endswith(said)
    assert checked_question(f" {'a' * (MOST_QUESTION_CHARACTERS - 2)} ")


def judged(answer, **settings):
    asked = asked_of(**settings)
    start = LINES.index(answer)
    return judge_retrieval(asked, Span(start, start + len(answer)))


def places(judgement):
    return [(chunk.number, chunk.rank, bool(chunk.given)) for chunk in judgement.chunks]


def test_an_answer_in_a_retrieved_chunk_is_whole():
    judgement = judged("10 is the angle", top=2)
    assert (judgement.fate, places(judgement)) == ("whole", [(3, 1, True)])


def test_an_answer_beyond_the_limit_is_not_retrieved_and_has_its_rank():
    judgement = judged("60 is the angle", top=2)
    assert (judgement.fate, places(judgement)) == ("not retrieved", [(4, 4, False)])


def test_an_answer_that_the_budget_ends_in_is_cut_off():
    assert judged("30 is the", tokens=18).fate == "whole"
    judgement = judged("30 is the angle of", tokens=18)
    assert (judgement.fate, places(judgement)) == ("cut off", [(2, 3, True)])


def test_an_answer_over_a_seam_is_split_and_the_seam_says_why():
    answer = "this line.\n60 is"
    judgement = judged(answer, top=2)
    assert (judgement.fate, places(judgement)) == ("split", [(3, 1, True), (4, 4, False)])
    assert judgement.missed_character_count == len("\n60 is")
    start = LINES.index(answer)
    assert "1" in first_cut_reason(asked_of(top=2).chunking, Span(start, start + len(answer)))
    assert not judged(answer, top=4).missed_character_count


def test_an_answer_that_overlapping_chunks_hold_is_whole_in_the_best_of_them():
    judgement = judged("30 is the angle of this line.\n10 is", top=9, size=2, overlap=1)
    assert judgement.fate == "whole"
    assert len(judgement.chunks) == 1


def scattered(*places):
    """Return the result of a question to chunks that lie in these lines."""
    document = Document.from_text(LINES, "lines")
    lines = document.sentences
    chunks = tuple(Chunk.of(document, *[lines[line] for line in chunk]) for chunk in places)
    chunking = Chunking(document, chunks, ())
    with_tools = tools(AngleEmbedder())
    passages = build_search_index_of_text(chunking, with_tools, "embedding")
    return retrieve_for_question(passages, "0", with_tools, Limit(budget=9), TokenRuler(LINES, load_tokenizer("words")))


def test_chunks_in_several_places():
    asked = scattered((0, 2), (1,), (3,))
    assert asked.hits[0].given == (
        Span(0, len("0 is the angle of this line.")),
        Span(LINES.index("30"), LINES.index("the angle", LINES.index("30"))),
    )
    # No cut made the parts: the chunk goes on elsewhere.
    answer = Span(0, LINES.index("80") + 2)
    judgement = judge_retrieval(asked, answer)
    assert (judgement.fate, [chunk.number for chunk in judgement.chunks]) == ("split", [0, 1])
    assert first_cut_reason(asked.chunking, answer) == ""
    # The break between the lines lies in no chunk, and nobody misses it.
    assert judge_retrieval(asked, Span(0, 29)).fate == "whole"
    assert judge_retrieval(asked, Span(LINES.index("60"), len(LINES))).fate == "in no chunk"


def test_an_answer_is_trimmed_and_bounded():
    assert check_and_trim_answer_span("one  two ", 3, 9) == Span(5, 8)
    for start, end, complaint in [(0, 0, "0 to 0"), (3, 5, "white space"), (0, 10, "0 to 9"), (-1, 3, "-1")]:
        with pytest.raises(InputError, match=complaint):
            check_and_trim_answer_span("one  two ", start, end)
    with pytest.raises(InputError, match=r"at most 10,000 characters; this one has 10,001\."):
        check_and_trim_answer_span("a" * 20_000, 0, MOST_ANSWER_CHARACTERS + 1)


# What a spreadsheet may take for a formula, and apostrophes, begin more of these than of all texts.
WORDS = st.builds(
    "{}{}".format, st.text("'=+-@\t\r\n", max_size=3), st.text(st.characters(codec="utf-8", exclude_characters="\0"))
).filter(str.strip)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(WORDS, WORDS, WORDS)
@example("=1+1", "-1", "=SUM(A1).txt")
@example("'-1?", "'=1", "'-a")
def test_what_is_kept_comes_back_through_retrieval(question, answer, name):
    text = f"Before. {answer} After, {answer} again."
    start = text.rindex(answer, 0, len(text) - 7)
    document = Document.from_text(text, "lines", name)
    other = Document.from_text(text, "lines", f"another{name}")
    data = marked_questions_to_csv([MarkedQuestion(question, document.name, document.identity, start, answer)]).encode()
    questions = read_questions(data, "questions.csv", Corpus((other, document)))
    assert not questions.problems
    (read,) = questions.usable
    assert read == Question(question, (Excerpt(1, Span(start, start + len(answer))),))
    assert questions_of_file(data, "questions.csv").usable == (QuestionItem(question.strip(), answer.strip()),)


def test_kept_questions_bring_their_texts_each_once_and_find_their_answers_there():
    one, other = (Document.from_text(text, "lines", "Pasted text") for text in ("A. B. A.", "A. C."))
    again = Document.from_text(one.text, "regex", "Pasted text")
    marked = [
        MarkedQuestion(question, it.name, it.identity, 6 if it is again else 0, "A.")
        for question, it in [("first?", one), ("first?", other), ("=second?", again)]
    ]
    question_set = question_set_from_user_marks(marked, {it.identity: it.text for it in (one, other, again)})
    assert question_set.texts == (("Pasted text", "A. B. A."), ("Pasted text (2)", "A. C."))
    corpus = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in question_set.texts))
    read = read_questions(question_set.questions[1], question_set.questions[0], corpus)
    assert not read.problems
    assert [(question.text, question.excerpts[0].document, question.excerpts[0].span.start) for question in read.usable] == [
        ("first?", 0, 0),
        ("first?", 1, 0),
        ("=second?", 0, 6),
    ]


def test_scores_are_said_in_few_figures():
    assert [format_search_score(score) for score in (0.61234, 0.0164, -0.001, 12.345, -3.2)] == [
        "0.61",
        "0.02",
        "0.00",
        "12.3",
        "−3.20",
    ]
    assert format_search_score(1 / 61, is_fused=True) == "0.0164"
    assert format_search_score(float("nan")) == ""
