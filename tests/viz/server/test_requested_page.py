"""Of requests that wait together, Streamlit runs the page and the link that the user asked for last."""

from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from viz.server import streamlit_patches


def by_browser(page, **named):
    """Return a request from the browser to run a page, whose name is a letter; ``named`` replaces fields of it."""
    return RerunData(**{"page_script_hash": page, "query_string": f"{page}=link", "widget_states": WidgetStates()} | named)


def by_script(page):
    """Return the request that a script makes by ``st.rerun`` or ``st.switch_page``."""
    return RerunData(page_script_hash=page, query_string=f"{page}=before")


def gone_back(page, link):
    """Return the request of a browser whose user went back to a page and its link."""
    return by_browser(page, query_string=link, is_history_navigation=True)


@pytest.fixture
def requests(monkeypatch):
    """Return the requests, none so far, of a session that shows page a."""
    # What is set to itself is put back after the test.
    for patched_class, method_name in ((ScriptRunner, "__init__"), (ScriptRequests, "_request_rerun_locked")):
        monkeypatch.setattr(patched_class, method_name, getattr(patched_class, method_name))
    streamlit_patches.keep_requested_page()
    requests = ScriptRequests()
    monkeypatch.setitem(
        streamlit_patches._pages_manager_by_requests, requests, SimpleNamespace(current_page_script_hash="a")
    )
    return requests


@pytest.mark.parametrize(
    ("waiting", "later", "merged"),
    [
        (by_browser("b"), by_script("a"), ("b", "b=link", False)),
        (by_browser("b"), by_browser("a"), ("b", "b=link", False)),
        (by_browser("b"), by_browser("a", fragment_id="f", is_auto_rerun=True), ("b", "b=link", False)),
        (by_browser("b"), by_browser("c"), ("c", "c=link", False)),
        (by_browser("b"), by_script("c"), ("c", "c=before", False)),
        (by_browser("b"), gone_back("a", "a=old"), ("a", "a=old", True)),
        (gone_back("b", "b=old"), by_script("a"), ("b", "b=old", True)),
        (gone_back("a", "a=old"), by_script("a"), ("a", "a=old", True)),
        (gone_back("a", "a=old"), gone_back("a", "a=older"), ("a", "a=older", True)),
        # Streamlit lets a click that comes after a step back win.
        (gone_back("a", "a=old"), by_browser("a"), ("a", "a=link", False)),
        (by_browser("a"), by_script("a"), ("a", "a=before", False)),
        # Input to a fragment of a page that was left asks for no page.
        (by_browser("b", fragment_id="f"), by_script("a"), ("a", "a=before", False)),
        (by_browser("b", fragment_id="f"), by_browser("a"), ("a", "a=link", False)),
        # A session's first request names no page.
        (RerunData(), by_script("a"), ("a", "a=before", False)),
    ],
)
def test_the_page_asked_for_last_by_the_user_is_opened(requests, waiting, later, merged):
    for request in (waiting, later):
        assert requests.request_rerun(request)
    taken = requests.on_scriptrunner_ready().rerun_data
    assert (taken.page_script_hash, taken.query_string, taken.is_history_navigation) == merged
    assert taken.fragment_id_queue == []


def test_the_input_of_the_page_before_is_not_lost(requests):
    changed = WidgetStates(widgets=[WidgetState(id="word", string_value="late")])
    for request in (by_browser("b"), by_browser("a", widget_states=changed)):
        assert requests.request_rerun(request)
    assert requests.on_scriptrunner_ready().rerun_data.widget_states == changed
