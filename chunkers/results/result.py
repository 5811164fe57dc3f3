"""Result of a chunker: the chunks, every decision that led to them, and the reasons for these in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from chunkers.results.chunk_fields import Library, chunk_heading_path, to_dataframe, to_documents
from chunkers.results.result_html import result_html
from chunkers.results.titles_summaries_and_propositions import Proposition, StatedContent
from chunkers.support import InputError, format_number
from chunkers.text import Document, Misfit, Span

if TYPE_CHECKING:
    from chunkers.language_models import Spending
    from chunkers.recipes import Recipe


ThresholdRelation = Literal["", ">", "≤", "<", "≥", "=", "largest", "lowest"]
"""Relation of a score to its threshold: `=` if they differ only by rounding; the last two relate it to the other possible
cuts."""


class Reason(NamedTuple):
    """The last step of a decision, linked to the steps before it.

    Attributes
    ----------
    score_name, score
        Name and value of the score; None if there is no score.
    relation, threshold_name, threshold
        Comparison and threshold, named if a chunker has several thresholds; None for no comparison.
    remark
        Further explanation; the whole reason if there is no score.
    heading
        The part of the chunker's work that the step belongs to, or its place: ``pass one``, ``inside sentence 3``.
    earlier
        The step before this one, such as the score's decision before a size limit.
    short
        A shorter wording of the step; empty if `brief` derives one.
    """

    # A link and not a list, as each further object burdens the garbage collector and a long text has a reason per gap.
    score_name: str = ""
    score: float | None = None
    relation: ThresholdRelation = ""
    threshold: float | None = None
    threshold_name: str = ""
    remark: str = ""
    heading: str = ""
    earlier: Reason | None = None
    short: str = ""

    def __str__(self) -> str:
        """Return the decision in words, numbers included."""
        score_name, score, relation, threshold, threshold_name, remark, step_stage_or_place, earlier_reason, _ = self
        decision_phrase = remark
        if score is not None:
            if threshold is not None:
                score_text, threshold_text = (
                    (format_number(score, ".2f"),) * 2 if relation == "=" else format_distinguishably(score, threshold)
                )
                threshold_phrase = f"{threshold_name} {threshold_text}" if threshold_name else threshold_text
                decision_phrase = f"{score_name} {score_text} {relation} {threshold_phrase}".lstrip()
            else:
                score_number_text = format_number(score, ".2f")
                decision_phrase = (
                    f"its {relation} {score_name}, {score_number_text}, is here"
                    if relation
                    else f"{score_name} {score_number_text}"
                )
            if remark:
                decision_phrase = f"{decision_phrase}, {remark}"
        if step_stage_or_place:
            decision_phrase = f"{step_stage_or_place}: {decision_phrase}"
        return f"{earlier_reason}; {decision_phrase}" if earlier_reason is not None else decision_phrase

    def brief(self) -> str:
        """Return the deciding step in a few words, short enough to compare chunkers side by side."""
        if self.short or self.score is None:
            return self.short or self.remark
        if self.threshold is None:
            return f"{self.relation} {self.score_name} {format_number(self.score, '.2f')}".lstrip()
        is_equal = self.relation == "="
        score_text, threshold_text = (
            (format_number(self.score, ".2f"),) * 2 if is_equal else format_distinguishably(self.score, self.threshold)
        )
        comparison_phrase = " ".join(
            part for part in (score_text, self.relation, self.threshold_name, threshold_text) if part
        )
        return f"{comparison_phrase}, {self.remark}" if self.remark else comparison_phrase

    def steps(self) -> list[Reason]:
        """Return the decision's steps in order, each without the steps before it."""
        return [self] if self.earlier is None else [*self.earlier.steps(), self._replace(earlier=None)]


def combine_reasons(*reasons: Reason) -> Reason:
    """Link several reasons into one decision, in the given order."""
    combined_reason, *later_reasons = reasons
    for later_reason in later_reasons:
        for reason_step in later_reason.steps():
            # A pass over a long text links thousands: `_replace` takes several times as long.
            combined_reason = Reason(*reason_step[:7], combined_reason, reason_step.short)
    return combined_reason


def format_distinguishably(score: float, threshold: float) -> tuple[str, str]:
    """Format two numbers with the fewest decimals, from 2 to 17, at which they differ; equal numbers get six decimals.

    Numbers that differ only in later decimals are written with an exponent, and with the fewest digits, from 6 to 17, at
    which they differ. Zero has no sign.
    """
    if score == threshold:
        return format_number(score, ".6f"), format_number(threshold, ".6f")
    number_format_specs = [*(f".{decimals}f" for decimals in range(2, 18)), *(f".{digits}g" for digits in range(6, 18))]
    formatted_pairs = ((format_number(score, spec), format_number(threshold, spec)) for spec in number_format_specs)
    return next((pair for pair in formatted_pairs if pair[0] != pair[1]), (format_number(score), format_number(threshold)))


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
        `chunkers.recipes.model_written_context`. Empty if no model was asked or its answer is unusable.
    document
        The document that was cut; None for a chunk outside a result. Ignored by equality.
    """

    spans: tuple[Span, ...]
    text: str
    context: str = ""
    stated: StatedContent | None = None
    situation: str = ""
    document: Document | None = None

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Titles of the sections in which the chunk begins, outermost first; empty without sections or a document."""
        return () if self.document is None else chunk_heading_path(self.document, self)

    def __eq__(self, other: object) -> bool:
        return self[:-1] == other[:-1] if isinstance(other, Chunk) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other if isinstance(other, Chunk) else NotImplemented

    def __hash__(self) -> int:
        return hash(self[:-1])

    def __repr__(self) -> str:
        """Return the fields, the last ones where there is something in them."""
        filled_field_phrases = [
            f", {name}={getattr(self, name)!r}" for name in ("context", "stated", "situation") if getattr(self, name)
        ]
        return f"Chunk(spans={self.spans!r}, text={self.text!r}{''.join(filled_field_phrases)})"

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
        trimmed_text_end_offset = self.offset
        while trimmed_text_end_offset and document.text[trimmed_text_end_offset - 1].isspace():
            trimmed_text_end_offset -= 1
        return trimmed_text_end_offset


