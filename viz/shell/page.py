"""What every page begins and ends with: the choices of the session and of the link, and the text they are about."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from chunkers import Embedder, InputError
from chunkers.text.document import text_id
from chunkers.text.tokenizers import at_hand
from sample_docs import sample_splitters
from viz.components.notice import notice
from viz.controls.text_source import choose_text, load_text
from viz.jobs.resources import split_document
from viz.shell import lecture
from viz.shell.navigation import enter_through_app
from viz.state.choices import OWN, SHARED, Choices
from viz.state.embedder import chosen_embedder
from viz.state.link import from_query, to_query
from viz.state.text import Text


@dataclass(frozen=True)
class Opened:
    """A page that is being drawn.

    Attributes
    ----------
    choices
        What the user chose, which the controls change.
    default
        What stands where the link says nothing.
    text
        The text, or None where there is none yet, or none that can be used; the page has said so.
    embedder, complaint
        The embedder, not loaded yet; or None and a sentence that says what it waits for.
    """

    choices: Choices
    default: Choices
    text: Text | None
    embedder: Embedder | None
    complaint: str


def open_page(name: str, default: Choices, *, about_a_text: bool = True) -> Opened:
    """Read the link or the session, and draw the choice of a text; ``name`` is the page's, whose choices are its own.

    A page that is not ``about_a_text`` has none, and no choice of one.
    """
    enter_through_app()
    choices, complaints = _choices(name, default)
    chosen = None
    if about_a_text:
        with st.sidebar:
            choose_text(choices)
        chosen = load_text(choices)
    for number, complaint in enumerate(complaints):
        notice(complaint, "error", key=f"complaint_{number}")
    embedder, complaint = chosen_embedder(choices)
    text = None
    if chosen is not None:
        try:
            identity = text_id(chosen.text)
            text = Text(chosen, split_document(identity, chosen.text, chosen.name, choices.sentences), identity)
        except (InputError, UnicodeEncodeError) as error:
            notice(str(error), "error", key="document_error")
    return Opened(choices, default, text, embedder, complaint)


def close_page(opened: Opened) -> None:
    """Write the choices into the link."""
    query = to_query(opened.choices, opened.default) | ({lecture.WORD: "1"} if lecture.is_on() else {})
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)


def _choices(name: str, default: Choices) -> tuple[Choices, list[str]]:
    """Return the page's choices, read from the link when it is first opened; what all pages share comes along."""
    session = st.session_state
    if f"choices/{name}" not in session:
        session[f"choices/{name}"], session[f"complaints/{name}"] = _from_link(default)
    choices: Choices = session[f"choices/{name}"]
    before = session.get("page", name)
    if before != name:
        # What the link does not say, the page before does.
        for shared in SHARED:
            if shared not in st.query_params:
                setattr(choices, shared, getattr(session[f"choices/{before}"], shared))
    session["page"] = name
    return choices, session[f"complaints/{name}"]


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
