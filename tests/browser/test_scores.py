"""The scores of Compare's columns: sorted by their heads, and a row chooses its column."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import box_of, embedded, eventually, open_app, paste

STRETCHED = "(strips) => strips.map((strip) => Math.abs(strip.width - strip.clientWidth * devicePixelRatio) > 1)"
"""For each strip of dots, whether its picture was drawn for a width that the strip no longer has."""


@pytest.mark.full
def test_heads_sort_and_rows_choose(page, app_url):
    open_app(page, app_url)
    page.get_by_role("radio", name="Scores").click()
    scores = page.locator(".scores")
    titles = scores.locator("tbody strong")
    expect(titles).to_have_text(["Fixed sentences", "Breakpoint", "Double pass"])
    expect(scores.locator("canvas")).to_have_count(3)
    # Scrolling leaves fractions of a pixel.
    expect(scores).to_be_in_viewport(ratio=0.99)
    added = scores.get_by_role("button", name="Added")
    added.click()
    expect(scores.get_by_role("columnheader", name="Added")).to_have_attribute("aria-sort", "ascending")
    expect(titles).to_have_text(["Double pass", "Fixed sentences", "Breakpoint"])
    added.press("Enter")
    expect(scores.get_by_role("columnheader", name="Added")).to_have_attribute("aria-sort", "descending")
    expect(titles).to_have_text(["Fixed sentences", "Breakpoint", "Double pass"])
    # Rows that move take the focus with them. A click by a script does not move it.
    row = scores.get_by_role("button", name="Double pass")
    row.focus()
    added.evaluate("(head) => head.click()")
    added.evaluate("(head) => head.click()")
    expect(titles).to_have_text(["Double pass", "Fixed sentences", "Breakpoint"])
    expect(row).to_be_focused()
    scores.locator("tbody tr").nth(0).click()
    page.wait_for_url("**selected=3**")
    expect(scores.locator("tr.chosen strong")).to_have_text("Double pass")


@pytest.mark.full
def test_the_table_fits_a_small_screen_and_scrolls_below_its_names_in_a_narrow_window(open_page, app_url):
    page = open_page(viewport={"width": 1024, "height": 768})
    open_app(page, app_url)
    page.get_by_role("radio", name="Scores").click()
    box = page.locator(".scores .scroll")
    eventually(lambda: box.evaluate("(box) => box.scrollWidth <= box.clientWidth"), True)
    page.set_viewport_size({"width": 400, "height": 900})
    eventually(lambda: box.evaluate("(box) => box.scrollWidth > box.clientWidth"), True)
    box.evaluate("(box) => box.scrollTo(box.scrollWidth, 0)")
    expect(box.get_by_role("columnheader", name="Embed")).to_be_in_viewport(ratio=0.9)
    name = box.get_by_role("rowheader").first
    eventually(lambda: box_of(name)["x"] - box_of(box)["x"], pytest.approx(0, abs=1))
    # The strips of dots are narrower there than in a wide window, and drawn for their width in both.
    strips, widths = box.locator("canvas"), []
    for width in (400, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        eventually(lambda: strips.evaluate_all(STRETCHED), [False] * 3)
        widths.append(box_of(strips.first)["width"])
    assert widths[0] < widths[1]


@pytest.mark.full
def test_best_of_five_without_marks_takes_three_clicks_and_no_scrolling(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    open_app(page, app_url, "?embedder=tfidf")
    paste(page, "\n\n".join(f"Lamp {n} burns. It is lit at dusk.\nThe keeper {n} sleeps." for n in range(8)))
    expect(page.get_by_role("heading", name="Pasted text")).to_be_visible()
    embedded(page)
    main = page.get_by_test_id("stMain")
    main.evaluate("(main) => main.scrollTo(0, 0)")
    for count in (4, 5):
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator(".seamark .head")).to_have_count(count)
        embedded(page)
    best = page.get_by_role("radio", name="Which is best?")
    expect(best).to_be_in_viewport(ratio=1)
    best.click()
    scores = page.locator(".scores")
    expect(scores.locator(".said")).to_be_in_viewport(ratio=0.9)
    expect(scores.locator("tbody tr:not(.trivial)")).to_have_count(5)
    expect(scores.locator(".said")).to_contain_text("No boundaries are known")
    # A click and a key put no frame round the page.
    scores.locator(".said").click()
    page.keyboard.press("x")
    assert main.evaluate("(main) => getComputedStyle(main).outlineStyle") == "none"


def test_which_is_best_is_two_clicks_away_and_claims_no_more_than_is_significant(page, app_url):
    open_app(page, app_url)
    page.get_by_role("radio", name="Which is best?").click()
    scores = page.locator(".scores")
    expect(scores.locator("tbody strong").first).to_have_text("Double pass")
    expect(scores.locator(".said")).to_contain_text("comes first, but not significantly")
    expect(scores.locator("tr.trivial")).to_have_count(3)
    scores.get_by_role("button", name="Breakpoint").click()
    expect(scores.locator("tr.chosen strong")).to_have_text("Breakpoint")


@pytest.mark.full
def test_a_press_on_a_column_compares_the_others_with_it(page, app_url):
    open_app(
        page, app_url, "?c1=fixed_sentences&c1.size=3&c2=fixed_sentences&c2.size=3&c2.overlap=1&embedder=tfidf&selected=1"
    )
    page.get_by_role("radio", name="Diff").click()
    scores = page.locator(".scores")
    expect(scores.locator(".said")).to_contain_text("An index of column 1")
    kept = scores.locator("tbody tr td:nth-of-type(2)")
    expect(kept.nth(0)).to_have_text("–")
    expect(kept.nth(1)).to_have_text(re.compile(r"^\d+$"))
    scores.locator("tbody tr").nth(1).click()
    expect(scores.locator(".said")).to_contain_text("An index of column 2")
    expect(kept.nth(1)).to_have_text("–")
    expect(kept.nth(0)).to_have_text(re.compile(r"^\d+$"))
