"""Ledgers for chunkers that have a reason for each cut, but none for the gaps that they do not cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunkers.results.reason import Reason, chain
from chunkers.results.result import Gap, Verdict
from chunkers.text.document import Document


def cuts_to_gaps(document: Document, offsets: Sequence[int], verdict: Verdict, why: Callable[[int], Reason]) -> list[Gap]:
    """Return a gap for each offset at which a chunk begins, between two sentences or inside a sentence."""
    gaps = []
    for offset in offsets:
        index = document.sentence_at(offset)
        if document.starts[index] == offset and index > 0:
            gaps.append(Gap(index - 1, None, None, verdict, why(offset)))
        else:
            gaps.append(Gap(index, None, None, verdict, inside_sentence(index, why(offset)), offset))
    return gaps


def inside_sentence(index: int, why: Reason) -> Reason:
    """Return the reason for a cut, reworded for a cut inside sentence ``index``."""
    first, *others = why.steps()
    return chain(first._replace(heading=f"inside sentence {index + 1}"), *others)


def ledger(document: Document, cuts: Sequence[Gap], kept: str) -> tuple[Gap, ...]:
    """Return all gaps: the given cuts and, wherever there is no cut, an uncut gap with the reason ``kept``.

    ``cuts`` are in the order of `cuts_to_gaps`: by position.
    """
    why = Reason(remark=kept)
    gaps: list[Gap] = []
    after = 0
    for cut in cuts:
        gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, cut.index)]
        gaps.append(cut)
        after = cut.index if cut.offset is not None else cut.index + 1
    gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, len(document.sentences) - 1)]
    return tuple(gaps)


def gap_order(gap: Gap) -> tuple[int, float]:
    """Return a gap's sort key, which puts cuts inside a sentence before the gap after that sentence."""
    return gap.index, float("inf") if gap.offset is None else gap.offset
