"""The top of a page: its document or, without a document, its purpose."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest
from tests.lanes import mostly_full

ABOUT_A_TEXT = ["", "breakpoints", "double_pass", "clustering", "failures", "answers", "guide"]
SIZE = "(heading) => parseFloat(getComputedStyle(heading).fontSize)"


@pytest.mark.parametrize("name", mostly_full([*ABOUT_A_TEXT, "tune", "retrieval"], ["answers"]))
def test_a_page_has_one_small_heading(page, app_url, name):
    page.goto(f"{app_url}/{name}?embedder=tfidf&document=three_topics")
    title = "Three unequal topics" if name in ABOUT_A_TEXT else name.capitalize()
    heads = page.get_by_role("heading", level=1)
    expect(heads).to_have_text([title], timeout=READY)
    at_rest(page)
    expect(heads).to_have_text([title])
    assert heads.evaluate(SIZE) <= 20
