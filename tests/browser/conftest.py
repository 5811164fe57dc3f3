"""The app on a port of its own and a real browser, once for all browser tests."""

from urllib.parse import urljoin

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.browser.steps import PATIENCE, STATE
from tests.fixtures.app_server import app_server, launch

WIDE = {"width": 1440, "height": 1000}
EMPTY = "/_stcore/health"
"""A place of the app without scripts: a page of the app keeps what is written when it is left."""

MOST_SHOWN = 4_000
"""Maximum number of characters of a page's text, or of the server's log, in the report of a failed test."""

expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Add what each tab showed and what the server wrote to the report of a failed test, which may pass the next time."""
    report = yield
    if report.when == "call" and report.failed:
        report.sections += evidence(item.funcargs.get("browser"), item.funcargs.get("server"))
    return report


def evidence(browser, server):
    """Return the state and the text of every open tab, and the end of the server's log, each with a title."""
    found = []
    for page in [page for context in browser.contexts for page in context.pages] if browser else []:
        try:
            words = page.locator("body").inner_text(timeout=1_000)
            found.append((f"tab at {page.url}", f"{page.evaluate(STATE)}\n{words[:MOST_SHOWN]}"))
        except Error as error:
            found.append((f"tab at {page.url}", f"could not be read: {error}"))
    if server:
        found.append(("server's log", server.log.read_text(errors="replace")[-MOST_SHOWN:]))
    return found


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("app") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def app_url(server):
    return server.url


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


class Pages:
    """Tabs of one browser session, one of which all tests share, and browser sessions of their own."""

    def __init__(self, browser):
        self.wrong = []
        self._browser = browser
        self._context_and_token_count = None
        self._shared = None
        self._kept = set()

    def shared(self):
        """Return the tab that the tests share. A tab that has shown the app opens it in half the processor time."""
        if self._shared is None or self._shared.is_closed():
            self._shared = self._tab()
        return self._shared

    def keep(self):
        """Return a tab that stays open until it is given back."""
        page = self._tab()
        self._kept.add(page)
        return page

    def give_back(self, page):
        self._kept.remove(page)
        page.close()

    def alone(self, **options):
        """Return the tab of a new browser session."""
        context = self._browser.new_context(**options)
        self._watch(context)
        return context.new_page()

    def clear(self):
        """Empty the shared tab, and close all tabs that are not kept."""
        for context in self._browser.contexts:
            if context != self._context_and_token_count:
                context.close()
        if self._context_and_token_count is None:
            return
        for page in self._context_and_token_count.pages:
            if page not in {self._shared, *self._kept}:
                page.close()
        self._context_and_token_count.clear_permissions()
        self._context_and_token_count.clear_cookies()
        page = self.shared()
        if page.url == "about:blank" or page.url.endswith(EMPTY):
            return
        try:
            page.goto(urljoin(page.url, EMPTY))
            page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
        except Error:  # its server has ended
            page.close()

    def _tab(self):
        if self._context_and_token_count is None:
            self._context_and_token_count = self._browser.new_context()
            self._watch(self._context_and_token_count)
        return self._context_and_token_count.new_page()

    def _watch(self, context):
        context.set_default_timeout(PATIENCE)
        context.on("page", self._listen)

    def _listen(self, page):
        wrong = self.wrong
        page.on("pageerror", lambda error: wrong.append(f"script error: {error.stack or error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if ours(request.url) else wrong.append(f"outside request: {request.url}"))


@pytest.fixture(scope="session")
def pages(browser):
    return Pages(browser)


@pytest.fixture(autouse=True)
def nothing_wrong(request):
    """Fail the test for script errors, dialogs and requests to anywhere but the app."""
    pages = request.getfixturevalue("pages") if "pages" in request.fixturenames else None
    yield
    if pages:
        wrong = [*pages.wrong]
        pages.wrong.clear()
        assert not wrong, wrong


@pytest.fixture
def open_page(pages):
    """Open pages. The first is shared with other tests if it needs no more than a size and a theme; see docs/testing.md."""
    taken = False

    def opened(viewport=WIDE, color_scheme="light", alone=False, **options):
        nonlocal taken
        if alone or taken or options:
            return pages.alone(viewport=viewport, color_scheme=color_scheme, **options)
        taken = True
        page = pages.shared()
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        return page

    yield opened
    pages.clear()


@pytest.fixture(scope="module")
def kept_page(pages):
    """A page that all tests of a module walk on; each first brings it to where it begins."""
    page = pages.keep()
    page.set_viewport_size(WIDE)
    yield page
    pages.give_back(page)


def ours(url):
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


@pytest.fixture
def page(open_page):
    """A page in a wide window."""
    return open_page()
