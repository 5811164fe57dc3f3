"""The axis of a long text: zoomed, panned and walked along, in a real browser."""

import pytest

from tests.browser.steps import open_app

WINDOW = "(root) => [root.reader.axis.window.from, root.reader.axis.window.to]"


@pytest.fixture
def root(page, app_url):
    """Open the report, 333 sentences, in two columns that need no model."""
    return open_app(
        page, app_url, "?document=report&embedder=tfidf&c1=breakpoint&c1.amount=80&c2=fixed_sentences&selected=1"
    )


def window(root):
    root.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    return root.evaluate(WINDOW)


def middle(root):
    box = root.locator(".plot").bounding_box()
    return box["x"] + box["width"] * 0.25, box["y"] + box["height"] - 20, box["width"]


def test_at_rest_the_whole_text_is_seen(root):
    assert window(root) == [0, 333]
    assert not root.locator(".overview").is_visible()
    assert root.get_by_role("button", name="Zoom out").is_disabled()
    assert root.get_by_role("button", name="Show the whole text").is_disabled()


def test_a_short_text_has_no_buttons(page, app_url):
    root = open_app(page, app_url, "?c1=fixed_sentences")
    assert not root.get_by_role("button", name="Zoom in").is_visible()


def test_the_wheel_with_ctrl_zooms_around_the_pointer(page, root):
    x, y, _ = middle(root)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    start, end = window(root)
    assert end - start < 333 * 0.8
    # The sentence under the pointer stays there.
    assert start + 0.25 * (end - start) == pytest.approx(333 * 0.25, abs=0.5)
    assert root.locator(".overview").is_visible()


def test_the_wheel_alone_scrolls_the_page(page, root):
    x, y, _ = middle(root)
    page.mouse.move(x, y)
    page.mouse.wheel(0, 200)
    assert window(root) == [0, 333]


def test_keys_and_buttons_zoom(page, root):
    root.locator(".plot").focus()
    page.keyboard.press("+")
    start, end = window(root)
    assert end - start == pytest.approx(333 / 2)
    root.get_by_role("button", name="Zoom in").click()
    start, end = window(root)
    assert end - start == pytest.approx(333 / 4)
    root.get_by_role("button", name="Zoom out").click()
    start, end = window(root)
    assert end - start == pytest.approx(333 / 2)
    root.locator(".plot").focus()
    page.keyboard.press("0")
    assert window(root) == [0, 333]
    for _ in range(9):
        page.keyboard.press("+")
    start, end = window(root)
    assert end - start == 8
    assert root.get_by_role("button", name="Zoom in").is_disabled()


def test_a_drag_pans_and_is_no_click(page, root):
    root.get_by_role("button", name="Zoom in").click()
    start, end = window(root)
    x, y, width = middle(root)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + width / 10, y, steps=4)
    page.mouse.up()
    assert window(root) == pytest.approx([start - (end - start) / 10, end - (end - start) / 10], abs=0.5)
    assert root.evaluate("(root) => root.reader.columns[0].body.scrollTop") == 0


def test_the_line_keeps_its_own_drag_while_zoomed(page, root):
    root.get_by_role("button", name="Zoom in").click()
    before = window(root)
    box = root.locator(".line").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 40, steps=4)
    page.mouse.up()
    page.wait_for_url("**c1.amount=**")
    assert window(root) == before


def test_a_click_in_the_window_leads_to_the_sentence_there(page, root):
    root.get_by_role("button", name="Zoom in").click()
    root.get_by_role("button", name="Zoom in").click()
    start, end = window(root)
    x, y, _ = middle(root)
    page.mouse.click(x, y)
    sentence = round(start + 0.25 * (end - start))
    assert abs(root.evaluate("(root) => root.reader.columns[0].topmost().sentence") - sentence) <= 2
    assert f"between sentences {sentence} and {sentence + 1}" in root.locator(".said").inner_text()


def test_the_walk_takes_the_window_along(page, root):
    root.locator(".plot").focus()
    for _ in range(9):
        page.keyboard.press("+")
    start, _ = window(root)
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    after = window(root)
    assert after[0] > start + 8
    gap = root.evaluate("(root) => root.reader.axis.plot.gap")
    assert after[0] < gap + 1 < after[1]
    assert root.locator(".cursor").is_visible()


