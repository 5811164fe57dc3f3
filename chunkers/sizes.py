"""Size constraints for any chunker: too small chunks are merged, too large ones cut again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from pydantic import Field, model_validator

from chunkers.base import Chunker, Tools
from chunkers.document import Document, Span
from chunkers.recursive import cuts_to_gaps, measure_for, recursive_spans
from chunkers.result import Gap, Verdict, end_before, start_after

SizeUnit = Literal["characters", "words", "tokens", "sentences"]
Oversize = Literal["weakest_gap", "recursive"]


@dataclass(frozen=True)
class Limits:
    """Bounds of a chunk in ``unit``; None where there is none. ``oversize`` None never cuts, and lets ``most`` pass."""

    least: int | None
    most: int | None
    unit: SizeUnit
    oversize: Oversize | None = None


class Sized(Chunker):
    """A chunker whose chunks can be held between two sizes."""

    min_size: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Minimum size",
        description="A smaller chunk is merged with the one before it; the first with the one after.",
        json_schema_extra={"step": 1},
    )
    max_size: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Maximum size",
        description="A larger chunk is cut again.",
        json_schema_extra={"step": 1},
    )
    size_unit: SizeUnit = Field("characters", title="Sizes count", description="What both sizes count.")
    oversize: Oversize = Field(
        "weakest_gap",
        title="Cut again",
        description="Where a chunk above maximum size is cut: at its largest distance, or by the recursive chunker.",
    )

    @model_validator(mode="after")
    def _ordered_sizes(self) -> Self:
        if self.min_size is not None and self.max_size is not None and self.min_size > self.max_size:
            raise ValueError(f"min_size must be at most max_size, {self.max_size}; got {self.min_size}.")
        return self

    @property
    def limits(self) -> Limits:
        """The constraints as a value."""
        return Limits(self.min_size, self.max_size, self.size_unit, self.oversize)


def within_sizes(
    document: Document,
    gaps: Sequence[Gap],
    limits: Limits,
    tools: Tools,
    distances: Callable[[], Sequence[float]],
) -> list[Gap]:
    """Return the gaps with the verdicts that the limits change, and why.

    Parameters
    ----------
    document
        The document that the gaps belong to.
    gaps
        One for each pair of neighbouring sentences, and those inside sentences, in order.
    limits
        The sizes and what to do above them.
    tools
        Counts tokens.
    distances
        Gives one distance for each pair of neighbouring sentences; asked only when the weakest gap is wanted.
    """
    if not document.sentences or (limits.least is None and (limits.most is None or limits.oversize is None)):
        return list(gaps)
    sizer = _Sizer(document, limits, tools)
    constrained = sizer.merge_small(list(gaps)) if limits.least is not None else list(gaps)
    if limits.most is None or limits.oversize is None:
        return constrained
    return sizer.cut_large(constrained, distances)


class _Sizer:
    def __init__(self, document: Document, limits: Limits, tools: Tools) -> None:
        self.document = document
        self.limits = limits
        self.tools = tools
        self.starts = [span.start for span in document.sentences]
        self.measure = (lambda text: 0) if limits.unit == "sentences" else measure_for(limits.unit, tools)

    def size(self, start: int, end: int) -> int:
        if self.limits.unit == "sentences":
            return self.sentence_at(end - 1) - self.sentence_at(start) + 1
        return self.measure(self.document.text[start:end])

    def sentence_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def merge_small(self, gaps: list[Gap]) -> list[Gap]:
        """Merge from left to right, so that no chunk but one that would grow too large stays small."""
        least, unit = self.limits.least or 0, self.limits.unit
        text_end = self.document.sentences[-1].end
        accepted: list[int] = []
        cuts = [position for position, gap in enumerate(gaps) if gap.verdict.is_cut]
        for position in [*cuts, None]:
            start = start_after(self.document, gaps[accepted[-1]]) if accepted else self.starts[0]
            end = end_before(self.document, gaps[position]) if position is not None else text_end
            size = self.size(start, end)
            # The first chunk has none before it: the cut after it goes, and it grows on.
            before = accepted[-1] if accepted else None
            drop = before if before is not None else position
            if size < least and drop is not None:
                first = start_after(self.document, gaps[accepted[-2]]) if len(accepted) > 1 else self.starts[0]
                merged = self.size(first, end) if before is not None else size
                said = f"{gaps[drop].reason}; a chunk of {size:,} {unit} beside it, below minimum size {least:,}"
                if self.limits.most is not None and merged > self.limits.most:
                    said += f", but with its neighbour above maximum size {self.limits.most:,}"
                    gaps[drop] = replace(gaps[drop], reason=said)
                else:
                    gaps[drop] = replace(gaps[drop], verdict=Verdict.REJECTED, reason=said)
                    if before is not None:
                        accepted.pop()
            if position is not None and gaps[position].verdict.is_cut:
                accepted.append(position)
        return gaps

    def cut_large(self, gaps: list[Gap], distances: Callable[[], Sequence[float]]) -> list[Gap]:
        document, most = self.document, self.limits.most or 0
        forced: list[Gap] = []
        start = self.starts[0]
        for gap in [*(gap for gap in gaps if gap.verdict.is_cut), None]:
            end = end_before(document, gap) if gap is not None else document.sentences[-1].end
            pending = [Span(start, end)]
            while pending:
                part = pending.pop()
                size = self.size(*part)
                if size <= most:
                    continue
                reason = f"a chunk of {size:,} {self.limits.unit}, above maximum size {most:,}"
                weakest = self.weakest_gap(part, distances) if self.limits.oversize == "weakest_gap" else None
                if weakest is not None:
                    apart = f"{reason}; its largest distance, {distances()[weakest]:.2f}, is here"
                    apart += self.left_small(part, weakest)
                    forced.append(Gap(weakest, None, None, Verdict.FORCED, apart))
                    pending.append(Span(document.sentences[weakest + 1].start, part.end))
                    pending.append(Span(part.start, document.sentences[weakest].end))
                else:
                    forced.extend(self.cut_recursively(part, reason))
            start = start_after(document, gap) if gap is not None else end
        return _with_forced(gaps, forced)

    def left_small(self, part: Span, gap: int) -> str:
        """Say that cutting ``part`` at ``gap`` leaves a side below minimum size, where it does."""
        least = self.limits.least or 0
        return f"; a side below minimum size {least:,} is left" if min(self.sides(part, gap)) < least else ""

    def sides(self, part: Span, gap: int) -> tuple[int, int]:
        """Return the sizes of ``part`` before and after ``gap``."""
        sentences = self.document.sentences
        return self.size(part.start, sentences[gap].end), self.size(sentences[gap + 1].start, part.end)

    def weakest_gap(self, part: Span, distances: Callable[[], Sequence[float]]) -> int | None:
        """Return the gap of the largest distance inside ``part``, if one leaves no side below minimum size, among those."""
        first, last = self.sentence_at(part.start), self.sentence_at(part.end - 1)
        ranked = sorted(range(first, last), key=lambda gap: -distances()[gap])
        least = self.limits.least
        if least is None or not ranked:
            return ranked[0] if ranked else None
        return next((gap for gap in ranked if min(self.sides(part, gap)) >= least), ranked[0])

    def cut_recursively(self, part: Span, reason: str) -> list[Gap]:
        text = self.document.text[part.start : part.end]
        spans = recursive_spans(text, self.limits.most or 1, 0, self.measure, "chroma")
        small = [part.start + start for start, end in spans if self.measure(text[start:end]) < (self.limits.least or 0)]
        offsets = [part.start + start for start, _ in spans[1:]]
        said = f"{reason}; cut by the recursive chunker"
        said += f", which leaves pieces below minimum size {self.limits.least:,}" if small else ""
        return cuts_to_gaps(self.document, offsets, Verdict.FORCED, lambda offset: said)


def _with_forced(gaps: Sequence[Gap], forced: Sequence[Gap]) -> list[Gap]:
    """Put the forced cuts in their places: on the sentence gap that they fall into, or inside the sentence."""
    at_gap = {gap.index: gap for gap in forced if gap.offset is None}
    changed = []
    for gap in gaps:
        new = at_gap.get(gap.index) if gap.offset is None and not gap.verdict.is_cut else None
        if new is not None:
            reason = f"{gap.reason}; {new.reason}"
            gap = replace(gap, verdict=Verdict.FORCED, reason=reason)
        changed.append(gap)
    inside = [gap for gap in forced if gap.offset is not None]
    return sorted([*changed, *inside], key=gap_order)


def gap_order(gap: Gap) -> tuple[int, float]:
    """Sort key: cuts inside sentence i come before the gap after it."""
    return gap.index, float("inf") if gap.offset is None else gap.offset
