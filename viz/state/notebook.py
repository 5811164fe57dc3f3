"""The notebook of a document: its text, boundaries, questions, columns and page, kept on this machine on request."""

import hashlib
from ipaddress import ip_address
from typing import NamedTuple

import streamlit as st
from pydantic import BaseModel, Field, ValidationError

from chunkers import InputError
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.jobs.keeping.notebook_store import Place
from viz.jobs.resources import notebook_store
from viz.state import storage_format as kept_questions
from viz.state.choices import OWN, OWN_SPLITTER, SHARED, Choices
from viz.state.compare_choices import COMPARE, default_choices, ensure_compare_choices
from viz.state.link import from_query, to_query
from viz.state.session_file import MOST_QUESTIONS, KeptQuestion
from viz.state.session_state import session
from viz.state.storage_format import KeptText, restore_text, text_in_stored_form
from viz.state.undo import undoable

_OPENED = "opened"
"""Placeholder for the digest of a notebook that was read and not changed since."""


class _Head(BaseModel, frozen=True, extra="ignore"):
    """The stored metadata of a notebook: everything except the text.

    Attributes
    ----------
    about
        The text's name, boundaries and origin.
    link
        The query parameters of Compare's link, which include the columns.
    page
        The key of the page that was shown last.
    sample
        The id of the bundled document; empty for a text of the user's own.
    """

    about: KeptText
    questions: tuple[KeptQuestion, ...] = Field(max_length=MOST_QUESTIONS)
    link: dict[str, str]
    page: str
    sample: str = ""


class Notebook(NamedTuple):
    """The state of a notebook on disk: its key (None before the first write), and a digest of its last content."""

    place: Place | None
    digest: str


class Content(NamedTuple):
    """The current content of a notebook: its name, number of questions, metadata as JSON, and text with its digest."""

    name: str
    questions: int
    head: bytes
    digest: str
    text: str


def is_server_private() -> bool:
    """Return whether only this machine can reach the server; otherwise texts are not kept on disk."""
    names = [str(st.get_option("server.address") or ""), *map(str, st.get_option("server.allowedHosts") or ())]
    return bool(names[0]) and all(map(_is_local, names))


def _is_local(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def keep_document(document: str) -> None:
    """Start a notebook, which keeps a document on this machine; errors are in `session.notebook_complaint`."""
    session.notebooks[document] = Notebook(None, "")
    save_notebooks()


def save_notebooks() -> None:
    """Write the notebooks that have changed since they were last written to disk."""
    if not session.notebooks or not is_server_private():
        return
    for document, notebook in list(session.notebooks.items()):
        content = _content(document)
        if content is not None:
            _write(document, notebook, content)


def _write(document: str, notebook: Notebook, content: Content) -> None:
    digest = hashlib.blake2b(content.head + content.digest.encode(), digest_size=16).hexdigest()
    if notebook.digest == _OPENED:
        # Nothing has changed yet, so another tab with the same text can continue to write it.
        session.notebooks[document] = Notebook(notebook.place, digest)
        return
    if digest == notebook.digest:
        return
    try:
        place = notebook_store().write(notebook.place, *content)
        session.notebooks[document], session.notebook_complaint = Notebook(place, digest), ""
    except InputError as error:
        # The next change tries again.
        session.notebooks[document] = Notebook(notebook.place, digest)
        if notebook.place is None:
            del session.notebooks[document]
        session.notebook_complaint = str(error)


def current_document() -> str:
    """Return the current page's document: a sample's id, or `OWN` for the user's own text."""
    choices = session.choices
    return choices[session.page].document if session.page in choices else ensure_compare_choices().document


def key_of_kept_document() -> Place | None:
    """Return the key of the notebook of the page's document; None if the document is not kept."""
    notebook = session.notebooks.get(current_document())
    return None if notebook is None else notebook.place


def forget_kept_texts(id: str | None = None) -> None:
    """Delete a kept text, or all kept texts, from disk; an open text stays on the page."""
    try:
        notebook_store().remove(id)
        session.notebook_complaint = ""
    except InputError as error:
        session.notebook_complaint = str(error)
        return
    for document, notebook in list(session.notebooks.items()):
        if id is None or (notebook.place is not None and notebook.place.id == id):
            del session.notebooks[document]


def open_notebook(id: str, choices: Choices) -> str:
    """Open a kept document with its questions and columns; return its page's key, empty if that fails."""
    notebook = _read(id)
    if notebook is None:
        return ""
    place, head, text = notebook
    opened = _restore_notebook(place, head, text)
    compare = ensure_compare_choices()
    with undoable(COMPARE, "Columns replaced by those of the kept text"):
        compare.columns, compare.selected, compare.extra = opened.columns, opened.selected, opened.extra
    for shared in SHARED:
        for target in (choices, compare):
            setattr(target, shared, getattr(opened, shared))
    return head.page


def open_linked_notebook() -> None:
    """Reopen the kept text that the link names, if the text is on this machine; the link's settings stay."""
    id, session.notebook_linked = session.notebook_linked, ""
    notebook = _read(id) if id and is_server_private() else None
    session.notebook_complaint = ""
    if notebook is not None and not notebook[1].sample:
        opened = _restore_notebook(*notebook)
        if COMPARE not in session.choices:
            compare = ensure_compare_choices()
            compare.columns, compare.selected = opened.columns, opened.selected


def _read(id: str) -> tuple[Place, _Head, str] | None:
    """Return a validated notebook; None if that fails, with the reason in `session.notebook_complaint`."""
    try:
        stored = notebook_store().read(id)
        if stored is None:
            raise InputError(
                "The text is no longer kept on this machine; it has been removed. Paste or upload the text again."
            )
        place, data, text = stored
        return place, _Head.model_validate_json(data), text
    except (InputError, ValidationError) as error:
        complaint = "The kept text must be written by this version of Seamark; it is not."
        session.notebook_complaint = str(error) if isinstance(error, InputError) else complaint
        return None


def _restore_notebook(place: Place, head: _Head, text: str) -> Choices:
    """Load a notebook's text and questions into the session; return its choices of Compare."""
    document = head.sample if head.sample in sample_titles() else OWN
    if document == OWN:
        restore_text(head.about, text)
    kept_questions.restore_questions(head.questions)
    opened, _ = from_query(head.link, {**sample_splitters(), OWN: OWN_SPLITTER}, default_choices())
    session.own_taken += 1
    session.lost = session.notebook_complaint = ""
    session.notebooks[document] = Notebook(place, _OPENED)
    return opened


def _content(document: str) -> Content | None:
    own, compare = session.own, ensure_compare_choices()
    if document == OWN:
        if own is None:
            return None
        about, text = text_in_stored_form(own, session.own_given)
        asked, sentences = own.text, compare.sentences
    else:
        sample = load_sample(document)
        about = KeptText(name=sample.title, known=sample.known, dashes=None, teaches="")
        asked = text = sample.text
        sentences = compare.sentences if compare.document == document else sample_splitters()[document]
    digest = kept_questions.text_digest(asked)
    # Questions about a bundled text find it anywhere; those about another own text are in that text's notebook.
    questions = tuple(
        question for question in kept_questions.stored_questions() if question.sample or question.text == digest
    )
    link = to_query(compare, default_choices()) | {"document": document, "sentences": sentences}
    head = _Head(
        about=about,
        questions=questions,
        link=link,
        page=session.page or COMPARE,
        sample="" if document == OWN else document,
    )
    return Content(about.name, len(questions), head.model_dump_json().encode(), kept_questions.text_digest(text), text)
