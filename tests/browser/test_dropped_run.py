"""Widgets in a real browser that never got the run that drew them first, or not yet the one that changed their values."""

import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.steps import eventually
from tests.fixtures.app_server import app_server

WORDS = "{'selected': 'second', 'switched': 'third'}"
VALUES = f"{WORDS} {{'slider': 7, 'number': 9, 'toggle': True, 'text': 'own', 'many': ['second']}}"


@pytest.fixture(scope="module")
def widgets_url(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("dropped") / "log.txt", "tests/browser/dropped_app.py") as server:
        yield server.url


@pytest.mark.full
def test_widgets_keep_their_values_if_the_browser_never_got_the_first_run(open_page, widgets_url):
    page = open_page()
    page.goto(widgets_url)
    code = page.get_by_test_id("stCode")
    expect(code).to_have_text(f"run 2: {VALUES}")
    # The browser reports the value of every widget with the next event.
    page.get_by_role("button", name="Again").click()
    expect(code).to_have_text(f"run 3: {VALUES}")


@pytest.mark.full
def test_what_the_user_changes_afterwards_holds(open_page, widgets_url):
    page = open_page()
    page.goto(widgets_url)
    code = page.get_by_test_id("stCode")
    expect(code).to_have_text(f"run 2: {VALUES}")
    page.get_by_text("First", exact=True).click()
    expect(code).to_contain_text("'switched': 'first'")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect(code).to_contain_text("'slider': 8")
    page.get_by_role("button", name="Again").click()
    expect(code).to_have_text(re.compile("'selected': 'second', 'switched': 'first'.*'slider': 8, 'number': 9"))
    expect(page.get_by_role("slider")).to_have_value("8")


def has_ended(message):
    """Return whether a message of the server says that a run has come to its end."""
    return ForwardMsg.FromString(message).WhichOneof("type") == "script_finished"


@pytest.mark.full
def test_a_message_from_before_a_change_does_not_take_it_back(open_page, widgets_url):
    """The browser receives nothing while the server changes the values, and reports those of before meanwhile."""
    # A tab of its own, since what stands between it and a server stays there.
    page, held, sockets = open_page(alone=True), None, []

    def passed_on(message):
        (sockets[0].send if held is None else held.append)(message)

    def ended():
        page.evaluate("null")  # Playwright passes messages on while it is called
        return sum(map(has_ended, held))

    def begun(socket):
        sockets.append(socket)
        socket.connect_to_server().on_message(passed_on)

    page.route_web_socket("**/_stcore/stream", begun)
    page.goto(widgets_url)
    code = page.get_by_test_id("stCode")
    expect(code).to_have_text(f"run 2: {VALUES}")
    held = []
    for runs, name in enumerate(("Change", "Again"), start=1):
        page.get_by_role("button", name=name).click()
        eventually(ended, lambda count, runs=runs: count >= runs)
    late, held = held, None
    for message in late:
        sockets[0].send(message)
    words = "{'selected': 'third', 'switched': 'first'}"
    values = "{'slider': 2, 'number': 3, 'toggle': False, 'text': 'another', 'many': ['third']}"
    expect(code).to_have_text(f"run 4: {words} {values}")
    expect(page.get_by_role("slider")).to_have_value("2")
    page.get_by_role("button", name="Again").click()
    expect(code).to_have_text(f"run 5: {words} {values}")
