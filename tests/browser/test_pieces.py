"""Chunks that lie in several places of the text, and what a column's head says of its chunks, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import column, eventually, open_app, whole_text


def test_a_chunk_of_several_places_is_one_in_every_place_and_each_points_at_the_others(page, app_url):
    root = open_app(page, app_url, "?document=article&embedder=tfidf&c1=kmeans&c1.clusters=4&c2=fixed_sentences")
    head = root.locator(".head")
    expect(head.first).to_contain_text("4 of 4 chunks")
    expect(head.first).to_contain_text("order breaks")
    expect(head.nth(1)).not_to_contain_text("in pieces")
    assert whole_text(root, 0) == whole_text(root, 1)
    parts = column(root, 0).locator(".block")
    places = parts.evaluate_all("""(parts) => parts.map((part) => [
      part.querySelector(".no").dataset.no, getComputedStyle(part.querySelector(".chunk")).backgroundColor,
      part.querySelector("[role=note]")?.ariaLabel ?? ""])""")
    assert places
    grounds = {}
    for number, ground, reason in places:
        assert grounds.setdefault(number, ground) == ground
        assert reason.startswith("chunk ") == (reason.startswith(f"chunk {number} goes on · "))
    assert len(set(grounds.values())) == len(grounds) == 4
    assert sum(reason.startswith("chunk ") for _, _, reason in places) == len(places) - 4
    # Pointing at a place marks the others of its chunk.
    column(root, 0).locator(".chunk").first.hover()
    numbers = parts.evaluate_all("(parts) => parts.map((part) => part.querySelector('.no').dataset.no)")
    others = [place for place, number in enumerate(numbers) if place and number == numbers[0]]
    assert others
    kin = "(parts) => parts.flatMap((part, place) => (part.classList.contains('kin') ? [place] : []))"
    eventually(lambda: parts.evaluate_all(kin), others)
    column(root, 1).locator(".chunk").first.hover()
    expect(root.locator(".block.kin")).to_have_count(0)


@pytest.mark.full
def test_a_chunk_longer_than_the_embedder_reads_is_said(page, app_url):
    root = open_app(page, app_url, "?document=essay&c1=fixed_sentences&c1.size=100&c2=fixed_sentences&c2.size=1")
    first, second = root.locator(".head").all()
    expect(first).to_contain_text("chunks longer than the 256 tokens that all-MiniLM-L6-v2 reads")
    expect(second).not_to_contain_text("longer than")
