"""Where the text comes from: a sample, the user's paste or the user's file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from chunkers import InputError
from chunkers.text.reading import READABLE, read_document
from evaluation.segmentation.boundary_files import without_marks
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.reader.reader import notice
from viz.state import session_file
from viz.state.choices import OWN, Choices

OWN_SPLITTER = "spacy"
"""How the user's own text is split into sentences until the user says otherwise."""


@dataclass(frozen=True)
class Source:
    """A text to chunk; ``known`` are its known boundaries in code points, None where none are known."""

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""


def choose(choices: Choices) -> None:
    """Draw the document's choice in the side bar."""
    titles = {**sample_titles(), OWN: "Your own text"}
    if st.session_state.get("document") != choices.document:
        st.session_state["document"] = choices.document

    def changed() -> None:
        turn_to(choices, st.session_state["document"])

    st.selectbox("Document", list(titles), format_func=titles.__getitem__, key="document", on_change=changed)


def turn_to(choices: Choices, document: str) -> None:
    """Choose another document, and with it the sentence splitter that suits it.

    The user's own text keeps one that was chosen by hand: on it, or on the sample before it, where it is not the sample's.
    """
    if document == choices.document:
        return
    splitters = sample_splitters()
    if choices.document == OWN:
        st.session_state["own_splitter"] = choices.sentences
    by_hand = choices.document != OWN and choices.sentences != splitters[choices.document]
    if document != OWN:
        choices.sentences = splitters[document]
    elif not by_hand:
        choices.sentences = st.session_state.get("own_splitter", OWN_SPLITTER)
    choices.document = document


def load(choices: Choices) -> Source | None:
    """Return the chosen text; for the user's own, draw the box and the upload first. None while there is none."""
    if choices.document != OWN:
        sample = load_sample(choices.document)
        return Source(sample.text, sample.title, sample.known, sample.teaches)
    own: Source | None = st.session_state.get("own")
    with st.expander("Paste or upload", expanded=own is None):
        if "pasted" not in st.session_state:
            st.session_state["pasted"] = st.session_state.get("pasted_kept", "")
        st.text_area(
            "Text", key="pasted", height=160, on_change=_pasted, placeholder="Paste a text here, then press Ctrl+Enter."
        )
        # The box leaves the page when a sample is shown; what was typed is kept apart.
        st.session_state["pasted_kept"] = st.session_state["pasted"]
        st.file_uploader(
            "or a file: text, Markdown, HTML, PDF, DOCX, EPUB, or a session of Seamark; 20 MB at most",
            type=[ending.removeprefix(".") for ending in (*READABLE, session_file.ENDING)],
            key="file",
            on_change=_uploaded,
            args=(choices,),
        )
    if complaint := st.session_state.get("own_complaint"):
        notice(complaint, "error", key="own_complaint_notice")
    _offer_dashes()
    own = st.session_state.get("own")
    if own is None:
        notice("There is no text yet: paste one above or upload a file. It stays on this machine.", key="no_text")
    return own


def _pasted() -> None:
    text = st.session_state["pasted"]
    take(Source(text, "Pasted text") if text else None)


def _uploaded(choices: Choices) -> None:
    file = st.session_state["file"]
    if file is None:
        return
    try:
        if file.name.lower().endswith(session_file.ENDING):
            session = session_file.read(file.getvalue(), file.name)
            session_file.reopen(session, choices)
            keep(Source(session.text, session.name, session.known, "from a session file"))
            return
        decoded = read_document(file.getvalue(), file.name)
    except InputError as error:
        st.session_state["own_complaint"] = str(error)
        return
    take(Source(decoded.text, file.name, teaches=f"read as {decoded.read_as}"))


def take(given: Source | None) -> None:
    """Let the text be the user's own; lines of three dashes in it are known boundaries until the user says otherwise."""
    marked = _marked(given) if given is not None else None
    if marked is not None and marked.known:
        keep(marked, given)
    else:
        keep(given)


def keep(own: Source | None, given: Source | None = None) -> None:
    """Let this be the user's own text; ``given`` is what it was before lines of dashes were taken out of it."""
    session = st.session_state
    session["own_complaint"] = ""
    session["marks_before"] = []
    session["own"] = own
    session["own_given"] = given
    session["dashes"] = True


def _marked(given: Source) -> Source:
    text, known = without_marks(given.text)
    return replace(given, text=text, known=known)


def _offer_dashes() -> None:
    """Let the user say that lines of three dashes are text like any other."""
    given: Source | None = st.session_state.get("own_given")
    if given is None:
        return
    if "dashes" not in st.session_state:
        st.session_state["dashes"] = st.session_state["own"].text != given.text

    def changed() -> None:
        st.session_state["own"] = _marked(given) if st.session_state["dashes"] else given

    st.checkbox(
        "Lines of three dashes are known boundaries, not text",
        key="dashes",
        on_change=changed,
        help="They are taken out of what is chunked, and every chunker is measured against them.",
    )
