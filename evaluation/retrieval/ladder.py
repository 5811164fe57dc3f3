"""Measures of a run besides the top k: a ladder of budgets, the chunk with most of each excerpt, and near-duplicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkers import Tools
from chunkers.support.arrays import IntArray
from chunkers.support.errors import stop_if
from evaluation.questions.corpus import Corpus, Ruler, characters, intersection
from evaluation.questions.reading import Question
from evaluation.retrieval.budget import LAST, AtBudgets, Budgets, Last, evaluate_each
from evaluation.retrieval.measures import UNITS, excerpt_ranges
from evaluation.retrieval.repeats import Repeats, find_repeats
from evaluation.search.index import Index, Indexed, Queries, touching

_TOKENS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000)

STEPS: Mapping[str, tuple[int, ...]] = {"tokens": _TOKENS, "characters": tuple(4 * size for size in _TOKENS)}
"""The possible budgets by unit; a token of English has some four characters."""

MOST_RUNGS = 6
"""Maximum number of budgets that are measured in a unit."""

KEPT_RANKS = 400
"""Maximum number of ranks kept per question, out of the ranks that the largest budget needs."""

KEPT_IN_ALL = 500_000
"""Maximum number of ranks kept over all questions."""

FEWEST_KEPT = 20
"""Minimum number of ranks kept per question, however many questions there are."""

_SCORES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Ladder:
    """Retrieval results of all questions at a series of budgets, with the data needed to display them.

    Attributes
    ----------
    at
        Results for each set of budgets in `ladders_of` the corpus.
    ranked
        Numbers of the best chunks for each question, best first, padded with -1. There are as many as the question's largest
        budget needs, at most `KEPT_RANKS`, and fewer with thousands of questions. Shape (questions, at most `KEPT_RANKS`).
    beyond
        Lower-ranked chunks with part of an excerpt that still fit into the largest budget: number of the question, number of
        the chunk, and rank, counted from 1. Shape (any, 3).
    holders
        For every excerpt, question by question, the chunk with most of the excerpt and its rank, counted from 1; in case of
        ties, the best-ranked chunk. The chunk is -1 if no chunk contains any of the excerpt. Shape (excerpts, 2).
    reasons
        Reasons for cuts inside excerpts, by corpus-wide offset, if the chunker gives reasons.
    repeats
        Near-duplicates of better-ranked chunks; None if they were not looked for, as by earlier versions.
    """

    at: tuple[AtBudgets, ...]
    ranked: IntArray
    beyond: IntArray
    holders: IntArray
    reasons: Mapping[int, str]
    repeats: Repeats | None = field(default=None, kw_only=True)

    @property
    def rungs(self) -> dict[str, tuple[int, ...]]:
        """Budgets by unit, in ascending order."""
        return {at_budgets.budgets.unit: at_budgets.budgets.sizes for at_budgets in self.at}

    def of(self, unit: str, last: Last) -> AtBudgets:
        """Return the results at the budgets in ``unit``, with the last chunk cut off or left out as ``last`` says."""
        return next(
            at_budgets for at_budgets in self.at if (at_budgets.budgets.unit, at_budgets.budgets.last) == (unit, last)
        )


def rungs(length: int, unit: str) -> tuple[int, ...]:
    """Return budgets suited to the length of a corpus: the largest of `STEPS` up to half that length.

    A budget for most of the text measures nothing, since any chunker would then retrieve nearly everything.
    """
    steps = STEPS[unit]
    return tuple(size for size in steps if size <= length / 2)[-MOST_RUNGS:] or steps[:1]


def ladders_of(corpus: Corpus, ruler: Ruler) -> tuple[Budgets, ...]:
    """Return two sets of budgets per unit to measure at: with the last chunk cut off, and with it left out."""
    axis = [(0, len(corpus.whole.text))]
    lengths = {"characters": characters(axis), "tokens": ruler(axis)}
    return tuple(Budgets(rungs(lengths[unit], unit), unit, last) for unit in UNITS for last in LAST)


def measure_ladder(index: Index, questions: Sequence[Question], tools: Tools, ruler: Ruler, top_k: int = 0) -> Ladder:
    """Measure retrieval at all budgets of a ladder, with one search for all of them.

    Near-duplicates are looked for in the ``top_k`` and at the budgets; not at all if ``top_k`` is 0.

    Raises the same errors as `evaluate_at`.
    """
    rows: list[IntArray] = [np.zeros(0, dtype=np.intp)] * len(questions)
    beyond: list[tuple[int, int, int]] = []

    kept = min(KEPT_RANKS, max(FEWEST_KEPT, KEPT_IN_ALL // max(1, len(questions))))

    def seen(number: int, ranked: IntArray) -> None:
        rows[number] = ranked[:kept].copy()
        after = ranked[kept:]
        places = touching(index.returned_edges[after], excerpt_ranges(index.corpus, questions[number]))
        beyond.extend((number, int(after[place]), kept + place + 1) for place in places)

    at_budgets = evaluate_each(index, questions, tools, ruler, ladders_of(index.corpus, ruler), seen)
    deepest = np.max([at.taken[-1] for at in at_budgets], axis=0) if questions else np.zeros(0, dtype=np.intp)
    # One more than is given, as the chunk that does not fit is shown as well.
    rows = [row[: most + 1] for row, most in zip(rows, deepest.tolist(), strict=True)]
    ranked = np.full((len(rows), max(map(len, rows), default=0)), -1, dtype=np.intp)
    for number, row in enumerate(rows):
        ranked[number, : len(row)] = row
    deeper = np.array([triple for triple in beyond if triple[2] <= deepest[triple[0]]], dtype=np.intp).reshape(-1, 3)
    repeats = find_repeats(index, questions, tools, ruler, top_k, at_budgets) if top_k else None
    holders = _holders(index, questions, tools, rows)
    return Ladder(at_budgets, ranked, deeper, holders, _reasons(index, questions), repeats=repeats)


def _reasons(index: Index, questions: Sequence[Question]) -> dict[int, str]:
    """Return the reasons of the cuts inside excerpts."""
    cuts = np.array(sorted(index.reasons), dtype=np.intp)
    inside = np.zeros(len(cuts), dtype=bool)
    for question in questions:
        for start, end in excerpt_ranges(index.corpus, question):
            inside[np.searchsorted(cuts, start, "right") : np.searchsorted(cuts, end)] = True
    return {place: index.reasons[place] for place in cuts[inside].tolist()}


def best_holders(index: Indexed, excerpt: tuple[int, int]) -> tuple[list[int], int]:
    """Return the numbers of the chunks with the largest part of an excerpt, and the length of that part."""
    near = touching(index.edges, [excerpt])
    held = {number: characters(intersection([excerpt], index.chunks[number])) for number in near}
    most = max(held.values(), default=0)
    return [number for number, size in held.items() if size == most and most], most


def _holders(index: Index, questions: Sequence[Question], tools: Tools, ranked: Sequence[IntArray]) -> IntArray:
    """Return the chunk that holds most of each excerpt, and its rank, which is looked for where it is not ``ranked``."""
    holders: list[tuple[int, int]] = []
    open_places: list[tuple[int, int, list[int]]] = []
    for number, question in enumerate(questions):
        places = {chunk: place for place, chunk in enumerate(ranked[number].tolist(), start=1)}
        for excerpt in excerpt_ranges(index.corpus, question):
            chunks, _ = best_holders(index, excerpt)
            among = [(places[chunk], chunk) for chunk in chunks if chunk in places]
            if chunks and not among:
                open_places.append((number, len(holders), chunks))
            holders.append((min(among)[1], min(among)[0]) if among else (-1, 0))
    if open_places:
        queries = Queries.of(index, [questions[number].text for number, _, _ in open_places], tools)
        at_once = max(1, _SCORES_AT_ONCE // len(index.chunks))
        for start in range(0, len(open_places), at_once):
            stop_if(tools.cancelled)
            some = range(start, min(start + at_once, len(open_places)))
            for row, (_, place, chunks) in zip(queries.scores(some), open_places[start : some.stop], strict=True):
                chunk = max(chunks, key=lambda candidate: (row[candidate], -candidate))
                # As in the search, the earlier of equals comes first.
                better = np.count_nonzero(row > row[chunk]) + np.count_nonzero(row[:chunk] == row[chunk])
                holders[place] = (chunk, int(better) + 1)
    return np.array(holders, dtype=np.intp).reshape(-1, 2)
