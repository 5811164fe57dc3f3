"""Where the text comes from: a sample, the user's paste or the user's file."""

from __future__ import annotations

import streamlit as st

from chunkers import InputError
from chunkers.text.reading import READABLE, read_document
from sample_docs import load_sample, sample_titles
from viz.components.notice import notice
from viz.state import session_file
from viz.state.choices import OWN, Choices
from viz.state.compared import reopen
from viz.state.keys import session
from viz.state.own_text import choose_document, set_own_text, store_own_text, without_dashes
from viz.state.text import Source


def choose_text(choices: Choices) -> None:
    """Draw the document's choice in the side bar."""
    titles = {**sample_titles(), OWN: "Your own text"}
    if st.session_state.get("document") != choices.document:
        st.session_state["document"] = choices.document

    def changed() -> None:
        choose_document(choices, st.session_state["document"])

    st.selectbox("Document", list(titles), format_func=titles.__getitem__, key="document", on_change=changed)


def load_text(choices: Choices) -> Source | None:
    """Return the chosen text; for the user's own, draw the box and the upload first. None while there is none."""
    if choices.document != OWN:
        sample = load_sample(choices.document)
        return Source(sample.text, sample.title, sample.known, sample.teaches)
    own = session.own
    with st.expander("Paste or upload", expanded=own is None):
        if "pasted" not in st.session_state:
            st.session_state["pasted"] = session.pasted_kept
        st.text_area(
            "Text", key="pasted", height=160, on_change=_pasted, placeholder="Paste a text here, then press Ctrl+Enter."
        )
        # The box leaves the page when a sample is shown; what was typed is kept apart.
        session.pasted_kept = st.session_state["pasted"]
        st.file_uploader(
            "or a file: text, Markdown, HTML, PDF, DOCX, EPUB, or a session of Seamark; 20 MB at most",
            type=[ending.removeprefix(".") for ending in (*READABLE, session_file.ENDING)],
            key="file",
            on_change=_uploaded,
            args=(choices,),
        )
    if session.own_complaint:
        notice(session.own_complaint, "error", key="own_complaint_notice")
    _offer_dashes()
    own = session.own
    if own is None:
        notice("There is no text yet: paste one above or upload a file. It stays on this machine.", key="no_text")
    return own


def _pasted() -> None:
    text = st.session_state["pasted"]
    set_own_text(Source(text, "Pasted text") if text else None)


def _uploaded(choices: Choices) -> None:
    file = st.session_state["file"]
    if file is None:
        return
    try:
        if file.name.lower().endswith(session_file.ENDING):
            kept = session_file.read(file.getvalue(), file.name)
            reopen(kept, choices)
            store_own_text(Source(kept.text, kept.name, kept.known, "from a session file"))
            return
        decoded = read_document(file.getvalue(), file.name)
    except InputError as error:
        session.own_complaint = str(error)
        return
    set_own_text(Source(decoded.text, file.name, teaches=f"read as {decoded.read_as}"))


def _offer_dashes() -> None:
    """Let the user say that lines of three dashes are text like any other."""
    given, own = session.own_given, session.own
    if given is None or own is None:
        return
    if session.dashes is None:
        session.dashes = own.text != given.text

    def changed() -> None:
        session.own = without_dashes(given) if session.dashes else given

    st.checkbox(
        "Lines of three dashes are known boundaries, not text",
        key="dashes",
        on_change=changed,
        help="They are taken out of what is chunked, and every chunker is measured against them.",
    )
