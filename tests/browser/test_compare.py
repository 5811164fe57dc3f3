"""What a person does on the Compare page, in a real browser."""

import pytest

from sample_docs import load_sample
from tests.browser.steps import chunks, embedded, open_app, until, whole_text


@pytest.mark.parametrize("sample", ["stubs", "algorithm", "report"])
def test_every_column_shows_the_original_text(page, app_url, sample):
    root = open_app(page, app_url, f"?document={sample}")
    for column in range(3):
        assert whole_text(root, column) == load_sample(sample).text


def test_first_screen_has_three_chunkers_and_says_why_they_cut(page, app_url):
    root = open_app(page, app_url)
    assert root.locator(".head").count() == 3
    assert root.locator(".why").first.is_visible()
    reasons = root.evaluate("(root) => root.reader.columns[1].segments.label.slice(1)")
    assert all(reason.startswith("cut: distance ") and ">" in reason for reason in reasons)
    boxes = [box.bounding_box()["x"] for box in root.locator(".head").all()]
    assert boxes == sorted(boxes)
    assert len(set(boxes)) == 3


def test_dragging_the_line_cuts_again_while_it_moves_and_stays_when_let_go(page, app_url):
    root = open_app(page, app_url)
    before = len(chunks(root, 1))
    line = root.locator(".line")
    box = line.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 45, steps=6)
    until(page, "(reader) => reader.columns[1].previewed")
    during = chunks(root, 1)
    assert len(during) > before
    page.mouse.up()
    until(page, "(reader) => !reader.columns[1].previewed && !reader.axis.plot.lines.dragging")
    embedded(page)
    assert chunks(root, 1) == during
    page.wait_for_url("**c2.amount=**")
    assert "all 16 cached" in root.locator(".head").nth(1).inner_text()
    assert "added" in root.locator(".head").nth(1).locator("dd.changed").inner_text()


def test_the_line_moves_by_keyboard(page, app_url):
    root = open_app(page, app_url)
    line = root.locator(".line")
    before = float(line.get_attribute("aria-valuenow"))
    line.focus()
    page.keyboard.press("PageUp")
    page.wait_for_url("**c2.amount=75**")
    assert before == 70
    assert float(line.get_attribute("aria-valuenow")) == 75


def test_slider_in_the_side_bar_moves_the_line(page, app_url):
    root = open_app(page, app_url)
    slider = page.get_by_role("slider", name="Percentile of distance")
    slider.focus()
    level = root.evaluate("(root) => root.reader.axis.plot.curve.data.lines[0].level")
    # One press: Streamlit's slider can lose one that comes while the page answers the last.
    slider.press("ArrowRight")
    page.wait_for_url("**c2.amount=70.5**")
    until(page, "(reader) => reader.axis.plot.curve.data.lines[0].value === 70.5")
    assert root.evaluate("(root) => root.reader.axis.plot.curve.data.lines[0].level") > level


def test_hovering_a_sentence_marks_it_in_every_column(page, app_url):
    root = open_app(page, app_url)
    root.locator(".text").nth(1).locator('.s[data-s="1"]').hover()
    marked = root.evaluate(
        "(root) => root.reader.columns.map((c) => [...c.body.querySelectorAll('.s.near')].map((s) => s.dataset.s).join())"
    )
    assert marked == ["1", "1", "1"]


def test_the_curve_leads_to_the_text_by_pointer_and_by_keyboard(page, app_url):
    root = open_app(page, app_url, "?document=report")
    plot = root.locator(".plot")
    plot.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert root.locator(".said").inner_text().startswith("Gap 3, between sentences 3 and 4")
    box = plot.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + 100)
    visible = """(root) => root.reader.columns.map((c) => c.topmost().sentence / root.reader.sentences)"""
    assert all(0.7 < share < 0.9 for share in root.evaluate(visible))


def test_columns_scroll_in_step(page, app_url):
    root = open_app(page, app_url, "?document=report")
    first = root.locator(".text").first
    first.hover()
    page.mouse.wheel(0, 4000)
    page.wait_for_timeout(400)
    tops = root.evaluate("(root) => root.reader.columns.map((column) => column.topmost().sentence)")
    assert tops[0] > 10
    assert max(tops) - min(tops) <= 1


def test_next_disagreement_names_the_columns(page, app_url):
    root = open_app(page, app_url)
    root.get_by_role("button", name="disagreements").click()
    assert "cut by column" in root.locator(".said").inner_text()


def test_a_click_on_a_head_chooses_the_column(page, app_url):
    root = open_app(page, app_url)
    root.locator(".choose").nth(2).click()
    page.get_by_text("Initial threshold").wait_for()
    page.wait_for_url("**selected=3**")


def test_a_link_brings_the_same_chunks_back(page, app_url):
    link = "?document=three_topics&c1=breakpoint&c1.threshold=distance&c1.amount=0.8&c2=recursive&c2.size=120&selected=2"
    root = open_app(page, app_url, link)
    assert root.locator(".head").count() == 2
    first = [chunks(root, 0), chunks(root, 1)]
    page.reload()
    embedded(page)
    assert [chunks(root, 0), chunks(root, 1)] == first
    assert "120 characters" in root.locator(".head").nth(1).inner_text()


def test_a_bad_link_says_what_is_wrong_and_works(page, app_url):
    open_app(page, app_url, "?c1=breakpoint&c1.amount=0.95&document=nothing")
    assert page.get_by_text("did you mean 95?").is_visible()
    assert page.get_by_text("got 'nothing'").is_visible()


def test_both_themes_and_a_narrow_window(browser, app_url):
    for scheme in ("light", "dark"):
        page = browser.new_context(color_scheme=scheme, viewport={"width": 800, "height": 1000}).new_page()
        root = open_app(page, app_url)
        assert root.get_attribute("data-theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth") <= 800
        page.context.close()
