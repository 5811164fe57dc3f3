"""The text that the pages are about."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from chunkers import DEFAULT_SPLITTER, Document
from chunkers.text.languages import LANGUAGES
from evaluation.segmentation.boundary_files import without_marks
from sample_docs import sample_splitters
from viz.state.choices import OWN, Choices

OWN_SPLITTER = DEFAULT_SPLITTER
"""How the user's own text is split into sentences until the user says otherwise."""


@dataclass(frozen=True)
class Source:
    """A text to chunk; ``known`` are its known boundaries in code points, None where none are known."""

    text: str
    name: str
    known: tuple[int, ...] | None = None
    teaches: str = ""


def choose_document(choices: Choices, document: str) -> None:
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


def set_own_text(given: Source | None) -> None:
    """Let the text be the user's own; lines of three dashes in it are known boundaries until the user says otherwise."""
    marked = _marked(given) if given is not None else None
    if marked is not None and marked.known:
        store_own_text(marked, given)
    else:
        store_own_text(given)


def store_own_text(own: Source | None, given: Source | None = None) -> None:
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


def sentences_said(document: Document) -> str:
    """Return how many sentences a document has and, where its splitter asks, in which language."""
    count = len(document.sentences)
    said = f"{count:,} sentence{'' if count == 1 else 's'}"
    if document.language is None:
        return said
    detected = "" if ":" in document.splitter else " (detected)"
    return f"{said} by the rules of {LANGUAGES[document.language]}{detected}"


@dataclass(frozen=True)
class Text:
    """A text, split into sentences; ``identity`` is its hash."""

    source: Source
    document: Document
    identity: str
