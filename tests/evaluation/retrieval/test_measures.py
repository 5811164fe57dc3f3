"""Retrieval: the measures worked by hand, the search, the questions and their bad forms."""

import csv
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, Span, build_chunker, load_tokenizer
from chunkers.embedders.base import checked_vectors
from evaluation.questions.corpus_ranges_and_rulers import (
    Corpus,
    CoveredRanges,
    TokenRuler,
    difference_of_ranges,
    intersection_of_ranges,
    total_length_of_ranges,
    union_of_ranges,
)
from evaluation.questions.question_files import MOST_QUESTIONS, Excerpt, Question, read_questions
from evaluation.questions.question_rows import DOCUMENT_TEXT_SEPARATOR
from evaluation.retrieval.measures import (
    document_recall_precision_by_k,
    evaluate_retrieval,
    evidence_sentence_scores_by_k,
    excerpt_ranges,
    mean_and_deviation,
    mostly_covered_sentence_numbers,
    overlapped_sentence_numbers,
    precision_omega,
    score_search,
    scores_of_retrieved_ranges,
    trim_spaces_and_punctuation,
)
from evaluation.search.index import cut_and_index_corpus, search_for_all_questions
from evaluation.search.ranking import nearest_vector_indices_per_query
from sample_docs import SAMPLES_FOLDER
from tests.support import AngleEmbedder, tools

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6)


def places(ranges):
    return {place for start, end in ranges for place in range(start, end)}


@settings(deadline=None)
@given(RANGES, RANGES)
def test_ranges_are_sets_of_places(left, right):
    assert places(union_of_ranges(left)) == places(left)
    assert places(intersection_of_ranges(left, right)) == places(left) & places(right)
    assert places(difference_of_ranges(left, right)) == places(left) - places(right)
    for ranges in (union_of_ranges(left), intersection_of_ranges(left, right), difference_of_ranges(left, right)):
        assert all(start < end for start, end in ranges)
        assert all(one.end < other.start for one, other in pairwise(ranges))


@settings(deadline=None)
@given(st.lists(RANGES, max_size=5))
def test_what_is_covered_already_is_not_new(several):
    covered = CoveredRanges()
    before = []
    for ranges in several:
        assert covered.add_and_return_new_parts(ranges) == difference_of_ranges(ranges, before)
        before += ranges


def values(scores):
    return {name: score.value for name, score in scores.items()}


def test_an_excerpt_inside_one_chunk():
    # 10 of 100 characters retrieved are the excerpt; nothing of it is missing.
    scores = scores_of_retrieved_ranges([Span(20, 30)], [Span(0, 100)], total_length_of_ranges)
    assert values(scores) == {"recall": 1, "precision": 0.1, "iou": 0.1}


def test_overlap_counts_as_often_as_it_was_retrieved():
    # 0..100 and 50..150 are 200 characters, though only 150 places; the excerpt in both counts once.
    scores = scores_of_retrieved_ranges([Span(60, 80)], [Span(0, 100), Span(50, 150)], total_length_of_ranges)
    assert values(scores) == {"recall": 1, "precision": 20 / 200, "iou": 20 / 200}


def test_an_excerpt_split_over_two_chunks_of_which_one_is_retrieved():
    # 30 of 40 retrieved; IoU has the other 10 in its denominator.
    scores = scores_of_retrieved_ranges([Span(70, 110)], [Span(0, 100)], total_length_of_ranges)
    assert values(scores) == {"recall": 0.75, "precision": 0.3, "iou": 30 / 110}
    both = scores_of_retrieved_ranges([Span(70, 110)], [Span(0, 100), Span(100, 200)], total_length_of_ranges)
    assert values(both) == {"recall": 1, "precision": 0.2, "iou": 0.2}


def test_an_excerpt_that_is_never_retrieved():
    scores = scores_of_retrieved_ranges([Span(70, 110)], [Span(200, 300)], total_length_of_ranges)
    assert values(scores) == {"recall": 0, "precision": 0, "iou": 0}
    nothing = scores_of_retrieved_ranges([Span(70, 110)], [], total_length_of_ranges)
    assert values(nothing) == {"recall": 0, "precision": None, "iou": 0}
    assert "nothing was retrieved" in nothing["precision"].undefined


def test_a_question_without_excerpts_has_no_measure():
    scores = scores_of_retrieved_ranges([], [Span(0, 10)], total_length_of_ranges)
    assert values(scores) == {"recall": None, "precision": None, "iou": None}
    assert precision_omega([], [[Span(0, 10)]], total_length_of_ranges).undefined == "the question has no excerpt"


