"""Measuring a run on the Retrieval page: the measures, the moment, and the sessions."""

import threading
from textwrap import wrap

import numpy as np
import pytest

from chunkers.recipes import CHUNKERS, build_chunker, presets_for_chunker
from evaluation.retrieval import computed_reports as reporting
from evaluation.retrieval.computed_reports import ReportChoice, Reports, differing_question_indexes
from evaluation.retrieval.measures import Evaluation
from tests.support import LIMIT, ended
from tests.viz.retrieval.steps import components, evaluations, opened, retrieved, rows_of, run_of, said, summary, told
from viz.jobs import retrieval as retrieval_job
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import TITLE_SUFFIX_BY_EMBEDDING_MODE
from viz.retrieval.link_parameter_widgets import DEFAULT_LINK_PARAMETERS, find_chosen_or_default_budget

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]


def test_how_many_chunks_count_takes_effect_without_a_new_run(measured):
    before, run = retrieved(measured), run_of(measured)
    measured.selectbox(key="retrieval_k").set_value("1").run()
    after = measured.dataframe[0].value
    assert run_of(measured) is run
    assert (retrieved(measured) < before).all()
    means = [100 * evaluation.values("recall").mean() for evaluation in evaluations(run, 1).values()]
    assert [text.partition(" ")[0] for text in after["Recall, %"]][:-1] == [f"{mean:.1f}" for mean in means]
    for side in components(measured, "passages"):
        assert sum(passage["kind"] != "missed" for passage in side["passages"]) == 1


def test_the_baseline_and_what_is_compared_stand_in_the_link(measured):
    measured.selectbox(key="retrieval_baseline").set_value("2").run()
    measured.selectbox(key="retrieval_left").set_value("2").run()
    measured.selectbox(key="retrieval_measure").set_value("iou").run()
    measured.toggle(key="retrieval_disagree").set_value(True).run()
    measured.segmented_control(key="retrieval_cost").set_value("index").run()
    expected = {"baseline": "2", "left": "2", "measure": "iou", "disagree": "yes", "cost": "index"}
    assert {name: measured.query_params[name] for name in expected} == expected
    link = {name: measured.query_params[name] for name in [*expected, "run"]}
    again = opened(**link)
    assert not again.exception
    assert {name: again.selectbox(key=f"retrieval_{name}").value for name in ("baseline", "left", "measure")} == {
        "baseline": "2",
        "left": "2",
        "measure": "iou",
    }
    assert any(header.value == "Against 2. Recursive" for header in again.header)


def test_a_row_of_the_table_has_room_for_every_name_with_its_settings(measured):
    # In the widest font of the theme, a line of the column has room for 28 letters. A line is 20 pixels high.
    longest_suffix = max(TITLE_SUFFIX_BY_EMBEDDING_MODE.values(), key=len)
    for name, chunker in CHUNKERS.items():
        for preset in presets_for_chunker(name):
            settings = build_chunker(name, preset.parameters).describe()
            lines = wrap(f"1. {chunker.title}{longest_suffix}, {settings}", 28)
            assert 20 * len(lines) < measured.dataframe[0].proto.row_height


def test_the_questions_on_which_chunkers_disagree():
    nan = float("nan")
    values = {0: np.array([1, 0.5, nan, nan]), 3: np.array([1, 0.2, nan, 1])}
    assert differing_question_indexes(values).tolist() == [1]


@pytest.fixture
def computed(monkeypatch):
    """Give a list that grows by a word with every interval and test, and every time a run is measured over other chunks."""
    made = []

    def count(owner, name):
        compute = getattr(owner, name)

        def counted(*arguments):
            made.append(name)
            return compute(*arguments)

        monkeypatch.setattr(owner, name, counted)

    count(reporting, "compute_confidence_interval_of_mean")
    count(reporting, "corrected_differences_per_comparison")
    count(Evaluation, "with_top_k")
    count(Evaluation, "mean_retrieved_length")
    return made


@pytest.fixture
def fresh(run):
    """A run of which nothing has been told yet."""
    before = run_registry().find(run, Retrieval)
    again = Retrieval(before.plan, before.embedder, False)
    again.start()
    ended(again)
    assert sorted(again.evaluation_by_chunker) == [0, 1]
    return run_registry().keep(again)


@pytest.mark.full
def test_only_another_measure_unit_k_or_baseline_is_measured_and_only_once(fresh, computed):
    def after(change):
        """Return the number of intervals and tests that a change takes, and True if it measures anything else."""
        computed.clear()
        assert not change().run().exception
        statistics = computed.count("compute_confidence_interval_of_mean") + computed.count(
            "corrected_differences_per_comparison"
        )
        return statistics, len(computed) > statistics

    # The interval of each mean, and the difference.
    statistics = 3
    app = opened(run=fresh)
    assert (
        len(
            [
                name
                for name in computed
                if name in ("compute_confidence_interval_of_mean", "corrected_differences_per_comparison")
            ]
        )
        == statistics
    )
    assert after(lambda: app) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_question").set_value("7")) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_left").set_value("2")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_view").set_value("document")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_cost").set_value("index")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_kind").set_value("documents")) == (0, False)
    assert after(lambda: app.toggle(key="retrieval_disagree").set_value(True)) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_measure").set_value("iou")) == (statistics, False)
    assert after(lambda: app.selectbox(key="retrieval_measure").set_value("recall")) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_k").set_value("2")) == (statistics, True)
    assert after(lambda: app.selectbox(key="retrieval_k").set_value("5")) == (0, False)
    # The means keep their intervals.
    assert after(lambda: app.selectbox(key="retrieval_baseline").set_value("2")) == (1, False)
    assert after(lambda: app.selectbox(key="retrieval_baseline").set_value("1")) == (0, False)


