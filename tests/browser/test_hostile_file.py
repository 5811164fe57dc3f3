"""A file that takes longer to read than it may: Cancel ends it, and other sessions do not feel it."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import embedded, eventually, open_app, paste, read, whole_text
from tests.browser.test_bad_input import upload
from tests.fixtures.hostile_files import pdf_file
from tests.reader_processes import readers

SLOW = pdf_file([b"BT /F 12 Tf " + b"(a) Tj " * 20_000 + b"ET"], [0] * 20_000)
"""A small file that would take hours, so that it is read for as long as the limit allows: one page 20,000 times."""

WORDS = "The first sentence. The second one."
ATTEMPTS = 5


@pytest.fixture
def session(page, server):
    """The page of a session that has a text and reads a file."""
    open_app(page, server.url, "?embedder=tfidf")
    paste(page, WORDS)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    begin_reading(page)
    return page


def begin_reading(page):
    upload(page, "slow.pdf", SLOW)
    # Embedding has a button of that name too.
    page.get_by_text("Reading the file").wait_for()


def cancel(page):
    return page.get_by_role("button", name="Cancel")


@pytest.mark.full
def test_cancel_ends_the_reading_and_the_text_before_stays(session, server):
    eventually(lambda: len(readers(server.pid)), 1)
    cancel(session).click()
    expect(cancel(session)).to_have_count(0)
    eventually(lambda: readers(server.pid), [])
    embedded(session)
    root = session.locator(".seamark")
    expect(session.get_by_role("heading", name="Pasted text")).to_be_visible()
    expect(session.get_by_text("this file takes longer")).to_have_count(0)
    eventually(lambda: whole_text(root, 0), WORDS)
    upload(session, "short.html", b"<p>Another file. It is short.</p>")
    expect(session.get_by_role("heading", name="short.html")).to_be_visible()
    eventually(lambda: whole_text(root, 0), "Another file. It is short.")


@pytest.mark.full
def test_another_sessions_slider_answers_meanwhile(session, server, open_page):
    other = open_page()
    root = open_app(other, server.url, "?sentences=lines&c1=fixed_sentences&c2=fixed_words&selected=1")
    slider = other.get_by_role("slider", name="Sentences per chunk")
    for attempt in range(ATTEMPTS):
        # The page may have taken so long to open that the file's time was over.
        if not cancel(session).is_visible():
            begin_reading(session)
        slider.press("ArrowRight")
        size = 5 + attempt
        eventually(lambda: read(root, "({ ready, columns }) => ready && columns[0].cuts[0]"), size)
        if cancel(session).is_visible():
            break
    expect(cancel(session)).to_be_visible()
    assert read(session.locator(".seamark"), "({ text }) => text") == WORDS
    cancel(session).click()
    eventually(lambda: readers(server.pid), [])
