"""The thread between Compare and the other pages: what they open with, what they give back, and what can be undone."""

import pytest
import streamlit as st

import viz.shell.page
from chunkers.recipes.chunker_registry import CHUNKERS
from tests.viz.app_steps import press as ran_after_press
from tests.viz.app_steps import remarks, settled
from viz.state.choices import MOST_COLUMNS

WORDS = {
    "embedder": "tfidf",
    "document": "faq",
    "c1": "fixed_sentences",
    "c2": "breakpoint",
    "c2.amount": "81",
    "c3": "double_pass",
    "c3.merging_threshold": "0.5",
    "c4": "kmeans",
    "c4.clusters": "3",
    "selected": "4",
}
OPENED = {
    "breakpoints": {"breakpoint": {"amount": 81.0}},
    "double_pass": {"double_pass": {"merging_threshold": 0.5}, "breakpoint": {"amount": 81.0}},
    "clustering": {"kmeans": {"clusters": 3}},
    "guide": {"kmeans": {"clusters": 3}},
}
"""The columns of Compare that each page opens with."""


@pytest.fixture
def compare(app):
    """Give the app after Compare was opened with four columns of its own."""
    for name, word in WORDS.items():
        app.query_params[name] = word
    return settled(app)


def go(app, page):
    """Go to a page by the menu, which has no parameters."""
    app.query_params.clear()
    app.switch_page(f"pages/{page}.py")
    return settled(app)


def columns(app, page):
    return {column.chunker: column.parameters for column in app.session_state["choices"][page].columns}


def captions(app):
    return [*(caption.value for caption in app.caption), *remarks(app)]


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return settled(app)


def take(app):
    return next(button for button in app.button if button.label == "Take to Compare")


@pytest.mark.parametrize("page", OPENED)
def test_a_page_opens_with_the_document_and_the_columns_of_compare(compare, page):
    app = go(compare, page)
    shown = columns(app, page)
    assert {name: shown[name] for name in OPENED[page]} == OPENED[page]
    assert app.session_state["choices"][page].document == "faq"
    chosen = app.session_state["choices"][page]
    chunker = chosen.columns[chosen.selected].chunker
    number = [*(name for name in WORDS.values() if name in CHUNKERS)].index(chunker) + 1
    if page == "guide":
        press(app, f"How {CHUNKERS[chunker].title} decides")
    assert f"{CHUNKERS[chunker].title} is column {number} of Compare." in captions(app)
    assert take(app).disabled


def test_a_run_that_is_interrupted_loses_no_column(compare, monkeypatch):
    interrupted = []

    def shared_controls(*arguments):
        if not interrupted:
            interrupted.append(True)
            st.rerun()
        return controls(*arguments)

    controls = viz.shell.page.draw_shared_controls
    monkeypatch.setattr(viz.shell.page, "draw_shared_controls", shared_controls)
    app = go(compare, "double_pass")
    assert interrupted
    assert columns(app, "double_pass") == OPENED["double_pass"]
    assert "Double pass is column 3 of Compare." in captions(app)


def test_clustering_shows_the_method_selected_on_compare(compare):
    app = go(compare, "clustering")
    chosen = app.session_state["choices"]["clustering"]
    assert chosen.columns[chosen.selected].chunker == "kmeans"


def test_the_parameters_of_a_link_win(compare):
    app = compare
    app.query_params.clear()
    app.query_params["c1"] = "breakpoint"
    app.query_params["c1.amount"] = "60"
    app.switch_page("pages/breakpoints.py")
    settled(app)
    assert columns(app, "breakpoints") == {"breakpoint": {"amount": 60.0}}


def test_what_was_changed_on_a_page_stays_until_compare_changes(compare):
    app = go(compare, "double_pass")
    app.slider(key="0/double_pass/merging_threshold").set_value(0.6).run()
    assert "Double pass is column 3 of Compare, with other settings here." in captions(app)
    go(app, "compare")
    app = go(app, "double_pass")
    assert columns(app, "double_pass")["double_pass"] == {"merging_threshold": 0.6}
    go(app, "compare")
    app.session_state["choices"]["compare"].columns[2].parameters["merging_threshold"] = 0.7
    app = go(app, "double_pass")
    assert columns(app, "double_pass")["double_pass"] == {"merging_threshold": 0.7}


