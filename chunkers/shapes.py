"""What tables, documents and pictures need to know of a result.

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
        """What it repeats from elsewhere; empty for most."""
        ...

    @property
    def stated(self) -> Stated | None:
        """What a language model wrote about it; None for most."""
        ...

    @property
    def situation(self) -> str:
        """What a language model says of its place in the document; empty where none was asked."""
        ...

    @property
    def start(self) -> int:
        """Where it begins, in code points."""
        ...

    @property
    def end(self) -> int:
        """Where it ends, in code points."""
        ...


class Decided(Protocol):
    """A verdict; see `chunkers.Verdict`."""

    @property
    def is_cut(self) -> bool:
        """Whether a chunk ends here."""
        ...


class Decision(Protocol):
    """The decision at a gap; see `chunkers.Gap`."""

    @property
    def index(self) -> int:  # type: ignore[override, unused-ignore]
        """The number of the sentence before it."""
        ...

    @property
    def score(self) -> float | None:
        """What was compared with the threshold; None where nothing was."""
        ...

    @property
    def threshold(self) -> float | None:
        """What the score was compared with."""
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
        """What it is called."""
        ...

    @property
    def level(self) -> float:
        """Where it lies, in the curve's units."""
        ...


class Scores(Protocol):
    """A curve; see `chunkers.Curve`."""

    @property
    def label(self) -> str:
        """What the score is."""
        ...

    @property
    def scores(self) -> Sequence[float]:
        """One for each gap; NaN where it is undefined."""
        ...

    @property
    def lines(self) -> Sequence[Level]:
        """The thresholds."""
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
    """What made a result; see `chunkers.Recipe`."""

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
        """What of the chunks is embedded."""
        ...

    def build(self) -> Described:
        """Return the chunker; raises InputError where there is none such."""
        ...


class Cut(Protocol):
    """A document that was cut; see `chunkers.Chunking`."""

    @property
    def document(self) -> Document:
        """What was cut."""
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
        """What made it; None where that is not known."""
        ...
