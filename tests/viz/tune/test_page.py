"""The Tune page: what it sweeps, what it says of the result, and where it takes it."""

import csv
import io
import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import CHUNKERS
from evaluation.segmentation.settings_sweep import (
    TRIVIAL_SETTINGS,
    SettingSummary,
    SweptSetting,
    list_qu_et_al_settings,
    sweep_rows_to_csv,
)
from tests import ROOT
from tests.support import LIMIT, ended
from tests.viz.app_steps import press, remarks, sweep_of
from viz.tune import page
from viz.tune.bundled_sweep import BUNDLED_RUN
from viz.tune.sweep_inputs import default_axis_values
from viz.tune.sweep_results import rank_of_setting, setting_in_words, sweep_figure


@pytest.fixture
def tune():
    opened = []

    def open_with(**words):
        app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
        app.query_params["embedder"] = "tfidf"
        for name, word in words.items():
            app.query_params[name] = word
        app.switch_page("pages/tune.py")
        opened.append(app.run())
        assert not app.exception
        return app

    yield open_with
    for app in opened:
        sweep = sweep_of(app)
        if sweep is not None:
            sweep.cancel()
            ended(sweep)


def finished(app):
    press(app, "Run")
    ended(sweep_of(app))
    return app.run()


def said(app):
    return " ".join(part.value for part in app.markdown)


def test_nothing_runs_before_it_is_asked_for(tune):
    app = tune(documents="stubs,article", held="three_topics")
    assert sweep_of(app) is None
    assert "9 settings and 3 trivial answers on 3 documents: 36 runs" in remarks(app)


def test_values_that_are_written_and_the_button_in_one_go_are_both_heard(tune):
    app = tune(what="fixed_sentences", first="size", values="2,4", documents="stubs", held="")
    app.text_input(key="tune/values/fixed_sentences/size").set_value("3,5,6")
    press(app, "Run")
    sweep = ended(sweep_of(app))
    assert [dict(setting.parameters)["size"] for setting in sweep.settings if not setting.is_trivial_baseline] == [3, 5, 6]


def test_it_opens_with_the_sweep_that_comes_with_seamark_and_says_so(tune):
    run, kept = BUNDLED_RUN.loaded_run_and_file
    app = tune()
    (sentence,) = (text for text in notices(app) if text.startswith("This result comes with Seamark"))
    assert f"Seamark {kept.seamark} and was measured on {kept.made.day} {kept.made:%B %Y}" in sentence
    assert f"with {len(run.names)} bundled documents. “Run” measures what is chosen on the left" in sentence
    assert "lowest here: Pk" in said(app)
    assert "Held out, it reaches" in said(app)
    assert not any("changed since" in text for text in notices(app))
    # What is chosen on the left is another sweep, and is said to be.
    other = tune(what="fixed_sentences", first="size", measure="f1")
    assert "changed since: settings." in " ".join(notices(other))
    assert "highest here: Boundary F1" in said(other)
    # One of the user's own takes its place.
    app = finished(tune(what="fixed_sentences", first="size", values="2,4", documents="stubs", held=""))
    assert not any("comes with Seamark" in text for text in notices(app))


def test_without_its_file_the_page_says_so_and_measures(tune, monkeypatch, tmp_path):
    monkeypatch.setattr(page, "BUNDLED_RUN", replace(BUNDLED_RUN, path=tmp_path / "tune_run.json"))
    app = tune(what="fixed_sentences", first="size", values="2,4", documents="stubs", held="")
    assert any(text.startswith("There is no ready-made result: tune_run.json:") for text in notices(app))
    assert next(button for button in app.button if button.label == "Run").disabled is False


