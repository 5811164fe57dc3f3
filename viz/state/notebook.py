"""The notebook of the user's own text: text, boundaries, questions, columns and page, kept on this machine on request."""

from __future__ import annotations

import hashlib
from ipaddress import ip_address
from typing import NamedTuple

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkers import InputError
from sample_docs import sample_splitters
from viz.jobs.keeping.notebook_store import Place
from viz.jobs.resources import notebook_store
from viz.state import kept_questions
from viz.state.choices import OWN, OWN_SPLITTER, SHARED, Choices
from viz.state.compared import COMPARE, compared, default_choices
from viz.state.kept_text import KeptText, give_back, kept_text
from viz.state.keys import session
from viz.state.link import from_query, to_query
from viz.state.undo import undoable
from viz.state.values import MOST_QUESTIONS, KeptQuestion, Notebook


class _Head(BaseModel):
    """All of a notebook but its text, as it is on disk.

    Attributes
    ----------
    about
        Its name, boundaries and origin.
    link
        The query of Compare's link, which has the columns.
    page
        The key of the page that was shown last.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    about: KeptText
    questions: tuple[KeptQuestion, ...] = Field(max_length=MOST_QUESTIONS)
    link: dict[str, str]
    page: str


class Content(NamedTuple):
    """The content of a notebook now: its name, the number of its questions, its head as JSON, and its text with a digest."""

    name: str
    questions: int
    head: bytes
    digest: str
    text: str


def is_private() -> bool:
    """Return whether only this machine reaches the server: a text is kept on disk nowhere else."""
    names = [str(st.get_option("server.address") or ""), *map(str, st.get_option("server.allowedHosts") or ())]
    return bool(names[0]) and all(map(_is_local, names))


def _is_local(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def keep() -> None:
    """Keep the own text from now on; what goes wrong is `session.notebook_complaint`."""
    session.notebook = Notebook(None, "")
    save()


def save() -> None:
    """Write the notebook of the own text if it is kept and has changed since."""
    notebook = session.notebook
    content = None if notebook is None else _content()
    if notebook is None or content is None or not is_private():
        return
    digest = hashlib.blake2b(content.head + content.digest.encode(), digest_size=16).hexdigest()
    if digest == notebook.digest:
        return
    try:
        place = notebook_store().write(notebook.place, *content)
        session.notebook, session.notebook_complaint = Notebook(place, digest), ""
    except InputError as error:
        # It is tried again with the next change.
        session.notebook = Notebook(notebook.place, digest) if notebook.place else None
        session.notebook_complaint = str(error)


def forget(id: str | None = None) -> None:
    """Remove a kept text, or all of them; the one on the page stays there."""
    try:
        notebook_store().remove(id)
        session.notebook_complaint = ""
    except InputError as error:
        session.notebook_complaint = str(error)
        return
    notebook = session.notebook
    if notebook is not None and (id is None or (notebook.place is not None and notebook.place.id == id)):
        session.notebook = None


def open_notebook(id: str, choices: Choices) -> str:
    """Make a kept text the user's own, with all that was made of it; return the key of its page, empty if that fails."""
    try:
        found = notebook_store().read(id)
        if found is None:
            raise InputError("The text must be kept on this machine; it has been removed since.")
        place, data, text = found
        head = _Head.model_validate_json(data)
    except (InputError, ValidationError) as error:
        said = "The kept text must be one that this version of Seamark wrote; it is not."
        session.notebook_complaint = str(error) if isinstance(error, InputError) else said
        return ""
    give_back(head.about, text)
    kept_questions.give_back(head.questions)
    opened, _ = from_query(head.link, {**sample_splitters(), OWN: OWN_SPLITTER}, default_choices())
    compare = compared()
    with undoable(COMPARE, "Columns replaced by those of the kept text"):
        compare.columns, compare.selected, compare.extra = opened.columns, opened.selected, opened.extra
    for shared in SHARED:
        for one in (choices, compare):
            setattr(one, shared, getattr(opened, shared))
    _settle(place)
    return head.page


def _settle(place: Place) -> None:
    """Note that the notebook on disk is what the session has now."""
    session.own_taken += 1
    session.lost = session.notebook_complaint = ""
    session.notebook = Notebook(place, "")


def _content() -> Content | None:
    own = session.own
    if own is None:
        return None
    about, text = kept_text(own, session.own_given)
    questions = tuple(one for one in kept_questions.written(own.text) if not one.sample)
    compare = compared()
    link = to_query(compare, default_choices()) | {"document": OWN, "sentences": compare.sentences}
    head = _Head(about=about, questions=questions, link=link, page=session.page or COMPARE)
    return Content(own.name[:300], len(questions), head.model_dump_json().encode(), kept_questions.digest_of(text), text)
