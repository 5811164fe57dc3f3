"""A chunker of another package on the page: a column with its controls, a page of the Guide; a sentence where it fails."""

import json

import pytest

from tests.viz.app_steps import settled

pytestmark = pytest.mark.page


def opened(app, page="compare"):
    app.query_params.update(
        {"doc": "stubs", "c1": "signal_words", "c1.least": "3", "embedder": "tfidf", "tokenizer": "words"}
    )
    app.switch_page(f"pages/{page}.py")
    settled(app)
    assert not app.exception
    return app


def said(app):
    parts = [json.loads(part.proto.json)[0] for part in app.get("bidi_component") if '"tone"' in part.proto.json]
    return [part.get("text", "") for part in parts]


def test_it_is_a_column_with_its_controls_and_its_link(app, offered):
    offered()
    opened(app)
    (slider,) = (control for control in app.slider if control.label == "Minimum sentences")
    assert (slider.value, slider.min, slider.max) == (3, 1, 20)
    slider.set_value(5).run()
    assert app.query_params["c1.least"] == "5"
    (box,) = (control for control in app.selectbox if control.label == "Chunker")
    assert (box.value, box.options.count("Signal words")) == ("signal_words", 1)
    assert not app.exception


def test_it_has_a_page_of_the_guide(app, offered):
    offered()
    opened(app, "guide")
    assert [header.value for header in app.header] == ["Signal words"]
    # The chunker has no formula; the measure of answers, which stands on every page of the Guide, has one.
    assert ["AQS" in formula.value for formula in app.latex] == [True]
    assert any("--chunker signal_words" in block.value for block in app.code)


@pytest.mark.parametrize("page", ["failures", "retrieval"])
def test_no_other_page_stumbles_over_it(app, offered, page):
    offered()
    opened(app)
    app.switch_page(f"pages/{page}.py")
    settled(app)


def test_its_grid_is_drawn_on_tune(app, offered):
    offered()
    opened(app, "tune")
    (box,) = (control for control in app.selectbox if "Signal words" in control.options)
    box.set_value("signal_words").run()
    assert not app.exception
    assert any(
        "Minimum sentences" in str(control.label)
        for control in [*app.text_input, *app.multiselect, *app.slider, *app.number_input]
    )


def test_a_package_that_is_at_fault_is_named_and_the_page_goes_on(app, offered):
    offered("1 / 0")
    opened(app)
    assert app.session_state["choices"]["compare"].columns
    (box,) = (control for control in app.selectbox if control.label == "Chunker")
    assert "Signal words" not in box.options
    why = "which cannot be used: ZeroDivisionError: division by zero."
    assert f"The package signal-words offers the chunker 'signal_words', {why}" in said(app)
    assert any(text.startswith("The link's c1 must be one of") for text in said(app))
