"""The Clustering page in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, column, embedded, eventually, marked, read, until

LINKAGE = "embedder=tfidf&document=article&c1=single_linkage&c1.position_weight=0.2&c1.max_distance=0.9"


def open_clustering(page, url, query=LINKAGE):
    """Open the page and wait until the text is cut and the heatmap is drawn; return the heatmap."""
    page.goto(f"{url}/clustering?{query}")
    embedded(page)
    root = page.locator(".heatmap")
    until(root, "({ painted, cells }) => painted && cells")
    page.locator(".chunks li").first.wait_for()
    return root


@pytest.fixture(scope="module")
def heatmap(kept_page, app_url):
    return open_clustering(kept_page, app_url)


@pytest.fixture
def page(kept_page):
    return kept_page


def point(heatmap, one, other):
    """Return the position of a cell in the window, given its two rows."""
    heatmap.locator(".map").evaluate("(map) => map.scrollIntoView({ block: 'nearest' })")
    return read(heatmap, f"({{ at }}) => at({one}, {other})")


def pinned(heatmap):
    """Return the rows of the cell that is marked."""
    return read(heatmap, "({ pinned }) => pinned")


def marks(page, growing, following):
    """Wait until the text marks these sentences, and no others."""
    root = page.locator(".seamark")
    eventually(lambda: (marked(root, "growing"), marked(root, "next")), (growing, following))


def in_sight(page, sentence):
    """Wait until a sentence stands in the open."""
    seen = """(body, sentence) => {
      const [box, at] = [body, body.querySelector(`[data-s="${sentence}"]`)].map((node) => node.getBoundingClientRect());
      return at.top >= box.top - 1 && at.bottom <= Math.min(box.bottom, innerHeight) + 1;
    }"""
    text = page.locator(".seamark .text")
    eventually(lambda: text.evaluate(seen, sentence), True)


@pytest.mark.full
def test_pointing_at_a_cell_says_the_distance_and_marks_the_text_and_a_click_goes_there(page, heatmap):
    scrolled = "(body) => body.scrollTop"
    text = page.locator(".seamark .text")
    before = text.evaluate(scrolled)
    page.mouse.move(*point(heatmap, 2, 30))
    heatmap.get_by_text("Sentences 3 and 31").wait_for()
    marks(page, [2], [30])
    between = read(heatmap, "({ between }) => between(2, 30)")
    distance, place, meaning = between["distance"], between["place"], between["meaning"]
    assert place == pytest.approx(28 / 39)
    assert distance == pytest.approx(0.2 * 28 / 39 + 0.8 * meaning)
    caption = heatmap.locator(".said")
    expect(caption).to_contain_text(f"distance {distance:.2f}")
    expect(caption).to_contain_text(f"place {0.2 * place:.2f} (0.2 × {place:.2f})")
    # Who only points leaves the text where it is.
    assert text.evaluate(scrolled) == before
    # Who clicks wants to see it.
    page.mouse.click(*point(heatmap, 2, 37))
    in_sight(page, 37)
    heatmap.get_by_role("button", name="sentence 3", exact=True).click()
    in_sight(page, 2)
    heatmap.get_by_role("button", name="sentence 38", exact=True).click()
    in_sight(page, 37)


@pytest.mark.full
def test_keys_go_from_cell_to_cell_and_to_the_text(page, heatmap):
    where = page.locator(".where")
    expect(where).to_have_text(re.compile(r"^step \d+ of"))
    step = where.inner_text()
    page.mouse.click(*point(heatmap, 5, 6))
    eventually(lambda: pinned(heatmap), [5, 6])
    heatmap.locator(".map").focus()
    for key in ("ArrowDown", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    eventually(lambda: pinned(heatmap), [6, 17])
    expect(heatmap.locator(".hidden")).to_have_text(re.compile("^Sentences 7 and 18, distance "))
    page.keyboard.press("Enter")
    in_sight(page, 6)
    page.keyboard.press("Enter")
    in_sight(page, 17)
    expect(heatmap.locator(".map")).to_have_css("outline-style", "solid")
    # The arrows were the heatmap's: no step was taken.
    expect(where).to_have_text(step, use_inner_text=True)


@pytest.mark.full
def test_the_stepper_marks_cell_and_text_and_its_step_is_in_the_link(page, heatmap):
    before = pinned(heatmap)
    page.get_by_role("button", name="Step forward").click()
    where, title = page.locator(".where"), page.locator(".told h2")
    expect(where).to_have_text(re.compile("^step 2 of"))
    one, other = eventually(lambda: pinned(heatmap), lambda pair: pair not in (None, before))
    marks(page, [one], [other])
    expect(title).to_contain_text(f"sentences {one + 1} and {other + 1}")
    page.wait_for_url("**step=2**")
    page.keyboard.press("ArrowRight")
    expect(where).to_have_text(re.compile("^step 3 of"))
    page.wait_for_url("**step=3**")
    words = title.inner_text()
    page.reload()
    expect(where).to_have_text(re.compile("^step 3 of"), timeout=READY)
    expect(title).to_have_text(words, use_inner_text=True)


def test_the_list_of_chunks_leads_to_the_text_and_has_its_colours(page, heatmap):
    root = page.locator(".seamark")
    scattered = page.locator(".chunks li").filter(has=page.locator("button:nth-of-type(2)")).first
    expect(page.locator(".chunks p")).to_contain_text("order break")
    # What the stepper marks comes back when the pointer leaves.
    before = eventually(lambda: marked(root, "growing"), lambda sentences: sentences != [])
    last = scattered.get_by_role("button").last
    sentence = int(last.get_attribute("aria-label").split()[3]) - 1
    last.hover()
    eventually(lambda: marked(root, "growing")[:1], [sentence])
    page.mouse.move(2, 2)
    eventually(lambda: marked(root, "growing"), before)
    last.focus()
    page.keyboard.press("Enter")
    in_sight(page, sentence)
    grounds = page.locator(".chunks .chip").evaluate_all(
        "(chips) => chips.map((chip) => getComputedStyle(chip).backgroundColor)"
    )
    parts = column(root, 0).locator(".block")
    shown = parts.evaluate_all(
        "(parts) => parts.map((part) => [part.querySelector('.no').dataset.no,"
        " getComputedStyle(part.querySelector('.chunk')).backgroundColor])"
    )
    assert shown
    assert all(grounds[int(number) - 1] == ground for number, ground in shown)


def test_another_weight_draws_again_and_embeds_nothing(page, heatmap):
    before = read(heatmap, "({ painted }) => painted")
    listed = page.locator(".chunks ol")
    chunks = listed.text_content()
    # One press: Streamlit's slider can lose one that comes while the page answers the last.
    page.get_by_role("slider", name="Position weight λ").press("End")
    page.wait_for_url("**c1.position_weight=1&**")
    until(heatmap, f"({{ painted, weight }}) => painted > {before} && weight === 1")
    head = page.locator(".seamark .head")
    expect(head).to_contain_text("λ 1,")
    expect(listed).not_to_have_text(chunks)
    expect(head).to_contain_text("all 39 cached")
    expect(page.locator(".chunks p")).to_have_text(re.compile("^No order breaks"))


@pytest.mark.full
@pytest.mark.parametrize(("number", "title"), [(2, "Core, border, noise"), (3, "Distance to centres")])
def test_the_other_chunkers_have_figures_with_tables(open_page, app_url, number, title):
    page = open_page()
    heatmap = open_clustering(page, app_url, f"embedder=tfidf&document=article&selected={number}")
    expect(heatmap.locator("h2")).to_have_text("Joint distance" if number == 2 else "Distance in meaning")
    page.get_by_role("heading", name=title).wait_for()
    page.locator(".js-plotly-plot .point").first.wait_for()
    page.get_by_text(f"{title}: data").click()
    page.get_by_role("button", name="Download as HTML").wait_for()


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_and_a_narrow_window(open_page, app_url, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": 800, "height": 1000})
    heatmap = open_clustering(page, app_url)
    expect(heatmap).to_have_attribute("data-theme", scheme)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), lambda width: width <= 800)
