"""The life of a page: whatever state it is in, its link says what was chosen."""

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from tests.lanes import mostly_full
from tests.viz.app_steps import choose_document, emptied, said, widget
from viz.jobs import shared_resources
from viz.state.session_state import PageArrival

ABOUT_A_TEXT = ("compare", "breakpoints", "double_pass", "clustering", "failures", "answers", "guide")
WITHOUT_A_TEXT = ("tune", "retrieval")


def own_controls(app):
    """Return for each page a control of its own, what to choose there, and what the link then says."""
    return {
        "compare": (app.slider, "1/breakpoint/amount/None", 40.0, ("c2.amount", "40")),
        "breakpoints": (app.slider, "0/breakpoint/amount/None", 40.0, ("c1.amount", "40")),
        "double_pass": (app.slider, "0/double_pass/merging_threshold", 0.6, ("c1.merging_threshold", "0.6")),
        "clustering": (app.segmented_control, "clustering_method", 1, ("selected", "2")),
        "failures": (app.selectbox, "sentences", "lines", ("sentences", "lines")),
        "answers": (app.slider, "0/recursive/size", 300, ("c1.size", "300")),
        "guide": (app.radio, "guide/chunker", "optimal", ("c1", "optimal")),
        "tune": (app.selectbox, "tune/what", "optimal", ("what", "optimal")),
        "retrieval": (app.slider, "0/recursive/size", 300, ("c1.size", "300")),
    }


def on_page(app, name):
    app.query_params["embedder"] = "tfidf"
    if name != "compare":
        app.switch_page(f"pages/{name}.py")
    return app.run()


def without_a_text(app, name):
    on_page(app, name)
    emptied(app)
    assert not app.exception
    assert any("There is no text yet" in sentence for sentence in said(app))
    return app


@pytest.mark.parametrize("name", mostly_full(ABOUT_A_TEXT, {"compare", "answers"}))
def test_the_link_follows_every_control_when_there_is_no_text(app, name):
    without_a_text(app, name)
    assert app.query_params["document"] == "own"
    assert app.query_params["embedder"] == "tfidf"
    kind, key, value, (word, expected) = own_controls(app)[name]
    widget(kind, key).set_value(value).run()
    assert app.query_params[word] == expected
    widget(app.selectbox, "tokenizer").select("words").run()
    assert not app.exception
    assert app.query_params["tokenizer"] == "words"
    assert app.query_params[word] == expected


def test_the_link_follows_a_control_that_is_moved_back_before_the_browser_has_the_link(app, monkeypatch):
    on_page(app, "compare")
    told, tell = [], QueryParams._send_query_param_msg

    def noted(self):
        told.append(self.to_dict())
        tell(self)

    monkeypatch.setattr(QueryParams, "_send_query_param_msg", noted)
    slider, first = app.slider(key="1/breakpoint/amount/None"), dict(app.query_params)
    before = slider.value
    slider.set_value(60.0).run()
    assert [link.get("c2.amount") for link in told] == ["60"]
    app.query_params.clear()
    app.query_params.update(first)
    app.slider(key="1/breakpoint/amount/None").set_value(before).run()
    assert [link.get("c2.amount") for link in told] == ["60", None]
    app.run()
    assert len(told) == 2


@pytest.mark.parametrize("name", WITHOUT_A_TEXT)
def test_the_link_follows_on_pages_that_are_not_about_one_text(app, name):
    on_page(app, name)
    kind, key, value, (word, expected) = own_controls(app)[name]
    widget(kind, key).set_value(value).run()
    widget(app.selectbox, "tokenizer").select("words").run()
    assert not app.exception
    assert app.query_params[word] == expected
    assert app.query_params["tokenizer"] == "words"
    assert app.query_params["embedder"] == "tfidf"


@pytest.mark.parametrize("name", mostly_full([*ABOUT_A_TEXT, *WITHOUT_A_TEXT], {"compare", "clustering", "retrieval"}))
def test_every_page_asks_before_it_uses_what_a_link_names(app, name):
    app.query_params["embedder"] = "sentence-transformers/none"
    if name != "compare":
        app.switch_page(f"pages/{name}.py")
    app.run()
    if name in ABOUT_A_TEXT:
        choose_document(app, "own")
    assert not app.exception
    assert app.button(key="offer/Use this embedder")
    app.button(key="offer/Use all-MiniLM-L6-v2").click().run()
    assert "embedder" not in app.query_params


