"""Lecture mode: what changes, and that everything can be chosen in it."""

import pytest

from tests.lanes import mostly_full
from tests.viz.app_steps import choose_document, sent, settled
from tests.viz.shell.test_page import ABOUT_A_TEXT, WITHOUT_A_TEXT, on_page, own_controls


def opened(app, name="compare", *, lecture=True):
    if lecture:
        app.query_params["lecture"] = "1"
    on_page(app, name)
    return settled(app)


def labels(app):
    return [label for label, *_ in sent(app, "columns")["columns"][1]["rows"]]


@pytest.mark.parametrize("name", mostly_full([*ABOUT_A_TEXT, *WITHOUT_A_TEXT], {"compare", "failures", "tune"}))
def test_every_page_names_its_keys_and_keeps_its_controls_and_the_link_keeps_the_mode(app, name):
    opened(app, name)
    if name in ABOUT_A_TEXT:
        assert any(caption.value.startswith("Keys: ") for caption in app.caption)
    kind, key, value, (word, expected) = own_controls(app)[name]
    if word == "sentences":
        value = expected = "paragraphs"  # as the sample does not come
    kind(key=key).set_value(value).run()
    assert not app.exception
    assert app.query_params[word] == expected
    assert app.query_params["lecture"] == "1"


def test_out_of_it_there_are_no_such_keys(app):
    opened(app, lecture=False)
    assert not any(caption.value.startswith("Keys: ") for caption in app.caption)


@pytest.mark.parametrize(("lecture", "place"), [(True, "in “Settings”"), (False, "on the left")])
def test_messages_name_the_place_of_the_settings(app, lecture, place):
    app.query_params["c1"] = "propositions"
    opened(app, lecture=lecture)
    assert f"Name one {place}, under “Language model”" in sent(app, "columns")["columns"][0]["message"]


def test_another_document_is_shown_without_leaving_it(app):
    opened(app)
    choose_document(app, "three_topics")
    assert sent(app, "columns")["title"] == "Three unequal topics"
    assert app.query_params["lecture"] == "1"


@pytest.mark.parametrize("lecture", [True, False])
def test_times_are_for_whoever_is_alone_with_the_screen(app, restart, lecture):
    # Nothing is embedded by another test, so there is a time to tell.
    restart()
    opened(app, lecture=lecture)
    app.segmented_control(key="below").set_value("Scores").run()
    times = {"time", "embedding"} & {*labels(app)}
    heads = {"Decide", "Embed"} & {head["label"] for head in sent(app, "heads")["heads"]}
    assert (not times, not heads) == (lecture, lecture)
    assert ("embedded" in sent(app, "columns")["summary"]) is not lecture
    assert any(button.label == "Repeat timing" for button in app.sidebar.button) is not lecture
    assert all(button.label != "Repeat timing" for button in app.main.button)


@pytest.mark.parametrize("name", ["compare", "breakpoints", "clustering", "double_pass", "failures"])
def test_no_head_of_a_column_has_times(app, name):
    opened(app, name)
    rows = [label for column in sent(app, "columns")["columns"] for label, *_ in column["rows"]]
    assert rows
    assert not {"time", "embedding"} & {*rows}
