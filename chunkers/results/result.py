"""Result of a chunker: the chunks, and every decision that led to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from chunkers.results.embedder_input import path_of
from chunkers.results.exported import Library, to_dataframe, to_documents
from chunkers.results.notebook import result_html
from chunkers.results.reason import Reason
from chunkers.results.stated import Proposition, Stated
from chunkers.support.errors import InputError
from chunkers.text.document import Document, Span
from chunkers.text.fitness import Misfit

if TYPE_CHECKING:
    from chunkers.language_models.spending import Spending
    from chunkers.recipes.recipe import Recipe


class Verdict(StrEnum):
    """The verdict on a gap: cut or not, and what decided it."""

    CUT = "cut"
    KEPT = "kept"
    REJECTED = "rejected: below minimum size"
    FORCED = "forced: above maximum size"
    MERGED = "merged in pass two"

    @property
    def is_cut(self) -> bool:
        """True if the verdict makes a chunk end at the gap."""
        return self in (Verdict.CUT, Verdict.FORCED)

    @property
    def is_sized(self) -> bool:
        """True if a size limit overruled the score."""
        return self in (Verdict.REJECTED, Verdict.FORCED)

    @property
    def is_overruled(self) -> bool:
        """True if a later step overruled the score: a size limit or pass two."""
        return self.is_sized or self is Verdict.MERGED


class Chunk(NamedTuple):
    """A chunk: one or more spans of the original text, in ascending order, with their text.

    Attributes
    ----------
    context
        Text from elsewhere that is needed to understand the chunk, such as the header of the table whose rows it contains;
        for a chunk made by another program, the text around its passage. Not part of the chunk, and empty for most.
    stated
        Title, summary and propositions by a language model, if they are the chunk's text; None for most.
    situation
        A sentence or two by a language model on the chunk's place in its document, embedded with the chunk; see
        `chunkers.recipes.situating`. Empty if no model was asked or its answer is unusable.
    document
        The document that was cut; None for a chunk outside a result. Ignored by equality.
    """

    spans: tuple[Span, ...]
    text: str
    context: str = ""
    stated: Stated | None = None
    situation: str = ""
    document: Document | None = None

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Titles of the sections in which the chunk begins, outermost first; empty without sections or a document."""
        return () if self.document is None else path_of(self.document, self)

    def __eq__(self, other: object) -> bool:
        return self[:-1] == other[:-1] if isinstance(other, Chunk) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other if isinstance(other, Chunk) else NotImplemented

    def __hash__(self) -> int:
        return hash(self[:-1])

    def __repr__(self) -> str:
        """Return the fields, the last ones where there is something in them."""
        context = f", context={self.context!r}" if self.context else ""
        stated = f", stated={self.stated!r}" if self.stated is not None else ""
        situation = f", situation={self.situation!r}" if self.situation else ""
        return f"Chunk(spans={self.spans!r}, text={self.text!r}{context}{stated}{situation})"

    @classmethod
    def of(cls, document: Document, *spans: Span) -> Chunk:
        """Return the chunk made of these spans of a document; the texts of several spans are joined by line breaks."""
        return cls(spans, "\n".join([document.text[start:end] for start, end in spans]), document=document)

    @property
    def start(self) -> int:
        """Start offset of the chunk, in code points."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """End offset of the chunk, in code points."""
        return self.spans[-1].end


class Gap(NamedTuple):
    """The decision on the gap between sentence ``index`` and the next sentence.

    Attributes
    ----------
    score, threshold
        The two numbers compared, in the units of the chunker's score; None if nothing was compared.
    why
        The decision step by step: by the score, then by a size or pass two.
    offset
        Only for a cut inside sentence ``index``: the code point at which the later chunk begins.
    """

    index: int  # type: ignore[assignment]  # hides the method of tuples, which gaps do not need
    score: float | None
    threshold: float | None
    verdict: Verdict
    why: Reason
    offset: int | None = None

    @property
    def reason(self) -> str:
        """The reason for the decision in words, with the numbers compared."""
        return str(self.why)

    def start_after(self, document: Document) -> int:
        """Return the start offset, in code points, of the text after the gap."""
        return document.sentences[self.index + 1].start if self.offset is None else self.offset

    def end_before(self, document: Document) -> int:
        """Return the end offset, in code points, of the text before the gap, without trailing white space."""
        if self.offset is None:
            return document.sentences[self.index].end
        end = self.offset
        while end and document.text[end - 1].isspace():
            end -= 1
        return end


ComparisonKind = Literal["initial", "appending", "merging", "over a snippet", "over two snippets"]
MergeKind = ComparisonKind | Literal["linkage"]


@dataclass(frozen=True, slots=True)
class Merge:
    """The merge of two groups of sentences, with their similarity and the threshold.

    Attributes
    ----------
    left, right
        Half-open ranges of sentence numbers. Over a snippet they do not touch: the snippet lies between.
    similarity, threshold
        The cosine similarity, and the threshold that it had to exceed.
    kind
        ``initial`` and ``appending`` happen in pass one of a double pass, ``merging`` and merges over snippets in pass
        two. ``linkage`` joins two clusters: the ranges are the two sentences whose pair joined the clusters, and the
        similarity is 1 minus their joint distance.
    """

    left: Span
    right: Span
    similarity: float
    threshold: float
    kind: MergeKind


Outcome = Literal["joined", "not above", "too long"]


class Comparison(NamedTuple):
    """The comparison of two groups of sentences that might be merged.

    Attributes
    ----------
    left, right
        Half-open ranges of sentence numbers: the growing group, and the group that it is compared with.
    similarity, threshold
        The cosine similarity, and the threshold that it has to exceed.
    kind
        The kind of merge; for ``appending`` only the last two sentences of ``left`` are compared.
    outcome
        True if they were joined; above the threshold they may still be too long.
    length
        Characters of the merged group, from ``left`` to ``right``, as the maximum size counts them.
    why
        The decision, as in the ledger; None if a later group is compared before a decision is made.
    """

    left: Span
    right: Span
    similarity: float
    threshold: float
    kind: ComparisonKind
    outcome: Outcome
    length: int
    why: Reason | None = None

    @property
    def reason(self) -> str:
        """The reason for the decision in words, with the numbers compared; empty if no decision was made."""
        return "" if self.why is None else str(self.why)


class Refusal(NamedTuple):
    """Two clusters kept apart by the size cap, though two of their sentences are close enough to join them.

    Attributes
    ----------
    left, right
        The numbers of the two sentences.
    distance
        Joint distance of the two sentences.
    joins
        Number of joins made before.
    size
        Sentences in both clusters together.
    """

    left: int
    right: int
    distance: float
    joins: int
    size: int


Role = Literal["core", "border", "noise"]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Details of a clustering that the chunks alone do not show.

    Attributes
    ----------
    refused
        Merges that the cap refused, nearest first (single linkage). Only merges between clusters that earlier joins and
        refusals had not linked in a chain are listed, so that there are fewer merges than sentences.
    refusals
        Number of pairs of sentences that the cap refused (single linkage).
    cap
        Maximum number of sentences in a chunk (single linkage).
    roles
        Role of every sentence (DBSCAN).
    core_size
        Minimum number of sentences in the neighbourhood of a core, itself included (DBSCAN).
    own, other, other_chunk
        For every sentence, the distance to its centre and to the next nearest, and the number of the latter's chunk
        (k-means). The last two are empty if there is one centre.
    """

    refused: tuple[Refusal, ...] = ()
    refusals: int = 0
    cap: int | None = None
    roles: tuple[Role, ...] = ()
    core_size: int = 0
    own: tuple[float, ...] = ()
    other: tuple[float, ...] = ()
    other_chunk: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A threshold line on a curve: its level in the curve's units, and the parameter that moves it."""

    label: str
    level: float
    parameter: str


