"""Optimal as steps: the table of the best partitions is filled from left to right, then read off from right to left."""

from __future__ import annotations

from itertools import pairwise

from chunkers import Chunking
from chunkers.building_blocks.partition import PartitionTable
from chunkers.support.numbers import signed
from viz.breakpoints.story import sentence_range, told_step
from viz.components.stepper.stepper import Step

RUNNERS_UP = 2
"""Other last chunks that a step of the table shows, best first."""

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MOST_DIGITS = 15
"""Digits up to which the number of partitions is written out."""


def optimal_steps(chunking: Chunking, table: PartitionTable, mean: float) -> list[Step]:
    """Return a step on the number of partitions, one per entry of the table, and then one per chunk from the last on.

    Parameters
    ----------
    table
        The table of the whole sentences, from `Optimal.weigh`.
    mean
        Mean similarity of all pairs of sentences.
    """
    count = len(chunking.document.sentences)
    whole = (0, count)
    entries = [_entry(table, end) for end in range(1, count + 1)]
    turn = told_step(
        f"The table is full: value {_value(table, count)}",
        [
            "Its last entry is the value of the best partition.",
            "Its cuts are read off from right to left: each entry names its last chunk, and leads to the entry before that.",
        ],
    )
    turn["tone"], turn["pauses"], turn["table"] = "turn", True, (whole, whole)
    edges = [0, *table.cuts().tolist(), count]
    read = [_read_off(chunking, table, first, end) for first, end in reversed([*pairwise(edges)])]
    # Only now is every cut final.
    read[-1]["placed"] = (0, count)
    return [_opening(count, mean), *entries, turn, *read]


def _opening(count: int, mean: float) -> Step:
    partitions = f"{2 ** (count - 1):,}"
    if len(partitions) > MOST_DIGITS:
        partitions = f"a number of {len(partitions.replace(',', ''))} digits"
    power = str(count - 1).translate(SUPERSCRIPT)
    step = told_step(
        f"A table of {count:,} entries",
        [
            f"{count - 1:,} gaps, each cut or not, make 2{power} partitions: {partitions}.",
            "The best partition of any beginning is a shorter best partition and one last chunk. So one entry for each "
            "beginning is enough.",
        ],
        [["a chunk’s value", f"for each pair, twice: similarity − {signed(mean, '.2f')}, the mean of all pairs"]],
    )
    step["table"] = ((0, 0), (0, 0))
    return step


def _entry(table: PartitionTable, end: int) -> Step:
    """Return the step that fills in the entry of the first ``end`` sentences."""
    runs = table.last_runs(end)
    first, value = runs[0]
    chunk = sentence_range(first, end)
    story = [
        f"The best last chunk is {chunk}, one of {len(runs):,} possible." if len(runs) > 1 else f"It is one chunk, {chunk}."
    ]
    if first:
        story.append(
            f"Before it, {_first(first)} keep{'s' * (first == 1)} the value that the table has: {_value(table, first)}."
        )
    numbers = [["value", _sum(table, first, end, value)]]
    numbers += [
        ["runner-up" if place == 1 else "", f"{sentence_range(start, end)}: {_sum(table, start, end, total)}"]
        for place, (start, total) in enumerate(runs[1 : 1 + RUNNERS_UP], start=1)
    ]
    return {
        "title": f"{_first(end).capitalize()}: value {_value(table, end)}",
        "story": story,
        "numbers": numbers,
        "tone": "",
        "mark": {
            "growing": (first, end - 1) if first < end - 1 else None,
            "next": (end - 1, end),
            "middle": None,
            "gap": None,
        },
        "placed": (0, 0),
        "prediction": {
            "words": f"Sentences {end - 1:,} and {end:,} in one chunk, if the text ended here?",
            "yes": "Together",
            "no": "Cut",
            "right": first < end - 1,
        }
        if end > 1
        else None,
        "gauge": None,
        "table": ((0, end - 1), (0, end)),
    }


def _read_off(chunking: Chunking, table: PartitionTable, first: int, end: int) -> Step:
    """Return the step that reads off the chunk of the sentences from ``first`` to before ``end``."""
    chunk = sentence_range(first, end)
    story = [f"The entry of {_first(end)} names {chunk} as its last chunk."]
    if first:
        story.append(f"The next entry to read is that of {_first(first)}.")
    else:
        story.append(f"Nothing is left before it: {len(chunking.chunks):,} chunks.")
    numbers = [["value", _sum(table, first, end, float(table.totals[end]))]]
    step = told_step(f"Chunk of {chunk}", story, numbers)
    if first:
        step["tone"] = "cut"
        numbers.append(["the cut", chunking.gaps[first - 1].reason])
    step["mark"] = {"growing": (first, end), "next": None, "middle": None, "gap": first - 1 if first else None}
    step["table"] = ((end, len(chunking.document.sentences)), (first, len(chunking.document.sentences)))
    return step


def _first(count: int) -> str:
    return "the first sentence" if count == 1 else f"the first {count:,} sentences"


def _value(table: PartitionTable, end: int) -> str:
    return signed(float(table.totals[end]), ".2f")


def _sum(table: PartitionTable, first: int, end: int, value: float) -> str:
    """Return a value as the entry before the last chunk plus the reward of the chunk."""
    within = float(table.rewards[first, end - first - 1])
    sign = "\N{MINUS SIGN}" if within < 0 else "+"
    return f"{_value(table, first)} {sign} {abs(within):.2f} = {signed(value, '.2f')}"