def test_a_page_does_not_change_compare_before_it_is_asked_to(compare):
    app = go(compare, "double_pass")
    app.slider(key="0/double_pass/merging_threshold").set_value(0.6).run()
    assert columns(app, "compare")["double_pass"] == {"merging_threshold": 0.5}


def test_a_column_is_added_and_taken_away_again(compare):
    app = go(compare, "double_pass")
    app.slider(key="0/double_pass/merging_threshold").set_value(0.6).run()
    press(app, "Take to Compare")
    choices = app.session_state["choices"]["compare"]
    assert [column.chunker for column in choices.columns][3:] == ["kmeans", "double_pass"]
    assert choices.columns[4].parameters == {"merging_threshold": 0.6}
    assert choices.selected == 4
    assert "Added as column 5 of Compare" in captions(app)
    assert "Double pass is column 5 of Compare." in captions(app)
    press(app, "Undo")
    choices = app.session_state["choices"]["compare"]
    assert [column.chunker for column in choices.columns][3:] == ["kmeans"]
    assert choices.selected == 3
    assert columns(app, "double_pass")["double_pass"] == {"merging_threshold": 0.6}
    press(app, "Take to Compare")
    # Another run, after a job of Compare, would be one of the page before: AppTest does not follow the app to Compare.
    ran_after_press(app, "Open Compare")
    assert app.session_state["page"] == "compare"
    assert app.query_params["c5.merging_threshold"] == "0.6"


def test_where_compare_is_full_it_says_so(compare):
    choices = compare.session_state["choices"]["compare"]
    choices.columns += [column.copy() for column in choices.columns[: MOST_COLUMNS - len(choices.columns)]]
    app = go(compare, "double_pass")
    app.slider(key="0/double_pass/merging_threshold").set_value(0.6).run()
    assert take(app).disabled
    assert "Compare already has 6 columns, the maximum; remove one there first." in captions(app)


# Undo on Compare itself


def test_a_column_that_was_removed_comes_back_where_it_was(compare):
    before = [(column.chunker, dict(column.parameters)) for column in compare.session_state["choices"]["compare"].columns]
    compare.session_state["choices"]["compare"].selected = 1
    compare.run()
    press(compare, "Remove")
    assert "Column 2 removed" in captions(compare)
    assert len(compare.session_state["choices"]["compare"].columns) == 3
    press(compare, "Undo")
    choices = compare.session_state["choices"]["compare"]
    assert [(column.chunker, column.parameters) for column in choices.columns] == before
    assert choices.selected == 1
    assert compare.query_params["c2.amount"] == "81"
    assert not any(button.label == "Undo" for button in compare.button)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("chunker/1", "optimal", "Chunker of column 2 changed"),
        ("preset/1/breakpoint", 0, "Settings of column 2 replaced"),
    ],
)
def test_what_overwrites_the_settings_can_be_undone(compare, key, value, said):
    compare.session_state["choices"]["compare"].selected = 1
    compare.run()
    box = compare.selectbox(key=key)
    if isinstance(value, int):
        value = box.options[value]
    box.set_value(value)
    settled(compare)
    assert said in captions(compare)
    assert columns(compare, "compare").get("breakpoint") != {"amount": 81.0}
    press(compare, "Undo")
    assert columns(compare, "compare")["breakpoint"] == {"amount": 81.0}


def test_after_a_newer_change_there_is_nothing_to_undo(compare):
    press(compare, "Remove")
    compare.session_state["choices"]["compare"].columns[1].parameters["amount"] = 60.0
    compare.run()
    assert not any(button.label == "Undo" for button in compare.button)


def test_retrieval_takes_the_columns_of_compare_and_gives_its_own_back(compare):
    app = go(compare, "retrieval")
    before = columns(app, "retrieval")
    press(app, "Use Compare's columns")
    assert columns(app, "retrieval") == columns(app, "compare")
    assert "These are the columns of Compare." in captions(app)
    press(app, "Undo")
    assert columns(app, "retrieval") == before


def test_tune_sweeps_the_chunker_selected_on_compare(compare):
    app = go(compare, "tune")
    assert app.session_state["choices"]["tune"].extra["what"] == "kmeans"
    assert any("This is the chunker of column 4 of Compare" in caption for caption in captions(app))
