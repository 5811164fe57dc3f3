"""Chunks that lie in several places of the text, and what a column's head says of its chunks, in a real browser."""

from tests.browser.steps import open_app, whole_text


def test_a_chunk_of_several_places_is_one_in_every_place(page, app_url):
    root = open_app(page, app_url, "?document=article&embedder=tfidf&c1=kmeans&c1.clusters=4&c2=fixed_sentences")
    head = root.locator(".head").first.inner_text()
    assert "4 of 4 chunks" in head
    assert "order breaks" in head
    assert "in pieces" not in root.locator(".head").nth(1).inner_text()
    assert whole_text(root, 0) == whole_text(root, 1)
    places = root.evaluate("""(root) => [...root.reader.columns[0].blocks].map((part) => [
      part.querySelector(".no").dataset.no, getComputedStyle(part.chunk).backgroundColor, part.why?.ariaLabel ?? ""])""")
    grounds = {}
    for number, ground, reason in places:
        assert grounds.setdefault(number, ground) == ground
        assert reason.startswith("chunk ") == (reason.startswith(f"chunk {number} goes on · "))
    assert len(set(grounds.values())) == len(grounds) == 4
    assert sum(reason.startswith("chunk ") for _, _, reason in places) == len(places) - 4


def test_pointing_at_a_place_marks_the_others_of_its_chunk(page, app_url):
    root = open_app(page, app_url, "?document=article&embedder=tfidf&c1=kmeans&c1.clusters=4&c2=fixed_sentences")
    root.locator(".text").first.locator(".chunk").first.hover()
    marked, others = root.evaluate("""(root) => {
      const { blocks: parts } = root.reader.columns[0];
      const number = (part) => part.querySelector(".no").dataset.no;
      return [parts.filter((part) => part.classList.contains("kin")).map((part) => part.number),
        parts.filter((part) => part !== parts[0] && number(part) === number(parts[0])).map((part) => part.number)];
    }""")
    assert marked == others != []
    root.locator(".text").nth(1).locator(".chunk").first.hover()
    assert root.locator(".block.kin").count() == 0


def test_a_chunk_longer_than_the_embedder_reads_is_said(page, app_url):
    root = open_app(page, app_url, "?document=essay&c1=fixed_sentences&c1.size=100&c2=fixed_sentences&c2.size=1")
    first, second = root.locator(".head").all()
    assert "chunks longer than the 256 tokens that all-MiniLM-L6-v2 reads" in first.inner_text()
    assert "longer than" not in second.inner_text()