def test_a_sweep_along_one_axis_names_the_best_and_what_it_reaches_elsewhere(tune):
    app = finished(
        tune(what="fixed_sentences", first="size", values="2,4,9", documents="stubs", held="article", measure="f1")
    )
    assert (
        "**Fixed sentences (size 4)** is highest here: Boundary F1 0.333 on 1 document, which says nothing about others."
        in said(app)
    )
    assert "Within 0.02 of the best: 1 of 3 settings, itself included." in said(app)
    assert "Held out, it reaches" in said(app)
    assert "Among 3 comparisons (Holm's correction), a significant difference takes at least 7 held-out documents" in said(
        app
    )
    ranking = app.dataframe[-1].value
    assert next(label for label in ranking["setting"] if "(" in label) == "Fixed sentences (size 4)"
    # The trivial answers have their places among them.
    assert {"No cut", "A cut every n sentences", "Cuts at random places"} < {*ranking["setting"]}
    assert len(ranking) == 6


def test_settings_that_are_level_share_aplace_of():
    means = (0.2, 0.1, 0.1, 0.3)
    among = [
        SettingSummary(SweptSetting.from_chunker_and_parameters("kmeans", clusters=number + 1), mean, 1, 3.0)
        for number, mean in enumerate(means)
    ]
    assert [rank_of_setting(summary, among, "pk") for summary in among] == [3, 1, 1, 4]
    assert [rank_of_setting(summary, among, "f1") for summary in among] == [2, 3, 3, 1]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (SweptSetting.from_chunker_and_parameters("breakpoint", amount=80.0), "Breakpoint (percentile 80)"),
        (
            SweptSetting.from_chunker_and_parameters("breakpoint", amount=1.5, buffer=1, threshold="standard_deviation"),
            "Breakpoint (standard deviation 1.5, buffer 1)",
        ),
        (SweptSetting.from_chunker_and_parameters("optimal", max_size=90), "Optimal (max size 90)"),
        (SweptSetting.from_chunker_and_parameters("kmeans"), "k-means"),
    ],
)
def test_an_amount_is_named_by_its_threshold(setting, words):
    assert setting_in_words(setting) == words


def test_the_curve_has_a_second_line_for_what_is_held_out():
    settings = [SweptSetting.from_chunker_and_parameters("fixed_sentences", size=size) for size in (2, 4, 9)]
    ranked = [SettingSummary(setting, 0.1 * place, 1, 3.0) for place, setting in enumerate(settings)]
    held = [SettingSummary(setting, 0.5, 1, 3.0) for setting in settings[1:]]
    assert len(sweep_figure(settings, ranked, "pk").data) == 1
    line = sweep_figure(settings, ranked, "pk", held).data[1]
    assert (line.name, list(line.x), list(line.y)) == ("held out", ["4", "9"], [0.5, 0.5])


def test_without_documents_held_out_there_is_no_column_for_them(tune):
    app = finished(tune(what="fixed_sentences", first="size", values="2,4", documents="stubs", held=""))
    assert list(app.dataframe[-1].value) == ["Pk", "chunks", "setting"]
    assert "Held out" not in said(app)
    assert "It was chosen on these documents, so its lead is not tested; with 7 documents held out, it is" in said(app)


def test_two_axes_leave_out_what_is_not_allowed(tune):
    app = tune(
        what="optimal", first="max_size", values="20,90", second="piece_size", others="10,50", documents="stubs", held=""
    )
    assert "3 settings and 3 trivial answers on 1 document: 6 runs" in remarks(app)
    app = finished(app)
    assert "**Optimal (" in said(app)


def test_the_published_grids(tune):
    app = finished(tune(what="published", documents="stubs", held=""))
    assert len(sweep_of(app).rows) == len(list_qu_et_al_settings()) + len(TRIVIAL_SETTINGS)
    # However long the ranking, they are in it.
    assert {"No cut", "A cut every n sentences", "Cuts at random places"} < {*app.dataframe[-1].value["setting"]}
    assert "lowest here: Pk 0.0" in said(app)


def test_the_best_goes_to_compare(tune):
    app = finished(tune(what="fixed_sentences", first="size", values="2,4", documents="stubs", held="", measure="f1"))
    press(app, "Take the best to Compare")
    choices = app.session_state["choices"]["compare"]
    assert [column.chunker for column in choices.columns[:-1]] == ["fixed_sentences", "breakpoint", "double_pass"]
    assert choices.columns[choices.selected] is choices.columns[-1]
    assert choices.columns[-1].chunker == "fixed_sentences"
    assert choices.columns[-1].parameters == {"size": 4}
    assert "Added as column 4 of Compare" in remarks(app)
    press(app, "Undo")
    assert len(app.session_state["choices"]["compare"].columns) == 3


