"""Steps that several browser tests take, and how they read the page: see docs/testing.md.

What follows an action comes when the browser, and perhaps the server, has got to it. So nothing is read once and compared:
``expect`` waits for what the page shows, ``eventually`` and ``until`` for anything else.
"""

import math
import time

from playwright.sync_api import TimeoutError, expect

READY = 240_000
"""Milliseconds that loading the model may take on a busy machine."""

PATIENCE = 90_000
"""Milliseconds that all else may take."""

STANDS_STILL = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"

MOVES = """document.getAnimations().some(
  ({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime < Infinity
)"""
"""True while something moves to its place, as what lies below an expander does while that closes: a click could miss it."""

STATE = """() => {
  const { dataset } = document.querySelector("[data-testid=stApp]") ?? {};
  const shadows = [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean);
  const readers = shadows.flatMap((shadow) => [...shadow.querySelectorAll(".seamark")]).map(({ seamark }) => ({
    ready: Boolean(seamark?.ready),
    columns: seamark?.ready ? seamark.columns.map(({ blocks, built }) => ({ blocks, built })) : [],
  }));
  return { script: dataset?.testScriptState, connection: dataset?.testConnectionState, address: location.href, readers };
}"""
"""State of a page with a text, as its scripts report it."""

WHOLE = f"""() => {{
  const {{ script, readers }} = ({STATE})();
  const whole = ({{ ready, columns }}) => ready && columns.every(({{ blocks, built }}) => blocks === built);
  return script === "notRunning" && readers.length && readers.every(whole);
}}"""
"""True once the page is completely drawn."""


def read(root, of):
    """Apply the JavaScript function ``of`` to a component's handle and return the result; None while there is no handle."""
    return root.evaluate_all(f"([root]) => root?.seamark && ({of})(root.seamark)")


def eventually(reading, wanted, timeout=PATIENCE):
    """Read until it is what is ``wanted``, or until ``wanted`` holds of it; return what was read.

    Where it does not become so, the error shows the last reading.
    """
    holds = wanted if callable(wanted) else lambda seen: seen == wanted
    deadline = time.monotonic() + timeout / 1000
    while not holds(seen := reading()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert holds(seen), f"read last: {seen!r}" if callable(wanted) else f"read last: {seen!r}; wanted: {wanted!r}"
    return seen


def box_of(locator):
    """Return the box of an element on the page; NaN, with which every comparison fails, while it is not drawn."""
    return locator.bounding_box() or dict.fromkeys(("x", "y", "width", "height"), math.nan)


def until(root, condition, timeout=READY):
    """Wait until ``condition``, a function of a component's handle in JavaScript, holds."""
    eventually(lambda: bool(read(root, condition)), True, timeout)


def open_app(page, url, query=""):
    """Open the app and wait until every column has its chunks; return the reader's root."""
    page.goto(f"{url}/{query}")
    embedded(page)
    return page.locator(".seamark")


def embedded(page):
    """Wait until the script stands still and every reader has all chunks of what it was sent last, every part built."""
    try:
        page.wait_for_function(WHOLE, polling=50, timeout=READY)
    except TimeoutError as late:
        raise AssertionError(f"{late}\nThe page then: {page.evaluate(STATE)}") from None


def at_rest(page):
    """Wait until the script stands still, and with it everything on the page."""
    page.wait_for_function(f"() => {STANDS_STILL} && !{MOVES}", timeout=READY)


def painted(page):
    """Wait until the browser has painted what its events so far have asked for."""
    page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))")


def unfold(page, title):
    """Open an expander, and wait until nothing on the page moves any more."""
    page.get_by_text(title, exact=True).click(timeout=READY)
    painted(page)
    at_rest(page)


def from_the_top(page):
    """Scroll the page and every column of a text to their beginnings."""
    page.get_by_test_id("stMain").evaluate("(main) => main.scrollTo(0, 0)")
    page.locator(".seamark .text").evaluate_all("(bodies) => bodies.forEach((body) => body.scrollTo(0, 0))")
    painted(page)


def column(root, number):
    """Return the text of a column, counted from 0."""
    return root.locator(".text").nth(number)


def chunks(root, number):
    """Return the text of every chunk of a column, as it stands on the page."""
    return column(root, number).locator(".chunk").evaluate_all("(chunks) => chunks.map((chunk) => chunk.textContent)")


def whole_text(root, number):
    """Return all text of a column."""
    return column(root, number).evaluate_all("([body]) => body?.textContent")


def marked(within, name):
    """Return the numbers of the sentences that carry a mark, in their order."""
    spans = within.locator(f".s.{name}")
    return spans.evaluate_all("(spans) => [...new Set(spans.map((span) => Number(span.dataset.s)))].sort((a, b) => a - b)")


def paste(page, text):
    """Paste into the box of the own text, and have it cut."""
    box = open_box(page)
    box.fill(text)
    box.press("Control+Enter")


def open_box(page):
    """Open the box of the own text, and return its text area."""
    # While the script runs, Streamlit may draw the box anew.
    at_rest(page)
    box = page.get_by_label("Text", exact=True)
    if not box.is_visible():
        page.get_by_role("button", name="Paste, drop or upload a text").click()
    return box


def choose_sample(page, name):
    """Choose a sample by its name in the link, among those that have no chip of their own."""
    at_rest(page)
    page.locator(".text-bar .more").click()
    page.locator(f'.text-bar .entry[data-id="{name}"]').click()


def choose(page, label, option):
    """Choose an option of a select box in the side bar."""
    # While the script runs, Streamlit may draw the box anew, and its list closes.
    at_rest(page)
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).first.click()


def run(page):
    """Press “Run” on Tune or Retrieval, and wait until the run that comes with Seamark has gone."""
    page.get_by_role("button", name="Run", exact=True).click(timeout=READY)
    page.wait_for_url("**run=**", timeout=READY)
    expect(page.get_by_text("This result comes with Seamark")).to_have_count(0, timeout=READY)
