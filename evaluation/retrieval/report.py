"""What there is to tell of a retrieval run by measure, unit, number of chunks and baseline: measured once, then drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunkers.arrays import FloatArray, IntArray
from evaluation.retrieval.bootstrap import Difference, interval, paired
from evaluation.retrieval.corpus import Ruler
from evaluation.retrieval.measures import MEASURES, Evaluation, Length, mean_and_deviation
from evaluation.retrieval.shared_cache import SharedCache
from evaluation.segmentation.measures import Score

DEPTHS_KEPT = 8
"""Numbers of chunks that count, whose measures a run remembers."""

REPORTS_KEPT = 32
"""Reports that a run remembers: every one of another measure, unit, number of chunks or baseline."""


class Choice(NamedTuple):
    """What a report is about.

    Attributes
    ----------
    measure, unit
        Of `MEASURES` and `UNITS`.
    top_k
        Chunks that count.
    baseline
        The number of the chunker that the others are compared with.
    """

    measure: str
    unit: str
    top_k: int
    baseline: int


@dataclass(frozen=True)
class Costs:
    """What a chunker costs.

    Attributes
    ----------
    index_s
        Seconds for chunking and embedding all documents, as if nothing had been embedded before.
    search_ms
        Milliseconds for searching the chunks for one question, without embedding it.
    tokens
        What one question retrieves, on average.
    embedded, cached
        Distinct texts that this run computed, and found in the cache.
    """

    index_s: float
    search_ms: float
    tokens: float
    embedded: int
    cached: int

    @classmethod
    def of(cls, found: Evaluation, ruler: Length) -> Costs:
        """Add them up."""
        index = found.index
        return cls(
            index.chunk_s + index.embed_s,
            1000 * found.search.search_s / max(1, len(found.search.questions)),
            found.retrieved_size(ruler),
            index.embedded,
            index.cached,
        )

    def source(self) -> str:
        """Say where the embeddings came from."""
        if not self.cached:
            return "computed" if self.embedded else "none"
        return "partly from the cache" if self.embedded else "from the cache"


@dataclass(frozen=True)
class Winner:
    """The chunker with the highest mean, and the one it is compared with: the baseline, or the next where it is that.

    Attributes
    ----------
    level
        The numbers of others with the same mean.
    other
        The number of the one that it is compared with; None where the measure is undefined for all others.
    difference
        Of the winner from the other; None where there are too few questions, or no other.
    """

    best: int
    mean: float
    level: tuple[int, ...]
    other: int | None
    difference: Difference | None

    @classmethod
    def of(
        cls, means: Mapping[int, float], baseline: int, compare: Callable[[int, int], Difference | None]
    ) -> Winner | None:
        """Return the first by ``means``, which has those that are defined, by number; None where it is empty."""
        if not means:
            return None
        ranked = sorted(means, key=lambda number: -means[number])
        best = ranked[0]
        other = baseline if baseline != best and baseline in means else next(iter(ranked[1:]), None)
        difference = compare(best, other) if other is not None else None
        return cls(best, means[best], tuple(one for one in ranked[1:] if means[one] == means[best]), other, difference)


@dataclass(frozen=True, eq=False)
class Distribution:
    """A measure over the questions.

    Attributes
    ----------
    values
        Shape (questions,), NaN where it is undefined.
    mean, deviation
        Over those on which it is defined; None where there is none.
    interval
        That holds 95 % of the means of resampled questions; None where they are too few.
    """

    values: FloatArray
    mean: float | None
    deviation: float | None
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, values: FloatArray) -> Distribution:
        """Measure it; this is one bootstrap."""
        mean, deviation = mean_and_deviation(values) or (None, None)
        return cls(values, mean, deviation, interval(values))


AtK = Mapping[int, Mapping[str, Score]]
"""Mean recall, precision and F1 at each number of chunks, by name."""


@dataclass(frozen=True, eq=False)
class ChunkerReport:
    """What there is to tell of one chunker.

    Attributes
    ----------
    evaluation
        What every question found.
    means
        Mean and deviation of every measure in the chosen unit, by name; None where it is undefined for all questions.
    distribution
        The chosen measure.
    chunk_tokens
        Tokens of a chunk, on average.
    at_k
        What is found after some chunks: ``documents`` and ``evidence``.
    """

    evaluation: Evaluation
    costs: Costs
    means: Mapping[str, tuple[float, float] | None]
    distribution: Distribution
    chunk_tokens: float
    at_k: Mapping[str, AtK]


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that is drawn of a run for one choice.

    Attributes
    ----------
    chunkers
        Those that are done, by place in the run's plan, ascending.
    differences
        By how much each differs from the baseline; without those that have too few questions in common with it.
    winner
        None where the measure is undefined for all questions.
    disagreements
        Numbers of the questions, counted from 0, on which the chunkers differ.
    """

    choice: Choice
    chunkers: Mapping[int, ChunkerReport]
    differences: Mapping[int, Difference]
    winner: Winner | None
    disagreements: IntArray

    @property
    def distributions(self) -> dict[int, Distribution]:
        """The chosen measure, by number of the chunker."""
        return {number: one.distribution for number, one in self.chunkers.items()}

    @property
    def costs(self) -> dict[int, Costs]:
        """What every chunker costs, by its number."""
        return {number: one.costs for number, one in self.chunkers.items()}


