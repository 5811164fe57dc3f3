"""A report says what was found, by whom and at what cost; it is measured once, and never of fewer chunkers than are done."""

import gc
import json
import weakref

import numpy as np
import pytest

from chunkers import Document, build_chunker, load_tokenizer
from evaluation.retrieval import bootstrap
from evaluation.retrieval.bootstrap import interval, paired
from evaluation.retrieval.corpus import Corpus, Ruler
from evaluation.retrieval.index import build_index
from evaluation.retrieval.measures import Evaluation, evaluate
from evaluation.retrieval.questions import read_questions
from evaluation.retrieval.report import REPORTS_KEPT, Choice, Costs, Distribution, Reports, Winner, disagreements
from tests.support import AngleEmbedder, tools

NAN = float("nan")
RECALL = Choice("recall", "characters", 1, 0)


@pytest.fixture(scope="module")
def ruler():
    return Ruler(corpus().whole.text, load_tokenizer("words"))


def corpus():
    return Corpus((Document.from_text("0 alpha.\n40 beta.\n90 gamma.\n130 delta.", "lines", "one"),))


@pytest.fixture(scope="module")
def found(ruler):
    """One sentence a chunk, and two; five questions, each as near to its sentence as can be, and one without an excerpt."""
    asked = [("0", "alpha"), ("40", "beta"), ("90", "gamma"), ("130", "delta"), ("125", "90 gamma."), ("1", [])]
    rows = "\n".join(json.dumps({"question": question, "excerpts": excerpts}) for question, excerpts in asked)
    questions = read_questions(rows.encode(), "questions.jsonl", corpus()).needed("questions.jsonl")
    equipped = tools(AngleEmbedder())
    chunkers = [build_chunker("fixed_sentences", {"size": size}) for size in (1, 2)]
    indexes = [build_index(corpus(), chunker, equipped) for chunker in chunkers]
    return {number: evaluate(index, questions, equipped, ruler, 1) for number, index in enumerate(indexes)}


@pytest.fixture
def counted(monkeypatch):
    """Give a list that grows with every bootstrap."""
    calls = []
    resample = bootstrap._resampled_means
    monkeypatch.setattr(bootstrap, "_resampled_means", lambda *arguments: calls.append(1) or resample(*arguments))
    return calls


def test_the_report_of_a_case_worked_by_hand(found, ruler):
    report = Reports(ruler, 2).of(found, RECALL)
    one, two = report.chunkers.values()
    # The fifth question is nearer to 130 degrees than to 90, where its excerpt is; a chunk of both sentences holds it.
    assert one.distribution.values.tolist()[:5] == [1, 1, 1, 1, 0]
    assert two.distribution.values.tolist()[:5] == [1, 1, 1, 1, 1]
    assert np.isnan([one.distribution.values[5], two.distribution.values[5]]).all()
    assert (one.distribution.mean, two.distribution.mean) == (0.8, 1)
    assert one.means["recall"] == pytest.approx((0.8, 0.4))
    assert report.disagreements.tolist() == [4]
    difference = report.differences[1]
    assert (difference.mean, difference.questions) == (pytest.approx(0.2), 5)
    assert (report.winner.best, report.winner.other, report.winner.difference) == (1, 0, difference)
    # Two words a sentence: one retrieves two of them, the other twice as many.
    assert (one.chunk_tokens, two.chunk_tokens) == (2, 4)
    assert (one.costs.tokens, two.costs.tokens) == (2, 4)
    assert (len(one.evaluation.index.chunks), len(two.evaluation.index.chunks)) == (4, 2)
    assert one.at_k["documents"][1]["recall"].value == 1
    assert one.at_k["evidence"][1]["recall"].value == 0.8
    assert one.at_k["evidence"][10]["precision"].value == pytest.approx(1 / 4)


