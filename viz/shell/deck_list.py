"""The list of lectures: each opens, is printed as a handout, and the user's own is saved and opened as a file."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunkers import InputError
from viz.components.download import download
from viz.shell.deck import decks, start
from viz.shell.navigation import PAGES
from viz.shell.own_lecture import bring_back, replace_lecture
from viz.state.decks import OWN_DECK, Deck
from viz.state.keys import session
from viz.state.lecture_file import read
from viz.state.text import Source
from viz.theme.numbers import counted


def offer_decks(place: str) -> None:
    """Draw a button for each lecture, with what it is about; ``place`` distinguishes two lists on one page."""
    for name, deck in decks().items():
        with st.container(gap=None):
            # A user's own title would be read as Markdown.
            label, about = ("My lecture", "") if name == OWN_DECK else (deck.title, f"{deck.about} ")
            with st.container(horizontal=True):
                st.button(label, key=f"{place}/deck/{name}", on_click=start, args=(name,))
                _offer_handout(place, name, deck)
                if name == OWN_DECK:
                    _offer_file(place)
            st.caption(f"{about}{counted(len(deck.scenes), 'scene')}.")
    if session.lecture_before is not None and session.lecture_before.deck.scenes:
        st.button(
            "Restore lecture",
            key=f"{place}/restore_lecture",
            on_click=bring_back,
            help="Your own lecture as it was before a scene was removed or a file was opened.",
        )
    key = f"{place}/lecture_file"

    def opened() -> None:
        file, session.deck_complaint = st.session_state[key], ""
        if file is None:
            return
        try:
            lecture = read(file.getvalue(), file.name, PAGES)
        except InputError as error:
            session.deck_complaint = str(error)
            return
        if lecture != session.own_lecture:
            replace_lecture(lecture)
        start(OWN_DECK)

    st.file_uploader(
        "Open a lecture",
        type="json",
        key=key,
        on_change=opened,
        help="A lecture of your own: “Add to my lecture” takes any page as it is; then save it here.",
    )


def _offer_file(place: str) -> None:
    file = session.own_lecture
    download(
        st.container(),
        "Save",
        lambda: file.model_dump_json(indent=1),
        "lecture.json",
        "application/json",
        file,
        key=f"{place}/save_lecture",
        help="The scenes with their words, and your own texts that they show. Without such texts, the link of a short "
        "lecture has all of it, too.",
    )


def _written(deck: Deck, texts: Mapping[str, Source]) -> str:
    # The first page has no use for reports.
    from evaluation.report.handout import handout
    from viz.state.sheets import sheets

    return handout(deck.title, deck.about, sheets(deck, texts))


def _offer_handout(place: str, name: str, deck: Deck) -> None:
    texts = {key: text.source for key, text in session.own_lecture.texts.items()} if name == OWN_DECK else {}
    download(
        st.container(),
        "Handout",
        lambda: _written(deck, texts),
        "handout.html",
        "text/html",
        (deck, texts),
        key=f"{place}/handout/{name}",
        help="One page to print: every scene with its words and chunks, exercises, and the answers at the end.",
    )
