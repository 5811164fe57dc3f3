"""The Double pass page in a real browser."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, column, embedded, eventually, paste, read, until, whole_text
from tests.browser.steps import marked as marked_in
from tests.lanes import mostly_full

ALGORITHM = "?document=algorithm&c1=double_pass&c1.initial_threshold=0.4&c2=breakpoint&c2.amount=60"
"""The sample of the first screen, at settings that do not change when a default does."""

OVER = 16
"""The comparison, counted from 0, that merges over the snippet of the sample of the algorithm."""


def open_double_pass(page, url, query=ALGORITHM):
    """Open the page and wait until the rows, the stepper and the text are there; return the rows."""
    page.goto(f"{url}/double_pass{query}")
    rows = page.locator(".passes")
    rows.locator(".block").first.wait_for(timeout=READY)
    until(page.locator(".stepper"), "({ step }) => step")
    embedded(page)
    return rows


@pytest.fixture(scope="module")
def opened(kept_page, app_url):
    return open_double_pass(kept_page, app_url)


@pytest.fixture
def rows(kept_page, opened):
    """The rows of the page, at its first step."""
    field = kept_page.get_by_label("to step")
    field.fill("1")
    field.press("Enter")
    stands_at(kept_page, 1)
    field.blur()
    kept_page.mouse.move(5, 5)
    return opened


def stands_at(page, step):
    """Wait until the stepper stands at the step."""
    eventually(lambda: read(page.locator(".stepper"), "({ step }) => step"), step)


def marks(page, sentences, name="near"):
    """Wait until these sentences of the first column, and no others, carry the mark."""
    eventually(lambda: marked(page, name), sentences)


def marked(page, name):
    return marked_in(column(page.locator(".seamark"), 0), name)


def on_arc(page, comparison):
    """Move the pointer to the lowest point of an arc, and return it."""
    place = page.locator(f'.passes .touch[data-comparison="{comparison}"]').evaluate(
        "(path) => { const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());"
        " return [at.x, at.y]; }"
    )
    page.mouse.move(*place)
    return place


def test_stepping_comes_to_the_merge_over_the_snippet_and_its_two_similarities(kept_page, rows):
    page = kept_page
    for number in range(2, OVER + 2):
        page.keyboard.press("ArrowRight")
        stands_at(page, number)
    told = page.locator(".told")
    expect(told).to_have_class(re.compile(r"\bturn\b"))
    expect(told.locator("h2")).to_have_text("Merged over a snippet: sentence 11")
    expect(told).to_contain_text("0.62 > merging 0.30")
    expect(told).to_contain_text("0.18 ≤ merging 0.30")
    expect(told.locator(".would")).to_have_text(re.compile(r"After both passes: merged in pass two; .* would cut here"))
    marks(page, [*range(10)], "growing")
    marks(page, [10], "middle")
    marks(page, [11], "next")
    expect(page.locator(".passes .arc.over")).to_have_count(2)  # in the rows and in the legend
    expect(page.locator(".passes .value.over")).to_have_text("0.62 over 0.18")
    expect(page.locator(".passes .hatched")).to_have_count(1)
    expect(page.locator(".passes .band.middle")).to_have_count(1)
    page.wait_for_url(f"**step={OVER + 1}**")


def test_a_link_opens_at_its_step_with_the_head_of_the_page_in_sight(page, app_url):
    open_double_pass(page, app_url, f"{ALGORITHM}&step={OVER + 1}")
    stands_at(page, OVER + 1)
    marks(page, [10], "middle")
    seen = """(text) => {
      const [box, at] = [text, text.querySelector('.s.next')].map((node) => node?.getBoundingClientRect());
      return Boolean(at && at.top >= box.top && at.bottom <= box.bottom);
    }"""
    for number in (0, 1):
        text = column(page.locator(".seamark"), number)
        eventually(lambda text=text: text.evaluate(seen), True)
    assert page.locator(".passes h1").bounding_box()["y"] > 0


def test_hovering_a_block_or_an_arc_marks_its_sentences_and_says_its_numbers(kept_page, rows):
    page = kept_page
    caption = rows.locator(".said")
    rows.locator('[data-row="minis"][data-at="2"]').hover()
    expect(caption).to_have_text("Mini-chunk 3: sentences 8 to 10.")
    marks(page, [7, 8, 9])
    on_arc(page, OVER)
    expect(caption).to_have_text(
        "Merged over a snippet: sentence 11: similarity 0.62 > merging 0.30; sentence 11 before it 0.18 ≤ merging 0.30."
    )
    marks(page, [*range(10), 11])
    page.mouse.move(5, 5)
    marks(page, [])
    expect(caption).to_be_empty()


@pytest.mark.full
def test_an_item_that_other_settings_take_away_is_no_longer_chosen(page, app_url):
    rows = open_double_pass(page, app_url)
    group = rows.locator(".rows")
    group.focus()
    page.keyboard.press("End")
    caption = rows.locator(".said")
    expect(caption).not_to_be_empty()
    before = group.get_attribute("aria-label")
    page.get_by_role("slider", name="Initial").focus()
    page.keyboard.press("End")
    expect(group).not_to_have_attribute("aria-label", before)
    expect(caption).to_be_empty()
    marks(page, [])
    group.focus()
    page.keyboard.press("End")
    expect(caption).not_to_be_empty()


@pytest.mark.full
def test_a_click_on_an_arc_leads_to_its_step_and_to_the_text(page, app_url):
    open_double_pass(page, app_url, "?document=article")
    arc = page.locator(".passes .arc.over + .touch").first
    comparison = int(arc.get_attribute("data-comparison"))
    page.mouse.click(*on_arc(page, comparison))
    stands_at(page, comparison + 1)
    page.wait_for_url(f"**step={comparison + 1}**")
    (first, *_) = eventually(lambda: marked(page, "next"), lambda sentences: sentences != [])
    seen = """(text, sentence) => {
      const [box, at] = [text, text.querySelector(`.s[data-s="${sentence}"]`)].map((node) => node.getBoundingClientRect());
      return box.top <= at.top && at.top <= box.bottom;
    }"""
    eventually(lambda: column(page.locator(".seamark"), 0).evaluate(seen, first), True)


@pytest.mark.full
def test_the_merges_and_a_threshold_by_keyboard_alone(page, app_url):
    rows = open_double_pass(page, app_url)
    group, aloud = rows.locator(".rows"), rows.locator(".hidden")
    expect(group).to_have_attribute("aria-label", re.compile("^The two passes: pass one joined 8 of 13, pass two 4 of 4\\."))
    group.focus()
    expect(group).to_have_css("outline-style", "solid")
    page.keyboard.press("ArrowRight")
    expect(aloud).to_have_text("Sentences 1–6 and sentence 7 become one: similarity 0.32 > merging 0.30.")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(aloud).to_have_text(re.compile("^Merged over a snippet"))
    stands_at(page, 1)
    page.keyboard.press("Enter")
    stands_at(page, OVER + 1)
    page.keyboard.press("ArrowUp")
    expect(aloud).to_have_text("The chunk of sentences 8–10 ends: similarity 0.24 ≤ appending 0.40.")
    # A threshold has its similarities below it.
    caption = page.locator(".similarities figcaption").nth(2)
    expect(caption).to_have_text("4 of 5 similarities lie above 0.30")
    slider = page.get_by_role("slider", name="Merging threshold")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_url("**c1.merging_threshold=0.31**")
    expect(caption).to_have_text(re.compile("above 0\\.31$"))


def test_a_correction_leads_to_its_place(kept_page, rows):
    page = kept_page
    corrections = page.locator(".corrections")
    expect(corrections.locator("li")).to_have_count(5)
    over = corrections.get_by_role("button", name=re.compile("after sentence 11 .*over the snippet “return a”"))
    over.click()
    stands_at(page, OVER + 1)
    expect(over).to_contain_text("Breakpoint cuts here")


@pytest.mark.full
def test_a_long_text_shows_a_window_that_follows_the_steps_and_zooms(page, app_url):
    rows = open_double_pass(page, app_url, "?document=report")
    eventually(rows.locator(".block.sentence").count, lambda count: 32 <= count <= 34)

    def window():
        return read(rows, "({ window: { drawn, from, to } }) => (drawn ? [from, to] : null)")

    page.get_by_label("to step").fill("200")
    page.keyboard.press("Enter")
    eventually(window, lambda ends: ends and ends[0] > 150)
    rows.get_by_role("button", name="Show all of the text").click()
    count = read(rows, "({ sentences }) => sentences")
    eventually(window, [0, count])
    expect(rows.locator(".overview")).to_be_hidden()
    rows.locator(".rows").focus()
    page.keyboard.press("+")
    eventually(window, lambda ends: ends and ends[0] > 0 and ends[1] - ends[0] == pytest.approx(count / 2))


@pytest.mark.full
def test_a_length_refuses_a_merge_and_is_drawn_apart(page, app_url):
    rows = open_double_pass(page, app_url, "?document=algorithm&c1=double_pass&c1.max_size=400&c2=breakpoint")
    eventually(lambda: rows.locator(".legend").inner_text().count("too long"), 1)
    refused = rows.locator(".arc.long + .touch").last
    on_arc(page, refused.get_attribute("data-comparison"))
    expect(rows.locator(".said")).to_contain_text("too long together")


@pytest.mark.full
def test_a_text_that_looks_like_markup_is_text_and_nothing_else(page, app_url):
    rows = open_double_pass(page, app_url)
    code = "<img src=x onerror=alert(1)> <b>return</b>"
    paste(
        page,
        f"Water boils when it is heated. Heated water boils.\n{code}\nBoiling water was heated. Water that is hot boils.",
    )
    rows.locator("h1", has_text="Pasted text").wait_for(timeout=READY)
    embedded(page)
    page.locator(".told", has_text="Sentence 1").wait_for()
    eventually(lambda: whole_text(page.locator(".seamark"), 0), lambda text: code in text)
    assert page.locator("img[src=x]").count() == 0


def test_the_rows_are_saved_as_a_picture_with_its_own_colours(kept_page, rows):
    page = kept_page
    with page.expect_download() as saved:
        rows.get_by_role("button", name="Save the rows as SVG").click()
    picture = ElementTree.parse(saved.value.path()).getroot()
    assert saved.value.suggested_filename == "seamark-double-pass.svg"
    assert "0.62 over 0.18" in picture.itertext()
    styles = [node.get("style") for node in picture.iter("{http://www.w3.org/2000/svg}path")]
    assert all("stroke: rgb(" in style or "stroke: none" in style for style in styles)


@pytest.mark.parametrize("scheme", mostly_full(["light", "dark"], []))
def test_both_themes_and_a_narrow_window(open_page, app_url, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": 800, "height": 1000})
    rows = open_double_pass(page, app_url)
    expect(rows).to_have_attribute("data-theme", scheme)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), lambda width: width <= 800)
    expect(rows.locator(".value.over")).to_be_visible()


@pytest.mark.full
def test_the_steppers_buttons_stay_in_one_row_beside_a_narrow_text(open_page, app_url):
    page = open_page(viewport={"width": 1024, "height": 768})
    open_double_pass(page, app_url)
    boxes = [button.bounding_box() for button in page.locator(".stepper .keys button").all()]
    assert len({box["y"] for box in boxes}) == 1
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes), "a finger finds them"
    keys = page.locator(".stepper .keys").bounding_box()
    assert boxes[-1]["x"] + boxes[-1]["width"] <= keys["x"] + keys["width"]
