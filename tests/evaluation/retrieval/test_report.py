"""A report says what was found, by whom and at what cost; it is measured once, and never of fewer chunkers than are done."""

import json
import weakref
from unittest import mock

import numpy as np
import pytest

from chunkers import Document, build_chunker, load_tokenizer
from chunkers.support import LRUDict
from evaluation.questions.corpus_ranges_and_rulers import Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import budgets_and_near_duplicates as ladders
from evaluation.retrieval import computed_reports as reporting
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, Budgets
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.computed_reports import (
    MOST_KEPT_REPORTS,
    Costs,
    Distribution,
    ReportChoice,
    Reports,
    differing_question_indexes,
)
from evaluation.retrieval.measures import Evaluation, evaluate_retrieval
from evaluation.retrieval.retrieved_chunks_and_failures import MeasuredChunker
from evaluation.search.index import cut_and_index_corpus
from evaluation.statistics.p_value_correction_and_intervals import compute_confidence_interval_of_mean
from evaluation.statistics.paired_tests import paired_difference
from tests.support import AngleEmbedder, tools

NAN = float("nan")
RECALL = ReportChoice("recall", "characters", 1, 0)


@pytest.fixture(scope="module")
def ruler():
    return TokenRuler(corpus().joined_document.text, load_tokenizer("words"))


SIZES = {"characters": (8, 16, 2000), "tokens": (4, 6, 500)}
LADDERS = tuple(Budgets(sizes, unit, last) for unit, sizes in SIZES.items() for last in LAST_CHUNK_CHOICES)
"""The largest budgets have room for the whole corpus, of 38 characters."""


def corpus():
    return Corpus((Document.from_text("0 alpha.\n40 beta.\n90 gamma.\n130 delta.", "lines", "one"),), exact_ends=True)


@pytest.fixture(scope="module")
def found(ruler):
    """One sentence a chunk, and two; seven questions, each as near to its sentence as can be, and one without an excerpt."""
    asked = [("0", "alpha"), ("40", "beta"), ("90", "gamma"), ("130", "delta"), ("125", "90 gamma."), ("1", [])]
    asked += [("2", "alpha"), ("42", "beta")]
    rows = "\n".join(json.dumps({"question": question, "excerpts": excerpts}) for question, excerpts in asked)
    questions = read_questions(rows.encode(), "questions.jsonl", corpus()).get_usable_questions_or_raise("questions.jsonl")
    equipped = tools(AngleEmbedder())
    chunkers = [build_chunker("fixed_sentences", {"size": size}) for size in (1, 2)]
    indexes = [cut_and_index_corpus(corpus(), chunker, equipped) for chunker in chunkers]
    with mock.patch.object(ladders, "standard_budget_sets", return_value=LADDERS):
        return {
            number: MeasuredChunker(
                evaluate_retrieval(index, questions, equipped, ruler, 1),
                measure_at_standard_budgets(index, questions, equipped, ruler),
            )
            for number, index in enumerate(indexes)
        }


@pytest.fixture
def counted(monkeypatch):
    """Give a list that grows with every interval of a mean and every test against the baseline."""
    calls = []
    for name in ("compute_confidence_interval_of_mean", "corrected_differences_per_comparison"):
        measure = getattr(reporting, name)
        monkeypatch.setattr(reporting, name, lambda *arguments, of=measure: calls.append(1) or of(*arguments))
    return calls


