"""Storage of the user's own text in the browser's tab, so that it survives a reload or a restarted server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkers.text.extracted import LeftOut
from chunkers.text.parts import Parts
from viz.components.text_bar.text_bar import KeptHead
from viz.state.keys import session
from viz.state.own_text import set_own_text, store_own_text, without_dashes
from viz.state.session_file import KeptParts
from viz.state.text import Source

MOST_KEPT = 2_000_000
"""Characters of a text that the tab keeps: 4 MB in the browser, where 5 MB is the least that browsers grant."""

MOST_OF_FILE = 200_000
"""Characters of what the tab keeps of a text's file, its pages and what was left out: of some 10,000 pages."""

FOREIGN = "This link does not include its text. Paste the text above, or use this sample."


class _File(BaseModel):
    """Details of a text's source file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    parts: KeptParts | None = None
    left_out: tuple[LeftOut, ...] = ()


class _Head(BaseModel):
    """Metadata returned by the tab; it may hold anything."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(max_length=300)
    known: tuple[int, ...] | None
    dashes: bool | None
    teaches: str = Field(max_length=1_000)
    left: int = Field(ge=0)
    unseen: bool = False
    file: str = Field("", max_length=MOST_OF_FILE)


class _Kept(BaseModel):
    head: _Head
    text: str = Field(max_length=MOST_KEPT)


def to_keep() -> tuple[KeptHead | None, str] | None:
    """Return the head and the text for the tab to keep; None if its copy is up to date.

    No head means that it keeps none any more. Of a text that is too long for it, it keeps the head alone.
    """
    own, given = session.own, session.own_given
    if own is None:
        return (None, "") if session.own_gone else None
    text = (given or own).text
    left = len(text) if _units(text) > MOST_KEPT else 0
    head: KeptHead = {
        "name": own.name[:300],
        "known": own.known if not left else None,
        "dashes": session.dashes is not False if given is not None else None,
        "teaches": own.teaches[:1_000],
        "left": left,
        "unseen": False,
        "file": _file_of(given or own) if not left else "",
    }
    return head, "" if left else text


def too_long_to_keep() -> str:
    """Return the sentence that the tab does not keep the own text; empty if it does."""
    own = session.own
    if own is None or _units((session.own_given or own).text) <= MOST_KEPT:
        return ""
    return (
        f"A reload loses this text: it has {len(own.text):,} characters, and the tab keeps at most {MOST_KEPT:,}. "
        "Keep its file at hand."
    )


def take_back(detail: Mapping[str, Any]) -> bool:
    """Make the text that the tab has kept the user's own, or say why a sample is shown; return whether there was one."""
    session.tab_answered = True
    if session.own is not None:
        return True
    try:
        kept = _Kept.model_validate(detail)
        if not kept.head.left and kept.text:
            _restore(kept)
            return True
    except ValidationError:
        kept = None
    if kept is not None and kept.head.left:
        session.lost = (
            f"The tab could not keep {kept.head.name}: it has {kept.head.left:,} characters. "
            "Upload it again, or look at this sample."
        )
    elif session.own_linked:
        session.lost = FOREIGN
    return False


def _file_of(source: Source) -> str:
    """Return the tab's data on a text's file: its pages and the parts left out, as far as there is room."""
    if source.parts is None and not source.left_out:
        return ""
    parts = None if source.parts is None else KeptParts.of(source.parts)
    for file in (_File(parts=parts, left_out=source.left_out), _File(parts=parts)):
        kept = file.model_dump_json()
        if len(kept) <= MOST_OF_FILE:
            return kept
    return ""


def _of_file(kept: _Kept) -> tuple[Parts | None, tuple[LeftOut, ...]]:
    """Return the pages and the content left out; nothing if they cannot belong to the text."""
    if not kept.head.file:
        return None, ()
    try:
        file = _File.model_validate_json(kept.head.file)
        return None if file.parts is None else file.parts.of_text(kept.text), file.left_out
    except ValueError:
        return None, ()


def _restore(kept: _Kept) -> None:
    head = kept.head
    base = Source(kept.text, head.name, None, head.teaches, *_of_file(kept))
    if head.unseen:
        set_own_text(base)
        return
    own = without_dashes(base) if head.dashes else base
    edges = (0, *(head.known or ()), len(own.text))
    # The boundaries of lines of dashes come from them; others may have been set by clicks.
    if all(first < second for first, second in pairwise(edges)):
        own = replace(own, known=head.known)
    store_own_text(own, base if head.dashes is not None else None)
    session.dashes = head.dashes is not False


def _units(text: str) -> int:
    """Return the length in the units of JavaScript, of which a character outside the basic plane has two."""
    return len(text) + (sum(character > "\uffff" for character in text) if 2 * len(text) > MOST_KEPT else 0)
