"""BERTScore, where the package is there and where it is not."""

import sys
from types import SimpleNamespace

import pytest

from chunkers import ModelError
from evaluation.answering import judging


def test_where_the_package_is_missing_a_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(ModelError, match="install it with 'pip install bert-score'"):
        judging.bert_scores(["a"], ["b"], "en")


def test_the_packages_f1_is_what_counts(monkeypatch):
    asked = []

    def score(answers, references, *, lang, verbose):
        asked.append((answers, references, lang))
        return [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]

    monkeypatch.setitem(sys.modules, "bert_score", SimpleNamespace(score=score))
    assert judging.bert_scores(("a", "b"), ("c", "d"), "de") == [0.5, 0.6]
    assert asked == [(["a", "b"], ["c", "d"], "de")]


def test_a_model_that_cannot_be_loaded_is_an_error_with_a_sentence(monkeypatch):
    def score(*given, **named):
        raise OSError("no network: /home/someone")

    monkeypatch.setitem(sys.modules, "bert_score", SimpleNamespace(score=score))
    with pytest.raises(ModelError, match="could not load its model or score the texts; it raised OSError"):
        judging.bert_scores(["a"], ["b"], "en")
