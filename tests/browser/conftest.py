"""The app on a port of its own and a real browser, once for all browser tests."""

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.app_server import app_server, launch
from tests.browser.steps import PATIENCE

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("app") / "log.txt") as server:
        yield server.url


@pytest.fixture
def fresh_url(tmp_path):
    """A server that nobody has asked for anything yet."""
    with app_server(tmp_path / "log.txt") as server:
        yield server.url


@pytest.fixture(scope="session")
def playwright_here():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright_here):
    running = launch(playwright_here)
    yield running
    running.close()


@pytest.fixture
def open_page(browser):
    """Open pages, each a session; script errors, dialogs and requests to anywhere but the app fail the test."""
    wrong = []
    sessions = []

    def watch(page):
        page.on("pageerror", lambda error: wrong.append(f"script error: {error.stack or error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if ours(request.url) else wrong.append(f"outside request: {request.url}"))

    def opened(**options):
        session = browser.new_context(**{"viewport": {"width": 1440, "height": 1000}, **options})
        session.set_default_timeout(PATIENCE)
        session.on("page", watch)
        sessions.append(session)
        return session.new_page()

    yield opened
    for session in sessions:
        session.close()
    assert not wrong, wrong


def ours(url):
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


@pytest.fixture
def page(open_page):
    """A page in a wide window."""
    return open_page()
