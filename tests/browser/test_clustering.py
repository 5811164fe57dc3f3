"""What a person does on the Clustering page, in a real browser."""

import pytest

from tests.browser.steps import READY, embedded, until

LINKAGE = "embedder=tfidf&document=article&c1=single_linkage&c1.position_weight=0.2&c1.max_distance=0.9"


def open_page(page, url, query=LINKAGE):
    """Open the page and wait until the text is cut and the heatmap is drawn; return the heatmap."""
    page.goto(f"{url}/clustering?{query}")
    page.locator(".seamark h1").wait_for(timeout=READY)
    embedded(page)
    root = page.locator(".heatmap")
    page.wait_for_function("(root) => root.dataset.painted", arg=root.element_handle(), timeout=READY)
    page.locator(".chunks li").first.wait_for()
    return root


@pytest.fixture
def heatmap(page, app_url):
    return open_page(page, app_url)


def point(heatmap, one, other):
    """Return where in the window the cell of two rows is."""
    return heatmap.evaluate(
        """(root, [one, other]) => {
          const { map, side, distances } = root.heatmap.drawing;
          map.scrollIntoView({ block: "nearest" });
          const box = map.getBoundingClientRect();
          const at = (row) => ((row + 0.5) / distances.cells) * side;
          return [box.right - side + at(other), box.top + at(one)];
        }""",
        [one, other],
    )


def marked(page, name):
    """Return the sentences that the text marks so."""
    return page.locator(f".seamark .s.{name}").evaluate_all("(spans) => spans.map((span) => Number(span.dataset.s))")


def in_sight(page, sentence):
    return page.locator(".seamark .text").evaluate(
        """(body, sentence) => {
          const [box, at] = [body, body.querySelector(`[data-s="${sentence}"]`)].map((node) => node.getBoundingClientRect());
          return at.top >= box.top - 1 && at.bottom <= Math.min(box.bottom, innerHeight) + 1;
        }""",
        sentence,
    )


def test_pointing_at_a_cell_says_the_distance_and_marks_the_text_and_a_click_goes_there(page, heatmap):
    scrolled = "(body) => body.scrollTop"
    before = page.locator(".seamark .text").evaluate(scrolled)
    page.mouse.move(*point(heatmap, 2, 30))
    heatmap.get_by_text("Sentences 3 and 31").wait_for()
    assert (marked(page, "growing"), marked(page, "next")) == ([2], [30])
    said = heatmap.locator(".said").inner_text()
    distance, place, meaning = heatmap.evaluate(
        "({ heatmap: { distances } }) => [distances.between(2, 30), distances.place(2, 30), distances.meaning(2, 30)]"
    )
    assert place == pytest.approx(28 / 39)
    assert distance == pytest.approx(0.2 * 28 / 39 + 0.8 * meaning)
    assert f"distance {distance:.2f}" in said
    assert f"place {0.2 * place:.2f} (0.2 × {place:.2f})" in said
    # Who only points leaves the text where it is.
    assert page.locator(".seamark .text").evaluate(scrolled) == before
    # Who clicks wants to see it.
    page.mouse.click(*point(heatmap, 2, 37))
    assert in_sight(page, 37)
    heatmap.get_by_role("button", name="sentence 3", exact=True).click()
    assert in_sight(page, 2)
    heatmap.get_by_role("button", name="sentence 38", exact=True).click()
    assert in_sight(page, 37)