@pytest.mark.full
def test_two_sessions_on_one_run_leave_each_other_s_measurements(fresh, computed):
    one, other = opened(run=fresh, k="3"), opened(run=fresh, k="8")
    assert computed
    computed.clear()
    for number in ("2", "3", "4"):
        for app in (one, other):
            assert not app.selectbox(key="retrieval_question").set_value(number).run().exception
    assert not computed
    assert (retrieved(one) < retrieved(other)).all()


def test_a_session_that_follows_another_measures_nothing(fresh, computed):
    opened(run=fresh)
    computed.clear()
    opened(run=fresh)
    assert not computed


def test_at_an_equal_budget_everything_on_the_page_is_of_the_budget(run):
    app = opened(run=run, at="budget", budget="500")
    report = told(run_of(app), ReportChoice("recall", "tokens", 5, 0, 500))
    assert not app.exception
    means = [f"{100 * chunker.distribution.mean:.1f}" for chunker in report.chunkers.values()]
    assert [text.partition(" ")[0] for text in rows_of(app)["Recall, %"]] == means
    assert (retrieved(app) == 500).all()
    assert report.curve.leads.words() in said(app)
    assert any(text == f"With a fixed number of chunks instead: {report.at_k.words()}" for text in said(app))
    assert not any(header.value == "Scores at k" for header in app.header)
    for side, number in zip(components(app, "passages"), (0, 1), strict=True):
        given = report.chunks_retrieved_for_question(number, 0)
        chunks = [passage for passage in side["passages"] if passage["kind"] in ("holds", "waste")]
        assert len(chunks) == len(given.chunks)
        text = report.chunkers[number].evaluation.searched_index.corpus.joined_document.text
        words = ["".join(words for words, kind in chunk["parts"] if kind in ("hit", "waste")) for chunk in chunks]
        assert words == ["\n".join(text[start:end] for start, end in chunk.given) for chunk in given.chunks]
        # The last one is cut off where the budget is full.
        assert not given.chunks[-1].is_wholly_retrieved
        assert ["500 tokens", "end"] in chunks[-1]["parts"]
        assert chunks[-1]["title"].endswith(" · cut off")
        assert chunks[-1]["parts"][-1][1] == "beyond"


def test_what_is_compared_at_stands_in_the_link_and_takes_effect_without_a_new_run(run):
    app = opened(run=run, at="budget")
    before = run_of(app)
    app.selectbox(key="retrieval_budget_tokens").set_value("8000").run()
    app.selectbox(key="retrieval_budget_unit").set_value("characters").run()
    # The same rung in the other unit.
    assert app.selectbox(key="retrieval_budget_characters").value == "32000"
    app.selectbox(key="retrieval_last").set_value("left_out").run()
    expected = {"budget": "32000", "budget_unit": "characters", "last": "left_out"}
    assert {name: app.query_params[name] for name in expected} == expected
    assert "at" not in app.query_params
    again = opened(run=run, **expected, at="budget")
    assert not again.exception
    assert run_of(again) is before
    assert again.dataframe[0].value.equals(app.dataframe[0].value)
    app.segmented_control(key="retrieval_at").set_value("k").run()
    assert app.query_params["at"] == "k"
    assert app.dataframe[0].value.equals(opened(run=run).dataframe[0].value)


def test_a_budget_of_a_link_is_on_the_ladder():
    assert "The link's budget must be one of 1, 2, 4, 5," in " ".join(said(opened(at="budget", budget="1234")))
    budgets_by_unit = {"tokens": (250, 500, 1000), "characters": (1000, 2000, 4000)}
    words = DEFAULT_LINK_PARAMETERS | {"budget": "1000"}
    assert (
        find_chosen_or_default_budget(words, "tokens", budgets_by_unit),
        find_chosen_or_default_budget(words, "characters", budgets_by_unit),
    ) == (
        1000,
        1000,
    )
    # Not on the ladder of tokens, the largest of which is half of the text.
    assert (
        find_chosen_or_default_budget(DEFAULT_LINK_PARAMETERS, "tokens", budgets_by_unit),
        find_chosen_or_default_budget(DEFAULT_LINK_PARAMETERS, "characters", budgets_by_unit),
    ) == (
        500,
        2000,
    )
    assert find_chosen_or_default_budget(words | {"budget": "2"}, "tokens", {"tokens": (1,)}) == 1


def test_a_measure_that_no_budget_changes_has_no_curve(run):
    app = opened(run=run, at="budget", measure="precision_omega")
    assert not app.exception
    assert "Best possible precision is the same at every budget." in said(app)
    assert not any("at every budget" in header.value for header in app.header)
    assert summary(app)["Highest best possible precision"]


def test_a_report_that_takes_long_holds_nothing_up(run, monkeypatch):
    go_on, report_for = threading.Event(), Reports.report_comparing_chunkers

    def slow(*arguments):
        assert go_on.wait(LIMIT)
        return report_for(*arguments)

    monkeypatch.setattr(Reports, "report_comparing_chunkers", slow)
    monkeypatch.setattr(retrieval_job, "PATIENCE_S", 0)
    app = opened(run=run, k="7", measure="iou")
    assert "Comparing the chunkers on all questions …" in said(app)
    assert not app.dataframe
    go_on.set()
    told(run_of(app), ReportChoice("iou", "characters", 7, 0))
    app.run()
    assert not app.exception
    assert len(rows_of(app)) == 2
