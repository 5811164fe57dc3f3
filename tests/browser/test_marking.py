"""Marking on Compare in a real browser: the columns fold into one text, whose gaps are clicked."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import column, embedded, eventually, open_app, painted, paste, read, whole_text

PLAIN = (
    "A heron waits \N{GRINNING FACE} in the reeds. It eats fish. The loom has two beams. Its warp is wool. "
    "The tide turns twice a day. The moon pulls the water. Bread needs salt. Dough rests."
)
HEADED = """# Trades

## Herons

A heron waits. It eats fish.

## Looms

The loom has two beams.

- its warp is wool
- its weft is flax

## Tides

The tide turns twice a day.
"""


class Clicks:
    """Counts of the clicks that a task takes."""

    def __init__(self):
        self.count = 0

    def on(self, locator):
        locator.click()
        self.count += 1


def own_text(page, url, text):
    root = open_app(page, url, "?embedder=tfidf")
    paste(page, text)
    eventually(lambda: whole_text(root, 0), text)
    embedded(page)
    return root


def five_columns(page, clicks, root):
    for count in (4, 5):
        clicks.on(page.get_by_role("button", name="Add", exact=True))
        expect(root.locator(".head")).to_have_count(count)
    embedded(page)


def gap(root, number):
    return root.get_by_role("button", name=f"boundary between sentences {number} and {number + 1}")


@pytest.mark.full
def test_the_best_of_five_takes_at_most_eight_clicks_with_marks_and_five_without(page, app_url):
    root = own_text(page, app_url, PLAIN)
    clicks = Clicks()
    five_columns(page, clicks, root)
    clicks.on(page.get_by_role("radio", name="Which is best?"))
    ranking = page.locator(".scores")
    expect(ranking.get_by_role("columnheader", name="Points per cut")).to_be_visible()
    assert clicks.count <= 5
    without = clicks.count
    clicks.on(page.get_by_role("button", name="Mark boundaries"))
    expect(gap(root, 2)).to_be_in_viewport()
    for number in (2, 4, 6):
        clicks.on(gap(root, number))
    clicks.on(root.get_by_role("button", name="Done"))
    expect(root.locator(".head").first).to_contain_text("missed")
    expect(ranking.get_by_role("columnheader", name="Boundary F1")).to_be_visible()
    assert clicks.count == without + 5
    assert clicks.count <= 8


@pytest.mark.full
def test_while_marking_there_is_one_text_without_chunks_and_nothing_red(page, app_url):
    root = own_text(page, app_url, HEADED)
    root.get_by_role("button", name="▲ Mark").click()
    plain = root.get_by_role("region", name="Where do sections end?")
    expect(plain).to_be_visible()
    expect(plain).to_have_text(re.compile(r"^# Trades\s+## Herons"))
    expect(root.locator(".chunk, .axis, .why, .head").filter(visible=True)).to_have_count(0)
    root.get_by_role("button", name="Headings as marks").click()
    expect(root.locator(".gap[aria-pressed=true]")).to_have_count(2)
    expect(root.locator(".marking-bar .count")).to_have_text("2 marks")
    expect(page.locator("[aria-live]").filter(has_text="2 marks")).to_have_count(1)
    # By keys, to the next gap and the one before.
    gap(root, 1).focus()
    page.keyboard.press("ArrowDown")
    expect(gap(root, 2)).to_be_focused()
    page.keyboard.press("Space")
    expect(gap(root, 2)).to_have_attribute("aria-pressed", "true")
    expect(root.locator(".marking-bar .count")).to_have_text("3 marks")
    root.get_by_role("button", name="Undo").click()
    expect(gap(root, 2)).to_have_attribute("aria-pressed", "false")
    expect(root.locator(".missed, .astray, .wrong").filter(visible=True)).to_have_count(0)
    page.keyboard.press("Escape")
    expect(plain).to_have_count(0)
    expect(root.get_by_role("button", name="▲ Mark")).to_be_focused()
    expect(root.locator(".summary")).to_contain_text("2 known boundaries")
    eventually(lambda: whole_text(root, 0), HEADED)
    # The tab keeps the marks.
    page.reload()
    embedded(page)
    expect(root.locator(".summary")).to_contain_text("2 known boundaries")


TOPMOST = """(body) => {
  const { top } = body.getBoundingClientRect();
  const spans = [...body.querySelectorAll(".s")];
  return Number(spans.find((span) => span.getBoundingClientRect().bottom > top + 4).dataset.s);
}"""


@pytest.mark.full
def test_the_place_in_the_text_stays_when_the_columns_fold_and_come_back(page, app_url):
    text = "\n\n".join(f"Paragraph {number} is here. It goes on for a while." for number in range(1, 120))
    root = own_text(page, app_url, text)
    column(root, 0).evaluate("(body) => { body.scrollTop = 3000; }")
    # What comes into view gets its real height a frame or two later.
    for _ in range(3):
        painted(page)
    before = read(root, "({ columns }) => columns[0].top")
    assert before > 20
    column(root, 0).hover()
    root.get_by_role("button", name="▲ Mark").click()
    expect(root.locator(f".plain [data-s='{before}']")).to_be_in_viewport()
    # The click scrolls the text if the gap is near the window's edge.
    gap(root, before + 4).click()
    there = root.locator(".plain").evaluate(TOPMOST)
    root.get_by_role("button", name="Done").click()
    eventually(lambda: read(root, "({ columns }) => columns[0].top"), lambda top: top is not None and abs(top - there) < 2)


@pytest.mark.full
def test_cuts_of_one_s_own_are_the_column_you_with_card_and_reload(page, app_url):
    root = open_app(page, app_url, "?document=three_topics&embedder=tfidf&c1=fixed_sentences&c2=breakpoint")
    root.get_by_role("button", name="Cut it yourself").click()
    plain = root.get_by_role("region", name="Where would you cut?")
    expect(plain).to_be_visible()
    # Those that the text comes with are not given away.
    expect(root.locator(".gap[aria-pressed=true], .missed").filter(visible=True)).to_have_count(0)
    expect(root.get_by_role("button", name="Headings as marks")).to_be_hidden()
    for number in (2, 5):
        root.get_by_role("button", name=f"cut between sentences {number} and {number + 1}").click()
    expect(root.locator(".marking-bar .count")).to_have_text("2 cuts")
    root.get_by_role("button", name="Done").click()
    head = root.locator(".head").nth(2)
    expect(head).to_contain_text("You 2 cuts")
    expect(head).to_contain_text("missed")
    embedded(page)
    expect(column(root, 2).locator(".why").first).to_have_attribute("title", re.compile("you cut here"))
    page.get_by_role("button", name="Next disagreement (d)").click()
    expect(root.locator(".verdict").nth(2)).to_contain_text(re.compile("you (cut|did not cut) here"))
    page.reload()
    embedded(page)
    expect(root.locator(".head").nth(2)).to_contain_text("You 2 cuts")
    # They are where they were when it is pressed again.
    root.get_by_role("button", name="Cut it yourself").click()
    expect(root.locator(".gap[aria-pressed=true]")).to_have_count(2)
    page.get_by_role("link", name="Breakpoints").click()
    page.wait_for_url("**/breakpoints**")
    embedded(page)
    expect(root.locator(".marking-bar").filter(visible=True)).to_have_count(0)
    page.get_by_role("link", name="Compare").click()
    expect(plain).to_be_visible()
    expect(root.locator(".gap[aria-pressed=true]")).to_have_count(2)
