"""The boundaries of pass one that pass two or the minimum size removed."""

from collections.abc import Sequence
from typing import TypedDict

from chunkers import Chunking, Verdict
from viz.components.mounting import Component
from viz.double_pass.story import MOST_SENTENCES, attempts_of, decided_gaps, mini_chunk_starts


class CorrectionData(TypedDict):
    """A row of the list of corrections: the removed boundary, the step that removed it, and the row's texts.

    ``sentence`` is the number of the sentence before the boundary, from 1.
    """

    sentence: int
    step: int | None
    where: str
    reason: str
    also: str


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


def corrections(chunking: Chunking, beside: Chunking | None, name: str) -> list[CorrectionData]:
    """Return the boundaries of pass one that pass two or the minimum size removed, in text order.

    ``beside`` is the result of the chunker called ``name``, to which they are compared.
    """
    cut_beside = set() if beside is None else _cut_gaps(beside)
    starts = mini_chunk_starts(chunking)
    joined = {
        gap: (number, why)
        for number, attempts in enumerate(attempts_of(chunking))
        if (why := attempts[-1].why) is not None
        and attempts[-1].outcome == "joined"
        and attempts[-1].kind not in ("initial", "appending")
        for gap in decided_gaps(attempts, starts)
    }
    removals: list[CorrectionData] = []
    for gap in chunking.gaps:
        if gap.verdict in (Verdict.MERGED, Verdict.REJECTED):
            step, why = joined.get(gap.index, (None, gap.why))
            removals.append(
                {
                    "sentence": gap.index + 1,
                    "step": step,
                    "where": f"after sentence {gap.index + 1}",
                    # The step names the pass.
                    "reason": str(why if step is None else why._replace(heading="")),
                    "also": f"{name} cuts here" if gap.index in cut_beside else "",
                }
            )
    return removals


def _cut_gaps(chunking: Chunking) -> set[int]:
    """Return the numbers of the gaps between sentences that are cut."""
    return {gap.index for gap in chunking.gaps if gap.verdict.is_cut and gap.offset is None}


def balance(chunking: Chunking, removals: Sequence[CorrectionData], beside: Chunking | None, name: str) -> list[str]:
    """Describe how many boundaries of pass one were removed, and what became of the other chunker's boundaries."""
    cuts_of_pass_one = len(mini_chunk_starts(chunking)) - 1
    if cuts_of_pass_one <= 0:
        return ["Pass one made no boundary, so there is none to remove."]
    removed_later = f"{len(removals):,} {'was' if len(removals) == 1 else 'were'} removed later"
    sentences = [f"Of the {_boundaries(cuts_of_pass_one)} that pass one made, {removed_later}."]
    if beside is not None:
        cuts = _cut_gaps(beside)
        removed = sum(removal["also"] != "" for removal in removals)
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


def show_corrections(removals: Sequence[CorrectionData], said: Sequence[str], key: str) -> None:
    """Mount the list of corrections; a click on a row goes to the boundary and to the step that removed it."""
    drawn = [removal for removal in removals if removal["sentence"] <= MOST_SENTENCES]
    _corrections(key=key, data={"title": "Corrections", "words": [*said], "rows": drawn})
