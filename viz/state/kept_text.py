"""The user's own text in the form in which the browser's tab or the disk keeps it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from chunkers.text.extracted import LeftOut
from chunkers.text.parts import Parts
from viz.state.keys import session
from viz.state.own_text import store_own_text, without_dashes
from viz.state.session_file import KeptParts
from viz.state.text import Source

MOST_OF_FILE = 200_000
"""Characters of what is kept of a text's file, its pages and what was left out: of some 10,000 pages."""


class KeptText(BaseModel):
    """A text's name, boundaries and origin, without the text.

    Attributes
    ----------
    known
        Its known boundaries in code points, without its lines of dashes; None if none are known.
    dashes
        True if its lines of dashes are boundaries; None if it has none.
    file
        JSON of what is known of the file that it was read from; empty if it is of none.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(max_length=300)
    known: tuple[int, ...] | None
    dashes: bool | None
    teaches: str = Field(max_length=1_000)
    file: str = Field("", max_length=MOST_OF_FILE)


class _File(BaseModel):
    """Details of a text's source file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    parts: KeptParts | None = None
    left_out: tuple[LeftOut, ...] = ()


def kept_text(own: Source, given: Source | None) -> tuple[KeptText, str]:
    """Return the head and the text of the own text; ``given`` is the text before its lines of dashes were removed."""
    source = given or own
    about = KeptText(
        name=own.name[:300],
        known=own.known,
        dashes=session.dashes is not False if given is not None else None,
        teaches=own.teaches[:1_000],
        file=_file_of(source),
    )
    return about, source.text


def give_back(about: KeptText, text: str) -> None:
    """Make a kept text the user's own."""
    base = Source(text, about.name, None, about.teaches, *_of_file(about, text))
    own = without_dashes(base) if about.dashes else base
    edges = (0, *(about.known or ()), len(own.text))
    # The boundaries of lines of dashes come from them; others may have been set by clicks.
    if all(first < second for first, second in pairwise(edges)):
        own = replace(own, known=about.known)
    store_own_text(own, base if about.dashes is not None else None)
    session.dashes = about.dashes is not False


def _file_of(source: Source) -> str:
    """Return the pages of a text's file and the parts left out, as far as there is room."""
    if source.parts is None and not source.left_out:
        return ""
    parts = None if source.parts is None else KeptParts.of(source.parts)
    for file in (_File(parts=parts, left_out=source.left_out), _File(parts=parts)):
        kept = file.model_dump_json()
        if len(kept) <= MOST_OF_FILE:
            return kept
    return ""


def _of_file(about: KeptText, text: str) -> tuple[Parts | None, tuple[LeftOut, ...]]:
    """Return the pages and the content left out; nothing if they cannot belong to the text."""
    if not about.file:
        return None, ()
    try:
        file = _File.model_validate_json(about.file)
        return None if file.parts is None else file.parts.of_text(text), file.left_out
    except ValueError:
        return None, ()