def test_a_stopped_sweep_keeps_its_rows(tune):
    app = tune(what="published", documents="report,essay", held="")
    press(app, "Run")
    sweep = sweep_of(app)
    sweep.cancel()
    ended(sweep)
    assert len(sweep.rows) < sweep.part_count
    assert not app.run().exception


def test_a_sweep_is_there_again_in_another_session(tune):
    words = {"what": "fixed_sentences", "first": "size", "values": "2,4", "documents": "stubs", "measure": "f1"}
    app = finished(tune(**words, held="article"))
    token = app.query_params["run"]
    again = tune(**words, held="article", run=token)
    assert said(again) == said(app)
    assert "Held out, it reaches" in said(again)
    assert not any("changed since" in text for text in notices(again))
    other = tune(**words | {"values": "2,5"}, held="", run=token)
    assert said(other) == said(app)
    assert any("changed since: settings, documents, what is held out." in text for text in notices(other))
    assert any("no longer remembered" in text for text in notices(tune(run="nobody-knows")))


def notices(app):
    payloads = [
        json.loads(component.proto.json)[0]
        for component in app.get("bidi_component")
        if "notice" in component.proto.component_name
    ]
    return [notice["text"] for notice in payloads if notice]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"documents": "", "held": "stubs"}, "Choose at least one document that is not held out."),
        ({"documents": "stubs", "held": "stubs"}, "Choose at least one document that is not held out."),
    ],
)
def test_what_cannot_run_says_why(tune, words, sentence):
    app = tune(**words)
    assert sentence in remarks(app)
    assert next(button for button in app.button if button.label == "Run").disabled


@pytest.mark.parametrize("name", CHUNKERS)
def test_every_parameter_offers_values_within_its_rule(name):
    for spec in CHUNKERS[name].fields():
        values = default_axis_values(spec)
        assert values
        assert len(values) == len(set(values))
        if not spec.choices:
            assert all(
                (spec.low is None or value >= spec.low) and (spec.high is None or value <= spec.high) for value in values
            )


def test_a_value_that_is_typed_twice_is_run_once(tune):
    app = tune(what="fixed_sentences", first="size", values="2,4,2", documents="stubs", held="")
    assert "2 settings and 3 trivial answers on 1 document: 5 runs" in remarks(app)


def test_the_csv_has_a_line_a_run(tune):
    app = finished(tune(what="fixed_sentences", first="size", values="2,4", documents="stubs,article", held=""))
    lines = list(csv.DictReader(io.StringIO(sweep_rows_to_csv(sweep_of(app).rows))))
    settings = [
        *(SweptSetting.from_chunker_and_parameters("fixed_sentences", size=size) for size in (2, 4)),
        *TRIVIAL_SETTINGS,
    ]
    assert {(line["document"], line["setting"]) for line in lines} == {
        (document, setting.words()) for document in ("stubs", "article") for setting in settings
    }


def test_a_setting_that_does_not_beat_a_trivial_answer_says_so(tune):
    # One chunk is no better than no cut.
    app = finished(tune(what="fixed_sentences", first="size", values="400", documents="stubs", held=""))
    assert "Mind the trivial answer: “" in said(app)
    # A cut after every sentence finds them all, which none of the answers does.
    app = finished(tune(what="fixed_sentences", first="size", values="1", documents="stubs", held="", measure="recall"))
    assert "Mind the trivial answer" not in said(app)


def test_a_grid_of_too_many_settings_is_not_made(tune, monkeypatch):
    monkeypatch.setattr("viz.tune.sweep_inputs.settings_grid", lambda *_, **__: pytest.fail("the grid was made"))
    many = ", ".join(str(number) for number in range(2, 402))
    app = tune(what="fixed_words", first="size", values=many, second="overlap", others=many)
    assert any("at most 20,000 runs; this grid has 160,000 settings" in text for text in notices(app))
