"""Navigation between the pages, undo, and the browser's Back and Forward, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, embedded, open_app, read


def percentile(page):
    return page.get_by_role("slider", name="Percentile of distance")


def test_back_and_forward_restore_the_parameters(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    for value in ("70.5", "71"):
        at_rest(page)
        percentile(page).press("ArrowRight")
        page.wait_for_url(f"**c2.amount={value}**")
    at_rest(page)
    page.go_back()
    expect(percentile(page)).to_have_value("70.5")
    expect(root.locator(".line")).to_have_attribute("aria-valuenow", "70.5")
    page.wait_for_url("**c2.amount=70.5**")
    at_rest(page)
    page.go_back()
    expect(percentile(page)).to_have_value("70")
    at_rest(page)
    page.go_forward()
    page.go_forward()
    expect(percentile(page)).to_have_value("71")
    page.wait_for_url("**c2.amount=71**")
    # What is changed after that is a state of its own.
    at_rest(page)
    percentile(page).press("ArrowRight")
    page.wait_for_url("**c2.amount=71.5**")


@pytest.mark.full
def test_back_leads_from_page_to_page_with_the_parameters_of_then(page, app_url):
    open_app(page, app_url, "?embedder=tfidf&document=faq&c1=double_pass&c1.merging_threshold=0.5")
    page.get_by_role("link", name="Double pass", exact=True).click()
    expect(page.get_by_text("Double pass is column 1 of Compare")).to_be_visible(timeout=READY)
    merging = page.get_by_role("slider", name="Merging threshold")
    expect(merging).to_have_value("0.5")
    page.wait_for_url("**document=faq**")
    at_rest(page)
    merging.press("ArrowRight")
    expect(page.get_by_text("Double pass is column 1 of Compare, with other settings here")).to_be_visible()
    at_rest(page)
    page.go_back()
    expect(merging).to_have_value("0.5")
    at_rest(page)
    for _ in range(2):
        page.go_back()
        at_rest(page)
    page.wait_for_url("**c1.merging_threshold=0.5**")
    embedded(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("question", re.IGNORECASE))


@pytest.mark.full
def test_what_double_pass_is_given_comes_back_as_a_column_and_can_be_undone(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    page.get_by_role("link", name="Double pass", exact=True).click()
    merging = page.get_by_role("slider", name="Merging threshold")
    merging.press("ArrowRight", timeout=READY)
    expect(page.get_by_text("with other settings here")).to_be_visible()
    page.get_by_role("button", name="Take to Compare").click()
    expect(page.get_by_text("Added as column 4 of Compare")).to_be_visible()
    page.get_by_role("button", name="Open Compare").click()
    page.wait_for_url("**c4=double_pass**", timeout=READY)
    embedded(page)
    expect(root.locator(".head")).to_have_count(4)
    page.get_by_role("button", name="Undo").click()
    expect(root.locator(".head")).to_have_count(3)
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Column 2 removed")).to_be_visible()
    expect(root.locator(".head")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(root.locator(".head")).to_have_count(3)
    assert len(read(root, "({ columns }) => columns")) == 3
