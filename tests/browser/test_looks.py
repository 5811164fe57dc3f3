"""Headings, lists, code, tables and formulas in the text: they look otherwise, and are the same characters."""

import pytest

from sample_docs import load_sample
from tests.browser.steps import column, embedded, eventually, open_app, paste, whole_text

FACES = """(body) => {
  const mono = [...body.querySelectorAll(".s .mono")];
  const face = (node) => getComputedStyle(node).fontFamily;
  return { words: mono.map((node) => node.textContent).join("\\n"), other: mono.every((node) => face(node) !== face(body)) };
}"""


@pytest.mark.parametrize(
    ("name", "drawn", "not_drawn"),
    [
        ("table", ["| Bridge | Built |", "2025-05-14T08:10", "\\sigma"], ["The valley is crossed", "Reading the sensors"]),
        pytest.param(
            *("formulas", ["A = pi * r^2", "n = ln(2) / ln(1 + p)"], ["Archimedes compared"]), marks=pytest.mark.full
        ),
    ],
)
def test_code_tables_and_formulas_have_a_face_of_their_own(page, app_url, name, drawn, not_drawn):
    root = open_app(page, app_url, f"?embedder=tfidf&document={name}")
    faces = column(root, 0).evaluate(FACES)
    assert faces["other"]
    assert all(words in faces["words"] for words in drawn)
    assert not any(words in faces["words"] for words in not_drawn)
    assert whole_text(root, 0) == load_sample(name).text


LISTED = (
    "# Fruit\n\nBuy these:\n\n- apples, "
    + "which keep for long and " * 8
    + "are red\n- pears\n\n## Stone fruit\n\nPlums are one.\n"
)

LEFTS = """(body) => {
  const item = [...body.querySelectorAll(".s")].find((node) => node.textContent.startsWith("- apples"));
  const words = document.createRange();
  words.selectNodeContents(item.lastChild);
  // The space at which a line is broken has a box of its own.
  const lines = [...words.getClientRects()].filter(({ width }) => width > 20);
  return { lines: lines.length, lefts: new Set(lines.map((box) => Math.round(box.left))).size,
           bold: [...body.querySelectorAll(".heading")].map((one) => [one.textContent, getComputedStyle(one).fontWeight]) };
}"""


def test_headings_are_bold_lists_hang_and_a_chunk_names_the_headings_above_it(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf&c1=fixed_sentences&c1.size=1&sentences=sentencex")
    paste(page, LISTED)
    eventually(lambda: whole_text(root, 0), LISTED)
    embedded(page)
    layout = column(root, 0).evaluate(LEFTS)
    assert layout["bold"] == [["# Fruit", "650"], ["## Stone fruit", "650"]]
    # Every line of the item's words begins at the same place, the mark before them.
    assert layout["lines"] > 1
    assert layout["lefts"] == 1
    paths = column(root, 0).locator(".path").evaluate_all("(paths) => paths.map((path) => path.dataset.path)")
    assert paths[0] == "Fruit"
    assert paths[-1] == "Fruit › Stone fruit"
    # The first chunk is the heading itself.
    assert column(root, 0).locator(".chunk").first.locator(".path").count() == 0


ROWS = "".join(f"| Bridge {number} | 19{number} |\n" for number in range(20, 40))
HEADED = f"| Name <b>of</b> it | Built |\n|---|---|\n{ROWS}"


@pytest.mark.full
def test_the_header_that_a_chunk_repeats_stands_above_its_text_and_is_no_part_of_it(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf&sentences=lines&tokenizer=words&c1=structure&c1.max_size=60")
    paste(page, HEADED)
    eventually(lambda: whole_text(root, 0), HEADED)
    embedded(page)
    header = "\n".join(HEADED.splitlines()[:2])
    contexts = "(all) => all.map((one) => [one.dataset.context, one.textContent])"
    chunks = column(root, 0).locator(".chunk")
    above = column(root, 0).locator(".context")
    eventually(above.count, lambda count: 2 <= count == chunks.count() - 1)
    assert above.evaluate_all(contexts) == [[header, ""]] * above.count()
    assert chunks.first.locator(".context").count() == 0
    place = above.first.bounding_box()
    words = chunks.nth(1).locator(".s").first.bounding_box()
    assert place["height"] > 20
    assert place["y"] + place["height"] <= words["y"] + 1
    name = chunks.nth(1).get_attribute("aria-label")
    assert name.endswith("repeats | Name <b>of</b> it | Built | |---|---|")