def test_the_strip_shows_and_moves_the_window(page, root):
    root.get_by_role("button", name="Zoom in").click()
    root.get_by_role("button", name="Zoom in").click()
    box = root.locator(".overview").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + 4)
    start, end = window(root)
    assert (start + end) / 2 > 333 * 0.8
    seen = root.locator(".overview div").bounding_box()
    assert seen["width"] == pytest.approx(box["width"] / 4, abs=3)
    assert seen["x"] - box["x"] == pytest.approx(box["width"] * start / 333, abs=3)
    assert f"sentences {int(start) + 1} to" in root.locator(".overview").get_attribute("aria-valuetext")


def test_the_strip_moves_the_window_by_key(page, root):
    root.get_by_role("button", name="Zoom in").click()
    strip = root.get_by_role("slider", name="Part of the text that is seen")
    strip.focus()
    page.keyboard.press("End")
    start, end = window(root)
    assert end == 333
    page.keyboard.press("ArrowLeft")
    assert window(root) == pytest.approx([start - (end - start) / 10, end - (end - start) / 10])
    page.keyboard.press("Home")
    assert window(root)[0] == 0


def test_a_sentence_outside_the_window_has_no_cursor_on_the_axis(page, root):
    first = root.locator(".text").first.locator('.s[data-s="1"]')
    first.hover()
    assert root.locator(".cursor").is_visible()
    root.evaluate("(root) => root.reader.axis.window.show(200, 260)")
    root.locator(".text").first.locator('.s[data-s="0"]').hover()
    window(root)
    assert not root.locator(".cursor").is_visible()


def test_decimation_keeps_the_greatest_peak(root):
    root.evaluate("""(root) => {
      const { axis } = root.reader;
      const scores = Array.from({ length: 200000 }, () => 0.2);
      scores[150000] = 0.95;
      axis.reader.sentences = 200001;
      axis.reset();
      const kept = { verdicts: [{ name: "kept" }], verdictOf: "0".repeat(scores.length) };
      const curve = { ...axis.plot.curve.data, ...kept, scores, lines: [], live: false };
      axis.update({ ...axis.column, index: 0, curve });
    }""")
    # The column of pixels at the peak is inked at the peak's height, and its neighbours are not.
    inked = root.evaluate("""(root) => {
      const { curve } = root.reader.axis.plot;
      const scale = devicePixelRatio;
      const width = curve.canvas.clientWidth;
      const x = (150001 / 200001) * width;
      const ink = (at) => {
        const pixel = [Math.floor(at * scale), Math.round(curve.y(0.9) * scale), 1, 1];
        return curve.canvas.getContext("2d").getImageData(...pixel).data[3] > 100;
      };
      return [ink(x), ink(x - 20), ink(x + 20)];
    }""")
    assert inked == [True, False, False]


@pytest.mark.parametrize(("ends", "place"), [([0.2], "above"), ([0.55], "below"), ([0.55, 0.45], "before")])
def test_the_label_of_a_line_covers_no_point(root, ends, place):
    root.evaluate(
        """(root, ends) => {
          const { axis } = root.reader;
          const scores = Array.from({ length: 60 }, (_, gap) => (gap < 30 ? 0.2 : ends[gap % ends.length]));
          const lines = [{ label: "threshold", level: 0.5, value: 50, parameter: "amount", stops: [[50, 0.5]] }];
          axis.reader.sentences = 61;
          axis.reset();
          const kept = { verdicts: [{ name: "kept" }], verdictOf: "0".repeat(scores.length) };
          const curve = { ...axis.plot.curve.data, ...kept, scores, lines, live: false };
          axis.update({ ...axis.column, index: 0, curve });
        }""",
        ends,
    )
    plot, label = root.locator(".plot").bounding_box(), root.locator(".line span").bounding_box()
    low = root.locator(".line").evaluate("(line) => line.classList.contains('low')")
    # Where the points of the second half lie on both sides of the line, there is room before them alone.
    before = label["x"] + label["width"] < plot["x"] + plot["width"] * 0.55
    assert place == ("before" if before else "below" if low else "above")
