"""The user's own lecture after a reload, when only the browser's tab has it."""

from types import SimpleNamespace

import pytest

from viz.shell import current_lecture
from viz.state.lecture_decks import LectureFile, Scene
from viz.state.page_text import TextSource
from viz.state.session_state import PlaceInLecture

LECTURE = LectureFile().with_scene(Scene(title="Mine", link="/?document=own"), TextSource("One. Two.", "Pasted text"))
OTHER = LectureFile().with_scene(Scene(title="Other", link="/"), None)
NONE = LectureFile()


@pytest.mark.parametrize(
    ("own", "kept", "expected", "before", "playing", "complaint"),
    [
        (NONE, LECTURE.packed, LECTURE, None, PlaceInLecture("own", 0), ""),
        (NONE, "", NONE, None, None, "has no scenes of it. If you saved the lecture, open its file"),
        (NONE, LECTURE.packed[:-9], NONE, None, None, "may have been cut off"),
        (OTHER, LECTURE.packed, OTHER, LECTURE, PlaceInLecture("own", 0), ""),
        (OTHER, OTHER.packed, OTHER, None, PlaceInLecture("own", 0), ""),
    ],
)
def test_the_tab_gives_it_back(monkeypatch, own, kept, expected, before, playing, complaint):
    session = SimpleNamespace(own_lecture=own, lecture_before=None, playing=PlaceInLecture("own", 0), deck_complaint="")
    monkeypatch.setattr(current_lecture, "session", session)
    current_lecture.adopt_lecture_of_tab(kept)
    assert (session.own_lecture, session.lecture_before, session.playing) == (expected, before, playing)
    assert complaint in session.deck_complaint
    assert bool(complaint) == bool(session.deck_complaint)


@pytest.mark.parametrize(("most", "words"), [(current_lecture.MOST_TAB_LECTURE_CHARACTERS, LECTURE.packed), (3, "")])
def test_the_tab_keeps_it_unless_it_is_too_long(monkeypatch, most, words):
    kept = []
    session = SimpleNamespace(own_lecture=NONE, lecture_sent=False)
    monkeypatch.setattr(current_lecture, "session", session)
    monkeypatch.setattr(current_lecture, "MOST_TAB_LECTURE_CHARACTERS", most)
    monkeypatch.setattr(current_lecture, "store_questions_or_lecture_in_tab", kept.append)
    current_lecture.keep_lecture_in_tab()
    assert not kept, "the tab may have a lecture of the session before"
    session.own_lecture = LECTURE
    current_lecture.keep_lecture_in_tab()
    session.own_lecture = NONE
    current_lecture.keep_lecture_in_tab()
    assert [lecture["words"] for lecture in kept] == [words, ""]
