"""The user's own text, and switching from one document to another."""

from __future__ import annotations

from dataclasses import replace

from evaluation.segmentation.boundary_files import without_marks
from sample_docs import sample_splitters
from viz.state.choices import OWN, Choices
from viz.state.keys import session
from viz.state.text import Source


def choose_document(choices: Choices, document: str) -> None:
    """Choose another document and the sentence splitter that suits it.

    A splitter chosen by hand is kept for the user's own text, whether it was chosen there or on the previous sample.
    """
    if document == choices.document:
        return
    splitters = sample_splitters()
    if choices.document == OWN:
        session.own_splitter = choices.sentences
    by_hand = choices.document != OWN and choices.sentences != splitters[choices.document]
    if document != OWN:
        choices.sentences = splitters[document]
    elif not by_hand:
        choices.sentences = session.own_splitter
    choices.document = document
    if "step" in choices.extra:
        # The step of another text's stepper.
        choices.extra["step"] = "1"


def set_own_text(given: Source | None) -> None:
    """Set the user's own text; lines of three dashes in it are taken as known boundaries by default."""
    marked = without_dashes(given) if given is not None else None
    if marked is not None and marked.known:
        store_own_text(marked, given)
    else:
        store_own_text(given)


def store_own_text(own: Source | None, given: Source | None = None) -> None:
    """Set the user's own text; ``given`` is the text before lines of dashes were removed, if there were any."""
    session.own_complaint = ""
    session.marks_before = []
    session.own = own
    session.own_given = given
    session.dashes = True


def without_dashes(given: Source) -> Source:
    """Return the text with its lines of three dashes removed and turned into known boundaries."""
    text, known = without_marks(given.text)
    return replace(given, text=text, known=known)
