"""The row on top of a page about a text, the foot of the box for the user's own text, and the tab's copy of that text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.components.store import store

BAR, FOOT = "document", "own_foot"
"""Keys of the row and of the foot, whose events `viz.components.reader.reader.take_event` takes."""

_bar = component(
    "seamark_text_bar",
    html='<div class="text-bar" role="group" aria-label="Document"></div>',
    css=styles("components/text_bar/text_bar.css"),
    js=script("components/text_bar/text_bar.js"),
)
_foot = component(
    "seamark_text_foot",
    html='<div class="text-foot"></div>',
    css=styles("components/text_bar/foot.css"),
    js=script("components/text_bar/foot.js"),
)
_kept = store("seamark_own", "keepOwn")
_questions = store("seamark_questions", "keepQuestions")


class DocumentData(TypedDict):
    """A sample: its id, its title and its topic."""

    id: str
    title: str
    about: str


class NotebookChip(TypedDict):
    """The chip beside the document's name, and its title.

    ``state`` is empty for no chip, ``offered`` where the document can be kept on this machine, ``urgent`` if questions or
    boundaries would be lost, ``kept``, or ``shared`` where others reach the server, so that only a session file keeps it.
    """

    state: str
    title: str


class TextBarData(TypedDict):
    """The samples; the name of the user's own text, empty if there is none; the id of the document shown, and its facts.

    ``open`` says why the box must be open, and is empty if it need not. ``taken`` counts the texts that came otherwise than
    by the box, which is then in the way. ``ask`` is a word by which the tab is asked once what text it has kept,
    ``ask_questions`` one by which it tells what questions it has kept, if any.
    """

    documents: Sequence[DocumentData]
    own: str
    chosen: str
    facts: str
    open: str
    taken: int
    ask: str
    ask_questions: str
    notebook: NotebookChip


class KeptHead(TypedDict):
    """Metadata of a text kept in the browser's tab: see `viz.controls.tab`.

    ``file`` is JSON of what is known of the file that the text was read from, empty where it is of none.
    """

    name: str
    known: Sequence[int] | None
    dashes: bool | None
    teaches: str
    left: int
    unseen: bool
    file: str


def text_bar(data: TextBarData) -> None:
    """Draw the row.

    The page reruns when the user chooses a document, with ``{"document", "at"}`` in ``st.session_state[BAR]["chosen"]``, and
    when the tab says what it has kept: a text, with ``{"head", "text", "at"}`` in ``["kept"]``, or questions, with
    ``{"questions", "at"}`` in ``["questions"]``. When the user keeps the document, removes it or wants its session file, it
    reruns with ``{"act", "at"}`` in ``["notebook"]``.
    """
    _bar(
        key=BAR,
        data=data,
        on_chosen_change=_run_again,
        on_kept_change=_run_again,
        on_questions_change=_run_again,
        on_notebook_change=_run_again,
    )


def text_foot() -> None:
    """Draw the foot of the box: a live count, and the button that cuts the text, ``st.session_state[FOOT]["cut"]``."""
    _foot(key=FOOT, data=None, on_cut_change=_run_again)


def keep_in_tab(head: KeptHead | None, text: str) -> None:
    """Replace the text that the browser's tab keeps; without a head, clear it."""
    _kept(f"{json.dumps(head)}\n{text}".encode(), key="own")


def keep_questions_in_tab(questions: str) -> None:
    """Replace the questions that the browser's tab keeps."""
    _questions({"questions": questions}, key="questions")


def _run_again() -> None:
    """Do nothing: the registered callback makes Streamlit rerun the page."""