def test_excerpts_that_overlap_count_once():
    assert (
        values(scores_of_retrieved_ranges([Span(0, 10), Span(5, 15)], [Span(0, 12)], total_length_of_ranges))["recall"]
        == 12 / 15
    )


def test_precision_omega_is_the_iou_of_all_chunks_that_touch_an_excerpt():
    chunks = [[Span(0, 100)], [Span(100, 200)], [Span(200, 300)]]
    assert precision_omega([Span(90, 120)], chunks, total_length_of_ranges).value == 30 / 200
    # Two chunks share 50..100: 150 places.
    assert precision_omega([Span(60, 80)], [[Span(0, 100)], [Span(50, 150)]], total_length_of_ranges).value == 20 / 150
    # No chunk holds 10 of the excerpt's 20.
    assert precision_omega([Span(290, 310)], chunks, total_length_of_ranges).value == 10 / 110
    # A chunk in several places counts whole.
    assert precision_omega([Span(0, 5)], [[Span(0, 10), Span(50, 60)]], total_length_of_ranges).value == 5 / 20


def test_tokens_lie_where_their_first_visible_character_does():
    ruler = TokenRuler("one two  three\n\nfour", load_tokenizer("words"))
    assert ruler([Span(0, 20)]) == 4
    assert ruler([Span(3, 7)]) == 1
    assert ruler([Span(4, 7), Span(4, 14)]) == 3
    assert ruler([]) == 0
    pieces = TokenRuler("unbelievably good", load_tokenizer())
    assert pieces([Span(0, 12)]) + pieces([Span(12, 17)]) == len(load_tokenizer().starts("unbelievably good"))


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 20), st.integers(1, 7), st.integers(0, 3))
def test_the_search_in_blocks_is_the_sort_of_all(count, rows, block, seed):
    # Whole numbers, so that there are ties, and no rounding that depends on the block.
    random = np.random.default_rng(seed)
    vectors = random.integers(-2, 3, size=(rows, 3)).astype(np.float32)
    queries = random.integers(-2, 3, size=(4, 3)).astype(np.float32)
    rankings = nearest_vector_indices_per_query(queries, vectors, count, block)
    for query, row in zip(queries, rankings, strict=True):
        scores = vectors @ query
        assert row.tolist() == sorted(range(rows), key=lambda i: (-scores[i], i))[:count]


@pytest.mark.full
@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(1, 30), st.integers(1, 60), st.integers(1, 80), st.integers(1, 25), st.integers(0, 10**6))
def test_neither_the_block_nor_what_is_asked_beside_changes_a_ranking(asked, rows, wide, block, seed):
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((asked + rows, wide)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    queries, distinct = drawn[:asked], drawn[asked:]
    # Boilerplate: most texts stand in several places.
    vectors = distinct[random.integers(0, rows, size=2 * rows)]
    exact = (vectors.astype(float) * queries[:, np.newaxis]).sum(axis=2)
    ranked = [sorted(range(2 * rows), key=lambda row, scores=scores: (-scores[row], row)) for scores in exact]
    for count in (1, rows, 2 * rows):
        rankings = nearest_vector_indices_per_query(queries, vectors, count, block)
        assert rankings.tolist() == [row[:count] for row in ranked]
        for query, row in zip(queries, rankings, strict=True):
            assert nearest_vector_indices_per_query(query[np.newaxis], vectors, count)[0].tolist() == row.tolist()


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 60), st.integers(1, 70), st.integers(0, 10**6))
def test_products_of_embeddings_are_finite(asked, rows, wide, seed):
    # Whatever passes the gate: rows about as long as 1, with numbers too small for single precision, and rows of zeros.
    # NumPy may warn of an invalid value here all the same: it reads the processor's flag, which releases of OpenBLAS have
    # set for what lies beside the matrices and is in no product.
    random = np.random.default_rng(seed)
    raw = random.standard_normal((asked + rows, wide))
    raw[:, random.random(wide) < 0.1] *= 1e-42
    raw /= np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-30)
    raw *= 1 + random.uniform(-0.009, 0.009, (len(raw), 1))
    raw[(random.random(len(raw)) < 0.2) | (np.linalg.norm(raw, axis=1) < 0.9)] = 0
    both = checked_vectors("test", raw, ["text"] * len(raw))
    queries, vectors = both[:asked], both[asked:]
    products = queries @ vectors.T
    # The same without BLAS, in double precision.
    exact = np.einsum("qd,vd->qv", queries.astype(float), vectors.astype(float))
    assert np.abs(products - exact).max() < 1e-5
    assert np.abs(products).max() < 1.001
    for query, ranking in enumerate(nearest_vector_indices_per_query(queries, vectors, 3, vectors_per_block=7)):
        assert exact[query, ranking] == pytest.approx(np.sort(exact[query])[::-1][:3], abs=2e-5)


