"""The best partition of Change points as steps: the gain of a cut at each place, against the penalty."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from chunkers import Chunking, Gap
from chunkers.building_blocks.null_model import SHUFFLES
from chunkers.methods.change_point import ChangePoint, search_cuts
from viz.breakpoints.story import OUTCOME, scan_steps, sentence_range, told_step
from viz.components.stepper.stepper import Step


def change_point_steps(chunking: Chunking, chunker: ChangePoint, margin: float) -> list[Step]:
    """Return a step on the penalty, and one for each place where a cut is allowed or forced, in order."""
    count = len(chunking.document.sentences)
    places = {*chunker.places(chunking.document)}
    cuts_told = [
        (step, gap)
        for step, gap in zip(scan_steps(chunking, margin, None), chunking.gaps, strict=True)
        if gap.verdict.is_cut or (gap.offset is None and gap.index + 1 in places)
    ]
    edges = [0, *(gap.index + 1 for _, gap in cuts_told if gap.offset is None and search_cuts(gap)), count]
    ends = [*(step["mark"]["gap"] for step, _ in cuts_told[1:]), count - 1]
    for (step, gap), following in zip(cuts_told, ends, strict=True):
        assert following is not None
        # Up to the next place there is no other cut.
        step["placed"] = step["placed"][0], following + 1
        if gap.offset is None:
            step["mark"] = {**step["mark"], "next": (gap.index + 1, following + 1)}
            _explain(step, gap, edges, chunker)
    return [_opening(chunking, chunker), *(step for step, _ in cuts_told)]


def _opening(chunking: Chunking, chunker: ChangePoint) -> Step:
    """Return the step that says what a cut must gain, and why."""
    curve = chunking.curves[0]
    whole = (
        "The search weighs all partitions at once. The steps go through the best one, and show what each cut gains in it."
    )
    if not curve.lines:
        return told_step(
            f"The best {len(chunking.chunks):,} chunks", ["The number of chunks is set: no penalty decides.", whole]
        )
    penalty = curve.lines[0].level
    if curve.null is None or chunker.penalty is not None:
        return told_step(f"A cut must gain {penalty:.2f}", ["The penalty is set, whatever cuts gain by chance.", whole])
    low, high = curve.null.low, curve.null.high
    shuffled = f"In {SHUFFLES} shuffles of the sentences, where order means nothing, the best cuts still gain as much"
    which = {"balanced": "on average", "eager": "in the lowest quarter", "cautious": "in all but the highest quarter"}
    return told_step(
        f"A cut must gain more than {penalty:.2f}",
        [f"{shuffled} {which[chunker.caution]}.", whole],
        [["shuffles", f"the middle half gains {low:.2f} to {high:.2f} a cut"]],
    )


def _explain(step: Step, gap: Gap, edges: list[int], chunker: ChangePoint) -> None:
    """Write what a cut at a step's gap gains into the step: both sides of the gap, and the formula with its numbers."""
    place = gap.index + 1
    first, last = edges[bisect_left(edges, place) - 1], edges[bisect_right(edges, place)]
    before, after = place - first, last - place
    left, right = sentence_range(first, place), sentence_range(place, last)
    if gap.verdict.is_sized:
        sentence = OUTCOME[gap.verdict]
    elif gap.verdict.is_cut:
        sentence = f"The cut parts {left} from {right}: their means are far enough apart to pay for it."
    else:
        sentence = f"A cut would part {left} from {right}: their means are too close to pay for it."
    step["story"] = [gap.reason, sentence]
    assert gap.score is not None
    # Ward's identity: what a cut lowers the costs by is the squared distance of the two means, weighted by the sizes.
    apart = gap.score * (before + after) / (before * after)
    numbers = [
        ["means apart", f"{apart:.3f}, squared"],
        ["gain", f"{before:,} × {after:,} ÷ {before + after:,} × {apart:.3f} = {gap.score:.3f}"],
    ]
    if gap.threshold is not None:
        numbers.append(["penalty", f"{gap.threshold:.3f}"])
    step["numbers"] = [*step["numbers"][:1], *numbers, *step["numbers"][1:]]
