"""The scan of Max–Min as steps: the open chunk, the next sentence, and the computed threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunkers import Chunking
from chunkers.methods.max_min import MaxMin, MaxMinStep, logistic
from chunkers.support.numbers import signed
from evaluation.segmentation.cohesion import StretchComparison
from viz.breakpoints.story import scan_steps
from viz.components.stepper.stepper import Step


def max_min_steps(
    chunking: Chunking,
    chunker: MaxMin,
    scanned: Sequence[MaxMinStep],
    margin: float,
    compared: Mapping[int, StretchComparison] | None,
) -> list[Step]:
    """Return one step of Max–Min's scan for each gap, with the sentences that Max–Min compared at the gap.

    Parameters
    ----------
    scanned
        The decision on each gap between two sentences, before sizes overruled any; from `MaxMin.scan`.
    """
    steps = scan_steps(chunking, margin, compared)
    for step, gap in zip(steps, chunking.gaps, strict=True):
        # Only a size limit cuts inside a sentence; the scan has no decision there.
        if gap.offset is None:
            _explain(step, gap.index, chunker, scanned[gap.index])
    return steps


def _explain(step: Step, gap: int, chunker: MaxMin, scanned: MaxMinStep) -> None:
    """Prepend the compared sentences to a step's text and numbers, and mark them."""
    first, last = gap + 1 - scanned.size, gap + 1
    if scanned.size == 1:
        sentence = f"The open chunk is sentence {last:,} alone, which has no least similarity yet for a threshold to follow."
        numbers = [
            ["similarity", f"{_three(scanned.least)} × {chunker.initial_factor:g} = {_three(scanned.score)}"],
            ["threshold", f"hard, {signed(chunker.hard_threshold)}"],
        ]
        middle = None
    else:
        nearest = scanned.nearest + 1
        sentence = (
            f"The open chunk is sentences {first + 1:,} to {last:,}; most like sentence {last + 1:,} is sentence "
            f"{nearest:,}, which is hatched."
        )
        numbers = [
            ["greatest similarity", f"{_three(scanned.score)}, to sentence {nearest:,}"],
            ["least in the chunk", _three(scanned.least)],
            ["threshold", _threshold(chunker, scanned)],
        ]
        middle = scanned.nearest, scanned.nearest + 1
    step["story"] = [step["story"][0], sentence, *step["story"][1:]]
    # If size limits merged chunks, the scan compared with a chunk shorter than the final one.
    step["numbers"] = [*step["numbers"][:1], *numbers, *step["numbers"][1:]]
    step["mark"] = {**step["mark"], "growing": (first, last), "middle": middle}


def _threshold(chunker: MaxMin, scanned: MaxMinStep) -> str:
    """Return the formula of the threshold with its values filled in."""
    share, least = logistic(scanned.size - 1), _three(scanned.least)
    follows = _three(chunker.follows(scanned.size, scanned.least))
    formula = f"{chunker.relaxation:g} × σ({scanned.size - 1:,}) × {least}"
    numbers = f"{chunker.relaxation:g} × {share:.3f} × {least} = {follows}"
    which = "hard" if scanned.threshold == chunker.hard_threshold else "that it follows"
    hard = signed(chunker.hard_threshold)
    return f"{formula} = {numbers}; not below hard {hard}: {_three(scanned.threshold)}, {which}"


def _three(number: float) -> str:
    return signed(number, ".3f")