def corpus(**texts):
    return Corpus(tuple(Document.from_text(text, "lines", name) for name, text in texts.items()), exact_ends=True)


TWO = {"first": "0 alpha.\n40 beta.\n90 gamma.", "second": "130 delta."}


def ask(text, *excerpts, top_k=1, size=1, **texts):
    both = corpus(**(texts or TWO))
    rows = json.dumps({"question": text, "excerpts": list(excerpts)}).encode()
    questions = read_questions(rows, "questions.jsonl", both)
    assert not questions.problems
    equipped = tools(AngleEmbedder())
    index = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": size}), equipped)
    return evaluate_retrieval(
        index, questions.usable, equipped, TokenRuler(both.joined_document.text, equipped.tokenizer), top_k
    )


def test_all_documents_are_searched_together_by_the_cosine():
    # The question at 120 degrees is nearest to 130, then to 90, 40 and 0.
    evaluation = ask("120", "40 beta.", top_k=2)
    (answer,) = evaluation.scores_of_all_questions
    assert answer.ranked == (3, 2, 1, 0)
    assert values(answer.characters) == {"recall": 0, "precision": 0, "iou": 0, "precision_omega": 1}
    assert evaluation.searched_index.texts[3] == "130 delta."
    assert evaluation.searched_index.chunks[3] == (
        Span(len(TWO["first"]) + len(DOCUMENT_TEXT_SEPARATOR), len(evaluation.searched_index.corpus.joined_document.text)),
    )


def test_characters_and_tokens_are_measured_apart():
    # Both sentences of the best chunk of two; the excerpt is one word of its four, 4 of its 18 characters.
    (answer,) = ask("0", "beta", size=2).scores_of_all_questions
    assert answer.characters["precision"].value == 4 / len("0 alpha.\n40 beta.")
    assert answer.tokens["precision"].value == 1 / 4
    assert answer.tokens["recall"].value == 1


def test_a_search_is_measured_at_every_number_of_chunks():
    deep = ask("120", "40 beta.", top_k=1)
    ruler = TokenRuler(deep.searched_index.corpus.joined_document.text, load_tokenizer("words"))
    recalls = [
        score_search(deep.search, ruler, k).scores_of_all_questions[0].characters["recall"].value for k in (1, 2, 3, 4)
    ]
    assert recalls == [0, 0, 1, 1]
    for k in (1, 2, 3, 4):
        assert (
            deep.with_top_k(k, ruler).scores_of_all_questions == score_search(deep.search, ruler, k).scores_of_all_questions
        )


def test_the_search_says_what_was_computed_and_what_was_there():
    both, equipped = corpus(**TWO), tools(AngleEmbedder())
    first = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": 1}), equipped)
    again = cut_and_index_corpus(both, build_chunker("fixed_sentences", {"size": 1}), equipped)
    assert (first.embedded, first.cached) == (4, 0)
    assert (again.embedded, again.cached) == (0, 4)
    assert again.embed_s == first.embed_s > 0
    searched = search_for_all_questions(again, [], equipped, 3)
    assert searched.ranked.shape == (0, 0)
    assert searched.search_s == 0


def test_a_document_shorter_than_a_chunk_is_one_chunk():
    evaluation = ask("130", "130 delta.", size=50)
    assert len(evaluation.searched_index.chunks) == 2
    assert values(evaluation.scores_of_all_questions[0].characters) == {
        "recall": 1,
        "precision": 1,
        "iou": 1,
        "precision_omega": 1,
    }
    assert evaluation.scores_of_all_questions[0].ranked == (1, 0)


def test_means_leave_out_what_is_undefined():
    evaluation = ask("0", top_k=1)
    assert np.isnan(evaluation.values("recall")).all()
    assert mean_and_deviation(evaluation.values("recall")) is None
    assert mean_and_deviation(np.array([0.0, 1.0, np.nan])) == (0.5, 0.5)


