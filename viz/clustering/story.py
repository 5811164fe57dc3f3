"""Single linkage as steps: all joins and all refused merges in the order of the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from chunkers.building_blocks.linkage import LinkedGroups
from chunkers.results.result import Clusters, Merge
from viz.components.stepper.stepper import Step

MOST_RUNS = 6
"""Most ranges of sentences that a step lists per cluster; the rest are counted."""


def linkage_steps(count: int, merges: Sequence[Merge], clusters: Clusters, cap: int, most: float) -> list[Step]:
    """Return the steps of single-linkage clustering under a size cap and the maximum distance ``most``."""
    groups = LinkedGroups(count)
    steps: list[Step] = []
    refusals = iter(clusters.refused)
    refusal = next(refusals, None)
    for number in range(len(merges) + 1):
        while refusal is not None and refusal.joins == number:
            steps.append(_step(groups, refusal.left, refusal.right, refusal.distance, cap, most))
            refusal = next(refusals, None)
        if number < len(merges):
            merge = merges[number]
            left, right = merge.left.start, merge.right.start
            steps.append(_step(groups, left, right, 1 - merge.similarity, cap, most))
            groups.join(left, right)
    return steps


def _step(groups: LinkedGroups, left: int, right: int, distance: float, cap: int, most: float) -> Step:
    """Return the step at two sentences: their clusters are joined unless together they exceed the cap."""
    one, other = groups.members(left), groups.members(right)
    both = sorted([*one, *other])
    fits = len(both) <= cap
    scattered = len(_runs(both)) > 1
    story = [f"Sentences {left + 1} and {right + 1} are the nearest remaining pair of different clusters."]
    if fits and scattered:
        story.append(f"Their clusters become one that lies in several places: {places(both)}. The text's order is lost.")
    elif fits:
        story.append(f"Their clusters become one: {places(both)}.")
    else:
        story.append(f"Together their clusters would hold {len(both)} sentences, and the cap is {cap}: they stay apart.")
    numbers = [
        ["joint distance", f"{distance:.3f}, at most {most:g}"],
        [f"cluster of {left + 1}", places(one)],
        [f"cluster of {right + 1}", places(other)],
        ["together", f"{len(both)} of at most {cap}"],
    ]
    return {
        "title": f"{'Joined' if fits else 'Refused'}: sentences {left + 1} and {right + 1}",
        "story": story,
        "numbers": numbers,
        "tone": ("turn" if scattered else "") if fits else "cut",
        "mark": {"growing": (left, left + 1), "next": (right, right + 1), "middle": None, "gap": None},
        "placed": (0, 0),
        "prediction": {"words": "Do their clusters join?", "yes": "Join", "no": "Stay apart", "right": fits},
        "gauge": None,
    }


def places(sentences: Sequence[int]) -> str:
    """Return sentence numbers as text, such as ``3–5, 9``, with at most `MOST_RUNS` ranges."""
    runs = _runs(sorted(sentences))
    words = [f"{first + 1}" if first == last else f"{first + 1}–{last + 1}" for first, last in runs[:MOST_RUNS]]
    return ", ".join(words) + (f" and {len(runs) - MOST_RUNS} more places" if len(runs) > MOST_RUNS else "")


def _runs(sentences: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers."""
    rows = [[number for _, number in row] for _, row in groupby(enumerate(sentences), key=lambda at: at[1] - at[0])]
    return [(row[0], row[-1]) for row in rows]
