"""The scenes of a lecture on paper: each is run as its page would run it."""

import pytest

from evaluation.segmentation.boundary_measures import cut_offsets
from evaluation.segmentation.chunk_statistics import count_found_missed_added
from viz.shell.printed_lecture_scenes import lecture_sheets
from viz.state.lecture_decks import Deck, LectureFile, Scene, bundled_decks
from viz.state.shown_text import TextWithDetails


@pytest.mark.model
def test_every_bundled_scene_with_a_text_has_its_columns():
    for deck in bundled_decks().values():
        for scene, sheet in zip(deck.scenes, lecture_sheets(deck, {}), strict=True):
            assert bool(sheet.columns) == (scene.page not in ("retrieval", "guide")), scene.title
            assert sheet.words == scene.words_by_shown_part
    fixed = lecture_sheets(bundled_decks()["ten-minutes"], {})[2]
    assert count_found_missed_added(cut_offsets(fixed.columns[0]), fixed.known) == (1, 2, 2)


def test_a_text_of_the_user_is_run_and_a_lost_one_has_words_alone():
    scene = Scene(title="Mine", link="/?document=own&c1=fixed_sentences&c1.size=1", see="Look")
    lecture = LectureFile().with_scene(scene, TextWithDetails("One. Two.", "mine"))
    texts = {name: text.restored_text for name, text in lecture.texts.items()}
    (sheet,) = lecture_sheets(lecture.deck, texts)
    assert len(sheet.columns[0].chunks) == 2
    (without,) = lecture_sheets(lecture.deck, {})
    assert not without.columns


@pytest.mark.model
@pytest.mark.parametrize("query", ["c1=llm", "embedder=somebody/model&c1=breakpoint", "c1=breakpoint&c1.amount=x"])
def test_nothing_is_sent_or_fetched_for_paper(query):
    (sheet,) = lecture_sheets(Deck(title="One", scenes=(Scene(title="Asks", link=f"/?{query}"),)), {})
    assert sheet.columns == () or "amount" in query