def test_documents_and_evidence_at_k():
    both = corpus(**TWO)
    lines = [
        [both.span_in_corpus(number, span)] for number, document in enumerate(both.documents) for span in document.sentences
    ]
    excerpts = [*lines[0], *lines[3]]
    ranked = [lines[0], lines[1], lines[2], lines[3]]
    documents = document_recall_precision_by_k(both, excerpts, ranked)
    assert values(documents[1]) == values(documents[3]) == {"recall": 1 / 2, "precision": 1, "f1": 2 / 3}
    assert values(documents[5]) == values(documents[10]) == {"recall": 1, "precision": 1, "f1": 1}
    evidence = evidence_sentence_scores_by_k(both, excerpts, ranked)
    assert values(evidence[1]) == {"recall": 1 / 2, "precision": 1, "f1": 2 / 3}
    assert values(evidence[3]) == {"recall": 1 / 2, "precision": 1 / 3, "f1": 2 / 5}
    assert values(evidence[10]) == {"recall": 1, "precision": 1 / 2, "f1": 2 / 3}
    assert values(document_recall_precision_by_k(both, [], ranked)[1]) == {"recall": None, "precision": None, "f1": None}


def test_a_sentence_is_retrieved_where_more_than_half_of_it_is():
    small_corpus = corpus(only="abcdefgh\nijklmnop")
    assert overlapped_sentence_numbers(small_corpus, [Span(7, 10)]) == {0, 1}
    assert mostly_covered_sentence_numbers(small_corpus, [Span(0, 4), Span(9, 14)]) == {1}
    assert mostly_covered_sentence_numbers(small_corpus, [Span(0, 5), Span(8, 9)]) == {0}


def read(*rows, columns=("question", "references", "corpus_id"), **texts):
    lines = [",".join(columns)]
    lines += [",".join('"' + str(field).replace('"', '""') + '"' for field in row) for row in rows]
    return read_questions("\n".join(lines).encode(), "q.csv", corpus(**(texts or TWO)))


def test_excerpts_are_located_where_they_say_then_by_their_text_then_without_white_space():
    text = "say it. say it. Then  go\non."
    placed = json.dumps([{"content": "say it.", "start_index": 8, "end_index": 15}])
    moved = json.dumps([{"content": "say it.", "start_index": 3, "end_index": 9}])
    loose = json.dumps([{"content": "Then go on.", "start_index": 0, "end_index": 0}])
    questions = read(("a?", placed, "t"), ("b?", moved, "t"), ("c?", loose, "t"), t=text)
    assert not questions.problems
    assert [question.excerpts[0].span for question in questions.usable] == [(8, 15), (0, 7), (16, 28)]


def test_texts_alone_are_searched_in_every_document():
    questions = read(("q?", "delta"), columns=("question", "excerpts"))
    assert questions.usable[0].excerpts == ((1, Span(4, 9)),)
    several = read(("q?", '["alpha", "delta"]'), columns=("question", "excerpts"))
    assert [excerpt.document for excerpt in several.usable[0].excerpts] == [0, 1]


def test_what_cannot_be_used_is_listed_and_the_rest_is_usable():
    questions = read(
        ("good?", '["alpha"]', "first"),
        ("good?", '["alpha"]', "first"),
        ("lost?", '["nowhere"]', "first"),
        ("half?", '["beta", "nowhere"]', "first"),
        ("elsewhere?", '["alpha"]', "third"),
        ("", '["alpha"]', "first"),
        ("broken?", '["alpha', "first"),
        ("none?", "[]", "first"),
    )
    assert [question.text for question in questions.usable] == ["good?", "half?", "none?"]
    assert questions.problems == (
        "q.csv, question 2: every question must appear only once; 'good?' appears again, and this repetition is left out.",
        "q.csv, question 3: no excerpt of 'lost?' could be located, so the question is left out: the excerpt must occur in "
        "first, and 'nowhere' does not; it is left out.",
        "q.csv, question 4: the excerpt must occur in first, and 'nowhere' does not; it is left out.",
        "q.csv, question 5: corpus_id must be one of first, second; got 'third'.",
        "q.csv, question 6: the question must be a string that is not empty; got ''.",
        "q.csv, question 7: the value of references must be a valid JSON list; got '[\"alpha' (Unterminated string starting "
        "at: line 1 column 2 (char 1)).",
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this one is empty"),
        (b" \n ", "this one is empty"),
        (b"question,answer\na,b", "the columns must include question, and references or excerpts; got question, answer"),
        (b"question,excerpts\n", "at least one question must be usable; none is."),
        (b'{"question": "a"\n', "line 1: every line must be a JSON object; this one is not"),
        (b'["question"]\n', "item 1: every item must be a JSON object; this one is 'question'"),
        (b"question,excerpts\n\0", "must be text: CSV, JSON or JSON lines; this one is binary"),
        (b"x" * 20_000_001, "at most 20,000,000 bytes; this one has 20,000,001"),
        (b'question,excerpts\na,"x', "question 1: the file must be valid CSV; from here on it is not"),
    ],
)
def test_a_file_of_no_use_is_refused_in_a_sentence(data, message):
    with pytest.raises(InputError, match=message) as error:
        read_questions(data, "q.csv", corpus(**TWO)).get_usable_questions_or_raise("q.csv")
    assert str(error.value).startswith("q.csv: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"question,excerpts\nA?,alpha\nB?,beta, and more\nC?\nD?,beta\n", ["this one has 3", "this one has 1"]),
        (
            b'question,excerpts\nA?,alpha\nB?,beta\n"C?,gamma\n',
            ["question 3: the file must be valid CSV; from here on it is not"],
        ),
        (b'{"question": "A?", "excerpts": "alpha"}\n{\n[1]\n{"question": "D?", "excerpts": "beta"}', ["line 2", "line 3"]),
        ("question;excerpts\nA?;alpha, 1\nB?;beta\nC?;gämma\nD?;beta".encode("utf-16"), ["'alpha, 1' does not", "'gämma'"]),
        (b"question\texcerpts\nA?\talpha\nB?\tbeta\tgamma\nC?\tbeta", ["A text with a tab in it"]),
    ],
)
def test_rows_of_no_use_leave_the_others_usable(data, problems):
    questions = read_questions(data, "q", corpus(**TWO))
    assert len(questions.usable) == 2
    for problem, expected in zip(questions.problems, problems, strict=True):
        assert expected in problem


