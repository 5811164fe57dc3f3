"""The axis of a long text: zoomed, panned and walked along, in a real browser."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import box_of, column, eventually, from_the_top, open_app, read, until
from tests.fixtures.app_server import app_server

REPORT = "?document=report&embedder=tfidf&c1=breakpoint&c1.amount=80&c2=fixed_sentences&selected=1"


@pytest.fixture(scope="module")
def report(kept_page, app_url):
    """The report, 333 sentences, in two columns that need no model."""
    return open_app(kept_page, app_url, REPORT)


@pytest.fixture
def root(kept_page, report):
    """The report from its beginning, the whole of it on the axis."""
    from_the_top(kept_page)
    report.locator(".plot").press("0")
    shows(report, [0, 333])
    return report


@pytest.fixture(scope="module")
def curve_url(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("curve") / "log.txt", "tests/browser/curve_app.py") as server:
        yield server.url


def open_curve(page, url, scores, line):
    """Open a reader over a curve of these scores, runs of a number of gaps and the scores that take turns in them."""
    page.goto(f"{url}/?scores={json.dumps(scores)}&line={line}")
    root = page.locator(".seamark")
    until(root, "({ ready }) => ready")
    return root


def window(root):
    """Return the first and the last place of the window; None while it is about to be drawn."""
    return read(root, "({ window: { drawn, from, to } }) => (drawn ? [from, to] : null)")


def shows(root, wanted):
    """Wait until the window is so, or such that this holds of its ends; return its ends."""
    holds = wanted if callable(wanted) else lambda *ends: list(ends) == wanted
    return eventually(lambda: window(root), lambda ends: ends is not None and holds(*ends))


def spans(root, sentences):
    """Wait until the window shows so many sentences; return its ends."""
    return shows(root, lambda start, end: end - start == pytest.approx(sentences))


def place(root, share=0.25):
    """Return a point in the plot at a share of its width, near its foot, away from the lines."""
    box = root.locator(".plot").bounding_box()
    return {"x": box["width"] * share, "y": box["height"] - 4}


def zoom_in(root, times=1):
    for _ in range(times):
        root.get_by_role("button", name="Zoom in").click()
    return spans(root, 333 / 2**times)


def test_at_rest_the_whole_text_is_seen(root):
    expect(root.locator(".overview")).to_be_hidden()
    expect(root.get_by_role("button", name="Zoom out")).to_be_disabled()
    expect(root.get_by_role("button", name="Show all of the text")).to_be_disabled()


@pytest.mark.full
def test_a_short_text_has_no_buttons(page, app_url):
    root = open_app(page, app_url, "?c1=fixed_sentences")
    expect(root.get_by_role("button", name="Zoom in")).to_be_hidden()


def test_the_wheel_with_ctrl_zooms_around_the_pointer(kept_page, root):
    root.locator(".plot").hover(position=place(root))
    kept_page.keyboard.down("Control")
    kept_page.mouse.wheel(0, -240)
    start, end = shows(root, lambda start, end: end - start < 333 * 0.8)
    kept_page.keyboard.up("Control")
    # The sentence under the pointer stays there.
    assert start + 0.25 * (end - start) == pytest.approx(333 * 0.25, abs=0.5)
    expect(root.locator(".overview")).to_be_visible()


@pytest.mark.full
def test_the_wheel_alone_scrolls_the_page(kept_page, root):
    plot = root.locator(".plot")
    plot.hover(position=place(root))
    before = plot.bounding_box()["y"]
    kept_page.mouse.wheel(0, 200)
    eventually(lambda: box_of(plot)["y"], lambda y: y < before)
    assert window(root) == [0, 333]


def test_keys_and_buttons_zoom(kept_page, root):
    root.locator(".plot").focus()
    kept_page.keyboard.press("+")
    spans(root, 333 / 2)
    root.get_by_role("button", name="Zoom in").click()
    spans(root, 333 / 4)
    root.get_by_role("button", name="Zoom out").click()
    spans(root, 333 / 2)
    root.locator(".plot").focus()
    kept_page.keyboard.press("0")
    shows(root, [0, 333])
    for _ in range(9):
        kept_page.keyboard.press("+")
    start, end = shows(root, lambda start, end: end - start <= 8)
    assert end - start == 8
    expect(root.get_by_role("button", name="Zoom in")).to_be_disabled()


def test_a_drag_pans_and_is_no_click(kept_page, root):
    start, end = zoom_in(root)
    plot = root.locator(".plot")
    plot.hover(position=place(root))
    box = plot.bounding_box()
    x, y = box["x"] + place(root)["x"], box["y"] + place(root)["y"]
    kept_page.mouse.down()
    kept_page.mouse.move(x + box["width"] / 10, y, steps=4)
    kept_page.mouse.up()
    eventually(lambda: window(root), pytest.approx([start - (end - start) / 10, end - (end - start) / 10], abs=0.5))
    assert column(root, 0).evaluate("(body) => body.scrollTop") == 0


@pytest.mark.full
def test_the_line_keeps_its_own_drag_while_zoomed(kept_page, root):
    before = zoom_in(root)
    line = root.locator(".line")
    line.hover(position={"x": 200, "y": 10})
    box = line.bounding_box()
    kept_page.mouse.down()
    kept_page.mouse.move(box["x"] + 260, box["y"] + 25, steps=4)
    kept_page.mouse.up()
    kept_page.wait_for_url("**c1.amount=**")
    shows(root, before)


@pytest.mark.full
def test_a_click_in_the_window_leads_to_the_sentence_there(kept_page, root):
    start, end = zoom_in(root, 2)
    root.locator(".plot").click(position=place(root))
    sentence = round(start + 0.25 * (end - start))
    expect(root.locator(".said")).to_contain_text(f"between sentences {sentence} and {sentence + 1}")
    eventually(lambda: read(root, "({ columns }) => columns[0].top"), lambda top: abs(top - sentence) <= 2)


@pytest.mark.full
def test_the_walk_takes_the_window_along(kept_page, app_url):
    # Nothing has been pointed at.
    root = open_app(kept_page, app_url, REPORT)
    root.locator(".plot").focus()
    for _ in range(9):
        kept_page.keyboard.press("+")
    start, _ = spans(root, 8)
    for _ in range(20):
        kept_page.keyboard.press("ArrowRight")
    # The first step goes to the gap in the window, the others from there.
    eventually(lambda: read(root, "({ gap }) => gap"), int(start) + 20)
    after = shows(root, lambda low, _: low > start + 8)
    assert after[0] < int(start) + 21 < after[1]
    expect(root.locator(".cursor")).to_be_visible()


@pytest.mark.full
def test_the_strip_shows_and_moves_the_window(kept_page, root):
    zoom_in(root, 2)
    overview = root.locator(".overview")
    box = overview.bounding_box()
    overview.click(position={"x": box["width"] * 0.9, "y": 4})
    start, _ = shows(root, lambda start, end: (start + end) / 2 > 333 * 0.8)
    seen = overview.locator("div").bounding_box()
    box = overview.bounding_box()
    assert seen["width"] == pytest.approx(box["width"] / 4, abs=3)
    assert seen["x"] - box["x"] == pytest.approx(box["width"] * start / 333, abs=3)
    assert f"sentences {int(start) + 1} to" in overview.get_attribute("aria-valuetext")


@pytest.mark.full
def test_the_strip_moves_the_window_by_key(kept_page, root):
    zoom_in(root)
    strip = root.get_by_role("slider", name="Part of the text that is seen")
    strip.focus()
    kept_page.keyboard.press("End")
    start, end = shows(root, lambda _, end: end == 333)
    kept_page.keyboard.press("ArrowLeft")
    eventually(lambda: window(root), pytest.approx([start - (end - start) / 10, end - (end - start) / 10]))
    kept_page.keyboard.press("Home")
    shows(root, lambda start, _: start == 0)


@pytest.mark.full
def test_a_sentence_outside_the_window_has_no_cursor_on_the_axis(kept_page, root):
    column(root, 0).locator('.s[data-s="1"]').hover()
    expect(root.locator(".cursor")).to_be_visible()
    zoom_in(root)
    root.get_by_role("slider", name="Part of the text that is seen").press("End")
    shows(root, lambda start, _: start > 2)
    column(root, 0).locator('.s[data-s="0"]').hover()
    eventually(lambda: read(root, "({ pointed }) => pointed"), 0.5)
    expect(root.locator(".cursor")).to_be_hidden()


@pytest.mark.full
def test_decimation_keeps_the_greatest_peak(page, curve_url):
    root = open_curve(page, curve_url, [[150_000, [0.2]], [1, [0.95]], [49_999, [0.2]]], line=0.9)
    # The column of pixels at the peak is inked where the line is, a little below the peak, and its neighbours are not.
    level = root.locator(".line").evaluate("(line) => parseFloat(line.style.top)")
    inked = root.locator(".plot canvas:not(.numbers)").evaluate(
        """(canvas, level) => {
          const scale = devicePixelRatio;
          const x = (150001 / 200001) * canvas.clientWidth;
          const ink = (at) => {
            const pixel = [Math.floor(at * scale), Math.round(level * scale), 1, 1];
            return canvas.getContext("2d").getImageData(...pixel).data[3] > 100;
          };
          return [ink(x), ink(x - 20), ink(x + 20)];
        }""",
        level,
    )
    assert inked == [True, False, False]


@pytest.mark.full
@pytest.mark.parametrize("line", [0.2, 0.5, 0.9])
def test_the_label_of_a_line_stands_beside_the_plot(page, curve_url, line):
    root = open_curve(page, curve_url, [[30, [0.2]], [30, [0.55, 0.45]]], line=line)
    plot, label = root.locator(".plot").bounding_box(), root.locator(".line span").bounding_box()
    assert label["x"] >= plot["x"] + plot["width"]
    assert label["x"] + label["width"] <= root.bounding_box()["x"] + root.bounding_box()["width"]
    expect(root.locator(".line span")).to_have_text(re.compile(f"^{line} ⇕$"))
