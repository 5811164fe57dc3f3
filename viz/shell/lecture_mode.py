"""Lecture mode for projectors: large type and figures, and no side bar; the link includes the mode."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.server.middleware import LECTURE_PARAMETER
from viz.state import OWN_DECK_KEY, session, went_back_or_forward


def is_lecture_mode_on() -> bool:
    """Return whether the session is in lecture mode, which a link can turn on."""
    if session.is_in_lecture_mode is None or went_back_or_forward():
        session.is_in_lecture_mode = st.query_params.get(LECTURE_PARAMETER) == "1"
    return bool(session.is_in_lecture_mode)


def apply_lecture_styles() -> None:
    """Apply the style sheet of lecture mode if the mode is on."""
    if is_lecture_mode_on():
        place_in_lecture = session.playing
        style_sheet_names = ["lecture.css"]
        if place_in_lecture is not None:
            style_sheet_names += ["deck.css", *["bundled_deck.css"] * (place_in_lecture.deck != OWN_DECK_KEY)]
        style_sheet_contents = [(Path(__file__).parent / sheet).read_text(encoding="utf-8") for sheet in style_sheet_names]
        st.html(f"<style>{''.join(style_sheet_contents)}</style>")


def settings_container() -> DeltaGenerator:
    """Return the container for settings: the side bar or, in lecture mode, a menu."""
    if not is_lecture_mode_on():
        return st.sidebar
    lecture_bar_container = st.container(key="lecture_bar", horizontal=True)
    settings_popover_menu = lecture_bar_container.popover("Settings")
    lecture_bar_container.button("Leave lecture mode", on_click=setattr, args=(session, "is_in_lecture_mode", False))
    return settings_popover_menu


def draw_lecture_mode_keys(menu: DeltaGenerator) -> None:
    """Draw the keyboard shortcuts of lecture mode in its menu, if lecture mode is on."""
    if is_lecture_mode_on():
        menu.caption(
            "Keys: **1** to **6** show one column alone, **h** hides or shows the cuts, **d** and **D** go to the next and "
            "the previous disagreement, **/** goes to the question field, **b** blanks the screen, **s** adds the page to "
            "your lecture."
        )


def draw_button_entering_lecture_mode() -> None:
    """Draw the button that turns lecture mode on, at the end of the side bar."""
    st.button(
        "Lecture mode",
        on_click=setattr,
        args=(session, "is_in_lecture_mode", True),
        width="stretch",
        help="Large type and pictures, no side bar. The link keeps it. Keys show one column alone, or hide the cuts: its "
        "Settings name them.",
    )
    st.caption("Press **?** to list the keyboard shortcuts of the page.")
