"""Summary of the answers from several chunkers: means, paired intervals, who is ahead, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np

from chunkers.arrays import FloatArray
from chunkers.language_models.base import LanguageModel
from chunkers.numbers import counted, rounded_up, signed
from evaluation.answering.answer import Gathered
from evaluation.answering.judging import KINDS
from evaluation.answering.work import Result
from evaluation.retrieval.bootstrap import FEWEST, LEVEL, RESAMPLES, holm, paired_all, questions_to_tell
from evaluation.retrieval.leads import Comparison, on_same_questions

_FINENESS = 4


class Measure(NamedTuple):
    """A measure of answers: its title, its name within a sentence, and its range."""

    title: str
    called: str
    low: float
    high: float


MEASURES: Mapping[str, Measure] = {
    "aqs": Measure("AQS", "AQS", 0, 1),
    "faithfulness": Measure("Faithfulness", "faithfulness", 0, 1),
    "relevancy": Measure("Answer relevancy", "answer relevancy", 0, 1),
    "correctness": Measure("Correctness", "correctness", 1, 5),
    "question_cosine": Measure("Question cosine", "cosine of question and answer", -1, 1),
    "reference_cosine": Measure("Reference cosine", "cosine of answer and reference", -1, 1),
    "bert_score": Measure("BERTScore", "BERTScore", 0, 1),
}
"""All measures, by the names of their values; more is better in each."""

Results = Mapping[tuple[int, int], Result]
"""Results so far, by the numbers of the chunker and of the question, both from 0."""


class Asked(NamedTuple):
    """Tokens and cost of a chunker's answers; a cached answer counts at its original cost.

    Attributes
    ----------
    tokens_in, tokens_out
        Tokens read and written.
    cost
        US dollars; None where no price is known.
    """

    tokens_in: int
    tokens_out: int
    cost: Decimal | None


@dataclass(frozen=True)
class Report:
    """Measures over the same questions.

    Attributes
    ----------
    names
        The chunkers'.
    questions
        How many there are.
    results
        See `Results`.
    """

    names: Sequence[str]
    questions: int
    results: Results

    def values(self, measure: str) -> list[FloatArray]:
        """Return a measure of every chunker, each of shape (questions,), NaN where it is undefined or not judged."""
        found = np.full((len(self.names), self.questions), np.nan)
        for (chunker, question), result in self.results.items():
            value = result.value(measure)
            if value is not None:
                found[chunker, question] = value
        return [*found]

    @property
    def measured(self) -> list[str]:
        """The measures that any answer has."""
        return [name for name in MEASURES if any(not np.isnan(one).all() for one in self.values(name))]

    def answers(self, chunker: int) -> int:
        """Count the questions that a chunker has an answer to."""
        return sum(one.answer.usable for (number, _), one in self.results.items() if number == chunker)

    def not_judged(self, chunker: int, measure: str) -> int:
        """Count the answers of a chunker that lack a measure because a judgement could not be read."""
        kinds = KINDS[:2] if measure == "aqs" else (measure,)
        return sum(
            any(kind in one.not_judged for kind in kinds) for (number, _), one in self.results.items() if number == chunker
        )

    @cached_property
    def comparisons(self) -> dict[tuple[str, int, int], Comparison]:
        """Every two chunkers in every measure, where at least five questions have it; Holm's step-down over all of them.

        They are over the same questions: those on which every chunker has the measure that has it anywhere.
        """
        same = {name: on_same_questions(self.values(name)) for name in self.measured}
        pairs = [(name, one, other) for name in same for one, other in combinations(range(len(self.names)), 2)]
        if not pairs:
            return {}
        rows = np.array([same[name][one] - same[name][other] for name, one, other in pairs])
        resamples = max(RESAMPLES, ceil(2 * _FINENESS * len(pairs) / (1 - LEVEL)))
        differences = {key: one for key, one in zip(pairs, paired_all(rows, 0, resamples), strict=True) if one is not None}
        adjusted = holm([one.p for one in differences.values()])
        return {key: Comparison(one, p) for (key, one), p in zip(differences.items(), adjusted, strict=True)}

    def compared(self, measure: str, one: int, other: int) -> Comparison | None:
        """Return the comparison of two chunkers, the first less the second; None with too few questions."""
        found = self.comparisons.get((measure, min(one, other), max(one, other)))
        if found is None or one < other:
            return found
        return Comparison(found.difference.reversed(), found.adjusted)

    def verdict(self, measure: str) -> str:
        """Return in a few sentences who is ahead in a measure, if that can be told, and what it would take if not."""
        called = MEASURES[measure].called
        same = on_same_questions(self.values(measure))
        means = {number: float(np.nanmean(one)) for number, one in enumerate(same) if not np.isnan(one).all()}
        if not means:
            return f"Nothing can be said of {called}: no answer has it with every chunker."
        count = max(int((~np.isnan(one)).sum()) for one in same)
        best, *others = sorted(means, key=lambda number: -means[number])
        reached = f"{signed(means[best], '.2f')} over {counted(count, 'question')}"
        if not others:
            return f"{self.names[best]}: mean {called} {reached}."
        compared = {other: self.compared(measure, best, other) for other in others}
        doubted = [other for other, found in compared.items() if found is None or not found.told]
        holms = f"Holm's correction for {counted(len(self.comparisons), 'comparison')}"
        if not doubted:
            one = compared[others[0]]
            assert one is not None
            return (
                f"{self.names[best]} has the highest {called}, {reached}, and is ahead of every other: of "
                f"{self.names[others[0]]} by {_spread(one)} ({holms})."
            )
        rival = doubted[0]
        found = compared[rival]
        said = f"Nobody can be told to be ahead in {called}. {self.names[best]} has the highest mean, {reached}"
        if found is None:
            return f"{said}; for an interval, at least {FEWEST} questions are needed."
        said += f"; on {self.names[rival]} it has {_spread(found)} ({holms})."
        needed = questions_to_tell(same[best] - same[rival])
        if needed is None:
            return f"{said} The two are level."
        if needed > found.difference.questions:
            said += f" To tell such a difference would take some {rounded_up(needed):,} questions."
        return said

    def asked(self, chunker: int, model: LanguageModel | None) -> Asked:
        """Return the tokens and cost of a chunker's answers, without the cost of judging them."""
        exchanges = [one.answer.exchange for (number, _), one in self.results.items() if number == chunker]
        read, written = sum(one.tokens_in for one in exchanges), sum(one.tokens_out for one in exchanges)
        return Asked(read, written, None if model is None else model.price(read, written))


