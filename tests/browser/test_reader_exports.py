"""Copying the link and saving the picture of Compare."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import eventually, open_app

PNG = b"\x89PNG\r\n\x1a\n"


def test_the_link_is_copied_as_it_stands(page, app_url):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    root = open_app(page, app_url, "?embedder=tfidf&document=three_topics")
    root.get_by_role("button", name="Copy link").click()
    expect(root.get_by_role("button", name="Copied")).to_be_visible()
    # Playwright hears of a new address later than the page has it.
    eventually(lambda: page.url, page.evaluate("() => navigator.clipboard.readText()"))
    assert "document=three_topics" in page.url


@pytest.mark.full
def test_a_refused_clipboard_says_where_the_link_is(open_page, app_url):
    page = open_page(alone=True)
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));")
    root = open_app(page, app_url, "?embedder=tfidf")
    root.get_by_role("button", name="Copy link").click()
    expect(root.get_by_role("button", name=re.compile("address bar"))).to_be_visible()


@pytest.mark.full
def test_the_picture_is_of_strips_and_curve_at_twice_their_size(page, app_url, tmp_path):
    root = open_app(page, app_url, "?embedder=tfidf")
    page.evaluate("""() => {
      window.densities = [];
      const draw = CanvasRenderingContext2D.prototype.drawImage;
      CanvasRenderingContext2D.prototype.drawImage = function (image, left, top, width, height) {
        window.densities.push(image.width / width);
        return draw.call(this, image, left, top, width, height);
      };
    }""")
    with page.expect_download() as caught:
        root.get_by_role("button", name="Save picture").click()
    assert caught.value.suggested_filename == "seamark-strips.png"
    caught.value.save_as(tmp_path / "strips.png")
    picture = (tmp_path / "strips.png").read_bytes()
    assert picture.startswith(PNG)
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    field = root.locator(".field").bounding_box()
    assert width >= 2 * field["width"]
    assert height >= 2 * field["height"]
    # What is drawn has as many pixels as the picture: it is not enlarged. The page has its own again.
    assert min(page.evaluate("() => window.densities")) >= 1.9
    plot = root.locator(".plot canvas").first
    assert plot.evaluate("(canvas) => canvas.width / canvas.clientWidth") == page.evaluate("() => devicePixelRatio")