@pytest.mark.slow
def test_of_too_many_questions_the_first_are_used():
    lines = ["question,excerpts", *(f"{number}?,alpha" for number in range(MOST_QUESTIONS + 3))]
    questions = read_questions("\n".join(lines).encode(), "q.csv", corpus(**TWO))
    assert len(questions.usable) == MOST_QUESTIONS
    assert questions.problems == (
        "q.csv, from question 5,001 on: a file may have at most 5,000 questions; the rest is left out.",
    )


def test_reading_can_be_cancelled():
    with pytest.raises(Cancelled):
        read_questions(b"question,excerpts\nA?,alpha", "q.csv", corpus(**TWO), lambda: True)


def test_documents_need_names_of_their_own():
    document = Document.from_text("a", "lines", "same")
    with pytest.raises(InputError, match="'same' appears twice"):
        Corpus((document, document))
    with pytest.raises(InputError, match="at least one"):
        Corpus(())


def test_the_bundled_questions_stand_in_their_documents_word_for_word():
    files = sorted(SAMPLES_FOLDER.glob("*.txt"))
    texts = {path.stem: path.read_bytes().decode() for path in files}
    whole = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in texts.items()))
    data = (SAMPLES_FOLDER / "questions.csv").read_bytes()
    questions = read_questions(data, "questions.csv", whole)
    assert not questions.problems
    assert len(questions.usable) == 40
    assert len({excerpt.document for question in questions.usable for excerpt in question.excerpts}) >= 6
    assert {len(question.excerpts) > 1 for question in questions.usable} == {True, False}
    for row in csv.DictReader(data.decode().splitlines()):
        for excerpt in json.loads(row["excerpts"]):
            assert texts[row["corpus_id"]].count(excerpt) == 1


@pytest.mark.parametrize(
    ("excerpt", "measured"),
    [
        (" “Herons eat fish.” ", "Herons eat fish"),
        ("(see 3.2):\n", "see 3.2"),
        ("by 30 %.", "by 30 %"),
        ("$5!", "$5"),
        ("鷺は魚を食べる。", "鷺は魚を食べる"),
        (" … ", " … "),
        ("x", "x"),
    ],
)
def test_white_space_and_punctuation_at_the_ends_of_an_excerpt_do_not_count(excerpt, measured):
    text = f"Before{excerpt}after"
    start, end = trim_spaces_and_punctuation(text, Span(6, 6 + len(excerpt)))
    assert text[start:end] == measured


def test_a_chunk_that_lacks_the_full_stop_has_the_whole_excerpt():
    text = "Herons eat fish. They stand."
    question = Question("What?", (Excerpt(0, Span(0, 16)),))
    for exact, expected in ((False, 1.0), (True, 15 / 16)):
        there = Corpus((Document.from_text(text, "lines", "one"),), exact_ends=exact)
        scores = scores_of_retrieved_ranges(excerpt_ranges(there, question), [Span(0, 15)], total_length_of_ranges)
        assert scores["recall"].value == pytest.approx(expected)
