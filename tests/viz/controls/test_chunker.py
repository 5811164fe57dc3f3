"""The side bar's controls for a chunker."""

import pytest

from chunkers import CHUNKERS
from chunkers.recipes.presets import presets_for_chunker
from viz.compare.choices_and_session.choices import COMPARE_PAGE, default_choices
from viz.controls.chunker import CHARACTERS_PER_CHOICE_BOX, guide_link_markdown
from viz.state.choices import ColumnChoice

LONG_NAMES = [
    (chunker, preset)
    for chunker in CHUNKERS
    for preset in presets_for_chunker(chunker)
    if len(preset.title) > CHARACTERS_PER_CHOICE_BOX
]


@pytest.mark.parametrize(("chunker", "preset"), LONG_NAMES[::4])
def test_a_preset_whose_name_the_box_cuts_off_is_named_below_it(app, chunker, preset):
    app.query_params["embedder"] = "tfidf"
    choices = default_choices()
    choices.columns, choices.selected = [ColumnChoice(chunker, dict(preset.parameters))], 0
    app.session_state["choices"] = {COMPARE_PAGE: choices}
    app.session_state["complaints"] = {COMPARE_PAGE: []}
    app.run()
    assert not app.exception
    assert any(caption.value.startswith(f"{preset.title}.") for caption in app.sidebar.caption)


def test_a_link_to_the_guide_leads_to_the_defaults_of_today():
    assert guide_link_markdown("change_point") == "[More in the Guide](guide?c1=change_point&c1.cuts_at=auto)"
    assert guide_link_markdown("breakpoint") == "[More in the Guide](guide?c1=breakpoint)"
    assert guide_link_markdown("nobody") == ""


@pytest.fixture
def one_column(app):
    """Return a function that runs Compare with one column, and returns the column's choice."""

    def opened(chunker, **parameters):
        app.query_params["embedder"] = "tfidf"
        choices = default_choices()
        choices.columns, choices.selected = [ColumnChoice(chunker, parameters)], 0
        app.session_state["choices"] = {COMPARE_PAGE: choices}
        app.session_state["complaints"] = {COMPARE_PAGE: []}
        app.run()
        return choices.columns[0]

    return opened


def test_a_parameter_without_effect_is_greyed_out_among_the_main_ones_and_the_others(app, one_column):
    one_column("fixed_sentences", chunks=4)
    assert app.slider(key="0/fixed_sentences/size").disabled
    assert not app.slider(key="0/fixed_sentences/overlap").disabled
    assert app.selectbox(key="0/fixed_sentences/oversize").disabled
    one_column("fixed_sentences", max_size=400)
    assert not app.slider(key="0/fixed_sentences/size").disabled
    assert not app.selectbox(key="0/fixed_sentences/oversize").disabled


def test_a_slider_of_the_previous_chunker_changes_nothing(app, one_column):
    column = one_column("recursive")
    app.selectbox(key="chunker/0").set_value("structure")
    app.slider(key="0/recursive/size").set_value(250)
    app.run()
    assert not app.exception
    assert (column.chunker, column.parameters) == ("structure", {})


def test_a_slider_of_the_previous_chunker_changes_no_parameter_of_the_same_name(app, one_column):
    column = one_column("recursive")
    app.selectbox(key="chunker/0").set_value("fixed_tokens")
    app.slider(key="0/recursive/size").set_value(250)
    app.run()
    assert (column.chunker, column.parameters) == ("fixed_tokens", {})


def test_known_settings_of_the_previous_chunker_change_nothing(app, one_column):
    column = one_column("recursive")
    app.selectbox(key="chunker/0").set_value("structure")
    app.selectbox(key="preset/0/recursive").set_value(presets_for_chunker("recursive")[-1].title)
    app.run()
    assert (column.chunker, column.parameters) == ("structure", {})


def test_the_amount_of_the_previous_threshold_changes_nothing(app, one_column):
    column = one_column("breakpoint", threshold="percentile", amount=70.0)
    app.selectbox(key="0/breakpoint/threshold").set_value("distance")
    app.slider(key="0/breakpoint/amount/percentile").set_value(80.0)
    app.run()
    assert column.parameters == {"threshold": "distance"}