def test_the_report_of_a_case_worked_by_hand(found, ruler):
    report = Reports(ruler, ["one", "two"]).report_comparing_chunkers(found, RECALL)
    one, two = report.chunkers.values()
    # The fifth question is nearer to 130 degrees than to 90, where its excerpt is; a chunk of both sentences holds it.
    assert one.distribution.values.tolist()[:5] == [1, 1, 1, 1, 0]
    assert two.distribution.values.tolist()[:5] == [1, 1, 1, 1, 1]
    assert np.isnan([one.distribution.values[5], two.distribution.values[5]]).all()
    assert (one.distribution.mean, two.distribution.mean) == (pytest.approx(6 / 7), 1)
    assert one.means["recall"] == pytest.approx((6 / 7, 6**0.5 / 7))
    assert report.disagreements.tolist() == [4]
    difference = report.comparisons[1]
    assert (difference.mean, difference.count) == (pytest.approx(1 / 7), 7)
    assert (report.best_chunker_lead.best, report.best_chunker_lead.rival, report.best_chunker_lead.significant) == (
        1,
        0,
        False,
    )
    assert report.best_chunker_lead.difference == difference
    # Two words a sentence: one retrieves two of them, the other twice as many.
    assert (one.chunk_tokens, two.chunk_tokens) == (2, 4)
    assert (one.costs.tokens, two.costs.tokens) == (2, 4)
    assert (len(one.evaluation.searched_index.chunks), len(two.evaluation.searched_index.chunks)) == (4, 2)
    assert one.at_k["documents"][1]["recall"].value == 1
    assert one.at_k["evidence"][1]["recall"].value == pytest.approx(6 / 7)
    assert one.at_k["evidence"][10]["precision"].value == pytest.approx(1 / 4)


def test_it_is_what_the_functions_say_one_by_one(found, ruler):
    report = Reports(ruler, ["one", "two"]).report_comparing_chunkers(found, ReportChoice("iou", "tokens", 2, 1))
    deeper = {number: run.evaluation.with_top_k(2, ruler) for number, run in found.items()}
    values = {number: evaluation.values("iou", "tokens") for number, evaluation in deeper.items()}
    assert report.comparisons == {0: paired_difference(values[0], values[1])}
    for number, chunker in report.chunkers.items():
        np.testing.assert_array_equal(chunker.distribution.values, values[number])
        assert chunker.distribution.interval == compute_confidence_interval_of_mean(values[number])
        assert chunker.costs == Costs.of_evaluation(deeper[number], deeper[number].mean_retrieved_length(ruler))
        assert chunker.at_k["evidence"] == found[number].evaluation.means_at_k("evidence")


def test_what_depends_on_fewer_choices_is_measured_less_often(found, ruler, counted, monkeypatch):
    deeper = []
    over = Evaluation.with_top_k
    monkeypatch.setattr(Evaluation, "with_top_k", lambda *arguments: deeper.append(1) or over(*arguments))
    reports = Reports(ruler, ["one", "two"])

    def cost(**choice):
        counted.clear()
        deeper.clear()
        reports.report_comparing_chunkers(found, RECALL._replace(**choice))
        return len(counted), len(deeper)

    # Two means and a difference.
    assert cost() == (3, 0)
    assert cost() == (0, 0)
    assert cost(baseline=1) == (1, 0)
    assert cost(baseline=0) == (0, 0)
    assert cost(unit="tokens") == (3, 0)
    assert cost(top_k=2)[1] == 2
    assert cost(measure="iou", top_k=2)[1] == 0
    assert cost() == cost(top_k=2) == (0, 0)


def test_a_growing_run_has_a_new_report_and_keeps_what_was_measured(found, ruler, counted):
    reports = Reports(ruler, ["one", "two"])
    first = reports.report_comparing_chunkers({0: found[0]}, RECALL)
    assert (list(first.chunkers), len(counted)) == ([0], 1)
    assert (first.comparisons, first.best_chunker_lead, first.disagreements.tolist()) == ({}, None, [])
    both = reports.report_comparing_chunkers(found, RECALL)
    assert (list(both.chunkers), len(counted)) == ([0, 1], 3)
    assert both.chunkers[0].distribution is first.chunkers[0].distribution


@pytest.mark.slow
def test_a_report_ends_with_its_run(found, ruler):
    reports = Reports(ruler, ["one", "two"])
    report = weakref.ref(reports.report_comparing_chunkers(found, RECALL))
    assert report() is not None
    # At once, without a cycle that garbage collection must find.
    del reports
    assert report() is None


