"""What a retrieval run says at a glance: who found most, whether the difference can be told, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.retrieval.bootstrap import Difference, paired
from evaluation.retrieval.measures import Evaluation, Length, mean_and_deviation
from viz.retrieval.summary import Cell
from viz.theme.numbers import three_figures


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
            1000 * found.search.search_s / max(1, len(found.answers)),
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
class Verdict:
    """The chunker with the highest mean, and the one it is compared with: the baseline, or the next where it is that.

    ``difference`` is None where there are too few questions, or only one chunker.
    """

    best: int
    mean: float
    level: tuple[int, ...]
    other: int | None
    difference: Difference | None

    @classmethod
    def of(cls, values: Mapping[int, np.ndarray], baseline: int) -> Verdict | None:
        """Compare the measure of every question, by number of the chunker; None where it is undefined for all."""
        means = {number: mean[0] for number, one in values.items() if (mean := mean_and_deviation(one)) is not None}
        if not means:
            return None
        ranked = sorted(means, key=lambda number: -means[number])
        best = ranked[0]
        other = baseline if baseline != best and baseline in means else next(iter(ranked[1:]), None)
        difference = paired(values[best], values[other]) if other is not None else None
        return cls(best, means[best], tuple(one for one in ranked[1:] if means[one] == means[best]), other, difference)


def cells(
    verdict: Verdict, costs: Mapping[int, Costs], names: Mapping[int, str], measure: str, asked: Cell, baseline: int
) -> list[Cell]:
    """Say it in four cells, of which ``asked`` is the first."""
    told = [asked, _winner(verdict, names, measure)]
    if verdict.other is not None:
        told.append(_certainty(verdict, names[verdict.other], is_baseline=verdict.other == baseline))
    return [*told, _cost(verdict, costs, names)]


def _winner(verdict: Verdict, names: Mapping[int, str], measure: str) -> Cell:
    value = f"{100 * verdict.mean:.1f} %"
    if verdict.other is None:
        return Cell(f"Mean {measure}", names[verdict.best], value)
    if verdict.level:
        return Cell(f"Highest {measure}", names[verdict.best], f"{value}, level with {_listed(verdict.level, names)}")
    return Cell(f"Highest {measure}", names[verdict.best], value)


def _certainty(verdict: Verdict, other: str, *, is_baseline: bool) -> Cell:
    role = "the baseline" if is_baseline else "the next"
    label = "Can the difference be told?"
    one = verdict.difference
    if one is None:
        return Cell(label, "Too few questions", f"Against {other}, {role}, at least five are needed.")
    points = f"{100 * one.mean:+z.1f} points on {other}, {role}"
    spread = f"95 % between {100 * one.low:+z.1f} and {100 * one.high:+z.1f}, p = {one.p:.2g}, {one.questions} questions"
    return Cell(label, "Yes" if one.told else "No", f"{points}: {spread}")


def _cost(verdict: Verdict, costs: Mapping[int, Costs], names: Mapping[int, str]) -> Cell:
    own = costs[verdict.best]
    value = f"{three_figures(own.index_s)} s to index"
    tokens = f"{own.tokens:,.0f} tokens retrieved for a question"
    if verdict.other is None:
        return Cell("What it cost", value, tokens)
    other = costs[verdict.other]
    seconds = f"{names[verdict.other]}: {three_figures(other.index_s)} s"
    return Cell("What it cost", value, f"{tokens}. {seconds}, {other.tokens:,.0f} tokens.")


def _listed(numbers: tuple[int, ...], names: Mapping[int, str]) -> str:
    return " and ".join(names[number] for number in numbers)


def told_apart(found: Mapping[int, Difference], names: Mapping[int, str], baseline: str, measure: str) -> list[str]:
    """Say which chunkers differ from the baseline, each in a sentence, and of which nothing can be told, in one."""
    sentences = [one.words(names[number], baseline, measure) for number, one in found.items() if one.told]
    alike = {number: one for number, one in found.items() if not one.told}
    if len(alike) == 1:
        ((number, one),) = alike.items()
        return [*sentences, one.words(names[number], baseline, measure)]
    if alike:
        questions = max(one.questions for one in alike.values())
        parts = [f"{names[number]} ({100 * one.mean:+z.1f} points, p = {one.p:.2g})" for number, one in alike.items()]
        sentences.append(
            f"No difference in {measure} from {baseline} can be told from {questions} questions for {', '.join(parts)}."
        )
    return sentences
