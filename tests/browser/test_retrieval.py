"""The Retrieval page in a real browser: measured in a job, a question from the link, its passages as text."""

import re

from playwright.sync_api import expect

from tests.browser.steps import READY

LINK = "/retrieval?embedder=tfidf&c1=recursive&c1.size=300&c2=fixed_sentences&question=5"
COMPARED = re.compile("(from|over) 40 questions")


def test_a_run_ends_in_the_passages_of_the_question_of_the_link(page, app_url):
    page.goto(app_url + LINK)
    page.get_by_role("button", name="Measure", exact=True).click(timeout=READY)
    expect(page.get_by_role("heading", name="Question by question")).to_be_visible(timeout=READY)
    expect(page.get_by_text(COMPARED).first).to_be_visible(timeout=READY)
    sections = page.locator(".passages").first.locator("section")
    expect(sections.first).to_be_visible()
    expect(sections.first.locator("h3")).to_contain_text("1 · ")
    # Every excerpt is either marked in a chunk or told to be missing.
    assert page.locator(".passages mark, .passages .missed").count() > 0
