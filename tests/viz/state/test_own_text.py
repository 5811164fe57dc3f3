"""An edit of the own text keeps its name and what boundaries it does not touch; another text is another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.state import own_text
from viz.state.own_text import PASTED, edited
from viz.state.text import Source

TEXT = "One is here. Two is here. Three is here."


class Session:
    own: Source | None
    own_given: Source | None


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(own_text, "session", Session)
    Session.own, Session.own_given = Source(TEXT, "notes.txt", (13, 26), "read as utf-8"), None
    return Session


def test_an_edit_keeps_the_name_and_moves_the_boundaries(session):
    longer = TEXT.replace("Two is", "Two, by the way, is")
    assert edited(longer) == Source(longer, "notes.txt", (13, 26 + len(", by the way,")), "edited here")


def test_a_boundary_that_is_overwritten_is_gone(session):
    shorter = TEXT.replace("here. Two is ", "")
    assert edited(shorter).known == (13,)


def test_another_text_is_a_pasted_one(session):
    assert edited("Something else altogether, and longer than before.") == Source(
        "Something else altogether, and longer than before.", PASTED
    )
    session.own = None
    assert edited(TEXT) == Source(TEXT, PASTED)


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text(max_size=30), st.sets(st.integers(1, len(TEXT) - 1)))
def test_boundaries_stand_before_the_same_text_as_before(start, end, new, known):
    start, end = sorted((start, end))
    text = TEXT[:start] + new + TEXT[end:]
    Session.own = Source(TEXT, "notes.txt", tuple(sorted(known)))
    after = edited(text).known or ()
    assert list(after) == sorted(set(after))
    # What follows a boundary, or what comes before it, is what it was, and at its place.
    for place in after:
        assert 0 < place < len(text)
        moved = place - len(text) + len(TEXT)
        assert (place in known and TEXT[:place] == text[:place]) or (moved in known and TEXT[moved:] == text[place:])
