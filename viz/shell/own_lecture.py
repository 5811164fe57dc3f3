"""The user's own lecture: scenes made from states of pages, moved, removed and brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from chunkers import InputError
from chunkers.methods.your_chunks import YourChunks
from evaluation.asking.ask import LONGEST_QUESTION
from viz.components.text_bar.text_bar import keep_words_in_tab
from viz.shell.deck import SAVED, current, is_awaited, leave, open_scene
from viz.shell.navigation import PAGES
from viz.state.choices import OWN, Choices
from viz.state.compared import COMPARE
from viz.state.decks import LONGEST_TITLE, LONGEST_WORDS, MOST_SCENES, OWN_DECK, PARTS, Deck, Scene, link_of
from viz.state.keys import session
from viz.state.lecture_file import LARGEST_FILE, LectureFile, from_link
from viz.state.link import model_in_link, to_query
from viz.state.values import Playing

NOTHING = Choices("", "", [], "", "", -1)
"""Choices from which those of all pages differ: a scene's link has all of them, whatever a page's defaults become."""

MOST_KEPT = 500_000
"""Most characters of a packed lecture that the browser's tab keeps, beside the user's text."""


def offer_to_add() -> None:
    """Draw the button that opens the form for another scene."""

    def begin() -> None:
        session.scene_adding += 1

    st.button(
        "Add to my lecture",
        key="add_scene",
        on_click=begin,
        width="stretch",
        help="The page as it is now becomes a scene of a lecture of your own, with words to say. The key s does the same.",
    )


def add_scene(words: Mapping[str, str], *, hides: bool) -> None:
    """Add the state of the page to the user's own lecture, with the title, words and question in ``words``; a callback."""
    page, own = session.page, session.own_lecture
    if page not in session.choices:
        return
    choices = session.choices[page]
    query = to_query(choices, NOTHING) | model_in_link(choices, session.language_server.model or session.linked_model)
    if query.get("document") == OWN and session.own is None:
        session.lecture_said = "There is no text yet to show in a lecture."
        return
    if len(own.deck.scenes) == MOST_SCENES:
        session.lecture_said = f"A lecture must have at most {MOST_SCENES} scenes; remove one first."
        return
    try:
        scene = Scene(
            title=words.get("title", "").strip()[:LONGEST_TITLE] or PAGES[page].title,
            link=link_of("" if page == COMPARE else page, query),
            hides=hides,
            ask=words.get("question", "").strip()[:LONGEST_QUESTION] if page == COMPARE else "",
            **{part: words.get(part, "").strip()[:LONGEST_WORDS] for part in PARTS},
        )
        grown = own.with_scene(scene, session.own if query.get("document") == OWN else None)
    except ValueError:
        session.lecture_said = "The settings of this page are too long for a scene."
        return
    if len(grown.model_dump_json(indent=1).encode()) > LARGEST_FILE:
        session.lecture_said = f"A lecture's file must have at most {LARGEST_FILE:,} bytes; with this text it has more."
        return
    session.own_lecture = grown
    from_file = any(column.chunker == YourChunks.name for column in choices.columns)
    session.lecture_said = f"Added as scene {len(grown.deck.scenes)} of your lecture" + (
        "; the file of chunks is not saved with it" * from_file
        or "; it is too long to survive a reload, so save it under “Lectures”" * (len(grown.packed) > MOST_KEPT)
    )


def keep_lecture() -> None:
    """Store the user's own lecture in the browser's tab."""
    own = session.own_lecture
    # Until this session has scenes, the tab may still have those of the previous session.
    session.lecture_sent = session.lecture_sent or bool(own.deck.scenes)
    if session.lecture_sent:
        words = own.packed if own.deck.scenes and len(own.packed) <= MOST_KEPT else ""
        keep_words_in_tab({"name": "lecture", "words": words})


def take_back(kept: str) -> None:
    """Take the lecture that the browser's tab has kept; if the session has another, it can be brought back."""
    try:
        lecture = from_link(kept, PAGES, LARGEST_FILE)
    except InputError as error:
        if is_awaited():
            session.playing, session.deck_complaint = None, f"{error} {SAVED}"
        return
    if not session.own_lecture.deck.scenes:
        session.own_lecture = lecture
    elif lecture != session.own_lecture:
        session.lecture_before = lecture


def picture(until: int | None, caption: Sequence[str]) -> str | None:
    """Return the page with its present settings as SVG, up to a sentence of its stepper, or None if nothing is drawn."""
    # The first page has no use for pictures.
    from evaluation.report.scene_picture import scene_picture
    from viz.state.sheets import sheets

    showing = current()
    if showing is None or session.page not in session.choices:
        return None
    deck, index = showing
    page = "" if session.page == COMPARE else session.page
    link = link_of(page, to_query(session.choices[session.page], NOTHING))
    scene = deck.scenes[index].model_copy(update={"link": link, "text": OWN, "minutes": ""})
    (sheet,) = sheets(Deck(title=deck.title, scenes=(scene,)), {} if session.own is None else {OWN: session.own})
    return scene_picture(sheet, caption, until) if sheet.columns else None


def move_scene(by: int) -> None:
    """Move the scene at hand of the user's own lecture; for use as a callback."""
    playing = session.playing
    if playing is not None and playing.deck == OWN_DECK:
        to = max(0, min(playing.scene + by, len(session.own_lecture.deck.scenes) - 1))
        session.own_lecture = session.own_lecture.moved(playing.scene, to - playing.scene)
        session.playing = Playing(OWN_DECK, to)


def remove_scene() -> None:
    """Remove the scene at hand of the user's own lecture, and show the next; for use as a callback."""
    playing = session.playing
    if playing is None or playing.deck != OWN_DECK:
        return
    replace_lecture(session.own_lecture.without(playing.scene))
    session.lecture_said = "Removed from your lecture; “Lectures” in the settings can bring it back"


def bring_back() -> None:
    """Restore the user's own lecture as it was before its last removal or replacement; for use as a callback."""
    if session.lecture_before is not None:
        replace_lecture(session.lecture_before)


def replace_lecture(lecture: LectureFile) -> None:
    """Replace the user's own lecture, which can be brought back; if it is at hand, show the scene at the same place."""
    session.own_lecture, session.lecture_before = lecture, session.own_lecture
    playing, count = session.playing, len(lecture.deck.scenes)
    if playing is None or playing.deck != OWN_DECK:
        return
    if count:
        open_scene(OWN_DECK, min(playing.scene, count - 1))
    else:
        leave()
