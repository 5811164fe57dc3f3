"""The lecture at hand: the scene that is shown, in the session and in the link, and the change to another scene."""

from __future__ import annotations

from uuid import uuid4

import streamlit as st

from chunkers import InputError
from viz.components.notice import notice
from viz.server.first_paint import WIDE
from viz.shell.navigation import PAGES, go_where_asked
from viz.state.choices import OWN
from viz.state.compared import COMPARE
from viz.state.decks import MOST_SCENES, OWN_DECK, Deck, Scene, bundled_decks
from viz.state.history import came_through_history
from viz.state.keys import session
from viz.state.lecture_file import from_link, to_link
from viz.state.own_text import store_own_text
from viz.state.values import Arrival, Playing, Replaced

DECK, SCENE, SCENES = "deck", "scene", "scenes"
"""The link parameters of a lecture: its name, the number of its scene from 1, and the scenes of the user's own lecture."""

SAVED = "If you saved the lecture, open its file under “Lectures”."
"""Advice for a link without the scenes of the user's own lecture."""


def decks() -> dict[str, Deck]:
    """Return all lectures by the name that a link has for them; the user's own comes first, if it has scenes."""
    own = session.own_lecture.deck
    return {**({OWN_DECK: own} if own.scenes else {}), **bundled_decks()}


def current() -> tuple[Deck, int] | None:
    """Return the lecture at hand and the index of its scene, or None."""
    playing = session.playing
    deck = None if playing is None else decks().get(playing.deck)
    return None if playing is None or deck is None else (deck, min(playing.scene, len(deck.scenes) - 1))


def is_awaited() -> bool:
    """Return whether the lecture at hand is the user's own, which only the browser's tab may have."""
    return session.playing is not None and current() is None


def read_link() -> None:
    """Read the lecture from the link when the session begins, and after Back and Forward.

    A link without the state of a page leads to the scene's own state.
    """
    if session.deck_read and not came_through_history():
        return
    session.deck_read, session.playing, session.deck_complaint = True, None, ""
    query = st.query_params.to_dict()
    name, number = query.get(DECK), query.get(SCENE, "1")
    if name is None:
        return
    awaited = name == OWN_DECK and SCENES not in query and not session.own_lecture.deck.scenes
    if name == OWN_DECK and SCENES in query and not session.own_lecture.deck.scenes:
        try:
            session.own_lecture = from_link(query.get(SCENES, ""), PAGES)
        except InputError as error:
            session.deck_complaint = f"{error} {SAVED}"
            return
    known_decks = decks()
    if awaited:
        session.lecture_asked = uuid4().hex
    elif name not in known_decks:
        session.deck_complaint = f"The link's {DECK} must be one of {', '.join(known_decks)}; got {name[:60]!r}."
        return
    numbers = [str(place) for place in range(1, (MOST_SCENES if awaited else len(known_decks[name].scenes)) + 1)]
    if number not in numbers:
        session.deck_complaint = f"The link's {SCENE} must be a number from 1 to {numbers[-1]}; got {number[:60]!r}."
        number = "1"
    session.playing, session.lecture = Playing(name, int(number) - 1), True
    session.scene_wanted = not came_through_history() and query.keys() <= {DECK, SCENE, SCENES, WIDE}


def open_scene(deck: str, scene: int = 0) -> None:
    """Show a scene of a lecture on the next run, in lecture mode; for use as a callback."""
    session.playing, session.lecture, session.scene_wanted = Playing(deck, scene), True, True


def start(deck: str) -> None:
    """Show a lecture from its first scene; for use as a callback."""
    session.lectures_started += 1
    open_scene(deck)


def leave() -> None:
    """End the lecture, and stay in lecture mode; for use as a callback."""
    session.playing = None


def go_to_scene(shown: str) -> None:
    """Switch from the page ``shown`` to that of the scene that was opened, if any, and draw errors in the link."""
    # Without a fixed place for the error, Streamlit would rebuild everything below it, an open menu included.
    place = st.empty()
    if session.deck_complaint:
        with place:
            notice(session.deck_complaint, "error", key="deck_error")
    showing = current()
    if session.scene_wanted and showing is not None:
        deck, index = showing
        scene = deck.scenes[index]
        session.scene_wanted = False
        page, link = scene.page or COMPARE, {**scene.query, WIDE: "1", **in_link()}
        session.arriving = Arrival(page, shown, link)
        _show_text_of(scene)
        # The scene's page may be the one shown, whose link is another.
        st.switch_page(PAGES[page].file, query_params=link)
    go_where_asked(shown)


def in_link() -> dict[str, str]:
    """Return the link parameters of the lecture at hand."""
    playing = session.playing
    if playing is None:
        return {}
    scenes = to_link(session.own_lecture) if playing.deck == OWN_DECK else ""
    return {DECK: playing.deck, SCENE: str(playing.scene + 1)} | ({SCENES: scenes} if scenes else {})


def _show_text_of(scene: Scene) -> None:
    """Make the text of a scene the user's own text; the text that it replaces can be restored."""
    texts = session.own_lecture.texts
    if scene.text not in texts or session.own == texts[scene.text].source:
        return
    before, given, is_stored = session.own, session.own_given, OWN in session.notebooks
    store_own_text(texts[scene.text].source)
    session.own_taken += 1
    if before is not None and not is_stored and all(text.text != before.text for text in texts.values()):
        session.replaced = Replaced(before, given)
