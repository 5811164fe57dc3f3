"""Questions after a reload, and a text kept on this machine after a restart on another port, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, column, embedded, eventually, open_app, open_box, paste, read, whole_text
from tests.browser.test_accessibility import AXE, violations
from tests.fixtures.app_server import app_server

QUICK = "?embedder=tfidf&c1=fixed_sentences&c1.size=2&c2=recursive&ask=bm25&ask_limit=50"
TEXT = "The lamp turns all night. A ship sees it far out. The keeper sleeps by day. Nobody else lives there."


@pytest.fixture
def laptop(open_page):
    return open_page(viewport={"width": 1280, "height": 720})


def keep_question(page, root, question, sentence):
    """Ask a question and mark what the mouse selects in a sentence as its answer."""
    page.keyboard.press("/")
    expect(page.get_by_label("Ask your text")).to_be_focused()
    page.keyboard.insert_text(question)
    page.keyboard.press("Enter")
    eventually(lambda: read(root, "({ asking }) => asking.state"), "done")
    place = column(root, 0).locator(f'.s[data-s="{sentence}"]').bounding_box()
    page.mouse.move(place["x"] + 2, place["y"] + 6)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] - 4, place["y"] + 6, steps=5)
    page.mouse.up()
    root.get_by_role("button", name="Mark as the answer").click()
    expect(root.locator(".asking .ask-said")).to_have_text("Kept under “Questions”, below the text")
    at_rest(page)


def shows_question(page, question):
    page.get_by_text("Questions", exact=True).click()
    expect(page.get_by_text(question)).to_be_visible(timeout=READY)


@pytest.mark.full
def test_a_reload_loses_no_question(laptop, app_url):
    root = open_app(laptop, app_url, QUICK)
    paste(laptop, TEXT)
    eventually(lambda: whole_text(root, 0), TEXT)
    keep_question(laptop, root, "Who <b>sees</b> it?", 1)
    laptop.reload()
    embedded(laptop)
    eventually(lambda: whole_text(laptop.locator(".seamark"), 0), TEXT)
    shows_question(laptop, "Who <b>sees</b> it? → “")


@pytest.mark.full
def test_a_kept_text_is_there_after_a_restart_on_another_port(open_page, tmp_path):
    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}
    with app_server(tmp_path / "first.txt", environment=environment) as server:
        page = open_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(path=AXE)
        root = open_app(page, server.url, QUICK)
        paste(page, TEXT)
        eventually(lambda: whole_text(root, 0), TEXT)
        page.locator(".text-bar").get_by_role("button", name="Keep on this machine").click()
        saved = page.locator(".text-bar").get_by_role("button", name="Saved on this machine")
        expect(saved).to_be_visible(timeout=READY)
        keep_question(page, root, "Who sees it?", 1)
        assert violations(page) == []
        link = page.url
        # The link in another tab is about the same text.
        second = open_page(viewport={"width": 400, "height": 800}, alone=True)
        second.goto(link)
        eventually(lambda: whole_text(second.locator(".seamark"), 0), TEXT)
        second.close()
        saved.click()
        page.get_by_role("button", name="Session file").click()
        expect(page.get_by_role("button", name="The whole session, with its text")).to_be_visible(timeout=READY)
        page.close()
    with app_server(tmp_path / "second.txt", environment=environment) as other:
        assert other.url != server.url
        page = open_page(viewport={"width": 1280, "height": 720})
        open_app(page, other.url, "?embedder=tfidf")
        open_box(page)
        expect(page.get_by_text("Pasted text · 1 question")).to_be_visible()
        page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Open text", exact=True).click()
        eventually(lambda: whole_text(page.locator(".seamark"), 0), TEXT)
        shows_question(page, "Who sees it? → “")
        assert "c2=recursive" in page.url