def test_it_is_what_the_functions_say_one_by_one(found, ruler):
    report = Reports(ruler, 2).of(found, Choice("iou", "tokens", 2, 1))
    deeper = {number: one.over(2, ruler) for number, one in found.items()}
    values = {number: one.values("iou", "tokens") for number, one in deeper.items()}
    assert report.differences == {0: paired(values[0], values[1])}
    for number, one in report.chunkers.items():
        np.testing.assert_array_equal(one.distribution.values, values[number])
        assert one.distribution.interval == interval(values[number])
        assert one.costs == Costs.of(deeper[number], ruler)
        assert one.at_k["evidence"] == found[number].at_k("evidence")


def test_what_depends_on_fewer_choices_is_measured_less_often(found, ruler, counted, monkeypatch):
    deeper = []
    over = Evaluation.over
    monkeypatch.setattr(Evaluation, "over", lambda *arguments: deeper.append(1) or over(*arguments))
    reports = Reports(ruler, 2)

    def cost(**choice):
        counted.clear()
        deeper.clear()
        reports.of(found, RECALL._replace(**choice))
        return len(counted), len(deeper)

    # Two means and a difference.
    assert cost() == (3, 0)
    assert cost() == (0, 0)
    # The second is the winner, and compared with the first.
    assert cost(baseline=1) == (1, 0)
    assert cost(baseline=0) == (0, 0)
    assert cost(unit="tokens") == (3, 0)
    assert cost(top_k=2)[1] == 2
    assert cost(measure="iou", top_k=2)[1] == 0
    assert cost() == cost(top_k=2) == (0, 0)


def test_a_growing_run_has_a_new_report_and_keeps_what_was_measured(found, ruler, counted):
    reports = Reports(ruler, 2)
    first = reports.of({0: found[0]}, RECALL)
    assert (list(first.chunkers), len(counted)) == ([0], 1)
    assert (first.differences, first.winner.other, first.disagreements.tolist()) == ({}, None, [])
    both = reports.of(found, RECALL)
    assert (list(both.chunkers), len(counted)) == ([0, 1], 3)
    assert both.chunkers[0].distribution is first.chunkers[0].distribution


def test_a_report_ends_with_its_run(found, ruler):
    reports = Reports(ruler, 2)
    report = weakref.ref(reports.of(found, RECALL))
    gc.collect()
    assert report() is not None
    del reports
    gc.collect()
    assert report() is None


def test_only_so_many_are_remembered(found, ruler):
    reports = Reports(ruler, 2)
    choices = [
        Choice(measure, unit, 1 + k, 0)
        for measure in ("recall", "iou")
        for unit in ("characters", "tokens")
        for k in range(10)
    ]
    first = weakref.ref(reports.of(found, choices[0]))
    assert len(choices) > REPORTS_KEPT
    for choice in choices[1:]:
        reports.of(found, choice)
    gc.collect()
    assert first() is None


def test_too_few_questions_have_no_interval_and_no_difference():
    assert Distribution.of(np.array([0.5, 1, 0, NAN])).interval is None
    assert Distribution.of(np.array([NAN, NAN])).mean is None


def test_the_winner_is_compared_with_the_baseline_or_the_next():
    asked = []

    def compare(one, other):
        asked.append((one, other))

    assert Winner.of({0: 0.5, 1: 0.7, 2: 0.6}, 0, compare) == Winner(1, 0.7, (), 0, None)
    assert Winner.of({0: 0.5, 1: 0.7, 2: 0.6}, 1, compare) == Winner(1, 0.7, (), 2, None)
    assert Winner.of({0: 0.7, 1: 0.7}, 1, compare) == Winner(0, 0.7, (1,), 1, None)
    # The baseline is undefined, and nobody else is there.
    assert Winner.of({1: 0.7}, 0, compare) == Winner(1, 0.7, (), None, None)
    assert asked == [(1, 0), (1, 2), (0, 1)]


def test_chunkers_disagree_where_their_values_differ():
    assert disagreements({0: np.array([1, 0.5, NAN, NAN]), 3: np.array([1, 0.2, NAN, 1])}).tolist() == [1]
    assert disagreements({0: np.array([1, 0.5])}).tolist() == []
