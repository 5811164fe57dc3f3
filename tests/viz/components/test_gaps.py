"""Gaps that can be clicked: their numbers, and what a browser says of them."""

import pytest

from chunkers import Document
from viz.components.reader.payload import ClickedGaps, clickable_gaps_data, clicked_gaps_from_event, gap_numbers_at_offsets

TEXT = "A heron \N{GRINNING FACE} waits. It eats fish. The loom has two beams."
DOCUMENT = Document.from_text(TEXT, "regex", "notes")
STARTS = [*DOCUMENT.starts]


def test_gaps_are_numbered_by_the_sentence_before_them_and_places_elsewhere_have_none():
    assert gap_numbers_at_offsets(DOCUMENT, STARTS) == [0, 1]
    assert gap_numbers_at_offsets(DOCUMENT, [STARTS[2], STARTS[1] + 3]) == [1]
    assert clickable_gaps_data(DOCUMENT, "marks", [STARTS[1]], are_columns_folded_into_one=True) == {
        "purpose": "marks",
        "folded": True,
        "gaps": [0],
        "heard": None,
    }


def event(**changes):
    return {"gaps": [1, 0], "purpose": "marks", "source": DOCUMENT.identity, "at": 1.0} | changes


def test_what_the_browser_says_becomes_places_in_order():
    assert clicked_gaps_from_event(event(), DOCUMENT) == [ClickedGaps("marks", (STARTS[1], STARTS[2]))]
    assert clicked_gaps_from_event(event(gaps=[]), DOCUMENT) == [ClickedGaps("marks", ())]
    assert clicked_gaps_from_event(event(gaps=None), DOCUMENT) == [ClickedGaps("marks", None)]


def test_earlier_changes_come_first_but_for_those_that_the_server_has():
    earlier = [{"gaps": [0], "at": 0.2}, {"gaps": None, "at": 0.4}, {"gaps": [1], "at": 0.6}]
    whole = ClickedGaps("marks", (STARTS[1], STARTS[2]))
    assert [change.sentence_starts for change in clicked_gaps_from_event(event(earlier=earlier), DOCUMENT)] == [
        (STARTS[1],),
        None,
        (STARTS[2],),
        whole.sentence_starts,
    ]
    assert clicked_gaps_from_event(event(earlier=earlier), DOCUMENT, 0.4) == [ClickedGaps("marks", (STARTS[2],)), whole]
    assert clicked_gaps_from_event(event(earlier=[3, {"gaps": [9]}]), DOCUMENT) == [whole]
    assert clicked_gaps_from_event(event(earlier="all"), DOCUMENT) == [whole]


@pytest.mark.parametrize(
    "changes", [{"source": "another"}, {"purpose": "else"}, {"gaps": [2]}, {"gaps": [-1]}, {"gaps": ["0"]}, {"gaps": "0"}]
)
def test_what_cannot_be_of_this_text_is_ignored(changes):
    assert clicked_gaps_from_event(event(**changes), DOCUMENT) == []
    assert clicked_gaps_from_event(None, DOCUMENT) == []
