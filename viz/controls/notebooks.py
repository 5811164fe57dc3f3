"""Controls that keep a document on this machine, and the list of kept texts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from chunkers import InputError
from sample_docs import load_sample
from viz.components.notice import notice, remark
from viz.components.text_bar.text_bar import NotebookChip
from viz.jobs.keeping.notebook_store import Listed
from viz.jobs.resources import notebook_store
from viz.state.choices import OWN, Choices
from viz.state.compared import COMPARE
from viz.state.keys import session
from viz.state.notebook import forget, is_private, keep, kept_here, open_notebook
from viz.state.own_text import bring_back, choose_document, questions_about
from viz.state.text import Source
from viz.state.values import Arrival
from viz.theme.numbers import counted, known_boundaries

MOST_LISTED = 20

SHARED_SERVER = (
    "Others can reach this server, so it keeps no texts. A session file, under “Downloads” on Compare, keeps all of it."
)

DOWNLOADS = "Downloads"
"""The view of Compare with the session file."""


def chip_of(document: str) -> NotebookChip:
    """Return the chip next to a document's name, which shows whether and how the document can be kept."""
    own = session.own if document == OWN else None
    source = own if document == OWN else _sample(document)
    questions = 0 if source is None else questions_about(source)
    at_stake = [counted(questions, "question")] * bool(questions)
    if own is not None and own.known:
        at_stake.append(known_boundaries(len(own.known)))
    if source is None or (own is None and not questions):
        return {"state": "", "title": ""}
    if document in session.notebooks:
        return {"state": "kept", "title": "The text, its questions and the columns are in a file that only you can read"}
    if not is_private():
        return {"state": "shared", "title": SHARED_SERVER}
    state = "urgent" if at_stake else "offered"
    lost = f"Only this tab has its {' and '.join(at_stake)}. " if at_stake else ""
    return {"state": state, "title": f"{lost}{KEEPS}"}


KEEPS = (
    "The text with its boundaries, its questions and the columns: in a file that only you can read, until you remove it. "
    "Changes are kept as you make them."
)


def _sample(document: str) -> Source:
    sample = load_sample(document)
    return Source(sample.text, sample.title)


def take_chip(event: Mapping[str, Any], document: str) -> None:
    """Apply the action chosen on a document's chip: keep the document, remove it, or open the downloads on Compare."""
    wanted = event.get("act")
    if wanted == "keep" and is_private():
        keep(document)
    elif wanted == "remove" and (place := kept_here()) is not None:
        forget(place.id)
    elif wanted == "file":
        session.below_wanted = DOWNLOADS
        session.arriving = Arrival(COMPARE, session.page)


def offer_to_keep(key: str, document: str) -> None:
    """Draw the button that keeps a document on this machine, or the reason why it cannot be kept."""
    if not is_private():
        remark(SHARED_SERVER, key=f"{key}_shared")
    elif document not in session.notebooks:
        st.button("Keep on this machine", key=f"{key}_keep", on_click=keep, args=(document,), help=KEEPS)


def offer_replaced(choices: Choices) -> None:
    """Draw errors in keeping texts, and a button that restores a replaced text that had questions or boundaries."""
    if session.notebook_complaint:
        notice(session.notebook_complaint, "error", key="notebook_complaint_notice")
    replaced = session.replaced
    if replaced is None:
        return

    def back() -> None:
        bring_back()
        choose_document(choices, OWN)

    def dismiss() -> None:
        session.replaced = None

    row = st.container(horizontal=True, gap="small", vertical_alignment="center", key="replaced_row")
    with row:
        questions = questions_about(replaced.own)
        with_them = f" with {counted(questions, 'question')}" if questions else " with its boundaries"
        remark(f"{replaced.own.name}{with_them} was replaced and is kept nowhere.", key="replaced_text")
    row.button("Restore text", key="replaced_back", on_click=back, type="tertiary", width="content")
    row.button("Discard text", key="replaced_gone", on_click=dismiss, type="tertiary", width="content")


def show_kept_texts(choices: Choices) -> None:
    """Draw the list of the texts kept on this machine, each with buttons to open and remove it."""
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
    place = kept_here()
    here = None if place is None else place.id
    for kept_text in kept[:MOST_LISTED]:
        row = st.container(horizontal=True, vertical_alignment="center", key=f"kept_text_{kept_text.id}")
        with row.container():
            remark(_said(kept_text), key=f"kept_text_said_{kept_text.id}")
        row.button(
            "Open text",
            key=f"kept_text_open_{kept_text.id}",
            on_click=_open,
            args=(kept_text.id, choices),
            disabled=kept_text.id == here,
            width="content",
        )
        row.button(
            "Remove text", key=f"kept_text_remove_{kept_text.id}", on_click=forget, args=(kept_text.id,), width="content"
        )
    if len(kept) > MOST_LISTED:
        remark(f"{len(kept) - MOST_LISTED:,} older ones are not listed.", key="kept_texts_more")
    if len(kept) > 1:
        st.button("Remove all texts", key="kept_texts_clear", on_click=forget)


def _said(listed: Listed) -> str:
    day = datetime.fromtimestamp(listed.changed).strftime("%Y-%m-%d")
    return f"{listed.name} · {counted(listed.questions, 'question')} · {day}"


def _open(id: str, choices: Choices) -> None:
    page = open_notebook(id, choices)
    if page and page != session.page:
        session.arriving = Arrival(page, session.page)
