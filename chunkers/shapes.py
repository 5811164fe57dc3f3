"""Protocols for the parts of a result that tables, documents and pictures read.

A result shows itself by means of them, so they cannot import it; a `chunkers.Chunking` has all that is asked for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from chunkers.stated import Stated
from chunkers.text.document import Document, Span


class Piece(Protocol):
    """A chunk; see `chunkers.Chunk`."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Its ranges in code points, ascending."""
        ...

    @property
    def text(self) -> str:
        """Their text."""
        ...

    @property
    def context(self) -> str:
        """Text repeated from elsewhere; mostly empty."""
        ...

    @property
    def stated(self) -> Stated | None:
        """Title, summary and propositions by a language model; None for most chunks."""
        ...

    @property
    def situation(self) -> str:
        """Description of the chunk's place in the document by a language model; empty if none was asked."""
        ...

    @property
    def start(self) -> int:
        """Code point at which the chunk begins."""
        ...

    @property
    def end(self) -> int:
        """Code point at which the chunk ends."""
        ...


class Decided(Protocol):
    """A verdict; see `chunkers.Verdict`."""

    @property
    def is_cut(self) -> bool:
        """True if a chunk ends at the gap."""
        ...


class Decision(Protocol):
    """The decision at a gap; see `chunkers.Gap`."""

    @property
    def index(self) -> int:  # type: ignore[override, unused-ignore]
        """The number of the sentence before it."""
        ...

    @property
    def score(self) -> float | None:
        """Score that was compared with the threshold; None if there was no comparison."""
        ...

    @property
    def threshold(self) -> float | None:
        """Threshold that the score was compared with; None if there was no comparison."""
        ...

    @property
    def verdict(self) -> Decided:
        """Cut or not."""
        ...

    @property
    def reason(self) -> str:
        """Why, in words."""
        ...

    @property
    def offset(self) -> int | None:
        """The code point of a cut inside the sentence; None between two."""
        ...


class Level(Protocol):
    """A threshold line; see `chunkers.Line`."""

    @property
    def label(self) -> str:
        """Name of the line."""
        ...

    @property
    def level(self) -> float:
        """Position of the line in the curve's units."""
        ...


class Scores(Protocol):
    """A curve; see `chunkers.Curve`."""

    @property
    def label(self) -> str:
        """Name of the score."""
        ...

    @property
    def scores(self) -> Sequence[float]:
        """One for each gap; NaN where it is undefined."""
        ...

    @property
    def lines(self) -> Sequence[Level]:
        """Threshold lines."""
        ...


class Described(Protocol):
    """A chunker with its parameters; see `chunkers.Chunker`."""

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    def describe(self) -> str:
        """Return the most important settings in a few words."""
        ...


class Origin(Protocol):
    """Origin of a result, its recipe; see `chunkers.Recipe`."""

    @property
    def chunker(self) -> str:
        """The chunker's name."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters of the chunker."""
        ...

    @property
    def embedded_as(self) -> Literal["plain", "heading_path", "context"]:
        """Text that is embedded for a chunk: plain, with its heading path, or with a context."""
        ...

    def build(self) -> Described:
        """Return the chunker; raises InputError if it does not exist."""
        ...


class Cut(Protocol):
    """A document that was cut; see `chunkers.Chunking`."""

    @property
    def document(self) -> Document:
        """Document that was cut."""
        ...

    @property
    def chunks(self) -> Sequence[Piece]:
        """The chunks."""
        ...

    @property
    def gaps(self) -> Sequence[Decision]:
        """Every decision."""
        ...

    @property
    def curves(self) -> Sequence[Scores]:
        """The scores at the gaps, of chunkers that have some."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences about the whole."""
        ...

    @property
    def made_by(self) -> Origin | None:
        """Recipe of the result; None if unknown."""
        ...