def test_keys_go_from_cell_to_cell_and_to_the_text(page, heatmap):
    page.mouse.click(*point(heatmap, 5, 6))
    heatmap.locator(".map").focus()
    for key in ("ArrowDown", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert heatmap.evaluate("(root) => root.heatmap.pinned") == [6, 17]
    assert heatmap.locator(".hidden").inner_text().startswith("Sentences 7 and 18, distance ")
    page.keyboard.press("Enter")
    assert in_sight(page, 6)
    page.keyboard.press("Enter")
    assert in_sight(page, 17)
    outline = heatmap.locator(".map").evaluate("(map) => getComputedStyle(map).outlineStyle")
    assert outline == "solid"
    # The arrows were the heatmap's: no step was taken.
    assert page.locator(".where").inner_text().startswith("step 1 of")


def test_the_stepper_marks_cell_and_text_and_its_step_is_in_the_link(page, heatmap):
    page.get_by_role("button", name="Step forward").click()
    one, other = heatmap.evaluate("(root) => root.heatmap.pinned")
    assert (marked(page, "growing"), marked(page, "next")) == ([one], [other])
    assert f"sentences {one + 1} and {other + 1}" in page.locator(".told h2").inner_text()
    page.wait_for_url("**step=2**")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**step=3**")
    title = page.locator(".told h2").inner_text()
    page.reload()
    page.locator(".where").get_by_text("step 3 of").wait_for(timeout=READY)
    assert page.locator(".told h2").inner_text() == title


def test_the_list_of_chunks_leads_to_the_text_and_has_its_colours(page, heatmap):
    scattered = page.locator(".chunks li").filter(has=page.locator("button:nth-of-type(2)")).first
    assert "order break" in page.locator(".chunks p").inner_text()
    last = scattered.get_by_role("button").last
    sentence = int(last.get_attribute("aria-label").split()[3]) - 1
    before = marked(page, "growing")
    last.hover()
    assert marked(page, "growing")[0] == sentence
    page.mouse.move(2, 2)
    assert marked(page, "growing") == before
    last.focus()
    page.keyboard.press("Enter")
    assert in_sight(page, sentence)
    grounds = page.locator(".chunks .chip").evaluate_all(
        "(chips) => chips.map((chip) => getComputedStyle(chip).backgroundColor)"
    )
    shown = page.locator(".seamark .block").evaluate_all(
        "(parts) => parts.map((part) => [part.querySelector('.no').dataset.no,"
        " getComputedStyle(part.chunk).backgroundColor])"
    )
    assert all(grounds[int(number) - 1] == ground for number, ground in shown)


def test_another_weight_draws_again_and_embeds_nothing(page, heatmap):
    before = heatmap.get_attribute("data-painted")
    chunks = page.locator(".chunks ol").text_content()
    # One press: Streamlit's slider can lose one that comes while the page answers the last.
    page.get_by_role("slider", name="Position weight λ").press("End")
    page.wait_for_url("**c1.position_weight=1&**")
    page.wait_for_function(
        "([root, before]) => root.dataset.painted !== before && root.heatmap.data.weight === 1",
        arg=[heatmap.element_handle(), before],
    )
    until(page, "(reader) => reader.columns[0].data.subtitle.startsWith('λ 1,')")
    assert page.locator(".chunks ol").text_content() != chunks
    assert "all 39 cached" in page.locator(".seamark .head").inner_text()
    assert page.locator(".chunks p").inner_text().startswith("No order breaks")


@pytest.mark.parametrize(("number", "title"), [(2, "Core, border and noise"), (3, "Distance to the centres")])
def test_the_other_chunkers_have_figures_with_tables(page, app_url, number, title):
    heatmap = open_page(page, app_url, f"embedder=tfidf&document=article&selected={number}")
    assert heatmap.locator("h2").inner_text() == ("Joint distance" if number == 2 else "Distance in meaning")
    page.get_by_role("heading", name=title).wait_for()
    page.locator(".js-plotly-plot .point").first.wait_for()
    page.get_by_text(f"{title}: table and downloads").click()
    page.get_by_role("button", name="Download as HTML").wait_for()


def test_both_themes_and_a_narrow_window(browser, app_url):
    for scheme in ("light", "dark"):
        page = browser.new_context(color_scheme=scheme, viewport={"width": 800, "height": 1000}).new_page()
        heatmap = open_page(page, app_url)
        assert heatmap.get_attribute("data-theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth") <= 800
        page.context.close()
