"""Reports of a retrieval run by measure, unit, top k and baseline, each computed once."""

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
"""How many values of k a run keeps the measures of."""

REPORTS_KEPT = 32
"""How many reports a run keeps, each with its own measure, unit, top k or baseline."""


class Choice(NamedTuple):
    """The choices that a report depends on.

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
    """The costs of a chunker.

    Attributes
    ----------
    index_s
        Seconds for chunking and embedding all documents, as if nothing were cached.
    search_ms
        Milliseconds for one question's search, without embedding the question.
    tokens
        Mean number of tokens that a question retrieves.
    embedded, cached
        Distinct texts that this run embedded, and that it found in the cache.
    """

    index_s: float
    search_ms: float
    tokens: float
    embedded: int
    cached: int

    @classmethod
    def of(cls, found: Evaluation, ruler: Length) -> Costs:
        """Return the costs of an evaluation."""
        index = found.index
        return cls(
            index.chunk_s + index.embed_s,
            1000 * found.search.search_s / max(1, len(found.search.questions)),
            found.retrieved_size(ruler),
            index.embedded,
            index.cached,
        )

    def source(self) -> str:
        """Where the embeddings came from, in words."""
        if not self.cached:
            return "computed" if self.embedded else "none"
        return "partly from the cache" if self.embedded else "from the cache"


@dataclass(frozen=True)
class Winner:
    """The chunker with the highest mean, compared with the baseline, or with the next best if it is the baseline itself.

    Attributes
    ----------
    level
        The numbers of other chunkers with the same mean.
    other
        The number of the chunker that it is compared with; None if the measure is undefined for all others.
    difference
        Of the winner to the other; None if there are too few questions, or no other.
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
        """Return the winner by ``means``, the defined means by chunker number; None if there are none."""
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
        Over the questions on which it is defined; None if there are none.
    interval
        The 95 % bootstrap interval of the mean; None if there are too few questions.
    """

    values: FloatArray
    mean: float | None
    deviation: float | None
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, values: FloatArray) -> Distribution:
        """Return the distribution of ``values``; costs one bootstrap."""
        mean, deviation = mean_and_deviation(values) or (None, None)
        return cls(values, mean, deviation, interval(values))


AtK = Mapping[int, Mapping[str, Score]]
"""Mean recall, precision and F1 at each k, by name."""


@dataclass(frozen=True, eq=False)
class ChunkerReport:
    """The results of one chunker.

    Attributes
    ----------
    evaluation
        What every question found.
    means
        Mean and deviation of every measure in the chosen unit, by name; None if it is undefined for all questions.
    distribution
        The chosen measure.
    chunk_tokens
        Mean number of tokens of a chunk.
    at_k
        The scores at each k: of ``documents`` and ``evidence``.
    """

    evaluation: Evaluation
    costs: Costs
    means: Mapping[str, tuple[float, float] | None]
    distribution: Distribution
    chunk_tokens: float
    at_k: Mapping[str, AtK]


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the page shows of a run for one choice.

    Attributes
    ----------
    chunkers
        Those that are done, by position in the run's plan, ascending.
    differences
        The difference of each chunker to the baseline, without those that share too few questions with it.
    winner
        None if the measure is undefined for all questions.
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
        """The distributions of the chosen measure, by chunker number."""
        return {number: one.distribution for number, one in self.chunkers.items()}

    @property
    def costs(self) -> dict[int, Costs]:
        """The costs of every chunker, by number."""
        return {number: one.costs for number, one in self.chunkers.items()}


def disagreements(values: Mapping[int, FloatArray]) -> IntArray:
    """Return the numbers of the questions on which a measure differs between chunkers; undefined values are ignored.

    ``values`` has those of at least one chunker, each of shape (questions,).
    """
    all_values = np.array(list(values.values()))
    return np.flatnonzero(np.fmax.reduce(all_values) > np.fmin.reduce(all_values))


class Reports:
    """The reports of one run, and what they share; safe to use from several threads.

    What depends on fewer choices is computed less often: the scores of all questions once for each k, a distribution
    also for each measure and unit, a difference also for each pair of chunkers. A run adds chunkers while it works, but
    never removes or changes one, so what was computed for one stays valid; a report is of the chunkers it was asked for.

    Parameters
    ----------
    ruler
        Counts tokens.
    count
        The number of the run's chunkers.
    """

    def __init__(self, ruler: Ruler, count: int) -> None:
        self._ruler = ruler
        self._measured: SharedCache[tuple[int, int], tuple[Evaluation, Costs]] = SharedCache(DEPTHS_KEPT * count)
        self._distributions: SharedCache[tuple[int, str, str, int], Distribution] = SharedCache(REPORTS_KEPT * count)
        self._differences: SharedCache[tuple[int, Choice], Difference | None] = SharedCache(REPORTS_KEPT * count)
        self._reports: SharedCache[tuple[tuple[int, ...], Choice], Report] = SharedCache(REPORTS_KEPT)

    def of(self, found: Mapping[int, Evaluation], choice: Choice) -> Report:
        """Return the report on the chunkers in ``found``, evaluated at any k; the baseline is one of them."""
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
