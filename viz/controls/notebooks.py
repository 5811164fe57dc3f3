"""Keeping the own text on this machine, and the list of the texts that are kept."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from chunkers import InputError
from viz.components.notice import notice, remark
from viz.jobs.keeping.notebook_store import Listed
from viz.jobs.resources import notebook_store
from viz.state.choices import Choices
from viz.state.keys import session
from viz.state.notebook import forget, is_private, keep, open_notebook
from viz.theme.numbers import counted

MOST_LISTED = 20

SHARED_SERVER = "Others can reach this server, so it keeps no texts. A session file, under “Take home”, keeps all of it."


def offer_to_keep(key: str) -> None:
    """Draw the button that keeps the own text on this machine, until it is kept; say why not where it cannot be."""
    if session.own is None:
        return
    if not is_private():
        remark(SHARED_SERVER, key=f"{key}_shared")
    elif session.notebook is None:
        st.button(
            "Keep on this machine",
            key=f"{key}_keep",
            on_click=keep,
            help="The text with its boundaries, its questions and the columns: in a file that only you can read, until you "
            "remove it. Changes are kept as you make them.",
        )
    if session.notebook_complaint:
        notice(session.notebook_complaint, "error", key=f"{key}_complaint")


def show_kept_texts(choices: Choices) -> None:
    """Draw the list of the texts that are kept on this machine, each with what opens and what removes it."""
    if not is_private():
        return
    try:
        kept = notebook_store().listed()
    except InputError as error:
        notice(str(error), "error", key="kept_texts_error")
        return
    if not kept:
        return
    remark("Kept on this machine:", key="kept_texts")
    notebook = session.notebook
    here = None if notebook is None or notebook.place is None else notebook.place.id
    for one in kept[:MOST_LISTED]:
        row = st.container(horizontal=True, vertical_alignment="center", key=f"kept_text_{one.id}")
        with row.container():
            remark(_said(one), key=f"kept_text_said_{one.id}")
        row.button(
            "Open",
            key=f"kept_text_open_{one.id}",
            on_click=_open,
            args=(one.id, choices),
            disabled=one.id == here,
            width="content",
        )
        row.button("Remove", key=f"kept_text_remove_{one.id}", on_click=forget, args=(one.id,), width="content")
    if len(kept) > MOST_LISTED:
        remark(f"{len(kept) - MOST_LISTED:,} older ones are not listed.", key="kept_texts_more")
    if len(kept) > 1:
        st.button("Remove all", key="kept_texts_clear", on_click=forget)


def _said(one: Listed) -> str:
    day = datetime.fromtimestamp(one.changed).strftime("%Y-%m-%d")
    return f"{one.name} · {counted(one.questions, 'question')} · {day}"


def _open(id: str, choices: Choices) -> None:
    page = open_notebook(id, choices)
    if page and page != session.page:
        session.next_page = page
