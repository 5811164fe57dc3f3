"""Number of clicks for common tasks, counted by the browser whatever the test does. Key presses do not count."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, column, embedded, eventually, marked, open_app, read

QUICK = "?embedder=tfidf"

OWN = "\n\n".join(
    [
        "Bees dance to tell where the flowers are. The angle of the dance is that of the sun. Its length is the way to go.",
        "A loom holds the warp tight. The shuttle carries the weft from side to side. The reed beats every thread home.",
        "Glass is sand that was melted. Soda makes it melt sooner. Lime keeps it from dissolving in the rain.",
        "A lighthouse is known by its flashes. Their rhythm is in the chart. A sailor counts the seconds between them.",
    ]
)

SCROLLED = """() => [document.querySelector("[data-testid=stMain]"), document.scrollingElement]
  .map((node) => node.scrollTop).every((top) => top === 0)"""


@pytest.fixture
def laptop(open_page):
    page = open_page(viewport={"width": 1280, "height": 720}, alone=True)
    page.add_init_script("window.clicked = 0; addEventListener('pointerdown', () => { window.clicked += 1; }, true);")
    return page


def clicks(page):
    return page.evaluate("window.clicked")


def set_slider(page, share):
    """Click on the selected column's first slider, at this share of its length, and wait until that is what it is set to."""
    slider = page.get_by_test_id("stSidebar").get_by_test_id("stSlider").first
    before = page.url
    slider.scroll_into_view_if_needed()  # as the wheel does
    # The least and the greatest value are at the ends of the track.
    track = slider.locator("[role=group] > div").bounding_box()
    page.mouse.click(track["x"] + share * track["width"], track["y"] + track["height"] / 2)
    page.wait_for_url(lambda url: url != before)
    embedded(page)


def choose_by_key(page, number):
    page.keyboard.press(str(number))
    expect(page.locator(".seamark .head").nth(number - 1)).to_have_class("head selected")
    page.wait_for_url(f"**selected={number}**") if number != 2 else page.wait_for_url(lambda url: "selected=" not in url)
    embedded(page)


@pytest.mark.full
def test_the_best_of_five_own_settings_on_an_own_document_takes_eight_clicks(laptop, app_url):
    laptop.context.grant_permissions(["clipboard-read", "clipboard-write"])
    root = open_app(laptop, app_url, QUICK)
    laptop.evaluate("(text) => navigator.clipboard.writeText(text)", OWN)
    laptop.keyboard.press("Control+v")
    expect(root.get_by_role("heading", level=1)).to_have_text("Pasted text", timeout=READY)
    embedded(laptop)
    for count in (4, 5):
        laptop.get_by_role("button", name="Add", exact=True).click()
        expect(root.locator(".head")).to_have_count(count)
        embedded(laptop)
    settings = []
    for number, share in [(5, 0.04), (4, 0.16), (3, 0.5), (2, 0.9), (1, 0.2)]:
        if number != 5:
            choose_by_key(laptop, number)
        subtitle = root.locator(".head i").nth(number - 1)
        before = subtitle.text_content()
        set_slider(laptop, share)
        expect(subtitle).not_to_have_text(before)
        settings.append(root.locator(".head").nth(number - 1).locator(".choose").text_content())
    assert len(set(settings)) == 5
    laptop.get_by_role("radio", name="Which is best?").click()
    scores = laptop.locator(".scores")
    expect(scores.locator("tbody tr:not(.trivial)")).to_have_count(5)
    expect(scores.locator(".said")).not_to_be_empty()
    assert clicks(laptop) <= 8


@pytest.mark.full
def test_where_columns_disagree_and_why_takes_one_click_and_no_scrolling(laptop, app_url):
    root = open_app(laptop, app_url)
    root.get_by_role("button", name="Next disagreement").click()
    card = root.locator(".dispute")
    expect(card.locator(".reason").nth(1)).to_contain_text("0.73 > 0.72")
    expect(card).to_be_in_viewport(ratio=1)
    eventually(lambda: marked(column(root, 1), "disputed"), [1, 2])
    # The page brings both sentences into the window itself.
    for sentence in column(root, 1).locator(".s.disputed").all():
        expect(sentence).to_be_in_viewport(ratio=1)
    assert clicks(laptop) == 1


@pytest.mark.full
def test_what_double_pass_corrected_in_the_column_at_hand_takes_one_click(laptop, app_url):
    open_app(
        laptop, app_url, f"{QUICK}&document=algorithm&c1=fixed_sentences&c2=double_pass&c2.merging_threshold=0.1&selected=2"
    )
    laptop.get_by_role("link", name="Double pass", exact=True).click()
    rows = laptop.locator(".passes")
    rows.locator(".block").first.wait_for(timeout=READY)
    embedded(laptop)
    expect(laptop.get_by_text("column 2 of Compare")).to_be_visible()
    # What pass two merged: in words, and in the rows.
    expect(rows.locator(".summary")).to_contain_text("pass two leaves")
    expect(rows.get_by_text("merging 0.1", exact=False)).to_be_in_viewport(ratio=0.9)
    assert laptop.evaluate(SCROLLED)
    assert read(rows, "({ sentences }) => sentences") == 14
    assert clicks(laptop) == 1
