"""Code, tables and formulas in the text: another face, the same characters."""

import pytest

from sample_docs import load_sample
from tests.browser.steps import column, open_app, whole_text

FACES = """(body) => {
  const mono = [...body.querySelectorAll(".s .mono")];
  const face = (node) => getComputedStyle(node).fontFamily;
  return { words: mono.map((node) => node.textContent).join("\\n"), other: mono.every((node) => face(node) !== face(body)) };
}"""


@pytest.mark.parametrize(
    ("name", "drawn", "not_drawn"),
    [
        ("table", ["| Bridge | Built |", "2025-05-14T08:10", "\\sigma"], ["The valley is crossed", "Reading the sensors"]),
        ("formulas", ["A = pi * r^2", "n = ln(2) / ln(1 + p)"], ["Archimedes compared"]),
    ],
)
def test_code_tables_and_formulas_have_a_face_of_their_own(page, app_url, name, drawn, not_drawn):
    root = open_app(page, app_url, f"?embedder=tfidf&document={name}")
    found = column(root, 0).evaluate(FACES)
    assert found["other"]
    assert all(words in found["words"] for words in drawn)
    assert not any(words in found["words"] for words in not_drawn)
    assert whole_text(root, 0) == load_sample(name).text
