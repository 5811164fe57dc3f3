import itertools
import re

import pytest
import streamlit as st

from viz.components.browser_exchange import Component, keep_event_until_taken, take_event
from viz.components.findings import findings
from viz.components.script_bundler import VIZ_FOLDER
from viz.state.session_state import session


@pytest.fixture
def send(registered, monkeypatch):
    """Draw a component with data; what the browser is sent comes back."""
    monkeypatch.setattr(st, "session_state", {})
    mount = Component("seamark_test", "components/notice.js")

    def send(data, key="one"):
        mount(key=key, data=data)
        return registered["seamark_test"][1][-1]["data"]

    return send


def order(sent):
    return sent[1] if isinstance(sent, list) else tuple(sent.split(b"\n", 1)[0].decode().split())


def test_what_is_sent_later_has_a_greater_number(send):
    sent = [send({"text": word}) for word in ("one", "two", "one")]
    assert [data["text"] for data, _ in sent] == ["one", "two", "one"]
    sessions, numbers = zip(*(order(message) for message in sent), strict=True)
    assert len(set(sessions)) == 1
    assert all(number < next_ for number, next_ in itertools.pairwise(numbers))


@pytest.mark.parametrize("data", [{"text": "one", "list": [1, 2]}, b'{"id": 1}\nrest'])
def test_the_same_data_is_the_same_message(send, data):
    first = send(data)
    other = send(b"other", key="two")
    assert send(data) == first
    assert order(other) != order(first)


def test_bytes_follow_their_order_unchanged(send):
    data = b'{"id": 1}\n\x00\n\xff'
    sent = send(data)
    assert sent.split(b"\n", 1)[1] == data
    assert order(sent)[1].isdecimal()


def test_what_is_forgotten_is_sent_as_newer(send):
    first = order(send({"text": "one"}))
    session.sent.forget()
    second = order(send({"text": "one"}))
    assert second[0] == first[0]
    assert second[1] > first[1]


def test_sessions_can_be_told_apart(send, monkeypatch):
    first = order(send({"text": "one"}))
    monkeypatch.setattr(st, "session_state", {})
    assert order(send({"text": "one"}))[0] != first[0]


def test_a_component_without_data_gets_none(send):
    assert send(None) is None


def test_an_event_is_taken_once_even_if_streamlit_hears_its_state_again(monkeypatch):
    heard = {"bar": {"act": {"scene": 3, "at": 1.0}}}
    monkeypatch.setattr(st, "session_state", heard)
    assert take_event("bar", "act") == {"scene": 3, "at": 1.0}
    state = heard.pop("bar")
    assert take_event("bar", "act") is None
    heard["bar"] = state
    assert take_event("bar", "act") is None
    heard["bar"] = {"act": {"scene": 3, "at": 2.0}}
    assert take_event("bar", "act") == {"scene": 3, "at": 2.0}


def test_an_event_of_one_run_waits_for_the_run_that_takes_it(monkeypatch):
    heard = {"bar": {"chosen": {"document": "report", "at": 1.0}}}
    monkeypatch.setattr(st, "session_state", heard)
    keep_event_until_taken("bar", "chosen")
    heard["bar"] = {"chosen": None}
    assert take_event("bar", "chosen") == {"document": "report", "at": 1.0}
    assert take_event("bar", "chosen") is None


@pytest.mark.parametrize("name", ["sought", "remedy"])
def test_a_click_on_a_finding_waits_for_the_list_if_a_run_ends_without_it(monkeypatch, name):
    heard, given = {}, {}
    monkeypatch.setattr(st, "session_state", heard)
    monkeypatch.setattr(findings, "_findings_component", lambda **options: given.update(options))
    findings.draw_findings_of_result("", [], [], 0, unlisted_findings_phrase="", no_findings_message="", key="inbox")
    heard["inbox"] = {name: {"id": "tiny 0 1", "at": 1.0}}
    given[f"on_{name}_change"]()
    del heard["inbox"]
    assert take_event("inbox", name) == {"id": "tiny 0 1", "at": 1.0}
    assert take_event("inbox", name) is None


def test_the_latest_event_counts(monkeypatch):
    heard = {"bar": {"chosen": {"document": "report", "at": 1.0}}}
    monkeypatch.setattr(st, "session_state", heard)
    keep_event_until_taken("bar", "chosen")
    heard["bar"] = {"chosen": {"document": "article", "at": 2.0}}
    assert take_event("bar", "chosen") == {"document": "article", "at": 2.0}
    assert take_event("bar", "chosen") is None


def test_a_key_may_have_two_underscores_in_a_row(registered, monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    Component("seamark_test", "components/notice.js")(key="run a__b___c", data={})
    ((key,),) = ([call["key"] for call in registered["seamark_test"][1]],)
    assert "__" not in key
    st.session_state[key] = {"act": {"at": 1.0}}
    assert take_event("run a__b___c", "act") == {"at": 1.0}


def test_callbacks_take_their_events_by_take_event_alone():
    own = r"\bon_\w+_change=(?!no_op_callback|partial\(keep_event_until_taken)"
    callbacks = [path for path in VIZ_FOLDER.rglob("*.py") if re.search(own, path.read_text())]
    assert len(callbacks) >= 6
    assert [path.name for path in callbacks if "take_event(" not in path.read_text()] == []
