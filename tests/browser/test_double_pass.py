"""What a person does on the Double pass page, in a real browser."""

import re
from xml.etree import ElementTree

import pytest

from tests.browser.steps import READY, embedded, paste, whole_text

ALGORITHM = "?document=algorithm&c1=double_pass&c1.initial_threshold=0.4&c2=breakpoint&c2.amount=60"
"""The sample of the first screen, at settings that do not change when a default does."""

OVER = 16
"""The comparison, counted from 0, that merges over the snippet of the sample of the algorithm."""


def open_page(page, url, query=ALGORITHM):
    """Open the page and wait until the rows, the stepper and the text are there; return the rows."""
    page.goto(f"{url}/double_pass{query}")
    rows = page.locator(".passes")
    rows.locator(".block").first.wait_for(timeout=READY)
    page.locator(".stepper[data-step]").wait_for(timeout=READY)
    embedded(page)
    return rows


def at(page):
    return page.locator(".stepper").get_attribute("data-step")


def marked(page, name, column=0):
    """Return the numbers of the sentences of a column that are marked so."""
    spans = page.locator(".seamark .text").nth(column).locator(f".s.{name}")
    return sorted({int(number) for number in spans.evaluate_all("(spans) => spans.map((span) => span.dataset.s)")})


def on_arc(page, comparison):
    """Move the pointer to the lowest point of an arc, and return it."""
    place = page.locator(f'.passes .touch[data-comparison="{comparison}"]').evaluate(
        "(path) => { const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());"
        " return [at.x, at.y]; }"
    )
    page.mouse.move(*place)
    return place


def test_stepping_comes_to_the_merge_over_the_snippet_and_its_two_similarities(page, app_url):
    open_page(page, app_url)
    for number in range(2, OVER + 2):
        page.keyboard.press("ArrowRight")
        assert at(page) == str(number)
    told = page.locator(".told")
    assert "turn" in told.get_attribute("class")
    assert told.locator("h2").inner_text() == "Merged over a snippet: sentence 11"
    assert "0.62 > merging 0.30" in told.inner_text()
    assert "0.18 ≤ merging 0.30" in told.inner_text()
    assert (marked(page, "growing"), marked(page, "middle"), marked(page, "next")) == ([*range(10)], [10], [11])
    assert page.locator(".passes .arc.over").count() == 2  # in the rows and in the legend
    assert page.locator(".passes .value.over").text_content() == "0.62 over 0.18"
    assert page.locator(".passes .hatched").count() == 1
    assert page.locator(".passes .band.middle").count() == 1
    page.wait_for_url(f"**step={OVER + 1}**")


def test_a_link_opens_at_its_step_with_the_head_of_the_page_in_sight(page, app_url):
    open_page(page, app_url, f"{ALGORITHM}&step={OVER + 1}")
    assert at(page) == str(OVER + 1)
    assert marked(page, "middle") == [10]
    assert page.locator(".passes h1").bounding_box()["y"] > 0
    seen = """(text) => {
      const [box, at] = [text, text.querySelector('.s.next')].map((node) => node.getBoundingClientRect());
      return at.top >= box.top && at.bottom <= box.bottom;
    }"""
    for column in (0, 1):
        page.wait_for_function(seen, arg=page.locator(".seamark .text").nth(column).element_handle(), timeout=10_000)


def test_hovering_a_block_or_an_arc_marks_its_sentences_and_says_its_numbers(page, app_url):
    rows = open_page(page, app_url)
    rows.locator('[data-row="minis"][data-at="2"]').hover()
    assert rows.locator(".said").inner_text() == "Mini-chunk 3: sentences 8 to 10."
    assert marked(page, "near") == [7, 8, 9]
    on_arc(page, OVER)
    assert rows.locator(".said").inner_text() == (
        "Merged over a snippet: sentence 11: similarity 0.62 > merging 0.30; sentence 11 before it 0.18 ≤ merging 0.30."
    )
    assert marked(page, "near") == [*range(10), 11]
    page.mouse.move(5, 5)
    assert marked(page, "near") == []
    assert rows.locator(".said").inner_text() == ""


def test_a_click_on_an_arc_leads_to_its_step_and_to_the_text(page, app_url):
    open_page(page, app_url, "?document=article")
    arc = page.locator(".passes .arc.over + .touch").first
    comparison = int(arc.get_attribute("data-comparison"))
    page.mouse.click(*on_arc(page, comparison))
    assert at(page) == str(comparison + 1)
    page.wait_for_url(f"**step={comparison + 1}**")
    (first, *_) = marked(page, "next")
    text = page.locator(".seamark .text").first
    box, sentence = text.bounding_box(), text.locator(f'.s[data-s="{first}"]').bounding_box()
    assert box["y"] <= sentence["y"] <= box["y"] + box["height"]


