"""The Guide, lecture mode and links to pages, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, open_app


@pytest.mark.full
def test_a_link_to_a_page_may_be_the_first_thing_a_server_is_asked_for(page, fresh_url):
    page.goto(f"{fresh_url}/guide?c1=fixed_words&c1.size=20&c1.overlap=0&lecture=1")
    expect(page.get_by_role("heading", name="Fixed words")).to_be_visible(timeout=READY)
    expect(page.get_by_text(re.compile(r"^\d+ chunks of 16 sentences"))).to_be_visible(timeout=READY)
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    page.get_by_role("button", name="Leave lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_url(lambda url: "lecture" not in url and "c1.size=20" in url)


def test_the_menu_keeps_the_document(page, app_url):
    open_app(page, app_url, "?document=three_topics")
    page.get_by_role("link", name="Guide").click()
    expect(page.get_by_role("heading", name="Three unequal topics")).to_be_visible(timeout=READY)
    page.get_by_role("radio", name="Fixed sentences").check(force=True)
    expect(page.get_by_role("heading", name="Fixed sentences")).to_be_visible()
    page.wait_for_url("**c1=fixed_sentences**")
    expect(page.get_by_role("img").first).to_be_visible()


def test_a_help_text_leads_to_the_guide(page, app_url):
    open_app(page, app_url)
    chooser = page.get_by_test_id("stSelectbox").filter(has_text="Chunker")
    chooser.get_by_test_id("stTooltipIcon").hover()
    link = page.get_by_role("link", name="More in the Guide")
    expect(link).to_have_attribute("href", "guide?c1=breakpoint")
