"""Evaluations as numbers: read again they measure the same, and what is not one is a sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest

from chunkers import Document, InputError, build_chunker, load_tokenizer
from evaluation.questions.corpus_ranges_and_rulers import Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.computed_reports import ReportChoice, Reports
from evaluation.retrieval.measures import RANGE_UNITS, evaluate_retrieval
from evaluation.retrieval.measures_as_json import encode_evaluation_as_json_bytes, evaluation_from_json
from evaluation.retrieval.retrieved_chunks_and_failures import MeasuredChunker
from evaluation.search.index import cut_and_index_corpus
from tests.support import tools

TEXTS = {"birds": "The heron waits.\nIt eats fish.\nThe owl hunts at night.\n", "sea": "The tide turns.\nIt is salt.\n"}
CORPUS = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in TEXTS.items()))
# The last question has no excerpt, so that its measures are undefined.
ASKED = (
    b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\nWhat is it?,It is salt.\nWhy?,\n"
)
QUESTIONS = read_questions(ASKED, "questions.csv", CORPUS).usable
RULER = TokenRuler(CORPUS.joined_document.text, load_tokenizer("words"))


@pytest.fixture(params=["fixed_sentences", "single_linkage"])
def found(request):
    chunker = build_chunker(
        request.param, {"overlap": 1, "size": 2} if request.param == "fixed_sentences" else {"chunks": 2}
    )
    return evaluate_retrieval(cut_and_index_corpus(CORPUS, chunker, tools()), QUESTIONS, tools(), RULER, 2)


@pytest.fixture
def ladder(monkeypatch):
    # So that there is a rank beyond those that are kept.
    monkeypatch.setattr(ladders, "KEPT_RANK_COUNT", 2)
    made_ladder = measure_at_standard_budgets(
        cut_and_index_corpus(CORPUS, build_chunker("fixed_sentences", {"size": 1}), tools()), QUESTIONS, tools(), RULER
    )
    assert len(made_ladder.lower_ranked_excerpt_chunks)
    return replace(made_ladder, reasons={16: "distance 0.72 > 0.5"})


def test_it_is_the_same_again(found):
    again, none = evaluation_from_json(encode_evaluation_as_json_bytes(found), CORPUS, QUESTIONS)
    assert none is None
    assert len(QUESTIONS) == 4
    assert np.isnan(found.scores[:, 0, 3]).all()
    for name in ("scores", "documents", "evidence"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert again.scores_of_all_questions == found.scores_of_all_questions
    assert again.searched_index.chunks == found.searched_index.chunks
    for top_k in (1, 2, 4):
        np.testing.assert_array_equal(again.with_top_k(top_k, RULER).scores, found.with_top_k(top_k, RULER).scores)
    reports = [
        Reports(RULER, ["one"]).report_comparing_chunkers(
            {0: MeasuredChunker(evaluation, None)}, ReportChoice("recall", RANGE_UNITS[0], 2, 0)
        )
        for evaluation in (found, again)
    ]
    assert reports[0].time_and_token_costs == reports[1].time_and_token_costs
    assert reports[0].chunkers[0].means == reports[1].chunkers[0].means


@pytest.fixture
def found_by_sentence():
    return evaluate_retrieval(
        cut_and_index_corpus(CORPUS, build_chunker("fixed_sentences", {"size": 1}), tools()), QUESTIONS, tools(), RULER
    )


def test_a_ladder_is_the_same_again(found_by_sentence, ladder):
    again = evaluation_from_json(encode_evaluation_as_json_bytes(found_by_sentence, ladder), CORPUS, QUESTIONS)[1]
    for name in ("ranked", "lower_ranked_excerpt_chunks", "best_holders"):
        np.testing.assert_array_equal(getattr(again, name), getattr(ladder, name))
    assert again.reasons == ladder.reasons
    for one, other in zip(again.at, ladder.at, strict=True):
        assert one.budgets == other.budgets
        for name in ("taken", "cut_chunk_length", "given", "retrieved_excerpt_length", "excerpt_length", "scores"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_what_an_earlier_version_kept_has_no_ladder(found_by_sentence, ladder):
    written = json.loads(encode_evaluation_as_json_bytes(found_by_sentence, ladder))
    before = {name: value for name, value in written.items() if name != "ladder"}
    assert evaluation_from_json(json.dumps(before).encode(), CORPUS, QUESTIONS)[1] is None
    written["ladder"]["at"].pop()
    evaluation, none = evaluation_from_json(json.dumps(written).encode(), CORPUS, QUESTIONS)
    assert none is None
    assert evaluation.scores_of_all_questions == found_by_sentence.scores_of_all_questions


def test_what_an_earlier_version_measured_to_the_last_full_stop_is_not_read(found_by_sentence, ladder):
    written = json.loads(encode_evaluation_as_json_bytes(found_by_sentence, ladder))
    del written["exact_ends"]
    with pytest.raises(InputError, match="must use this version's rule for the ends of excerpts"):
        evaluation_from_json(json.dumps(written).encode(), CORPUS, QUESTIONS)
    exact = replace(CORPUS, exact_ends=True)
    assert (
        evaluation_from_json(json.dumps(written).encode(), exact, QUESTIONS)[0].scores_of_all_questions
        == found_by_sentence.scores_of_all_questions
    )


def test_the_budgets_are_those_that_were_measured(found_by_sentence, ladder):
    written = json.loads(encode_evaluation_as_json_bytes(found_by_sentence, ladder))
    for at in written["ladder"]["at"]:
        at["sizes"][-1] += 1
    _, read = evaluation_from_json(json.dumps(written).encode(), CORPUS, QUESTIONS)
    assert [at_budgets.budgets.sizes[-1] - 1 for at_budgets in read.at] == [
        at_budgets.budgets.sizes[-1] for at_budgets in ladder.at
    ]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"wanted": [[1]]}, "must have wanted of the shape 2 × 4"),
        ({"ranked": [[0]]}, "must rank chunks for 4 questions; it does so for 1"),
        ({"ranked": [[0], [1], [2], [99]]}, "must refer only to its own 2 chunks"),
        ({"holders": [[0, 1]]}, "must list the chunks that contain 3 excerpts; it does so for 1"),
        ({"holders": [[99, 1]] * 3}, "must refer only to its own 2 chunks"),
        ({"beyond": [[4, 0, 9]]}, "must refer only to its own 4 questions"),
        ({"reasons": {"16": "why"}}, "ladder.reasons is invalid"),
        ({"at": None}, "ladder.at is invalid"),
    ],
)
def test_a_ladder_that_does_not_fit_is_a_sentence(ladder, changed, sentence):
    evaluation = evaluate_retrieval(
        cut_and_index_corpus(CORPUS, build_chunker("fixed_sentences", {"size": 4}), tools()), QUESTIONS, tools(), RULER
    )
    written = json.loads(encode_evaluation_as_json_bytes(evaluation, ladder))
    assert len(written["chunks"]) == 2
    written["ladder"] |= {"ranked": [[0]] * 4, "holders": [[0, 1]] * 3, "beyond": []} | changed
    with pytest.raises(InputError, match=sentence):
        evaluation_from_json(json.dumps(written).encode(), CORPUS, QUESTIONS)


def test_there_is_no_text_in_it(found, ladder):
    written = encode_evaluation_as_json_bytes(found, ladder).decode()
    assert not any(word in written for word in ("heron", "What eats", "birds"))
    assert set(json.loads(written)) == {
        *("chunks", "chunk_s", "decide_s", "embed_s", "embedded", "cached"),
        *("ranked", "ask_s", "search_s", "top_k", "scores", "documents", "evidence", "ladder", "exact_ends", "caveat"),
        "parents",
    }


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"chunks": [[[0, 5]], [[90, 9999]]]}, "must lie within the .* characters of the corpus"),
        ({"chunks": [[[-1, 5]]]}, "must lie within the .* characters of the corpus"),
        ({"chunks": [[[5, 4]]]}, "must lie within the .* characters of the corpus"),
        ({"chunks": [[]]}, "must lie within the .* characters of the corpus"),
        ({"chunks": []}, "must rank only its own 0 chunks"),
        ({"ranked": [[0], [1], [2]]}, "must have ranked of the shape 4 × any"),
        ({"ranked": [[0], [1, 2], [0], [0]]}, "must have ranked of the shape"),
        ({"ranked": [[0], [1], [2], [99]]}, r"must rank only its own \d chunks"),
        ({"ranked": [[0], [1], [2], [-1]]}, r"must rank only its own \d chunks"),
        ({"scores": [[[0.5]]]}, "must have scores of the shape 2 × 4 × 4"),
        ({"documents": []}, "must have documents of the shape 4 × 3 × 4"),
        ({"top_k": "5"}, "top_k is invalid"),
        ({"vectors": []}, "vectors is invalid"),
    ],
)
def test_what_does_not_fit_is_a_sentence(found, changed, sentence):
    data = json.dumps(json.loads(encode_evaluation_as_json_bytes(found)) | changed).encode()
    with pytest.raises(InputError, match=sentence):
        evaluation_from_json(data, CORPUS, QUESTIONS)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b"[" * 5000])
def test_what_is_something_else_is_a_sentence(data):
    with pytest.raises(InputError, match="must be in the format that Seamark writes"):
        evaluation_from_json(data, CORPUS, QUESTIONS)
