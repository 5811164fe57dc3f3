"""Questions that a language model writes, in the browser: edited in the grid, filtered, measured, downloaded, reloaded."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, eventually, unfold
from tests.evaluation.generating.questioner import answer, number_of
from tests.server import ChatModelServer

TEXT = (
    "Der Pegel 🦉 steigt im März.\r\nThe owl hunts at night. It hears a mouse under the snow.\r\n"
    "The heron waits in the reeds. It eats fish and frogs. The owl hunts at night.\r\n"
)
ASKED = [
    ("Wann steigt der Pegel?", "Der Pegel 🦉 steigt im März."),
    ("What does the owl hear?", "It hears a mouse under the snow."),
    ("What does the heron eat?", "It eats fish and frogs."),
    ("When does the owl hunt?", "The owl hunts at night."),
]

ROW = 35
"""The height of a row of the grid, and of its head, in pixels."""


@pytest.fixture
def chats():
    server = ChatModelServer(lambda messages: answer(*ASKED[number_of(messages[3]["content"]) - 1]))
    yield server
    server.close()


def grid(page):
    return page.locator("[class*=st-key-question_table]")


def rows(page):
    """Return the cells of the grid's rows, which it draws on a canvas and repeats as a table for screen readers."""
    cell_rows = (
        grid(page)
        .locator("[role=row]")
        .evaluate_all(
            "(rows) => rows.map((row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent))"
        )
    )
    return [row for row in cell_rows if row]


def asked_for(page):
    return [row[0] for row in rows(page)]


def press_cell(page, row, x, **how):
    """Press on a row of the grid, counted from 0, at so many pixels from its left edge."""
    # This lies over the canvas, and scrolls it.
    grid(page).locator(".dvn-scroller").click(position={"x": x, "y": (row + 1.5) * ROW}, **how)


def write(page, row, text):
    """Type a question into the grid as a user would, and wait until the server has redrawn the grid."""
    before = grid(page).element_handle()
    press_cell(page, row, 150, click_count=2)
    box = page.locator("#portal textarea")
    expect(box).to_be_visible()
    box.fill(text)
    box.press("Enter")
    # A row that is chosen in the grid before is chosen no more in this one.
    page.wait_for_function("(grid) => !grid.isConnected", arg=before, timeout=READY)


@pytest.mark.full
def test_questions_are_written_edited_filtered_measured_and_downloaded_and_come_back(page, app_url, chats):
    page.goto(f"{app_url}/retrieval?embedder=tfidf&tokenizer=words&c1=fixed_sentences&c2=recursive")
    page.get_by_role("radio", name="Your own").click(timeout=READY)
    page.locator(".st-key-retrieval_documents input[type=file]").set_input_files(
        {"name": "=Eule, März.txt", "mimeType": "text/plain", "buffer": TEXT.encode()}
    )
    expect(page.get_by_text("=Eule, März.txt")).to_be_visible()
    at_rest(page)
    unfold(page, "Generate questions")
    page.get_by_role("textbox", name="Model name").fill("test")
    page.get_by_role("textbox", name="Server address", exact=True).fill(chats.address)
    page.get_by_role("button", name="Use this model").click()
    expect(page.get_by_role("button", name="Generate", exact=True)).to_be_enabled(timeout=READY)
    count = page.locator(".st-key-generating_count input")
    count.fill(str(len(ASKED)))
    count.press("Enter")
    at_rest(page)
    page.get_by_role("button", name="Generate", exact=True).click()
    expect(page.get_by_text("Nothing is sent until you press “Send”.")).to_be_visible(timeout=READY)
    assert not chats.requests
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("^Both filters keep .* of 4 questions"))).to_be_visible(timeout=READY)
    page.wait_for_url("**generated=**", timeout=READY)
    # No question and its excerpt are as like each other as that; then the line is moved back.
    page.locator(".st-key-generating_lowest").get_by_role("slider").press("End")
    expect(page.get_by_text("No question passes the filters. Move the filters' lines.")).to_be_visible(timeout=READY)
    page.locator(".st-key-generating_lowest").get_by_role("slider").press("Home")
    page.locator(".st-key-generating_highest").get_by_role("slider").press("End")
    expect(page.get_by_text("Both filters keep 4 of 4 questions.")).to_be_visible(timeout=READY)
    eventually(lambda: asked_for(page), [question for question, _ in ASKED])
    assert rows(page)[0][1:3] == ["=Eule, März.txt", ASKED[0][1]]
    at_rest(page)
    write(page, 1, "=What is heard 🐭?")
    wanted = [ASKED[0][0], "=What is heard 🐭?", ASKED[2][0], ASKED[3][0]]
    eventually(lambda: asked_for(page), wanted)
    at_rest(page)
    press_cell(page, 2, 16)
    page.keyboard.press("Delete")
    del wanted[2]
    eventually(lambda: asked_for(page), wanted)
    expect(page.get_by_role("button", name="Restore 1 question")).to_be_visible(timeout=READY)
    at_rest(page)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Questions, CSV").click()
    file = caught.value.path().read_bytes()
    lines = [*csv.DictReader(io.StringIO(file.decode(), newline=""))]
    assert [line["question"] for line in lines] == [wanted[0], f"'{wanted[1]}", wanted[2]]
    places = [
        (reference["corpus_id"], reference["content"]) for line in lines for reference in json.loads(line["references"])
    ]
    assert places == [("=Eule, März.txt", ASKED[number][1]) for number in (0, 1, 3)]
    page.get_by_role("button", name="Use these questions").click()
    page.wait_for_url("**run=**", timeout=READY)
    expect(page.get_by_text("3 questions about 1 document, asked by test.")).to_be_visible(timeout=READY)
    asked = page.locator("dl div").filter(has=page.locator("dt", has_text="Asked"))
    expect(asked).to_contain_text("3 questions", timeout=READY)
    sent = len(chats.requests)
    at_rest(page)
    page.reload()
    expect(asked).to_contain_text("3 questions", timeout=READY)
    expect(page.get_by_text("Both filters keep 4 of 4 questions.")).to_be_visible(timeout=READY)
    eventually(lambda: asked_for(page), wanted)
    page.get_by_role("button", name="Restore 1 question").click()
    eventually(lambda: asked_for(page), [*wanted[:2], ASKED[2][0], wanted[2]])
    assert len(chats.requests) == sent
    # The file is read where it is uploaded, with the document under its name.
    page.locator(".st-key-retrieval_questions input[type=file]").set_input_files(
        {"name": "q.csv", "mimeType": "text/csv", "buffer": file}
    )
    page.get_by_role("button", name="Run", exact=True).click(timeout=READY)
    expect(page.get_by_text(re.compile("changed since"))).to_have_count(0, timeout=READY)
    expect(asked).to_contain_text("3 questions", timeout=READY)
    at_rest(page)
    expect(page.get_by_text(re.compile("question problems?$"))).to_have_count(0)
