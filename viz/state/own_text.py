"""The user's own text, and switching between documents."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import streamlit as st

from chunkers.text.reading import omissions_sentence
from evaluation.segmentation.boundary_files import offsets_without_mark_lines, remove_mark_lines
from sample_docs import sample_splitters
from viz.state.choices import OWN, Choices
from viz.state.session_state import new_text_box_key, session
from viz.state.text import Source

PASTED = "Pasted text"
"""The name of a pasted text."""

MOST_EDITED = 100_000
"""Most characters of a text that can be edited in the box, since the browser sends them with every interaction."""


class Replaced(NamedTuple):
    """The user's previous own text; ``given`` is this text before its lines of dashes were removed."""

    own: Source
    given: Source | None


def choose_document(choices: Choices, document: str) -> None:
    """Choose another document and the sentence splitter that suits it.

    For the user's own text, a splitter that the user has chosen is kept, on this text or on the previous sample.
    """
    session.lost = session.own_complaint = ""
    session.own_linked = False
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
        # The step refers to the previous text's stepper.
        choices.extra["step"] = "1"


def set_own_text(given: Source | None) -> None:
    """Set the user's own text; lines of three dashes in it become known boundaries."""
    marked = with_dashes_as_boundaries(given) if given is not None else None
    if marked is not None and marked.known:
        store_own_text(marked, given)
    else:
        store_own_text(given)


def store_own_text(own: Source | None, given: Source | None = None) -> None:
    """Set the user's own text; ``given`` is the text before its lines of dashes were removed, if it had any."""
    session.own_complaint = ""
    session.marks_before = []
    before = session.own
    if own is None or before is None or not is_edit(before.text, own.text):
        # Each notebook belongs to one text.
        notebook = session.notebooks.pop(OWN, None)
        if before is not None and notebook is None and (count_questions_about(before) or before.known):
            session.replaced = Replaced(before, session.own_given)
    session.own = own
    session.own_gone = own is None
    session.own_given = given
    session.dashes = True
    boxed = "" if own is None else (given or own).text
    session.pasted_kept = boxed if len(boxed) <= MOST_EDITED else ""
    if st.session_state.get(session.box, "") != session.pasted_kept:
        # An event from a browser that has not received the new content is about the old box, and a new key makes it void.
        # In the same box it would look like an edit by the user, and replace the text.
        session.box = new_text_box_key()


def count_questions_about(source: Source) -> int:
    """Return the number of stored questions about a text."""
    return sum(
        question.document == source.name and source.text.startswith(question.answer, question.start)
        for question in session.questions
    )


def restore_replaced_text() -> None:
    """Restore the user's previous own text in place of the text that replaced it."""
    replaced = session.replaced
    if replaced is not None:
        store_own_text(replaced.own, replaced.given)
        session.dashes = replaced.given is None or replaced.own.text != replaced.given.text
        session.replaced, session.own_taken = None, session.own_taken + 1


def edited_source(text: str) -> Source:
    """Return the text box's content as a source: an edit of the user's own text, or a new text if most of it changed.

    After an edit the text keeps its name, its pages, and its known boundaries outside the replaced part.
    """
    own, given = session.own, session.own_given
    if own is None:
        return Source(text, PASTED)
    before = (given or own).text
    first, last = _common_end_lengths(before, text)
    if not is_edit(before, text):
        return Source(text, PASTED)
    known = own.known if given is None else None
    end, grown = len(before) - last, len(text) - len(before)
    parts = (given or own).parts
    if parts is not None:
        parts = parts.moved(start if start <= first else first if start < end else start + grown for start in parts.starts)
    known = None if known is None else places_after_edit(known, before, text)
    return Source(text, own.name, known, "" if own.name == PASTED else "edited here", parts, own.left_out)


def places_after_edit(places: Iterable[int], before: str, text: str) -> tuple[int, ...]:
    """Return the positions in a text after an edit, without those in the replaced part."""
    first, last = _common_end_lengths(before, text)
    end, grown = len(before) - last, len(text) - len(before)
    moved = (place if place <= first else place + grown for place in places if place <= first or place >= end)
    return tuple(sorted({place for place in moved if 0 < place < len(text)}))


