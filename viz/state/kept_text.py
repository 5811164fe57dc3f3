"""The user's own text in the format in which the browser's tab or the disk keeps it."""

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
"""Most characters of the stored properties of a text's file (pages and omitted content), enough for 10,000 pages."""


class KeptText(BaseModel):
    """The stored metadata of a text: its name, boundaries and origin.

    Attributes
    ----------
    known
        The known boundaries as offsets in code points, in the text without lines of dashes; None if none are known.
    dashes
        True if the text's lines of dashes are boundaries; None if it has no such lines.
    file
        JSON with the properties of the file that the text was read from; empty if it was not read from a file.
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
    """Return the user's text in stored form: its metadata and the text.

    ``given`` is the text before its lines of dashes were removed.
    """
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
    """Restore a stored text as the user's own."""
    base = Source(text, about.name, None, about.teaches, *_of_file(about, text))
    own = without_dashes(base) if about.dashes else base
    edges = (0, *(about.known or ()), len(own.text))
    # Stored boundaries take precedence over those from dashes, since clicks may have changed them.
    if all(first < second for first, second in pairwise(edges)):
        own = replace(own, known=about.known)
    store_own_text(own, base if about.dashes is not None else None)
    session.dashes = about.dashes is not False


def _file_of(source: Source) -> str:
    """Return the pages of a text's file and its omitted content as JSON, as far as there is room."""
    if source.parts is None and not source.left_out:
        return ""
    parts = None if source.parts is None else KeptParts.of(source.parts)
    for file in (_File(parts=parts, left_out=source.left_out), _File(parts=parts)):
        kept = file.model_dump_json()
        if len(kept) <= MOST_OF_FILE:
            return kept
    return ""


def _of_file(about: KeptText, text: str) -> tuple[Parts | None, tuple[LeftOut, ...]]:
    """Return the stored pages and omitted content; nothing if they cannot belong to the text."""
    if not about.file:
        return None, ()
    try:
        file = _File.model_validate_json(about.file)
        return None if file.parts is None else file.parts.of_text(text), file.left_out
    except ValueError:
        return None, ()