def test_what_was_reported_is_not_computed_again(found, ruler, monkeypatch):
    reports = Reports(ruler, ["one", "two"])
    choices = [RECALL._replace(top_k=k) for k in range(1, MOST_KEPT_REPORTS - 2)]
    choices += [RECALL._replace(budget=budget) for budget in SIZES["characters"]]
    assert len(choices) == MOST_KEPT_REPORTS
    made = {
        choice: (reports.report_comparing_chunkers(found, choice), reports.missed_excerpts_by_chunker(found, choice.limit))
        for choice in choices
    }
    parts = ("BudgetCurve", "Distribution", "Leads", "replace", "list_missed_excerpts_per_chunker", "whole_text_scores")
    for name in (*parts, "Report"):
        monkeypatch.setattr(reporting, name, None)
    for choice in (*choices, *reversed(choices)):
        assert reports.report_comparing_chunkers(found, choice) is made[choice][0]
        assert reports.missed_excerpts_by_chunker(found, choice.limit) is made[choice][1]
    # A report with another baseline is made of the same parts.
    monkeypatch.undo()
    for name in parts:
        monkeypatch.setattr(reporting, name, None)
    assert reports.report_comparing_chunkers(found, choices[0]._replace(baseline=1)).at_k is made[choices[0]][0].at_k
    with pytest.raises(AttributeError, match="has no attribute 'with_mean_and_interval'"):
        reports.report_comparing_chunkers(found, RECALL._replace(measure="iou"))


def test_reports_at_budgets_of_their_own_have_room_beside_their_top_k(found, ruler, monkeypatch):
    monkeypatch.setattr(reporting, "MOST_KEPT_REPORTS", 4)
    reports = Reports(ruler, ["one", "two"])
    limits = [*((size, "cut") for size in SIZES["characters"]), (8, "left_out")]
    choices = [ReportChoice("recall", "characters", k, 0, size, last) for k, (size, last) in enumerate(limits, start=1)]
    made = {
        choice: (reports.report_comparing_chunkers(found, choice), reports.missed_excerpts_by_chunker(found, choice.limit))
        for choice in choices
    }
    # The oldest parts are there still: leads of the first report at its top k, and another baseline.
    for name in ("BudgetCurve", "Distribution", "Leads", "replace", "list_missed_excerpts_per_chunker", "whole_text_scores"):
        monkeypatch.setattr(reporting, name, None)
    for choice in choices:
        assert reports.missed_excerpts_by_chunker(found, choice.limit) is made[choice][1]
        assert reports.report_comparing_chunkers(found, choice._replace(baseline=1)).at_k is made[choice][0].at_k


@pytest.mark.slow
def test_only_so_many_are_remembered(found, ruler, monkeypatch):
    entries = LRUDict(0)
    monkeypatch.setattr(reporting, "MOST_KEPT_REPORTS", 4)
    monkeypatch.setattr(reporting, "LRUDict", lambda most: setattr(entries, "maxsize", most) or entries)
    reports = Reports(ruler, ["one", "two"])
    choices = [ReportChoice(measure, "tokens", 1 + k, 0) for measure in ("recall", "iou") for k in range(10)]
    first = weakref.ref(reports.report_comparing_chunkers(found, choices[0]))
    for choice in choices[1:]:
        reports.report_comparing_chunkers(found, choice)
    assert first() is None
    assert entries.total_size == entries.maxsize == 4 * (4 * 2 + 5)


def test_too_few_questions_have_no_interval_and_no_difference():
    assert Distribution.with_mean_and_interval(np.array([0.5, 1, 0, NAN])).interval is None
    assert Distribution.with_mean_and_interval(np.array([NAN, NAN])).mean is None


