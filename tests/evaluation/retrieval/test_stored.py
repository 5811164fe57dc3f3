"""Evaluations as numbers: read again they measure the same, and what is not one is a sentence."""

import json

import numpy as np
import pytest

from chunkers import Document, InputError, build_chunker, load_tokenizer
from evaluation.retrieval.corpus import Corpus, Ruler
from evaluation.retrieval.index import build_index
from evaluation.retrieval.measures import UNITS, evaluate
from evaluation.retrieval.questions import read_questions
from evaluation.retrieval.report import Choice, Reports
from evaluation.retrieval.stored import from_json, to_json
from tests.support import tools

TEXTS = {"birds": "The heron waits.\nIt eats fish.\nThe owl hunts at night.\n", "sea": "The tide turns.\nIt is salt.\n"}
CORPUS = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in TEXTS.items()))
# The last question has no excerpt, so that its measures are undefined.
ASKED = (
    b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\nWhat is it?,It is salt.\nWhy?,\n"
)
QUESTIONS = read_questions(ASKED, "questions.csv", CORPUS).usable
RULER = Ruler(CORPUS.whole.text, load_tokenizer("words"))


@pytest.fixture(params=["fixed_sentences", "single_linkage"])
def found(request):
    chunker = build_chunker(
        request.param, {"overlap": 1, "size": 2} if request.param == "fixed_sentences" else {"chunks": 2}
    )
    bench = tools()
    return evaluate(build_index(CORPUS, chunker, bench), QUESTIONS, bench, RULER, 2)


def test_it_is_the_same_again(found):
    again = from_json(to_json(found), CORPUS, QUESTIONS)
    assert len(QUESTIONS) == 4
    assert np.isnan(found.scores[:, 0, 3]).all()
    for name in ("scores", "documents", "evidence"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert again.answers == found.answers
    assert again.index.chunks == found.index.chunks
    for top_k in (1, 2, 4):
        np.testing.assert_array_equal(again.over(top_k, RULER).scores, found.over(top_k, RULER).scores)
    reports = [Reports(RULER, 1).of({0: one}, Choice("recall", UNITS[0], 2, 0)) for one in (found, again)]
    assert reports[0].costs == reports[1].costs
    assert reports[0].chunkers[0].means == reports[1].chunkers[0].means


def test_there_is_no_text_in_it(found):
    written = to_json(found).decode()
    assert not any(word in written for word in ("heron", "What eats", "birds"))
    assert set(json.loads(written)) == {
        *("chunks", "chunk_s", "decide_s", "embed_s", "embedded", "cached"),
        *("ranked", "ask_s", "search_s", "top_k", "scores", "documents", "evidence"),
    }


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"chunks": [[[0, 5]], [[90, 9999]]]}, "chunks must be ranges of the corpus, of"),
        ({"chunks": [[[-1, 5]]]}, "chunks must be ranges"),
        ({"chunks": [[[5, 4]]]}, "chunks must be ranges"),
        ({"chunks": [[]]}, "chunks must be ranges"),
        ({"chunks": []}, "ranked must number the 0 chunks"),
        ({"ranked": [[0], [1], [2]]}, "ranked must have the shape 4 × any"),
        ({"ranked": [[0], [1, 2], [0], [0]]}, "ranked must have the shape"),
        ({"ranked": [[0], [1], [2], [99]]}, "ranked must number"),
        ({"ranked": [[0], [1], [2], [-1]]}, "ranked must number"),
        ({"scores": [[[0.5]]]}, "scores must have the shape 2 × 4 × 4"),
        ({"documents": []}, "documents must have the shape 4 × 3 × 4"),
        ({"top_k": "5"}, "top_k must be as it was written"),
        ({"vectors": []}, "vectors must be as it was written"),
    ],
)
def test_what_does_not_fit_is_a_sentence(found, changed, sentence):
    data = json.dumps(json.loads(to_json(found)) | changed).encode()
    with pytest.raises(InputError, match=sentence):
        from_json(data, CORPUS, QUESTIONS)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b"[" * 5000])
def test_what_is_something_else_is_a_sentence(data):
    with pytest.raises(InputError, match="must be as it was written; it is not"):
        from_json(data, CORPUS, QUESTIONS)
