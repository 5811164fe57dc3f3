"""Summary of the answers from several chunkers: means, paired intervals, who is ahead, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from chunkers.language_models.base import LanguageModel
from chunkers.support.arrays import FloatArray
from chunkers.support.numbers import counted, rounded_up, signed
from evaluation.answering.answer import Gathered
from evaluation.answering.judging import KINDS
from evaluation.answering.trivial import REFERENCE, SWAPPED
from evaluation.answering.work import Result
from evaluation.retrieval.leads import on_same_questions
from evaluation.statistics.paired import Difference, compare_all, interval_words
from evaluation.statistics.power import questions_needed
from evaluation.statistics.significance import too_few


class Measure(NamedTuple):
    """Quality measure of answers: its title, its name within a sentence and its range."""

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
        Tokens that the model read and wrote.
    cost
        Cost in US dollars; None if the price is unknown.
    """

    tokens_in: int
    tokens_out: int
    cost: Decimal | None


@dataclass(frozen=True)
class Report:
    """Quality measures of all chunkers' answers to the same questions.

    Attributes
    ----------
    names
        Names of the chunkers.
    questions
        Number of questions.
    results
        See `Results`.
    controls
        The numbers of the rows `REFERENCE` and `SWAPPED`, which are compared only with each other.
    """

    names: Sequence[str]
    questions: int
    results: Results
    controls: Mapping[str, int] = field(default_factory=dict)

    def values(self, measure: str) -> list[FloatArray]:
        """Return a measure of every answer, one array of shape (questions,) per row; NaN if undefined or not judged."""
        found = np.full((len(self.names), self.questions), np.nan)
        for (chunker, question), result in self.results.items():
            value = result.value(measure)
            if value is not None:
                found[chunker, question] = value
        return [*found]

    def _competing(self, measure: str) -> list[FloatArray]:
        """Return a measure of every chunker as `values`, but of no control."""
        found = self.values(measure)
        for row in self.controls.values():
            found[row] = np.full(self.questions, np.nan)
        return found

    @property
    def measured(self) -> list[str]:
        """Names of the measures that are defined for at least one answer."""
        return [name for name in MEASURES if any(not np.isnan(one).all() for one in self.values(name))]

    def answers(self, chunker: int) -> int:
        """Return the number of questions for which a chunker has a usable answer."""
        return sum(one.answer.usable for (number, _), one in self.results.items() if number == chunker)

    def not_judged(self, chunker: int, measure: str) -> int:
        """Return the number of a chunker's answers that lack a measure because a judgement was unreadable."""
        kinds = KINDS[:2] if measure == "aqs" else (measure,)
        return sum(
            any(kind in one.not_judged for kind in kinds) for (number, _), one in self.results.items() if number == chunker
        )

    @cached_property
    def comparisons(self) -> dict[tuple[str, int, int], Difference]:
        """Differences between all pairs of chunkers in each measure, with p-values corrected for all comparisons.

        Pairs with too few questions are left out.

        All pairs are compared on the same questions: the questions on which all chunkers with this measure have a value.
        """
        rows = self._pairs
        if not rows:
            return {}
        widths = [MEASURES[name].high - MEASURES[name].low for name, _, _ in rows]
        compared = compare_all(np.array([*rows.values()]), widths)
        return {key: one for key, one in zip(rows, compared, strict=True) if one is not None}

    @cached_property
    def _pairs(self) -> dict[tuple[str, int, int], FloatArray]:
        """The differences of every two chunkers in every measure, each of shape (questions,)."""
        same = {name: on_same_questions(self._competing(name)) for name in self.measured}
        pairs = [*combinations([row for row in range(len(self.names)) if row not in self.controls.values()], 2)]
        return {(name, one, other): same[name][one] - same[name][other] for name in same for one, other in pairs}

    def compared(self, measure: str, one: int, other: int) -> Difference | None:
        """Return the first chunker's difference from the second in a measure; None if there are too few questions."""
        found = self.comparisons.get((measure, min(one, other), max(one, other)))
        return found if found is None or one < other else found.reversed()

    def verdict(self, measure: str) -> str:
        """Return a verdict in words on whether one chunker is significantly ahead of all others in a measure."""
        called = MEASURES[measure].called
        same = on_same_questions(self._competing(measure))
        means = {number: float(np.nanmean(one)) for number, one in enumerate(same) if not np.isnan(one).all()}
        if not means:
            return f"Nothing can be said of {called}: no answer has it with every chunker."
        count = max(int((~np.isnan(one)).sum()) for one in same)
        best, *others = sorted(means, key=lambda number: -means[number])
        reached = f"{signed(means[best], '.2f')} over {counted(count, 'question')}"
        if not others:
            return f"{self.names[best]}: mean {called} {reached}."
        compared = {other: self.compared(measure, best, other) for other in others}
        doubted = [other for other, found in compared.items() if found is None or not found.significant]
        holms = f"Holm's correction for {counted(len(self.comparisons), 'comparison')}"
        if not doubted:
            one = compared[others[0]]
            assert one is not None
            return (
                f"{self.names[best]} has the highest {called}, {reached}, and is significantly ahead of every "
                f"other: of {self.names[others[0]]} by {_spread(one)} ({holms})."
            )
        rival = doubted[0]
        found = compared[rival]
        said = f"Nobody is significantly ahead of all others in {called}. {self.names[best]} has the highest mean, {reached}"
        if found is None:
            defined = sum(not np.isnan(row).all() for row in self._pairs.values())
            return f"{said}. {too_few(defined, count)}"
        said += f"; on {self.names[rival]} it has {_spread(found)} ({holms})."
        needed = questions_needed(same[best] - same[rival])
        if needed is None:
            return f"{said} The two are level."
        if needed > found.count:
            said += f" For such a difference to be significant would take some {rounded_up(needed):,} questions."
        return said

    def proof(self) -> list[str]:
        """Return a sentence for each measure on whether it separates right answers from wrong answers.

        Empty if the control rows are missing.
        """
        if len(self.controls) < 2:
            return []
        right, wrong = self.controls[REFERENCE], self.controls[SWAPPED]
        values = {name: (found[right], found[wrong]) for name in self.measured if (found := self.values(name))}
        both = {name: pair for name, pair in values.items() if not np.isnan(pair[0] - pair[1]).all()}
        if not both:
            return []
        widths = [MEASURES[name].high - MEASURES[name].low for name in both]
        compared = compare_all(np.array([one - other for one, other in both.values()]), widths)
        return [_told(name, *both[name], found) for name, found in zip(both, compared, strict=True)]

    def asked(self, chunker: int, model: LanguageModel | None) -> Asked:
        """Return the tokens and the cost of a chunker's answers, excluding judgements."""
        exchanges = [one.answer.exchange for (number, _), one in self.results.items() if number == chunker]
        read, written = sum(one.tokens_in for one in exchanges), sum(one.tokens_out for one in exchanges)
        return Asked(read, written, None if model is None else model.price(read, written))


def costs(
    report: Report, gathered: Mapping[int, Gathered], model: LanguageModel | None
) -> list[dict[str, float | str | None]]:
    """Return the costs of every chunker as table rows: seconds, tokens and dollars; None if unknown.

    The last four columns are those of the answers alone, without judgements. Source of what is counted: the article that
    introduced double-pass merging, here for the user's own text.
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


def _told(name: str, right: FloatArray, wrong: FloatArray, compared: Difference | None) -> str:
    same = ~np.isnan(right - wrong)
    called = MEASURES[name].title
    means = f"{right[same].mean():.2f} for the reference answers, {wrong[same].mean():.2f} for those of other questions"
    over = f"{means}, over {counted(int(same.sum()), 'question')}"
    if compared is None:
        return f"{called}: too few questions to say whether it tells right from wrong with this model: {over}."
    tells = compared.significant and compared.mean > 0
    return f"{called} {'tells' if tells else 'does not tell'} right from wrong with this model: {over} ({compared.p_words})."


def _spread(one: Difference) -> str:
    return f"{signed(one.mean, '+.2f')} ({interval_words(one.low, one.high, one.alpha, 1, 2)}, {one.p_words})"
