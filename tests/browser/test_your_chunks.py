"""A file of chunks becomes a column, and what is odd in it leads into the text."""

import json

import pytest
from playwright.sync_api import expect

from sample_docs import load_sample
from tests.browser.steps import at_rest, column, embedded, eventually, open_app, read


@pytest.mark.full
def test_an_altered_chunk_is_listed_and_leads_into_the_text(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf&document=report&c1=fixed_sentences&c1.size=9")
    page.get_by_role("button", name="Your chunks").click()
    expect(root.get_by_text("Choose a file of chunks")).to_be_visible()
    paragraphs = [paragraph for paragraph in load_sample("report").text.split("\n\n") if paragraph.strip()]
    altered = len(paragraphs) // 2
    given = [
        paragraph.replace("e", "3", 3) if number == altered else paragraph for number, paragraph in enumerate(paragraphs)
    ]
    hostile = "<img src=x onerror=document.title=1> is in no text"
    page.get_by_test_id("stSidebar").locator("input[type=file]").set_input_files(
        {"name": "theirs.json", "mimeType": "application/json", "buffer": json.dumps([*given, hostile]).encode()}
    )
    findings = page.locator(".inbox .finding")
    expect(findings).to_have_count(2)
    expect(findings.nth(0)).to_contain_text(f"Chunk {len(given) + 1}: not found")
    expect(findings.nth(0).locator("q")).to_have_text(hostile)
    at_rest(page)
    embedded(page)
    assert read(root, "({ columns }) => columns[1].cuts.length") == len(paragraphs) - 1
    findings.nth(1).click()
    eventually(lambda: read(root, "({ columns }) => columns[1].top") > 20, True)
    words = paragraphs[altered].split()
    expect(column(root, 1).get_by_text(" ".join(words[-4:-1])).first).to_be_attached()
    page.reload()
    expect(root.get_by_text("which no link carries")).to_be_visible()


@pytest.mark.full
def test_in_a_narrow_window_the_side_bar_makes_way_for_the_passage_that_a_finding_leads_to(open_page, app_url):
    page = open_page(viewport={"width": 400, "height": 800})
    root = open_app(page, app_url, "?document=stubs&c1=fixed_sentences")
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="Your chunks").click()
    expect(root.get_by_text("Choose a file of chunks")).to_be_attached()
    given = [line for line in load_sample("stubs").text.split("\n") if line.strip()]
    given[-1] = given[-1].replace("e", "3", 2)
    page.get_by_test_id("stSidebar").locator("input[type=file]").set_input_files(
        {"name": "theirs.json", "mimeType": "application/json", "buffer": json.dumps(given).encode()}
    )
    finding = page.locator(".inbox .finding")
    expect(finding).to_have_count(1)
    at_rest(page)
    finding.click()
    expect(finding).not_to_be_in_viewport()
    marked = column(root, 1).locator(".s.next").first
    expect(marked).to_be_in_viewport()
    # Nothing lies over it.
    marked.click(trial=True)