MergeComparisonKind = Literal["initial", "appending", "merging", "over a snippet", "over two snippets"]
MergeKind = MergeComparisonKind | Literal["linkage"]


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


ComparisonOutcome = Literal["joined", "not above", "too long"]


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
    kind: MergeComparisonKind
    outcome: ComparisonOutcome
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


DbscanRole = Literal["core", "border", "noise"]


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
    roles: tuple[DbscanRole, ...] = ()
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

    def _equality_key(self) -> tuple[object, ...]:
        return (
            self.label,
            tuple([none_if_nan(score) for score in self.scores]),
            tuple([(line.label, none_if_nan(line.level), line.parameter) for line in self.lines]),
            self.cut_above,
            self.live,
            self.null,
        )

    def __eq__(self, other: object) -> bool:
        """Compare all fields."""
        return self._equality_key() == other._equality_key() if isinstance(other, Curve) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._equality_key())


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
        Recipe that reproduces the same chunks; None for a result that `chunkers.run_chunker` did not make.
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
            chunks_with_document = [
                chunk._replace(document=document) if isinstance(chunk, Chunk) else chunk for chunk in self.chunks
            ]
            object.__setattr__(self, "chunks", tuple(chunks_with_document))

    @property
    def recipe(self) -> Recipe:
        """The recipe that reproduces these chunks. Raises InputError if `chunkers.run_chunker` did not make the result."""
        if self.made_by is None:
            raise InputError(
                "recipe: to cut another text the same way, a result must have a recipe; this result has none. Make the "
                "result with chunkers.run_chunker."
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
        chunk_count = len(self.chunks)
        maker_phrase = f" by {self.made_by.chunker}" if self.made_by is not None else ""
        return f"<Chunking{maker_phrase}: {chunk_count:,} chunk{'s' * (chunk_count != 1)} of {self.document!r}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the curve, and the chunks with their reasons; see `chunkers.results.result_html`."""
        return result_html(self)

    def to_dataframe(self) -> Any:
        """Return a pandas data frame with one row per chunk; see `chunkers.results.chunk_fields.to_dataframe`.

        Raises
        ------
        ModelError
            If pandas is not installed.
        """
        return to_dataframe(self)

    def to_documents(self, library: Library = "langchain") -> list[Any]:
        """Return the chunks as documents of LangChain, LlamaIndex or Haystack; see `chunkers.results.chunk_fields`.

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
        chunks_between_cuts = []
        chunk_start_offset = document.sentences[0].start
        for gap in gaps:
            if gap.verdict.is_cut:
                chunks_between_cuts.append(Chunk.of(document, Span(chunk_start_offset, gap.end_before(document))))
                chunk_start_offset = gap.start_after(document)
        chunks_between_cuts.append(Chunk.of(document, Span(chunk_start_offset, document.sentences[-1].end)))
        return cls(document, tuple(chunks_between_cuts), tuple(gaps), tuple(merges), tuple(curves))


def none_if_nan(value: float) -> float | None:
    """Return the number, or None for NaN, which JSON cannot represent."""
    return None if math.isnan(value) else float(value)


# A tuple that is computed when it is first read.


T_co = TypeVar("T_co", covariant=True)


class LazyTuple(Sequence[T_co]):
    """A sequence that is computed when it is first read, and is equal to the tuple of its items.

    This is for parts of a result that take longer than the cutting, such as the ledger of a chunker that cuts by a
    count: callers who want only the chunks never read it. Comparing, hashing and pickling read it.
    """

    def __init__(self, compute: Callable[[], tuple[T_co, ...]]) -> None:
        self._compute = compute

    @cached_property
    def _items(self) -> tuple[T_co, ...]:
        return self._compute()

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, place: int | slice) -> T_co | tuple[T_co, ...]:
        return self._items[place]

    def __add__(self, others: object) -> tuple[T_co, ...]:
        return self._items + tuple(others) if isinstance(others, tuple | LazyTuple) else NotImplemented

    def __radd__(self, others: object) -> tuple[T_co, ...]:
        return others + self._items if isinstance(others, tuple) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyTuple):
            return self is other or bool(self._items == other._items)
        return self._items == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def __reduce__(self) -> tuple[type[tuple[T_co, ...]], tuple[tuple[T_co, ...]]]:
        return tuple, (self._items,)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)