def _life(how):
    from dataclasses import replace

    import streamlit as st

    from viz.compare.choices_and_session.choices import default_choices
    from viz.shell.page import frame_page_and_write_link

    st.session_state["app"] = True
    st.session_state.setdefault("links", []).append(st.query_params.to_dict())
    with frame_page_and_write_link(
        "compare", replace(default_choices(), document="stubs", sentences="lines"), about_a_text=False
    ) as current_page:
        if how == "complain" and len(st.session_state["links"]) == 1:
            current_page.show_link_error("The link asks for the moon.")
        if current_page.choices.tokenizer == "words":
            return
        current_page.choices.tokenizer = "words"
        if how == "return":
            return
        if how == "stop":
            st.stop()
        if how == "rerun":
            st.rerun()
        if how == "error":
            raise ValueError("An error of the page.")


def life(how):
    return AppTest.from_function(_life, args=(how,), default_timeout=60).run()


@pytest.mark.parametrize("how", ["to the end", "return", "error", "rerun"])
def test_the_link_is_written_however_the_page_ends(how):
    app = life(how)
    assert app.query_params["tokenizer"] == "words"
    assert len(app.exception) == (how == "error")


def test_a_page_that_runs_again_leaves_the_link_to_the_run_that_follows():
    # It may as well have gone to another page, whose link this is not.
    assert life("rerun").session_state["links"] == [{}, {}]


def test_a_page_that_is_stopped_sends_nothing_more():
    app = life("stop")
    assert not app.exception
    assert "tokenizer" not in app.query_params
    assert app.run().query_params["tokenizer"] == "words"


def test_a_complaint_is_said_at_once_and_stays():
    app = life("complain")
    assert said(app) == ["The link asks for the moon."]
    assert said(app.run()) == ["The link asks for the moon."]


def _widget_changed_by_the_page():
    import streamlit as st

    from viz.controls.widgets import draw_setting_select_box
    from viz.shell import page as shell
    from viz.state.choices import Choices, ColumnChoice

    st.session_state["app"] = True
    with shell.frame_page_and_write_link(
        "guide", Choices("stubs", "lines", [ColumnChoice("breakpoint")], extra={"word": "second"})
    ) as current_page:
        words = current_page.choices.extra
        st.button("First", on_click=words.update, kwargs={"word": "first"})
        draw_setting_select_box("Word", words, "word", {"first": "First", "second": "Second"}, "word")


def test_a_widget_has_another_key_once_the_page_has_changed_its_value():
    app = AppTest.from_function(_widget_changed_by_the_page, default_timeout=60).run()
    assert app.selectbox(key="word").value == "second"
    assert app.run().selectbox(key="word").value == "second"
    app.button[0].click().run()
    assert (app.selectbox[0].key, app.selectbox[0].value) == ("word_renewed_1", "first")
    # What the user chooses is the widget's own.
    app.selectbox[0].select("second").run()
    assert (app.selectbox[0].key, app.selectbox[0].value) == ("word_renewed_1", "second")


def test_a_document_that_others_drove_out_of_the_cache_stays_the_sessions(app):
    app.query_params["embedder"] = "tfidf"
    app.run()
    before = app.session_state["split_document"]
    shared_resources._cached_split_document.cache_clear()
    app.run()
    assert app.session_state["split_document"] is before


def _asked_for():
    import streamlit as st

    from viz.shell.page import frame_page_and_write_link
    from viz.state.choices import Choices, ColumnChoice
    from viz.state.session_state import PageArrival, session

    st.session_state["app"] = True
    runs = st.session_state.setdefault("runs", [])
    if not runs:
        session.arriving = PageArrival("guide", "breakpoints", {"c1": "double_pass", "c1.merging_threshold": "0.6"})
    with frame_page_and_write_link(
        "guide", Choices("stubs", "lines", [ColumnChoice("breakpoint")]), about_a_text=False
    ) as current_page:
        runs.append((session.arriving, dict(current_page.choices.columns[0].parameters)))
        if len(runs) == 1:
            current_page.choices.columns[0].parameters["merging_threshold"] = 0.7
            st.rerun()


def test_a_page_is_asked_for_until_it_is_drawn_and_reads_its_link_once():
    """A change by the user interrupts the run that draws the page, and remains."""
    app = AppTest.from_function(_asked_for, default_timeout=60).run()
    assert not app.exception
    asked_for = PageArrival("guide", "breakpoints")
    (first, read), (second, kept) = app.session_state["runs"]
    assert (first, second) == (asked_for, asked_for)
    assert (read["merging_threshold"], kept["merging_threshold"]) == (0.6, 0.7)
    assert app.session_state["arriving"] is None
