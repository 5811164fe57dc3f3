"""The boundaries of pass one that pass two or the minimum size removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from chunkers import Chunking, Verdict
from chunkers.results.reason import Reason
from viz.components.mounting import Component
from viz.double_pass.story import MOST_SENTENCES, minis, seams, told


class CorrectionsData(TypedDict):
    """Payload of the list of corrections: its title, introductory sentences, and rows."""

    title: str
    words: list[str]
    rows: list[CorrectionData]


_corrections = Component[CorrectionsData](
    "seamark_corrections",
    "double_pass/corrections.js",
    "double_pass/corrections.css",
    html='<section class="corrections"></section>',
)


class CorrectionData(TypedDict):
    """A row of the list of corrections: the removed boundary, the step that removed it, and the row's texts.

    ``sentence`` is the number of the sentence before the boundary, from 1.
    """

    sentence: int
    step: int | None
    where: str
    reason: str
    also: str


@dataclass(frozen=True)
class Correction:
    """A boundary of pass one that pass two or the minimum size removed.

    Attributes
    ----------
    gap
        The gap's number: the number of the sentence before it, from 0.
    why
        The reason for the decision, as in the table of gaps.
    step
        The number, from 0, of the step that removed the boundary; None if the minimum size removed it.
    beside
        True if the chunker shown for comparison cuts here.
    """

    gap: int
    why: Reason
    step: int | None
    beside: bool

    @property
    def reason(self) -> str:
        """The reason for the removal, in words; the reason names the pass only if no step is given."""
        return str(self.why if self.step is None else self.why._replace(heading=""))


def corrections(chunking: Chunking, beside: Chunking | None) -> list[Correction]:
    """Return the boundaries of pass one that pass two or the minimum size removed, in text order."""
    cut_beside = set() if beside is None else {gap.index for gap in beside.gaps if gap.verdict.is_cut and gap.offset is None}
    starts = minis(chunking)
    joined = {
        gap: (number, why)
        for number, tried in enumerate(told(chunking))
        if (why := tried[-1].why) is not None
        and tried[-1].outcome == "joined"
        and tried[-1].kind not in ("initial", "appending")
        for gap in seams(tried, starts)
    }
    removals = []
    for gap in chunking.gaps:
        if gap.verdict in (Verdict.MERGED, Verdict.REJECTED):
            step, because = joined.get(gap.index, (None, gap.why))
            removals.append(Correction(gap.index, because, step, gap.index in cut_beside))
    return removals


def balance(chunking: Chunking, removals: Sequence[Correction], beside: Chunking | None, name: str) -> list[str]:
    """Describe how many boundaries of pass one were removed, and what became of the other chunker's boundaries."""
    cuts_of_pass_one = len(minis(chunking)) - 1
    if cuts_of_pass_one <= 0:
        return ["Pass one made no boundary, so there is none to remove."]
    removed_later = f"{len(removals):,} {'was' if len(removals) == 1 else 'were'} removed later"
    sentences = [f"Of the {_boundaries(cuts_of_pass_one)} that pass one made, {removed_later}."]
    if beside is not None:
        cuts = {gap.index for gap in beside.gaps if gap.verdict.is_cut and gap.offset is None}
        removed = sum(removal.beside for removal in removals)
        kept_cuts = sum(gap.verdict.is_cut for gap in chunking.gaps if gap.index in cuts)
        fates = {
            "here too": kept_cuts,
            "removed by pass two": removed,
            "never made by pass one": len(cuts) - kept_cuts - removed,
        }
        listed = ", ".join(f"{count:,} {fate}" for fate, count in fates.items() if count)
        sentences.append(f"Of the {_boundaries(len(cuts))} that {name} makes between sentences: {listed or 'none'}.")
    return sentences


def _boundaries(count: int) -> str:
    return "1 boundary" if count == 1 else f"{count:,} boundaries"


def show_corrections(removals: Sequence[Correction], said: Sequence[str], name: str, key: str) -> None:
    """Mount the list of corrections; a click on a row goes to the boundary and to the step that removed it."""
    listed: list[CorrectionData] = [
        {
            "sentence": removal.gap + 1,
            "step": removal.step,
            "where": f"after sentence {removal.gap + 1}",
            "reason": removal.reason,
            "also": f"{name} cuts here" if removal.beside else "",
        }
        for removal in removals
        if removal.gap < MOST_SENTENCES
    ]
    _corrections(key=key, data={"title": "Corrections", "words": list(said), "rows": listed})