@dataclass(frozen=True, slots=True)
class Band:
    """Interquartile range, in the curve's units, of the scores of shuffled text."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The score at each gap, with the threshold lines; equality treats undefined scores as equal.

    Attributes
    ----------
    label
        Name of the score, for an axis.
    scores
        One number per gap; NaN where the score is undefined.
    lines
        The thresholds.
    cut_above
        True if gaps above the threshold are candidates for cuts; false if gaps below it are.
    live
        True if comparing the scores with a single line gives the candidate cuts.
    null
        Range of the score in shuffled text, where the order of sentences is meaningless; None if unknown.
    """

    label: str
    scores: tuple[float, ...]
    lines: tuple[Line, ...]
    cut_above: bool
    live: bool
    null: Band | None = None

    def _key(self) -> tuple[object, ...]:
        scores = tuple([number(score) for score in self.scores])
        lines = tuple([(line.label, number(line.level), line.parameter) for line in self.lines])
        return self.label, scores, lines, self.cut_above, self.live, self.null

    def __eq__(self, other: object) -> bool:
        """Compare all fields."""
        return self._key() == other._key() if isinstance(other, Curve) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True, slots=True)
class Timing:
    """Time spent on each stage, in milliseconds, and the number of texts embedded.

    Attributes
    ----------
    split_ms
        Splitting into sentences, once for all chunkers of a document; 0 if no sentence has been needed yet.
    embed_ms
        Looking up embeddings and computing the missing ones.
    embedded, cached
        Distinct texts computed and found in the cache.
    cold_ms
        Time that computing all embeddings took originally; NaN if it was not recorded.
    decide_ms
        All other work, except pass two of a double pass, which is in ``merge_ms``. Chunkers that cut by a count compute
        their ledger when it is first read, which is not included.
    """

    split_ms: float
    embed_ms: float
    embedded: int
    cached: int
    cold_ms: float
    decide_ms: float
    merge_ms: float


