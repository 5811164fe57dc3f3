"""The life of a page: it begins with the choices of the session and of the link, and ends with the link."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import RerunException, StopException

from chunkers import Embedder, InputError
from chunkers.text.tokenizers import at_hand
from sample_docs import sample_splitters
from viz.components.notice import notice
from viz.controls.embedder import ask_about_embedder
from viz.controls.shared import shared_controls
from viz.controls.text_source import choose_text, load_text
from viz.jobs.resources import split_document
from viz.shell import lecture
from viz.shell.navigation import enter_through_app
from viz.state.choices import OWN, SHARED, Choices
from viz.state.embedder import chosen_embedder
from viz.state.keys import session
from viz.state.link import from_query, to_query
from viz.state.text import Source, Text


@dataclass(frozen=True)
class Page:
    """A page that is being drawn.

    Attributes
    ----------
    choices
        What the user chose, which the controls change.
    default
        What stands where the link says nothing.
    text
        The text, or None where there is none yet, or none that can be used; the page has said so.
    embedder, embedder_complaint
        The embedder, not loaded yet; or None and a sentence that says what it waits for.
    controls
        The place in the side bar for the page's own controls, between the document and what all columns share.
    """

    choices: Choices
    default: Choices
    text: Text | None
    embedder: Embedder | None
    embedder_complaint: str
    controls: DeltaGenerator
    _complaints: list[str] = field(repr=False)
    _place_of_complaints: DeltaGenerator = field(repr=False)

    def complain(self, sentence: str) -> None:
        """Say what a link asks for in vain, now and as long as the session is on what that link led to."""
        self._complaints.append(sentence)
        with self._place_of_complaints:
            notice(sentence, "error", key=f"complaint_{len(self._complaints) - 1}")


@contextmanager
def page(name: str, default: Choices, *, about_a_text: bool = True) -> Iterator[Page]:
    """Begin the page called ``name``, let the caller draw it, and write its choices into the link.

    Below the menu the page has, in this order: in the side bar the document, its own controls and what all columns share; in
    its middle the box of the user's own text, what the link asks for in vain, what the text cannot be used for, and what has
    to be decided before anything can be embedded. A page that is not ``about_a_text`` has none, and no choice of one.

    The link is right however the page ends: drawn in full, left early as there is no text, or by an error. Where Streamlit
    breaks the run off, to run the page anew or to go to another, the run that follows writes its own link; nothing can be
    sent after ``st.stop``, so a page ends by returning.

    Parameters
    ----------
    name
        The page's key in `navigation.PAGES`; its choices are its own.
    default
        What stands where the link says nothing.
    """
    enter_through_app()
    choices, complaints = _choices(name, default)
    broken_off = False
    try:
        yield _begun(choices, default, complaints, about_a_text=about_a_text)
    except (RerunException, StopException):
        broken_off = True
        raise
    finally:
        if not broken_off:
            _write_link(choices, default)


def _begun(choices: Choices, default: Choices, complaints: list[str], *, about_a_text: bool) -> Page:
    """Draw what every page begins with."""
    source = None
    with st.sidebar:
        if about_a_text:
            choose_text(choices)
        controls = st.container()
    if about_a_text:
        source = load_text(choices)
    place_of_complaints = st.container()
    with place_of_complaints:
        for number, sentence in enumerate(complaints):
            notice(sentence, "error", key=f"complaint_{number}")
    text = _split(source, choices.sentences) if source is not None else None
    embedder, embedder_complaint = chosen_embedder(choices)
    with st.sidebar:
        shared_controls(choices, embedder)
    ask_about_embedder(choices)
    return Page(choices, default, text, embedder, embedder_complaint, controls, complaints, place_of_complaints)


def _split(source: Source, sentences: str) -> Text | None:
    """Split the text into sentences; None, and a sentence on the page, where it cannot be."""
    try:
        return Text(source, split_document(source.text, sentences, source.name))
    except InputError as error:
        notice(str(error), "error", key="document_error")
        return None


def _write_link(choices: Choices, default: Choices) -> None:
    query = to_query(choices, default) | ({lecture.WORD: "1"} if lecture.is_on() else {})
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)


def _choices(name: str, default: Choices) -> tuple[Choices, list[str]]:
    """Return the page's choices, read from the link when it is first opened; what all pages share comes along."""
    if name not in session.choices:
        session.choices[name], session.complaints[name] = _from_link(default)
    choices = session.choices[name]
    before = session.page or name
    if before != name:
        # What the link does not say, the page before does.
        for shared in SHARED:
            if shared not in st.query_params:
                setattr(choices, shared, getattr(session.choices[before], shared))
    session.page = name
    return choices, session.complaints[name]


def _from_link(default: Choices) -> tuple[Choices, list[str]]:
    query = st.query_params.to_dict()
    lost = query.pop("document", None) if query.get("document") == OWN else None
    choices, complaints = from_query(query, sample_splitters(), default)
    if lost:
        complaints.append("The link was made from a text of its sender's own, which no link carries; here is a sample.")
    if not at_hand(choices.tokenizer):
        complaints.append(
            f"The link counts tokens of {choices.tokenizer}, whose table is not on this machine: it would be fetched; "
            f"using {default.tokenizer}. Choose it below “Sentences, embedder, tokens” to fetch it."
        )
        choices.tokenizer = default.tokenizer
    return choices, complaints