def test_the_merges_by_keyboard_alone(page, app_url):
    rows = open_page(page, app_url)
    group = rows.locator(".rows")
    assert group.get_attribute("aria-label").startswith("The two passes: pass one joined 8 of 13, pass two 4 of 4.")
    group.focus()
    assert page.evaluate("() => getComputedStyle(document.activeElement.shadowRoot.activeElement).outlineStyle") == "solid"
    page.keyboard.press("ArrowRight")
    first = rows.locator(".hidden").inner_text()
    assert first == "Sentences 1–6 and sentence 7 become one: similarity 0.32 > merging 0.30."
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert rows.locator(".hidden").inner_text().startswith("Merged over a snippet")
    assert at(page) == "1"
    page.keyboard.press("Enter")
    assert at(page) == str(OVER + 1)
    page.keyboard.press("ArrowUp")
    assert rows.locator(".hidden").inner_text() == "The chunk of sentences 8–10 ends: similarity 0.24 ≤ appending 0.40."


def test_a_correction_leads_to_its_place(page, app_url):
    open_page(page, app_url)
    corrections = page.locator(".corrections")
    assert corrections.locator("li").count() == 5
    over = corrections.get_by_role("button", name=re.compile("after sentence 11 .*over the snippet “return a”"))
    over.click()
    assert at(page) == str(OVER + 1)
    assert "Breakpoint cuts here" in over.inner_text()


def test_a_long_text_shows_a_window_that_follows_the_steps_and_zooms(page, app_url):
    rows = open_page(page, app_url, "?document=report")
    blocks = rows.locator(".block.sentence")
    assert 32 <= blocks.count() <= 34
    window = "({ passes: { window } }) => [window.from, window.to]"

    def drawn(condition):
        probe = f"({{ passes: {{ window }} }}) => !window.pending && {condition}"
        page.wait_for_function(probe, arg=rows.element_handle())

    page.get_by_label("to step").fill("200")
    page.keyboard.press("Enter")
    drawn("window.from > 150")
    rows.get_by_role("button", name="Show the whole text").click()
    drawn("window.from === 0")
    count = rows.evaluate("(root) => root.passes.data.count")
    assert rows.evaluate(window) == [0, count]
    assert rows.locator(".overview").is_hidden()
    rows.locator(".rows").focus()
    page.keyboard.press("+")
    drawn("window.from > 0")
    low, high = rows.evaluate(window)
    assert high - low == pytest.approx(count / 2)


def test_a_length_refuses_a_merge_and_is_drawn_apart(page, app_url):
    rows = open_page(page, app_url, "?document=algorithm&c1=double_pass&c1.max_size=400&c2=breakpoint")
    assert rows.locator(".legend").inner_text().count("too long") == 1
    refused = rows.locator(".arc.long + .touch").last
    on_arc(page, refused.get_attribute("data-comparison"))
    assert "too long together" in rows.locator(".said").inner_text()


def test_a_text_that_looks_like_markup_is_text_and_nothing_else(page, app_url):
    rows = open_page(page, app_url)
    code = "<img src=x onerror=alert(1)> <b>return</b>"
    paste(
        page,
        f"Water boils when it is heated. Heated water boils.\n{code}\nBoiling water was heated. Water that is hot boils.",
    )
    rows.locator(".summary", has_text="Pasted text").wait_for(timeout=READY)
    embedded(page)
    page.locator(".told", has_text="Sentence 1").wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert code in whole_text(page.locator(".seamark"), 0)


def test_the_rows_are_saved_as_a_picture_with_its_own_colours(page, app_url):
    rows = open_page(page, app_url)
    with page.expect_download() as saved:
        rows.get_by_role("button", name="Save the rows as SVG").click()
    picture = ElementTree.parse(saved.value.path()).getroot()
    assert saved.value.suggested_filename == "seamark-double-pass.svg"
    assert "0.62 over 0.18" in picture.itertext()
    styles = [node.get("style") for node in picture.iter("{http://www.w3.org/2000/svg}path")]
    assert all("stroke: rgb(" in style or "stroke: none" in style for style in styles)


def test_a_threshold_has_its_similarities_below_it(page, app_url):
    open_page(page, app_url)
    said = page.locator(".similarities figcaption")
    assert said.nth(2).inner_text() == "4 of 5 similarities lie above 0.30"
    slider = page.get_by_role("slider", name="Merging threshold")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_url("**c1.merging_threshold=0.31**")
    page.wait_for_function("(node) => node.textContent.endsWith('above 0.31')", arg=said.nth(2).element_handle())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_and_a_narrow_window(browser, app_url, scheme):
    page = browser.new_context(color_scheme=scheme, viewport={"width": 800, "height": 1000}).new_page()
    rows = open_page(page, app_url)
    assert rows.get_attribute("data-theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert rows.locator(".value.over").is_visible()
    page.context.close()