def disagreements(values: Mapping[int, FloatArray]) -> IntArray:
    """Return the numbers of the questions on which a measure differs between chunkers; where it is undefined it does not.

    ``values`` has at least one chunker's, each of shape (questions,).
    """
    all_values = np.array(list(values.values()))
    return np.flatnonzero(np.fmax.reduce(all_values) > np.fmin.reduce(all_values))


class Reports:
    """The reports of one run, and what they share, for all who look at it, in any thread.

    What depends on fewer choices is measured less often: the scores of all questions for every number of chunks, a
    distribution also by measure and unit, a difference by the two chunkers too. A run adds chunkers while it is at work, and
    never takes one away or changes it, so that what was measured of one stays true; a report is of those that it names.

    Parameters
    ----------
    ruler
        That tokens are counted with.
    count
        The run's chunkers.
    """

    def __init__(self, ruler: Ruler, count: int) -> None:
        self._ruler = ruler
        self._measured: SharedCache[tuple[int, int], tuple[Evaluation, Costs]] = SharedCache(DEPTHS_KEPT * count)
        self._distributions: SharedCache[tuple[int, str, str, int], Distribution] = SharedCache(REPORTS_KEPT * count)
        self._differences: SharedCache[tuple[int, Choice], Difference | None] = SharedCache(REPORTS_KEPT * count)
        self._reports: SharedCache[tuple[tuple[int, ...], Choice], Report] = SharedCache(REPORTS_KEPT)

    def of(self, found: Mapping[int, Evaluation], choice: Choice) -> Report:
        """Return the report on the chunkers in ``found``, at any number of chunks, of which the baseline is one."""
        found = {number: found[number] for number in sorted(found)}
        return self._reports.get((tuple(found), choice), lambda: self._report(found, choice))

    def _report(self, found: Mapping[int, Evaluation], choice: Choice) -> Report:
        chunkers = {number: self._chunker(number, one, choice) for number, one in found.items()}
        distributions = {number: one.distribution for number, one in chunkers.items()}

        def compare(number: int, baseline: int) -> Difference | None:
            values, others = distributions[number].values, distributions[baseline].values
            return self._differences.get((number, choice._replace(baseline=baseline)), lambda: paired(values, others))

        compared = {number: compare(number, choice.baseline) for number in found if number != choice.baseline}
        means = {number: one.mean for number, one in distributions.items() if one.mean is not None}
        return Report(
            choice,
            chunkers,
            {number: one for number, one in compared.items() if one is not None},
            Winner.of(means, choice.baseline, compare),
            disagreements({number: one.values for number, one in distributions.items()}),
        )

    def _chunker(self, number: int, found: Evaluation, choice: Choice) -> ChunkerReport:
        measure, unit, top_k, _ = choice
        evaluation, costs = self._measured.get((number, top_k), lambda: self._measure(found, top_k))
        distribution = self._distributions.get(
            (number, measure, unit, top_k), lambda: Distribution.of(evaluation.values(measure, unit))
        )
        chunks = evaluation.index.chunks
        return ChunkerReport(
            evaluation,
            costs,
            {name: mean_and_deviation(evaluation.values(name, unit)) for name in MEASURES},
            distribution,
            self._ruler([span for chunk in chunks for span in chunk]) / max(1, len(chunks)),
            {"documents": evaluation.at_k("documents"), "evidence": evaluation.at_k("evidence")},
        )

    def _measure(self, found: Evaluation, top_k: int) -> tuple[Evaluation, Costs]:
        evaluation = found if found.top_k == top_k else found.over(top_k, self._ruler)
        return evaluation, Costs.of(evaluation, self._ruler)