def test_at_a_budget_everything_is_of_the_budget(found, ruler):
    reports = Reports(ruler, ["one", "two"])
    choice = ReportChoice("recall", "characters", 1, 0, 2000)
    report = reports.report_comparing_chunkers(found, choice)
    for number, chunker in report.chunkers.items():
        at = found[number].ladder.results_in_unit("characters", "cut")
        np.testing.assert_array_equal(chunker.distribution.values, at.question_values_at_budget("recall", 2000))
        assert chunker.means["recall"] == (1, 0)
        assert chunker.means["precision"][0] == pytest.approx(np.nanmean(at.question_values_at_budget("precision", 2000)))
        assert (
            chunker.means["precision_omega"]
            == reports.report_comparing_chunkers(found, RECALL).chunkers[number].means["precision_omega"]
        )
        assert chunker.costs.tokens == 8
        assert [given.rank for given in report.chunks_retrieved_for_question(number, 0).chunks] == list(
            range(1, len(chunker.evaluation.searched_index.chunks) + 1)
        )
    assert report.disagreements.tolist() == []
    assert (report.best_chunker_lead, report.is_everything_retrieved) == (None, True)
    assert [chunker.retrieves_everything for chunker in report.chunkers.values()] == [True, True]
    assert "At 2,000 characters everything was retrieved with every chunker" in report.curve.leads.words()
    assert not reports.report_comparing_chunkers(found, choice._replace(budget=16)).is_everything_retrieved
    assert reports.missed_excerpts_by_chunker(found, choice.limit) == {0: [], 1: []}
    # Beside it stands the order at the top k.
    assert report.at_k.leads[1].best == 1
    assert report.at_k.words() == reports.report_comparing_chunkers(found, RECALL).at_k.words()
    assert report.curve.budgets.sizes == SIZES["characters"]
    assert report.curve.leads.names == ("one", "two")
    assert reports.report_comparing_chunkers(found, choice._replace(measure="precision_omega")).curve is None


def test_a_curve_has_the_means_and_intervals_of_every_budget(found, ruler):
    curve = (
        Reports(ruler, ["one", "two"])
        .report_comparing_chunkers(found, ReportChoice("precision", "tokens", 1, 0, 500, "left_out"))
        .curve
    )
    for number, run in found.items():
        at = run.ladder.results_in_unit("tokens", "left_out")
        for place, size in enumerate(curve.budgets.sizes):
            values = at.question_values_at_budget("precision", size, "tokens")
            assert curve.means[number][place] == pytest.approx(np.nanmean(values))
            assert curve.bounds[number][:, place] == pytest.approx(compute_confidence_interval_of_mean(values))


def test_what_failed_at_the_top_k(found, ruler):
    reports = Reports(ruler, ["one", "two"])
    lost = reports.missed_excerpts_by_chunker(found, RECALL.limit)
    assert [(failure.question, dict(failure.missed_characters_by_chunker)) for failure in lost[0]] == [(4, {0: 9, 1: 0})]
    assert lost[1] == []
    assert reports.missed_excerpts_by_chunker(found, RECALL._replace(unit="tokens", last="left_out").limit) is lost


def test_chunkers_disagree_where_their_values_differ():
    assert differing_question_indexes({0: np.array([1, 0.5, NAN, NAN]), 3: np.array([1, 0.2, NAN, 1])}).tolist() == [1]
    assert differing_question_indexes({0: np.array([1, 0.5])}).tolist() == []


def test_at_the_top_k_everything_is_retrieved_if_there_are_no_more_chunks(found, ruler):
    reports = Reports(ruler, ["one", "two"])
    two, four = (reports.report_comparing_chunkers(found, RECALL._replace(top_k=k)) for k in (2, 4))
    assert [chunker.retrieves_everything for chunker in two.chunkers.values()] == [False, True]
    assert (two.is_everything_retrieved, four.is_everything_retrieved) == (False, True)
    assert four.at_k.words() == "At 4 chunks everything was retrieved with every chunker: there is nothing to compare."


def test_the_whole_document_is_measured_beside_the_chunkers(found, ruler):
    whole = Reports(ruler, ["one", "two"]).report_comparing_chunkers(found, RECALL).whole
    assert (whole.name, whole.size, whole.tokens, whole.documents) == ("Whole document", 38, 8, 1)
    assert whole.means["recall"] == (1, 0)
    sizes = np.array([5, 4, 5, 5, 9, 5, 4])  # alpha, beta, gamma, delta, “90 gamma.”, alpha and beta
    for measure in ("precision", "iou", "precision_omega"):
        assert whole.means[measure] == pytest.approx((np.mean(sizes / 38), np.std(sizes / 38)))
