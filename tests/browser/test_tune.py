"""A sweep in a real browser, and its best setting taken to Compare."""

import re

from playwright.sync_api import expect

from tests.browser.steps import READY, embedded


def test_the_best_setting_goes_to_compare(page, app_url):
    words = "what=fixed_sentences&first=size&values=2,4,9&documents=stubs&held=&measure=f1&embedder=tfidf"
    page.goto(f"{app_url}/tune?{words}")
    page.get_by_role("button", name="Run", exact=True).click(timeout=READY)
    verdict = page.get_by_text(re.compile(r"is best: Boundary F1 0\.333 over 1 document"))
    expect(verdict).to_be_visible(timeout=READY)
    expect(verdict).to_contain_text("Fixed sentences (size 4)")
    page.get_by_role("button", name="Apply the best to Compare").click()
    page.wait_for_url("**c2=fixed_sentences&c2.size=4**", timeout=READY)
    embedded(page)
    expect(page.get_by_text("4 sentences, no overlap").first).to_be_visible(timeout=READY)
