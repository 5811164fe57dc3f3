"""An edit of the own text keeps its name and what boundaries it does not touch; another text is another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.text.extracted_text import Omission, TextParts
from evaluation.segmentation.boundary_files import find_spans_between_mark_lines
from viz.state import own_text
from viz.state.own_text import PASTED_TITLE, own_text_after_edit
from viz.state.shown_text import TextWithDetails

TEXT = "One is here. Two is here. Three is here."


class Session:
    own: TextWithDetails | None
    own_given: TextWithDetails | None


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(own_text, "session", Session)
    Session.own, Session.own_text_as_given = TextWithDetails(TEXT, "notes.txt", (13, 26), "read as utf-8"), None
    return Session


def test_an_edit_keeps_the_name_and_moves_the_boundaries(session):
    longer = TEXT.replace("Two is", "Two, by the way, is")
    assert own_text_after_edit(longer) == TextWithDetails(
        longer, "notes.txt", (13, 26 + len(", by the way,")), "edited here"
    )


def test_a_boundary_that_is_overwritten_is_gone(session):
    shorter = TEXT.replace("here. Two is ", "")
    assert own_text_after_edit(shorter).known == (13,)


def test_another_text_is_a_pasted_one(session):
    assert own_text_after_edit("Something else altogether, and longer than before.") == TextWithDetails(
        "Something else altogether, and longer than before.", PASTED_TITLE
    )
    session.own = None
    assert own_text_after_edit(TEXT) == TextWithDetails(TEXT, PASTED_TITLE)


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text(max_size=30), st.lists(st.integers(0, len(TEXT))))
def test_what_an_edit_leaves_is_on_the_page_that_it_was_on(start, end, new, starts):
    start, end = sorted((start, end))
    text = TEXT[:start] + new + TEXT[end:]
    parts = TextParts("page", (0, *sorted(starts)), tuple(map(str, range(len(starts) + 1))))
    Session.own = TextWithDetails(TEXT, "notes.txt", parts=parts, left_out=(Omission("picture", 2, 0),))
    after = own_text_after_edit(text)
    if after.name == PASTED_TITLE:
        assert after == TextWithDetails(text, PASTED_TITLE)
        return
    assert after.left_out == Session.own.left_out
    first = own_text._common_prefix_length(TEXT, text)
    last = own_text._common_prefix_length(TEXT[first:][::-1], text[first:][::-1])
    assert [after.parts.part_number_at(place) for place in range(first)] == [
        parts.part_number_at(place) for place in range(first)
    ]
    for back in range(1, last + 1):
        assert after.parts.part_number_at(len(text) - back) == parts.part_number_at(len(TEXT) - back)


@given(st.lists(st.sampled_from(["a b", "---", " --- ", "", "c"]), max_size=12), st.data())
def test_pages_stay_with_their_text_when_lines_of_dashes_go(lines, data):
    text = "\n".join(lines)
    starts = data.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    parts = TextParts("page", (0, *starts), tuple(map(str, range(len(starts) + 1))))
    bare = own_text.with_dashes_as_boundaries(TextWithDetails(text, "notes.txt", parts=parts))
    # Each section that is kept, from where it was to where it is.
    at = 0
    for start, end in find_spans_between_mark_lines(text):
        assert bare.text[at : at + end - start] == text[start:end]
        for place in range(end - start):
            assert bare.parts.part_number_at(at + place) == parts.part_number_at(start + place)
        at += end - start


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text(max_size=30), st.sets(st.integers(1, len(TEXT) - 1)))
def test_boundaries_stand_before_the_same_text_as_before(start, end, new, known):
    start, end = sorted((start, end))
    text = TEXT[:start] + new + TEXT[end:]
    Session.own = TextWithDetails(TEXT, "notes.txt", tuple(sorted(known)))
    after = own_text_after_edit(text).known or ()
    assert list(after) == sorted(set(after))
    # What follows a boundary, or what comes before it, is what it was, and at its place.
    for place in after:
        assert 0 < place < len(text)
        moved = place - len(text) + len(TEXT)
        assert (place in known and TEXT[:place] == text[:place]) or (moved in known and TEXT[moved:] == text[place:])
