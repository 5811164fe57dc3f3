"""The greedy scan as steps: its decision at each gap, and the optimal partition's alternative at each cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from chunkers import Chunking, Gap, Verdict
from chunkers.support.numbers import listed, signed
from evaluation.segmentation.cohesion import SMALL, Cohesion, StretchComparison
from viz.components.stepper.stepper import Gauge, Step
from viz.jobs.worked_formula import vector_name

OUTCOME = {
    Verdict.CUT: "It passes the line: a cut.",
    Verdict.KEPT: "It does not pass the line: no cut.",
    Verdict.REJECTED: "It passes the line, but a size limit prevents a cut.",
    Verdict.FORCED: "It does not pass the line, but a size limit requires a cut.",
    Verdict.MERGED: "Cut at first, merged later.",
}


def is_near(gap: Gap, margin: float) -> bool:
    """Return whether the gap's score lies within ``margin`` of its threshold."""
    return gap.score is not None and gap.threshold is not None and abs(gap.score - gap.threshold) <= margin


def scan_steps(chunking: Chunking, margin: float, compared: Mapping[int, StretchComparison] | None) -> list[Step]:
    """Return one step of the greedy chunker's scan for each gap in the text, in order.

    Parameters
    ----------
    chunking
        The result of the greedy chunker.
    margin
        Gaps whose score is within this distance of the threshold line are called near.
    compared
        The comparison with another chunker at each cut, by gap; None if not known yet.
    """
    steps = []
    first, number = 0, 1
    scores = [score for gap in chunking.gaps for score in (gap.score, gap.threshold) if score is not None]
    scale = (min(scores), max(scores)) if scores else (0.0, 1.0)
    for gap in chunking.gaps:
        steps.append(_step(chunking, gap, first, number, margin, compared, scale))
        if gap.verdict.is_cut:
            # After a cut inside a sentence, the rest of the sentence begins the next chunk.
            first = gap.index if gap.offset is not None else gap.index + 1
            number += 1
    return steps


def _step(
    chunking: Chunking,
    gap: Gap,
    first: int,
    number: int,
    margin: float,
    compared: Mapping[int, StretchComparison] | None,
    scale: tuple[float, float],
) -> Step:
    grown = gap.index + 1
    inside = gap.offset is not None
    story = [gap.reason, OUTCOME[gap.verdict] + (" Near the line." if is_near(gap, margin) else "")]
    numbers = [["chunk", f"{number:,}: {sentence_range(first, grown)}"]]
    if gap.score is not None and gap.why.steps()[0].score_name == "distance" and not inside:
        vectors = f"{vector_name(gap.index)} · {vector_name(grown)}"
        numbers.append(["distance", f"1 − {vectors} = 1 − {signed(1 - gap.score, '.3f')} = {signed(gap.score, '.3f')}"])
    if gap.score is not None and gap.threshold is not None:
        numbers.append(["from the line", signed(gap.score - gap.threshold, "+.3f")])
    remarks: list[str] = []
    more: list[list[str]] = []
    tone: Literal["", "cut", "turn"] = ""
    if gap.verdict.is_cut:
        tone = "cut"
        chunk = chunking.chunks[number - 1]
        numbers.append(["its size", f"{len(chunk.text):,} characters"])
        comparison = (compared or {}).get(gap.index)
        if comparison is not None:
            remarks = _told(comparison)
            more = [
                ["in these chunks", _pairs(comparison.greedy_cohesion)],
                ["in optimal’s", _pairs(comparison.other_cohesion)],
            ]
            if comparison.gain is not None and abs(comparison.gain) >= SMALL:
                tone = "turn"
    else:
        story.append(f"Sentence {grown + 1:,} joins chunk {number:,}.")
    where = f"inside sentence {grown:,}" if inside else f"between sentences {grown:,} and {grown + 1:,}"
    return {
        "title": f"Gap {grown:,}, {where}: {gap.verdict}",
        "story": story,
        "numbers": numbers,
        "aside": (remarks, more),
        "tone": tone,
        "mark": {
            "growing": (first, grown),
            "next": None if inside else (grown, grown + 1),
            "middle": None,
            "gap": gap.index,
        },
        "placed": (grown, grown if inside else grown + 1),
        "prediction": {"words": f"Cut {where}?", "yes": "Cut", "no": "No cut", "right": gap.verdict.is_cut},
        "gauge": gauge_of(gap, scale),
    }


def gauge_of(gap: Gap, scale: tuple[float, float]) -> Gauge | None:
    """Return a gauge that shows a gap's score and threshold; None if the gap lacks either."""
    if gap.score is None or gap.threshold is None:
        return None
    return {
        "label": "score and threshold",
        "score": gap.score,
        "threshold": gap.threshold,
        "low": scale[0],
        "high": scale[1],
    }


def told_step(title: str, story: Sequence[str], numbers: Sequence[Sequence[str]] = ()) -> Step:
    """Return a step that explains something and decides nothing, before any sentence is in a chunk."""
    return {
        "title": title,
        "story": story,
        "numbers": numbers,
        "tone": "",
        "mark": {"growing": None, "next": None, "middle": None, "gap": None},
        "placed": (0, 0),
        "prediction": None,
        "gauge": None,
    }


def sentence_range(first: int, last: int) -> str:
    """Return the sentences from ``first`` to before ``last`` in words, counted from 1."""
    return f"sentence {last:,}" if last - first == 1 else f"sentences {first + 1:,} to {last:,}"


def _told(comparison: StretchComparison) -> list[str]:
    """Describe the other chunker's cuts over the same stretch, and which chunker groups more similar sentences."""
    cut = comparison.greedy[0]
    also = cut in comparison.other
    others = [f"{place + 1:,}" for place in comparison.other if place != cut]
    if also:
        did = "cuts here too" + (f", and after {listed(others)}" if others else ", and nowhere else")
    else:
        did = f"does not cut here, but after {listed(others)}" if others else "does not cut at all"
    where = sentence_range(comparison.stretch.start, comparison.stretch.end)
    verdict = comparison.verdict()
    return [f"With the whole text in view, “optimal” {did} ({where}).", verdict[0].upper() + verdict[1:] + "."]


def _pairs(cohesion: Cohesion) -> str:
    if not cohesion.pairs:
        return "no two sentences together"
    return f"similarity {signed(cohesion.mean, '.2f')}, mean of {cohesion.pairs:,} pair{'s' if cohesion.pairs > 1 else ''}"