@dataclass(frozen=True, slots=True, repr=False)
class Chunking(Sequence[Chunk]):
    """The result of a run: the chunks of a document, ordered by their first span, and every decision.

    The result is a sequence of its chunks. Two results are equal if their documents, chunks and decisions are equal,
    regardless of timing and recipe.

    Attributes
    ----------
    document
        The document that was cut.
    chunks
        The chunks.
    gaps
        The decision at every gap between sentences, and at every cut inside one, in order.
    merges, curves
        The merges of groups and the curves of scores, for chunkers that have them.
    timing
        Time of every stage; None before the run has ended.
    notes
        Sentences about the result as a whole, such as a setting that could not be followed, or text in no chunk.
    comparisons
        Comparisons of a double pass, in the order in which it made them.
    clusters
        Details of a clustering chunker's clusters.
    left_out
        Propositions whose quoted source is not in the text; they are in no chunk.
    misfits
        Warnings that the text does not suit its splitter or the model.
    spending
        Spending on a language model; None if no model was asked.
    made_by
        Recipe that reproduces the same chunks; None for a result that `chunkers.run` did not make.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    gaps: Sequence[Gap]
    merges: tuple[Merge, ...] = ()
    curves: tuple[Curve, ...] = ()
    timing: Timing | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    clusters: Clusters | None = None
    left_out: tuple[Proposition, ...] = ()
    misfits: Sequence[Misfit] = ()
    spending: Spending | None = field(default=None, compare=False)
    made_by: Recipe | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Let every chunk know the document; a chunker of another package may return anything, which is checked later."""
        document = self.document
        if isinstance(self.chunks, tuple) and not all(getattr(chunk, "document", None) is document for chunk in self.chunks):
            known = [chunk._replace(document=document) if isinstance(chunk, Chunk) else chunk for chunk in self.chunks]
            object.__setattr__(self, "chunks", tuple(known))

    @property
    def recipe(self) -> Recipe:
        """The recipe that reproduces these chunks. Raises InputError for a result that `chunkers.run` did not make."""
        if self.made_by is None:
            raise InputError(
                "recipe: to cut another text the same way, a result must have a recipe; this result has none. Make the "
                "result with chunkers.run."
            )
        return self.made_by

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all chunks, in order."""
        return tuple([chunk.text for chunk in self.chunks])

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.chunks)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.chunks)

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, place: int | slice) -> Chunk | tuple[Chunk, ...]:
        """Return a chunk, or the chunks of a slice."""
        return self.chunks[place]

    def __repr__(self) -> str:
        """Return a short description without the text."""
        count = len(self.chunks)
        maker = f" by {self.made_by.chunker}" if self.made_by is not None else ""
        return f"<Chunking{maker}: {count:,} chunk{'s' * (count != 1)} of {self.document!r}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the curve, and the chunks with their reasons; see `chunkers.results.notebook`."""
        return result_html(self)

    def to_dataframe(self) -> Any:
        """Return a pandas data frame with one row per chunk; see `chunkers.results.exported.to_dataframe`.

        Raises
        ------
        ModelError
            If pandas is not installed.
        """
        return to_dataframe(self)

    def to_documents(self, library: Library = "langchain") -> list[Any]:
        """Return the chunks as documents of LangChain, LlamaIndex or Haystack; see `chunkers.results.exported`.

        Raises
        ------
        InputError
            If there is no such library.
        ModelError
            If the library is not installed.
        """
        return to_documents(self, library)

    @classmethod
    def from_gaps(
        cls, document: Document, gaps: Sequence[Gap], merges: Iterable[Merge] = (), curves: Iterable[Curve] = ()
    ) -> Chunking:
        """Build a result that cuts at every gap whose verdict is a cut, including gaps inside sentences."""
        if not document.sentences:
            return cls(document, (), ())
        chunks = []
        start = document.sentences[0].start
        for gap in gaps:
            if gap.verdict.is_cut:
                chunks.append(Chunk.of(document, Span(start, gap.end_before(document))))
                start = gap.start_after(document)
        chunks.append(Chunk.of(document, Span(start, document.sentences[-1].end)))
        return cls(document, tuple(chunks), tuple(gaps), tuple(merges), tuple(curves))


def number(value: float) -> float | None:
    """Return the number, or None for NaN, which JSON cannot represent."""
    return None if math.isnan(value) else float(value)
