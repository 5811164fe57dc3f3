"""Measuring the effect of edits in a job below Compare's columns, which can be stopped and resumed."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, open_app

BUTTON = "Measure edit stability"


@pytest.mark.full
def test_edits_are_measured_on_request_beside_what_needs_none(page, app_url):
    open_app(page, app_url, "?document=table&embedder=tfidf")
    page.get_by_role("radio", name="Without labels").click()
    scores = page.locator(".scores")
    expect(scores.locator("tbody strong")).to_have_count(5)
    expect(scores.locator("tr.trivial")).to_have_count(2)
    expect(scores.get_by_role("columnheader", name="Blocks whole")).to_be_visible()
    expect(scores.get_by_role("columnheader", name="Changed")).to_have_count(0)
    page.get_by_role("button", name=BUTTON).click()
    changed = scores.get_by_role("columnheader", name="Changed")
    expect(changed).to_be_visible()
    # It leaves when nothing is left to measure; a dash would stand where something is.
    expect(page.get_by_role("button", name=BUTTON)).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    shares = scores.locator("tbody td:nth-last-child(3)")
    expect(shares).to_have_count(5)
    for share in shares.all():
        expect(share).to_contain_text("%")
    scores.get_by_role("button", name="Changed").click()
    expect(changed).to_have_attribute("aria-sort", "ascending")
    expect(scores.locator("tbody strong").last).to_have_text("no cut")


@pytest.mark.full
def test_a_measurement_that_was_cancelled_can_be_taken_up(page, app_url):
    # The long text makes it last long enough to be stopped.
    open_app(page, app_url, "?document=essay&embedder=tfidf")
    page.get_by_role("radio", name="Without labels").click()
    page.get_by_role("button", name=BUTTON).click()
    page.get_by_role("button", name="Cancel").click()
    at_rest(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.get_by_role("button", name=BUTTON)).to_be_visible()
