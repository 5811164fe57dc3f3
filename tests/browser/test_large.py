"""Documents as large as the page takes, and one larger, in a real browser."""

import pytest

from tests.browser.steps import READY, choose, open_app, paste, until, whole_text
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


def test_a_file_of_just_under_20_mb_is_shown_and_can_be_worked_with(page, root):
    choose(page, "Document", "Your own text")
    upload(page, "large.txt", document(MOST - 1))
    there = f"(reader) => reader.text?.length === {MOST - 1} && reader.columns.every((column) => column.segments)"
    until(page, there, 3 * READY)
    assert root.locator("h1").inner_text() == "large.txt"
    counts = root.evaluate("(root) => root.reader.columns.map((column) => column.blocks.length)")
    assert min(counts) > 9_000
    # Only what is near to sight is built, wherever one goes.
    root.evaluate("(root) => root.reader.jump(30000)")
    tops = root.evaluate("(root) => root.reader.columns.map((column) => column.topmost().sentence)")
    assert all(abs(top - 30_000) <= 1 for top in tops)
    built = root.evaluate(
        "(root) => root.reader.columns.map((column) => column.blocks.filter((part) => part.filled).length)"
    )
    assert max(built) < 200
    page.get_by_role("slider", name="Sentences per chunk").press("ArrowRight")
    until(page, "(reader) => reader.columns[0].data.subtitle.startsWith('5 sentences')")
    assert root.evaluate("(root) => root.reader.columns[0].blocks.length") < counts[0]


def test_a_file_of_more_than_20_mb_is_refused_and_the_text_before_stays(page, root):
    paste(page, "The first sentence.\nThe second one.")
    page.get_by_role("heading", name="Pasted text").wait_for()
    page.get_by_text("Paste or upload").click()
    upload(page, "over.txt", document(MOST + 1))
    said = page.get_by_text("File must be 20.0MB or smaller.")
    said.wait_for()
    assert said.bounding_box()["width"] > 100
    assert page.get_by_label("Text", exact=True).input_value() == "The first sentence.\nThe second one."
    assert whole_text(root, 0) == "The first sentence.\nThe second one."