def with_dashes_as_boundaries(given: Source) -> Source:
    """Return the text with its lines of three dashes removed and turned into known boundaries."""
    text, known = remove_mark_lines(given.text)
    parts = given.parts
    if parts is not None:
        parts = parts.moved(offsets_without_mark_lines(given.text, parts.starts))
    return replace(given, text=text, known=known, parts=parts)


PUT_BACK = {"repeated header": "Put headers back", "repeated footer": "Put footers back"}
"""Kinds of lines omitted from a PDF's pages that can be restored, with the labels of the buttons that do so."""


def put_back_lines(kind: str) -> None:
    """Restore the omitted headers or footers of the user's own text; for use as a callback.

    The text keeps its notebook.

    ``kind`` is a key of `PUT_BACK`.
    """
    own, given, notebook, replaced = session.own, session.own_given, session.notebooks.get(OWN), session.replaced
    if own is None:
        return
    if given is None:
        store_own_text(with_omitted_lines(own, kind))
    else:
        dashes, changed = session.dashes, with_omitted_lines(given, kind)
        store_own_text(with_dashes_as_boundaries(changed) if dashes is not False else changed, changed)
        session.dashes = dashes
    session.replaced = replaced
    if notebook is not None:
        session.notebooks[OWN] = notebook


def with_omitted_lines(source: Source, kind: str) -> Source:
    """Return a text with its omitted headers (or footers) inserted at the top (or bottom) of their pages."""
    parts, text = source.parts, source.text
    if parts is None:
        return source
    lines: dict[int, list[str]] = {}
    for omission in source.left_out:
        if omission.what == kind and omission.part is not None and omission.part < len(parts.starts) and omission.words:
            lines.setdefault(omission.part, []).append(omission.words)
    at_end = kind == "repeated footer"
    added: list[tuple[int, int, str]] = []
    for number, words in sorted(lines.items()):
        start, end = parts.starts[number], parts.starts[number + 1] if number + 1 < len(parts.starts) else len(text)
        # The lines are listed from the edge of the page inwards.
        block = "\n".join(reversed(words) if at_end else words)
        if not text[start:end].strip():
            added.append((number, start, f"{block}\n\n"))
        elif at_end:
            added.append((number, start + len(text[start:end].rstrip()), f"\n{block}"))
        else:
            added.append((number, start, f"{block}\n"))

    def moved(place: int, part: int = 0) -> int:
        """Return the new offset of a position after lines were inserted at or before the position."""
        return place + sum(len(words) for number, at, words in added if at < place or (at == place and number < part))

    edges = [0, *(at for _, at, _ in added), len(text)]
    pieces = [text[first:last] for first, last in pairwise(edges)]
    whole = "".join(piece + words for piece, words in zip(pieces, [*(words for *_, words in added), ""], strict=True))
    left_out = tuple(omission for omission in source.left_out if not (omission.what == kind and omission.part in lines))
    sentence = omissions_sentence(left_out)
    about = [part for part in source.teaches.split(" · ") if part and not part.startswith("left out")]
    return replace(
        source,
        text=whole,
        known=None if source.known is None else tuple(map(moved, source.known)),
        teaches=" · ".join([*about, *([sentence[:1].lower() + sentence[1:].rstrip(".")] if sentence else [])]),
        parts=parts.moved(moved(start, number) for number, start in enumerate(parts.starts)),
        left_out=left_out,
    )


def is_edit(before: str, text: str) -> bool:
    """Return whether a text is an edit of the previous one: at least half of it is unchanged at its ends."""
    if before == text:
        return True
    if max(len(before), len(text)) > MOST_EDITED:
        return False
    return 2 * sum(_common_end_lengths(before, text)) >= max(len(before), len(text))


def _common_end_lengths(before: str, text: str) -> tuple[int, int]:
    """Return the number of characters that two texts share at their beginnings, and at their ends after that."""
    first = _common_prefix_length(before, text)
    return first, _common_prefix_length(before[first:][::-1], text[first:][::-1])


def _common_prefix_length(one: str, other: str) -> int:
    """Count the characters that two texts share at their beginnings."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
