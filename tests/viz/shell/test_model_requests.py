"""The consent to what is sent to a language model: to one piece of work, after a click, with or without counting before."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support import LIMIT, ended
from tests.viz.app_steps import press, ran, said

pytestmark = pytest.mark.page


def _a_page():
    import streamlit as st

    from chunkers.contract import Estimate
    from chunkers.language_models import Asking
    from tests.support import ScriptedModel
    from viz.shell import ModelRequests, draw_consent_once_estimated, start_run_or_count_requests

    asking = st.session_state.setdefault("scripted", Asking(ScriptedModel()))
    sent = st.session_state.setdefault("sent_works", [])
    subject = st.session_state.setdefault("subject", "a run")
    counted = ModelRequests(subject, asking, lambda _: Estimate(3, 100), "This sends a run", "run", label="Send run")
    ready = ModelRequests("cards", asking, Estimate(2, 50, 20), "This sends cards", "cards", 0, label="Send cards")
    st.button("Run", on_click=start_run_or_count_requests, args=(counted, lambda: sent.append("never")))
    # What needs no counting is counted by no job, whoever asks.
    st.button("Count cards", on_click=start_run_or_count_requests, args=(ready, lambda: sent.append("never")))
    draw_consent_once_estimated(counted, lambda: sent.append(subject))
    draw_consent_once_estimated(ready, lambda: sent.append("cards"))
    run_of_nothing = lambda: sent.append("nothing to ask")  # noqa: E731
    st.button("Run alone", on_click=start_run_or_count_requests, args=(None, run_of_nothing))
    draw_consent_once_estimated(None, run_of_nothing)


@pytest.fixture
def app():
    return ran(AppTest.from_function(_a_page, default_timeout=LIMIT))


def labels(app):
    return [button.label for button in app.button if button.label.startswith("Send")]


def counted(app):
    press(app, "Run")
    ended(app.session_state["estimation_job"])
    return ran(app)


def test_what_is_counted_before_is_sent_by_its_button_and_leaves_another_consent_standing(app):
    assert labels(app) == ["Send cards"]
    (told,) = said(app)
    assert told.startswith("This sends cards to ")
    assert "about 50 tokens in 2 requests, answered with about 20 tokens, more if" in told
    assert told.endswith("Nothing is sent until you press “Send cards”.")
    press(app, "Count cards")
    assert app.session_state["sent_works"] == []
    counted(app)
    assert labels(app) == ["Send run", "Send cards"]
    press(app, "Send cards")
    assert app.session_state["sent_works"] == ["cards"]
    assert labels(app) == ["Send run", "Send cards"]


def test_what_must_be_counted_is_sent_once_and_for_the_work_that_was_counted(app):
    counted(app)
    assert app.session_state["sent_works"] == []
    app.session_state["subject"] = "another run"
    assert labels(ran(app)) == ["Send cards"]
    app.session_state["subject"] = "a run"
    press(ran(app), "Send run")
    assert app.session_state["sent_works"] == ["a run"]
    assert labels(app) == ["Send cards"]


def test_a_consent_to_one_model_is_none_to_another(app):
    counted(app)
    del app.session_state["scripted"]
    assert labels(ran(app)) == ["Send cards"]


def test_work_that_asks_no_model_needs_no_consent(app):
    press(app, "Run alone")
    assert app.session_state["sent_works"] == ["nothing to ask"]