def costs(
    report: Report, gathered: Mapping[int, Gathered], model: LanguageModel | None
) -> list[dict[str, float | str | None]]:
    """Return the costs of every chunker: seconds, tokens and dollars; None if a time or a price is unknown.

    Source of what is counted: the article that introduced double-pass merging, for the user's own text.
    """
    rows: list[dict[str, float | str | None]] = []
    some_ask = any(one.asked is not None for one in gathered.values())
    for number, name in enumerate(report.names):
        asked, own = report.asked(number, model), gathered[number]
        answers = report.answers(number)
        rows.append(
            {
                "chunker": name,
                "chunking, s": own.chunk_s,
                "embedding, s": own.embed_s,
                "chunks": own.chunks,
                **({"tokens to chunk": own.asked or 0} if some_ask else {}),
                "tokens read": asked.tokens_in,
                "answer tokens": asked.tokens_out,
                "tokens an answer": asked.tokens_out / answers if answers else None,
                "cost, $": None if asked.cost is None else float(asked.cost),
            }
        )
    return rows


def _spread(one: Comparison) -> str:
    found = one.difference
    mean, low, high = (signed(number, "+.2f") for number in (found.mean, found.low, found.high))
    return f"{mean} (95 % between {low} and {high}, adjusted p = {one.adjusted:.2g})"
