"""A sweep in a real browser, its best setting taken to Compare, and documents stitched of the user's own."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.segmentation.boundary_files import BoundaryFile
from tests.browser.steps import READY, embedded, eventually, unfold, whole_text


def test_the_best_setting_goes_to_compare(page, app_url):
    words = "what=fixed_sentences&first=size&values=2,4,9&documents=stubs&held=&measure=f1&embedder=tfidf"
    page.goto(f"{app_url}/tune?{words}")
    page.get_by_role("button", name="Run", exact=True).click(timeout=READY)
    verdict = page.get_by_text(re.compile(r"highest here: Boundary F1 0\.333 on 1 document"))
    expect(verdict).to_be_visible(timeout=READY)
    expect(verdict).to_contain_text("Fixed sentences (size 4)")
    page.get_by_role("button", name="Take the best to Compare").click()
    page.get_by_role("button", name="Open Compare").click()
    page.wait_for_url("**c4=fixed_sentences&c4.size=4**", timeout=READY)
    embedded(page)
    expect(page.get_by_text("4 sentences, no overlap").first).to_be_visible(timeout=READY)


TOPICS = {
    "heron": "A heron stands in the reeds. It waits for fish. It strikes at once.",
    "loom": "A loom has two beams. The warp is wool. The weft goes over and under.",
    "tide": "The tide rises twice a day. The moon draws the sea. The harbour fills.",
    "bread": "Bread begins with flour. Water makes it dough. The oven makes it bread.",
}


def downloaded(page, button):
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return download.value.path().read_bytes()


@pytest.mark.full
def test_short_texts_are_stitched_and_one_is_opened_with_its_seams(page, app_url):
    page.goto(f"{app_url}/tune?what=fixed_sentences&first=size&values=3&documents=&held=&embedder=tfidf")
    unfold(page, "Your own documents")
    files = [{"name": f"{name}.txt", "mimeType": "text/plain", "buffer": text.encode()} for name, text in TOPICS.items()]
    files.append({"name": "void.txt", "mimeType": "text/plain", "buffer": b" "})
    page.locator(".st-key-short_files input[type=file]").set_input_files(files)
    page.get_by_role("button", name="Stitch documents", exact=True).click(timeout=READY)
    expect(page.get_by_text("void.txt: a document to stitch must have text")).to_be_visible(timeout=READY)
    expect(
        page.get_by_text("5 documents stitched from 4 short texts, with 12 sentences and 3 known boundaries each")
    ).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile(r"lowest here: Pk 0\.000 on average over 5 documents"))).to_be_visible(timeout=READY)
    long = downloaded(page, "Text").decode()
    assert len(BoundaryFile.read_hash_and_boundaries(downloaded(page, "Boundaries")).boundaries_checked_for_text(long)) == 3
    page.get_by_role("button", name="Open on Failures").click()
    page.wait_for_url("**/failures**", timeout=READY)
    embedded(page)
    root = page.locator(".seamark")
    expect(page.get_by_role("heading", name="stitched 1")).to_be_visible()
    eventually(lambda: whole_text(root, 0), long)
    expect(root.get_by_text("3 known boundaries")).to_be_visible()
