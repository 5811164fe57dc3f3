"""The user's own traces in a real browser: an uploaded file, a failed question, and its passage on Compare."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, unfold
from tests.fixtures.traces import unpacked


@pytest.mark.full
def test_a_failed_question_of_a_trace_leads_to_its_passage_on_compare(page, app_url):
    lines = unpacked("langfuse.jsonl").splitlines(keepends=True)
    page.goto(f"{app_url}/retrieval?embedder=tfidf")
    unfold(page, "Your own traces")
    page.locator(".st-key-traces_file input[type=file]").set_input_files(
        # An observation, a search and the feedback.
        {"name": "langfuse.jsonl", "mimeType": "application/jsonl", "buffer": b"".join(lines[:3])}
    )
    expect(page.get_by_text("1 question: 1 failed, 0 did not, 0 cannot be told")).to_be_visible(timeout=READY)
    row = page.locator(".st-key-traces_list .row").filter(has_text="not used")
    row.click(timeout=READY)
    expect(row).to_have_attribute("aria-current", "true", timeout=READY)
    passages = page.locator(".st-key-traces_one .passages")
    expect(passages.locator("mark")).to_contain_text("the electric brake used for ordinary stops", timeout=READY)
    page.locator(".st-key-traces_one").get_by_role("button", name="See the passage on Compare").click()
    page.wait_for_url("**document=report**", timeout=READY)
    expect(page.get_by_text("the electric brake used for ordinary stops").first).to_be_in_viewport(timeout=READY)
