"""The lecture at hand: the scene that is shown, in the session and in the link, and the change to another scene."""

from __future__ import annotations

import streamlit as st

from viz.components.download import download
from viz.components.notice import notice
from viz.server.first_paint import WIDE
from viz.shell.navigation import PAGES
from viz.state.compared import COMPARE
from viz.state.decks import Deck, bundled_decks
from viz.state.history import came_through_history
from viz.state.keys import session
from viz.state.values import Playing
from viz.theme.numbers import counted

DECK, SCENE = "deck", "scene"
"""The link parameters that name a lecture and the number of its scene, from 1."""


def current() -> tuple[Deck, int] | None:
    """Return the lecture at hand and the index of its scene, or None."""
    playing = session.playing
    if playing is None:
        return None
    scenes = bundled_decks()[playing.deck].scenes
    return bundled_decks()[playing.deck], min(playing.scene, len(scenes) - 1)


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
    if name not in bundled_decks():
        session.deck_complaint = f"The link's {DECK} must be one of {', '.join(bundled_decks())}; got {name[:60]!r}."
        return
    numbers = [str(one) for one in range(1, len(bundled_decks()[name].scenes) + 1)]
    if number not in numbers:
        session.deck_complaint = f"The link's {SCENE} must be a number from 1 to {numbers[-1]}; got {number[:60]!r}."
        number = "1"
    session.playing, session.lecture = Playing(name, int(number) - 1), True
    session.scene_wanted = not came_through_history() and query.keys() <= {DECK, SCENE, WIDE}


def open_scene(deck: str, scene: int = 0) -> None:
    """Show a scene of a lecture on the next run, in lecture mode; for use as a callback."""
    session.playing, session.lecture, session.scene_wanted = Playing(deck, scene), True, True


def leave() -> None:
    """End the lecture, and stay in lecture mode; for use as a callback."""
    session.playing = None


def go_to_scene() -> None:
    """Switch to the page of the scene that was opened, if any, and draw errors in the link."""
    if session.deck_complaint:
        notice(session.deck_complaint, "error", key="deck_complaint")
    showing = current()
    if not session.scene_wanted or showing is None:
        return
    session.scene_wanted = False
    deck, index = showing
    scene = deck.scenes[index]
    session.arriving = scene.page or COMPARE
    st.switch_page(PAGES[session.arriving].file, query_params={**scene.query, WIDE: "1", **in_link()})


def in_link() -> dict[str, str]:
    """Return the link parameters of the lecture at hand."""
    playing = session.playing
    return {} if playing is None else {DECK: playing.deck, SCENE: str(playing.scene + 1)}


def offer_decks(place: str) -> None:
    """Draw a button for each lecture, with what it is about; ``place`` distinguishes two lists on one page."""
    for name, deck in bundled_decks().items():
        with st.container(gap=None):
            with st.container(horizontal=True):
                st.button(deck.title, key=f"{place}/deck/{name}", on_click=open_scene, args=(name,))
                _offer_handout(place, name, deck)
            st.caption(f"{deck.about} {counted(len(deck.scenes), 'scene')}.")


def _written(deck: Deck) -> str:
    # The first page has no use for reports.
    from evaluation.report.handout import handout
    from viz.state.sheets import sheets

    return handout(deck.title, deck.about, sheets(deck))


def _offer_handout(place: str, name: str, deck: Deck) -> None:
    download(
        st.container(),
        "Handout",
        lambda: _written(deck),
        "handout.html",
        "text/html",
        deck,
        key=f"{place}/handout/{name}",
        help="One page to print: every scene with its words and chunks, exercises, and the answers at the end.",
    )
