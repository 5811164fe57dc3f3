"""Lecture mode on a projector: pictures are enlarged with the words, and the first screen shows the text."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, column, open_app, painted

PROJECTORS = [(1280, 720), (1024, 768), (1920, 1080)]
QUERY = "?embedder=tfidf"

# The pixels of a canvas that are painted, and the height of its first unbroken run of rows that hold any, in CSS pixels.
PAINTED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const rows = Array.from({ length: canvas.height }, (_, row) =>
    data.subarray(row * canvas.width * 4, (row + 1) * canvas.width * 4).some((value, at) => at % 4 === 3 && value > 60));
  const first = rows.indexOf(true);
  const end = rows.indexOf(false, first);
  return { rows: (end < 0 ? rows.length : end) - first };
}"""

# The accent's pixels, as the dots of cuts have them.
ACCENT = """(canvas) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
  return count;
}"""


def drawn(page, app_url, query):
    root = open_app(page, app_url, query)
    painted(page)
    return {
        "bar": root.locator(".strip canvas").first.bounding_box()["height"],
        "number": root.locator("canvas.numbers").evaluate(PAINTED)["rows"],
        "dots": root.locator(".plot > canvas:not(.numbers)").evaluate(ACCENT),
        "type": column(root, 0).locator(".s").first.evaluate("(span) => parseFloat(getComputedStyle(span).fontSize)"),
    }


def test_pictures_grow_with_the_words(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    usual = drawn(page, app_url, QUERY)
    large = drawn(page, app_url, f"{QUERY}&lecture=1")
    assert large["bar"] >= 22
    grown = {name: large[name] / usual[name] for name in usual}
    assert grown["type"] >= 1.4
    assert grown["number"] >= 1.2, "a row of pixels more or less is a tenth of a small digit"
    assert grown["dots"] >= 1.3**2


@pytest.mark.parametrize(("width", "height"), PROJECTORS)
def test_the_first_screen_shows_the_text(open_page, app_url, width, height):
    page = open_page(viewport={"width": width, "height": height})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    sentence = column(root, 0).locator('.s[data-s="1"]').first.bounding_box()
    assert sentence["y"] + sentence["height"] <= height
    # The document's name is on the chip, and for those who hear the page it heads it.
    expect(root.get_by_role("heading", level=1)).to_have_text("Four stitched stubs")


def test_document_and_chunker_are_chosen_without_leaving(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    page.locator(".text-bar .more").click()
    page.locator('.text-bar .entry[data-id="three_topics"]').click()
    expect(root.get_by_role("heading", level=1)).to_have_text("Three unequal topics")
    at_rest(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("combobox", name="Chunker").click()
    page.get_by_role("option", name="Recursive").first.click()
    expect(root.locator(".head").nth(1)).to_contain_text("Recursive")
    assert "lecture=1" in page.url
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Leave lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page.get_by_role("combobox", name="Chunker")).to_have_value("Recursive")
