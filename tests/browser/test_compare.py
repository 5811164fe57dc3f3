"""The Compare page in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from sample_docs import load_sample
from tests.browser.steps import chunks, column, embedded, eventually, marked, open_app, painted, read, until, whole_text
from tests.lanes import mostly_full


def line(root):
    """Return the threshold line as it is drawn: its level on the curve, and the parameter's value that makes it so."""
    return read(root, "({ lines: [{ level, value }] }) => [level, value]")


def tops(root):
    """Return the first sentence in sight of every column."""
    return read(root, "({ columns }) => columns.map(({ top }) => top)")


@pytest.mark.parametrize("sample", mostly_full(["stubs", "algorithm", "report"], ["algorithm"]))
def test_every_column_shows_the_original_text(page, app_url, sample):
    root = open_app(page, app_url, f"?document={sample}")
    for number in range(3):
        eventually(lambda number=number: whole_text(root, number), load_sample(sample).text)


def test_the_first_screen_says_why_three_chunkers_cut_and_its_line_and_columns_are_moved_and_chosen(page, app_url):
    root = open_app(page, app_url)
    expect(root.locator(".head")).to_have_count(3)
    expect(root.locator(".why").first).to_be_visible()
    reasons = column(root, 1).get_by_role("note").evaluate_all("(notes) => notes.map((note) => note.ariaLabel)")
    assert reasons
    assert all(reason.startswith("cut: distance ") and ">" in reason for reason in reasons)
    boxes = root.locator(".head").evaluate_all("(heads) => heads.map((head) => head.getBoundingClientRect().x)")
    assert boxes == sorted(boxes)
    assert len(set(boxes)) == 3
    # Pointing at a sentence marks it in every column.
    column(root, 1).locator('.s[data-s="1"]').hover()
    eventually(lambda: [marked(column(root, number), "near") for number in range(3)], [[1]] * 3)
    # The line moves by its keys and with the slider in the side bar.
    handle = root.locator(".line")
    expect(handle).to_have_attribute("aria-valuenow", "70")
    handle.focus()
    page.keyboard.press("PageUp")
    page.wait_for_url("**c2.amount=75**")
    expect(handle).to_have_attribute("aria-valuenow", "75")
    embedded(page)
    level, _ = line(root)
    # One press: Streamlit's slider can lose one that comes while the page answers the last.
    page.get_by_role("slider", name="Percentile of distance").press("ArrowRight")
    page.wait_for_url("**c2.amount=75.5**")
    eventually(lambda: line(root), lambda now: now[1] == 75.5 and now[0] > level)
    # A click on a head chooses its column.
    embedded(page)
    root.locator(".choose").nth(2).click()
    page.get_by_text("Initial threshold").wait_for()
    page.wait_for_url("**selected=3**")


def test_dragging_the_line_cuts_again_while_it_moves_and_stays_when_let_go(page, app_url):
    root = open_app(page, app_url)
    before = len(chunks(root, 1))
    handle = root.locator(".line")
    handle.hover(position={"x": 300, "y": 10})
    box = handle.bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 30, steps=6)
    # The text follows the last of the moves.
    painted(page)
    until(root, "({ columns }) => columns[1].previewed && columns[1].blocks === columns[1].built")
    during = chunks(root, 1)
    assert len(during) > before
    page.mouse.up()
    until(root, "({ columns, dragging }) => !columns[1].previewed && !dragging")
    embedded(page)
    eventually(lambda: chunks(root, 1), during)
    page.wait_for_url("**c2.amount=**")
    head = root.locator(".head").nth(1)
    expect(head).to_contain_text("all 16 cached")
    expect(head.locator("dd.changed")).to_contain_text("added")


def test_the_curve_leads_to_the_text_by_pointer_and_by_keyboard_and_columns_scroll_in_step(page, app_url):
    root = open_app(page, app_url, "?document=report&embedder=tfidf")
    plot = root.locator(".plot")
    plot.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(root.locator(".said")).to_have_text(re.compile("^Gap 3, between sentences 3 and 4"))
    plot.click(position={"x": plot.bounding_box()["width"] * 0.8, "y": plot.bounding_box()["height"] - 4})
    sentences = read(root, "({ sentences }) => sentences")
    eventually(lambda: tops(root), lambda seen: all(0.7 < top / sentences < 0.9 for top in seen))
    # Columns scroll in step.
    column(root, 0).hover()
    page.mouse.wheel(0, -4000)
    eventually(lambda: tops(root), lambda seen: seen[0] < 0.7 * sentences and max(seen) - min(seen) <= 1)


def test_a_link_brings_the_same_chunks_back(page, app_url):
    link = "?document=three_topics&c1=breakpoint&c1.threshold=distance&c1.amount=0.8&c2=recursive&c2.size=120&selected=2"
    root = open_app(page, app_url, link)
    expect(root.locator(".head")).to_have_count(2)
    first = [chunks(root, 0), chunks(root, 1)]
    page.reload()
    embedded(page)
    eventually(lambda: [chunks(root, 0), chunks(root, 1)], first)
    expect(root.locator(".head").nth(1)).to_contain_text("120 characters")


@pytest.mark.full
def test_a_bad_link_says_what_is_wrong_and_works(page, app_url):
    open_app(page, app_url, "?c1=breakpoint&c1.amount=0.95&document=nothing")
    expect(page.get_by_text("did you mean 95?")).to_be_visible()
    expect(page.get_by_text("got 'nothing'")).to_be_visible()


@pytest.mark.parametrize("scheme", mostly_full(["light", "dark"], ["dark"]))
def test_both_themes_and_a_narrow_window(open_page, app_url, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": 800, "height": 1000})
    root = open_app(page, app_url)
    expect(root).to_have_attribute("data-theme", scheme)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), lambda width: width <= 800)


@pytest.mark.parametrize("width", mostly_full([1440, 1024, 400], [400]))
def test_nothing_below_the_strips_is_out_of_the_page_and_the_columns_buttons_are_in_one_row(open_page, app_url, width):
    page = open_page(viewport={"width": width, "height": 800})
    root = open_app(
        page, app_url, "?document=article&embedder=tfidf&c1=breakpoint&c2=fixed_sentences&c3=recursive&c4=optimal"
    )
    embedded(page)
    order = root.get_by_role("combobox", name="Order of the disagreements")
    expect(order).to_be_visible()
    for part in root.locator(".foot button, .foot select").all():
        if part.is_visible():
            box = part.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    if width == 400:
        page.get_by_test_id("stExpandSidebarButton").click()
    buttons = [page.get_by_role("button", name=name, exact=True) for name in ("Add", "Remove", "Your chunks")]
    eventually(lambda: {round(button.bounding_box()["y"]) for button in buttons}, lambda tops: len(tops) == 1)
