"""The user's own lecture after a reload, when only the browser's tab has it."""

from types import SimpleNamespace

import pytest

from viz.shell import lectures_and_current_scene
from viz.state.lecture_decks import LectureFile, Scene
from viz.state.session_state import PlaceInLecture
from viz.state.shown_text import TextWithDetails

LECTURE = LectureFile().with_scene(Scene(title="Mine", link="/?document=own"), TextWithDetails("One. Two.", "Pasted text"))
OTHER = LectureFile().with_scene(Scene(title="Other", link="/"), None)
NONE = LectureFile()


@pytest.mark.parametrize(
    ("own", "kept", "expected", "before", "playing", "complaint"),
    [
        (NONE, LECTURE.packed_for_link_or_tab, LECTURE, None, PlaceInLecture("own", 0), ""),
        (NONE, "", NONE, None, None, "has no scenes of it. If you saved the lecture, open its file"),
        (NONE, LECTURE.packed_for_link_or_tab[:-9], NONE, None, None, "may have been cut off"),
        (OTHER, LECTURE.packed_for_link_or_tab, OTHER, LECTURE, PlaceInLecture("own", 0), ""),
        (OTHER, OTHER.packed_for_link_or_tab, OTHER, None, PlaceInLecture("own", 0), ""),
    ],
)
def test_the_tab_gives_it_back(monkeypatch, own, kept, expected, before, playing, complaint):
    session = SimpleNamespace(own_lecture=own, lecture_before=None, playing=PlaceInLecture("own", 0), deck_complaint="")
    monkeypatch.setattr(lectures_and_current_scene, "session", session)
    lectures_and_current_scene.adopt_lecture_of_tab(kept)
    assert (session.own_lecture, session.lecture_before, session.playing) == (expected, before, playing)
    assert complaint in session.deck_complaint
    assert bool(complaint) == bool(session.deck_complaint)


@pytest.mark.parametrize(
    ("most", "words"), [(lectures_and_current_scene.MOST_TAB_LECTURE_CHARACTERS, LECTURE.packed_for_link_or_tab), (3, "")]
)
def test_the_tab_keeps_it_unless_it_is_too_long(monkeypatch, most, words):
    kept = []
    session = SimpleNamespace(own_lecture=NONE, lecture_sent=False)
    monkeypatch.setattr(lectures_and_current_scene, "session", session)
    monkeypatch.setattr(lectures_and_current_scene, "MOST_TAB_LECTURE_CHARACTERS", most)
    monkeypatch.setattr(lectures_and_current_scene, "store_questions_or_lecture_in_tab", kept.append)
    lectures_and_current_scene.keep_own_lecture_in_tab()
    assert not kept, "the tab may have a lecture of the session before"
    session.own_lecture = LECTURE
    lectures_and_current_scene.keep_own_lecture_in_tab()
    session.own_lecture = NONE
    lectures_and_current_scene.keep_own_lecture_in_tab()
    assert [lecture["words"] for lecture in kept] == [words, ""]
