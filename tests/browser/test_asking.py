"""One question over all columns, by keyboard and by mouse: from the box to the marked answer, and to a file of questions."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, column, embedded, eventually, open_app, painted, read, whole_text

ASKING = "({ asking }) => asking"
QUESTION = "How often does the <b>comet</b> return?"

IN_SIGHT = """([node]) => {
  const pane = node.closest(".text").getBoundingClientRect();
  const { top, bottom } = node.getBoundingClientRect();
  return top < Math.min(innerHeight, pane.bottom) && bottom > Math.max(0, pane.top);
}"""


@pytest.fixture
def laptop(open_page):
    return open_page(viewport={"width": 1280, "height": 720})


def answered(root):
    """Wait until the question is answered; return what the handle says of it."""
    return eventually(lambda: read(root, ASKING), lambda asking: asking["state"] in ("done", "failed"))


def ask(page, root, question):
    """Ask by keyboard alone."""
    page.keyboard.press("/")
    expect(page.get_by_label("Ask your text")).to_be_focused()
    page.keyboard.insert_text(question)
    page.keyboard.press("Enter")
    return answered(root)


def best(root, number):
    """Return the part of a column that is ranked first."""
    return column(root, number).locator(".block.hit", has=root.page.locator('.rank[data-rank*="①"]')).first


def test_the_whole_road_by_keyboard(laptop, app_url):
    root = open_app(laptop, app_url, "?ask_limit=50")
    before, before_text = column(root, 0).bounding_box(), whole_text(root, 0)
    assert ask(laptop, root, QUESTION)["state"] == "done"
    # Every column has its best chunk in sight, the others are pale, and the strips say so.
    for number in range(3):
        expect(best(root, number)).to_contain_text("Halley's Comet returns")
        eventually(lambda number=number: best(root, number).evaluate_all(IN_SIGHT), True)
        expect(column(root, number).locator(".block.passed")).not_to_have_count(0)
    expect(root.get_by_role("img", name="retrieved: rank 1 at sentence 5")).to_have_count(3)
    # The budget ends within a chunk: there it says so, and no letter of the text is lost.
    expect(root.locator(".ends").first).to_be_visible()
    eventually(lambda: whole_text(root, 0), before_text)
    # The text has not been pushed away by more than the lines that say what was found.
    assert column(root, 0).bounding_box()["y"] - before["y"] < 60
    # From the box the next stops are how it is asked, and then the columns' ranks; one leads into the text.
    rank = root.locator(".head").nth(1).get_by_role("button", name="Go to rank 1")
    rank.focus()
    laptop.keyboard.press("Enter")
    expect(column(root, 1)).to_be_focused()
    laptop.keyboard.press("a")
    expect(root.get_by_role("button", name="Mark as the answer")).to_be_visible()
    laptop.keyboard.press("Shift+ArrowDown")
    laptop.keyboard.press("Enter")
    expect(root.locator(".fate")).to_have_count(3)
    expect(root.locator(".fate.good")).to_have_count(3)
    expect(root.locator(".fate").first).to_have_text("answer whole in ①")
    # The link has how it was asked, and not what.
    at_rest(laptop)
    expect(laptop).to_have_url(re.compile(r"\?ask_limit=50$"))
    laptop.keyboard.press("Escape")
    eventually(lambda: read(root, ASKING)["state"], "nothing")
    expect(root.locator(".hit, .passed, .fate, .rank, .ends")).to_have_count(0)
    # What was typed stays until it is cleared by the button, or typed over.
    box = laptop.get_by_label("Ask your text")
    expect(box).to_have_value(QUESTION)
    expect(box).to_be_focused()
    at_rest(laptop)
    expect(box).to_have_value(QUESTION)


def mark_over_seam(page, root):
    """Mark as the answer, by mouse, what the second column splits."""
    seam = [column(root, 1).locator(f'.s[data-s="{number}"]') for number in (4, 7)]
    # At the top, so that the last sentence is not behind the buttons of the views.
    embedded(page)
    seam[0].evaluate("(span) => span.scrollIntoView()")
    painted(page)
    start, end = (sentence.bounding_box() for sentence in seam)
    page.mouse.move(start["x"] + 2, start["y"] + 6)
    page.mouse.down()
    page.mouse.move(end["x"] + 60, end["y"] + 6, steps=5)
    page.mouse.up()
    root.get_by_role("button", name="Mark as the answer").click()


@pytest.mark.full
def test_an_answer_is_marked_by_mouse_and_the_questions_are_a_file(laptop, app_url):
    root = open_app(laptop, app_url, "?ask_limit=100")
    ask(laptop, root, QUESTION)
    mark_over_seam(laptop, root)
    expect(root.locator(".fate.wrong").nth(1)).to_contain_text("answer split in 2")
    expect(root.locator(".fate.wrong").nth(1)).to_contain_text("cut: 0.")
    expect(root.locator(".asking .ask-said")).to_contain_text("Kept under “Questions”")
    # All views below the text have their buttons in one row.
    views = laptop.locator('.st-key-below [role="radio"]').all()
    assert len({round(view.bounding_box()["y"]) for view in views}) == 1 < len(views)
    laptop.get_by_text("Questions", exact=True).click()
    expect(laptop.get_by_text("1 question about 1 text")).to_be_visible()
    with laptop.expect_download() as downloaded:
        laptop.get_by_role("button", name="Questions, CSV").click()
    with Path(downloaded.value.path()).open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["question"] == QUESTION
    assert "Halley's Comet returns" in row["references"]
    # Another way to ask is asked at once, and stays in the link.
    laptop.get_by_label("Chunks are ranked").select_option("hybrid")
    expect(laptop).to_have_url(re.compile(r"\bask=hybrid\b"))
    eventually(lambda: "BM25" in (root.locator(".rank").first.get_attribute("title") or ""), True)
    laptop.get_by_role("button", name="Clear").click()
    eventually(lambda: read(root, ASKING)["state"], "nothing")


@pytest.mark.full
def test_one_click_leads_from_a_split_answer_to_a_column_that_keeps_it_whole(laptop, app_url):
    root = open_app(laptop, app_url, "?ask_limit=100")
    ask(laptop, root, QUESTION)
    mark_over_seam(laptop, root)
    failed = root.locator(".head").nth(1)
    expect(failed.locator(".fate.wrong")).to_contain_text("answer split in 2")
    changes = failed.locator(".remedies li")
    expect(changes.first).to_contain_text(re.compile(r"chunks of ~\d+ tokens · boundaries 3"))
    assert 1 <= changes.count() <= 3
    expect(root.locator(".asking .ask-said")).to_contain_text("fitted to this text")
    expect(root.get_by_role("button", name="Test on other texts")).to_be_visible()
    # It is reached and pressed by keyboard as well as by mouse.
    attempt = changes.first.get_by_role("button", name="Try as column")
    attempt.focus()
    laptop.keyboard.press("Enter")
    expect(root.locator(".head")).to_have_count(4)
    expect(root.locator(".head").nth(3).locator(".fate")).to_contain_text("answer whole in")
    expect(root.locator(".head").nth(1).locator(".remedies li").first).to_contain_text("column 4")
    laptop.get_by_role("button", name="Undo").click()
    expect(root.locator(".head")).to_have_count(3)


@pytest.mark.full
def test_a_moved_threshold_takes_the_marks_with_it(laptop, app_url):
    root = open_app(laptop, app_url, "?ask_limit=top1")
    first = ask(laptop, root, QUESTION)["chunks"]
    assert [len(numbers) for numbers in first] == [1, 1, 1]
    slider = laptop.get_by_role("slider", name="Percentile of distance")
    slider.focus()
    slider.press("End")
    # Less is cut: the answer is about the chunks that there are now, and about another of them.
    eventually(lambda: read(root, "({ columns }) => columns[1].cuts.length"), lambda cuts: cuts < 5)
    eventually(lambda: read(root, ASKING)["chunks"][1], lambda chunks: chunks not in (None, first[1]))
    expect(column(root, 1).locator(".block.hit")).to_have_count(1)


@pytest.mark.full
def test_what_cannot_be_asked_is_said_and_nothing_is_marked(laptop, app_url):
    root = open_app(laptop, app_url)
    assert ask(laptop, root, "a" * 10_000)["state"] == "failed"
    expect(root.locator(".asking .ask-said")).to_have_text(
        "A question may have at most 2,000 characters; this one has 10,000."
    )
    expect(root.locator(".hit")).to_have_count(0)
