"""Documents as large as the page takes, and one larger, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, box_of, column, eventually, marked, open_app, open_box, paste, read, until, whole_text
from tests.browser.test_bad_input import upload

LINE = "In year {} the harbour was dredged again" + ", and the pilots wrote down what they had sounded" * 8 + "."
MOST = 20_000_000


def document(size):
    """Return ``size`` bytes of lines that differ."""
    lines = "\n".join(LINE.format(number) for number in range(size // len(LINE) + 2))
    return lines.encode()[:size]


@pytest.fixture
def root(page, app_url):
    return open_app(page, app_url, "?sentences=lines&c1=fixed_sentences&c2=fixed_words&selected=1")


@pytest.mark.full
def test_a_file_of_just_under_20_mb_is_shown_and_can_be_worked_with(page, root):
    upload(page, "large.txt", document(MOST - 1))
    until(root, f"({{ ready, text }}) => ready && text.length === {MOST - 1}", 3 * READY)
    expect(page.get_by_role("heading", name="large.txt")).to_be_visible()
    counts = read(root, "({ columns }) => columns.map(({ blocks }) => blocks)")
    assert min(counts) > 9_000
    # Only what is near to sight is built, wherever one goes.
    strip = root.get_by_role("img", name=re.compile("^1 Fixed sentences"))
    strip.click(position={"x": strip.bounding_box()["width"] * 0.7, "y": 6})
    (sentence,) = eventually(lambda: marked(column(root, 0), "near"), lambda near: len(near) == 1)
    assert sentence > 25_000
    eventually(
        lambda: read(root, "({ columns }) => columns.map(({ top }) => top)"),
        lambda tops: all(abs(top - sentence) <= 1 for top in tops),
    )
    built = read(root, "({ columns }) => columns.map(({ built }) => built)")
    assert max(built) < 200
    page.get_by_role("slider", name="Sentences per chunk").press("ArrowRight")
    expect(root.locator(".head").first).to_contain_text("5 sentences")
    until(root, f"({{ ready, columns }}) => ready && columns[0].blocks < {counts[0]}")


@pytest.mark.full
def test_a_file_of_more_than_20_mb_is_refused_and_the_text_before_stays(page, root):
    paste(page, "The first sentence.\nThe second one.")
    page.get_by_role("heading", name="Pasted text").wait_for()
    open_box(page)
    upload(page, "over.txt", document(MOST + 1))
    message = page.get_by_text("File must be 20.0MB or smaller.")
    eventually(lambda: box_of(message)["width"], lambda width: width > 100)
    expect(page.get_by_label("Text", exact=True)).to_have_value("The first sentence.\nThe second one.")
    eventually(lambda: whole_text(root, 0), "The first sentence.\nThe second one.")


@pytest.mark.full
@pytest.mark.parametrize(
    "unit",
    ["\u0301", "👩\u200d👩\u200d👧", "\u0628", "\U0001f3fb", "👍\U0001f3fb", "👩\u200d"],
    ids=["marks", "families", "joined letters", "skin tones", "thumbs", "joins"],
)
def test_a_text_without_white_space_does_not_freeze_its_tab(page, root, unit):
    page.evaluate(
        """() => {
          window.longest = 0;
          const look = (list) => { for (const task of list.getEntries()) longest = Math.max(longest, task.duration); };
          new PerformanceObserver(look).observe({ type: "longtask" });
        }"""
    )
    text = "A word. e" + unit * (100_000 // len(unit)) + " end."
    upload(page, "unbroken.txt", text.encode())
    expect(page.get_by_role("heading", name="unbroken.txt")).to_be_visible(timeout=READY)
    until(root, f"({{ ready, text }}) => ready && text.length === {len(text.encode('utf-16-le')) // 2}", READY)
    eventually(lambda: whole_text(root, 0), text)
    root.locator(".text").first.evaluate("text => text.scrollTo(0, text.scrollHeight)")
    # What a task took is told after the frame in which it ended.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
    assert page.evaluate("longest") < 3_000
