"""Gaps that can be clicked: their numbers, and what a browser says of them."""

import pytest

from chunkers import Document
from viz.components.gaps.gaps import Clicked, Marking, clicked, gaps_before

TEXT = "A heron \N{GRINNING FACE} waits. It eats fish. The loom has two beams."
DOCUMENT = Document.from_text(TEXT, "regex", "notes")
STARTS = [*DOCUMENT.starts]


def test_gaps_are_numbered_by_the_sentence_before_them_and_places_elsewhere_have_none():
    assert gaps_before(DOCUMENT, STARTS) == [0, 1]
    assert gaps_before(DOCUMENT, [STARTS[2], STARTS[1] + 3]) == [1]
    assert Marking("marks", True, [STARTS[1]]).data(DOCUMENT, 2.5) == {
        "purpose": "marks",
        "folded": True,
        "gaps": [0],
        "heard": 2.5,
    }


def event(**changes):
    return {"gaps": [1, 0], "purpose": "marks", "source": DOCUMENT.identity, "at": 1.0} | changes


def test_what_the_browser_says_becomes_places_in_order():
    assert clicked(event(), DOCUMENT) == Clicked("marks", (STARTS[1], STARTS[2]))
    assert clicked(event(gaps=[]), DOCUMENT) == Clicked("marks", ())
    assert clicked(event(gaps=None), DOCUMENT) == Clicked("marks", None)


@pytest.mark.parametrize(
    "changes", [{"source": "another"}, {"purpose": "else"}, {"gaps": [2]}, {"gaps": [-1]}, {"gaps": ["0"]}, {"gaps": "0"}]
)
def test_what_cannot_be_of_this_text_is_ignored(changes):
    assert clicked(event(**changes), DOCUMENT) is None
    assert clicked(None, DOCUMENT) is None
