"""One answer with all that is measured of it, as far as the work on it has come."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chunkers.language_models.asking import Asking, together
from evaluation.answering.answer import Answer, Context, Gathered, Recording, answered
from evaluation.answering.judging import KINDS, Judged, Judgement, Kind, Similar, aqs, judged, kinds_of
from evaluation.answering.questions import Item


@dataclass(frozen=True)
class Result:
    """Answer to a question, with its passages and its scores.

    Attributes
    ----------
    question_cosine, reference_cosine
        Cosine of the answer with the question and with the reference answer, from -1 to 1; None if one of the two texts is
        missing.
    bert_score
        F1 of BERTScore; None if it was not computed.
    judgements
        Judgements by kind, the latest last. Only the latest counts.
    """

    item: Item
    context: Context
    answer: Answer
    question_cosine: float | None = None
    reference_cosine: float | None = None
    bert_score: float | None = None
    judgements: Mapping[Kind, tuple[Judgement, ...]] = field(default_factory=dict)

    @property
    def judged_of(self) -> Judged:
        """Input for the judging model: the question, its reference answer, the answer and the passages."""
        return Judged(self.item.question, self.item.reference, self.answer.text, self.context)

    def latest(self, kind: Kind) -> Judgement | None:
        """Return the latest judgement of a kind; None if there is none."""
        judgements = self.judgements.get(kind)
        return judgements[-1] if judgements else None

    def value(self, measure: str) -> float | None:
        """Return the answer's score in a measure; None if the score is undefined or has not been computed."""
        match measure:
            case "aqs":
                return aqs(self.value("faithfulness"), self.value("relevancy"))
            case "faithfulness" | "relevancy" | "correctness":
                judgement = self.latest(measure)
                return judgement.value if judgement else None
            case _:
                value: float | None = getattr(self, measure)
                return value

    @property
    def not_judged(self) -> tuple[Kind, ...]:
        """Kinds of judgement for which the model's latest reply was unreadable."""
        return tuple(kind for kind, all_ in self.judgements.items() if all_[-1].problem)

    def whole(self, *, judged: bool) -> bool:
        """Return whether all measures are present, including those of the judging model if ``judged``."""
        if not self.answer.usable:
            return True
        has_cosine = self.question_cosine is not None
        return has_cosine and (not judged or {*kinds_of(self.item.reference, self.context)} <= {*self.judgements})

    def with_judgement(self, judgement: Judgement) -> Result:
        """Return a copy of the result with one more judgement."""
        return replace(
            self, judgements={**self.judgements, judgement.kind: (*self.judgements.get(judgement.kind, ()), judgement)}
        )


@dataclass(frozen=True)
class Means:
    """Models and functions for answering questions and measuring the answers.

    Attributes
    ----------
    asking
        The model that answers.
    judge
        The model that judges the answers; None if they are not judged.
    similar
        Computes cosines with the embedder.
    count
        Counts the tokens of each text, for servers that report no token counts.
    """

    asking: Asking
    judge: Asking | None
    similar: Similar
    count: Callable[[Sequence[str]], list[int]]


def taken_over(
    results: Iterable[Result], items: Sequence[Item], gathered: Mapping[int, Gathered], *, same_judge: bool
) -> dict[tuple[int, int], Result]:
    """Return the reusable results of an earlier run, keyed by chunker number and question number.

    An answer can be reused if the question and the passages are the same. Its judgements are reused only with
    ``same_judge``.
    """
    known = {(result.item, result.context): result if same_judge else replace(result, judgements={}) for result in results}
    places = (
        ((chunker, question), known.get((item, context)))
        for chunker, own in gathered.items()
        for question, (item, context) in enumerate(zip(items, own.contexts, strict=True))
    )
    return {place: result for place, result in places if result is not None}


def answer_item(
    item: Item,
    context: Context,
    means: Means,
    keep: Callable[[Result], None],
    cancelled: Callable[[], bool],
    before: Result | None = None,
) -> None:
    """Answer a question, measure the answer and have it judged; call ``keep`` with the result after each step.

    Results from ``before`` are reused if they have the text of the answer; otherwise the question is asked again.

    Raises
    ------
    ModelError
        If a server gives no answer, a request would exceed the spending limit, or the embedder fails.
    Cancelled
        If the user asked to stop.
    """
    result = before
    if result is None or not result.answer.text:
        result = Result(item, context, answered(item.question, context, Recording(means.asking, means.count, cancelled)))
        keep(result)
    if not result.answer.usable:
        return
    if result.question_cosine is None:
        others = [item.question, *([item.reference] if item.reference else [])]
        cosines = [float(cosine) for cosine in means.similar(result.answer.text, others)]
        result = replace(result, question_cosine=cosines[0], reference_cosine=cosines[1] if item.reference else None)
        keep(result)
    if means.judge is not None:
        judge_result(result, means, keep, cancelled, kinds=[kind for kind in KINDS if kind not in result.judgements])


def answer_all(
    items: Sequence[Item],
    gathered: Mapping[int, Gathered],
    means: Means,
    keep: Callable[[tuple[int, int], Result], None],
    done: Callable[[tuple[int, int]], None],
    cancelled: Callable[[], bool] = bool,
    before: Mapping[tuple[int, int], Result] | None = None,
) -> None:
    """Answer every question from every chunker's passages, several at a time.

    Each answer is measured and judged as `answer_item` does it.

    Parameters
    ----------
    keep
        Called with the numbers of the chunker and the question, from any thread.
    done
        Called when an answer and all its measures are complete, except for results that were complete ``before``.
    before
        Earlier results, by the numbers of the chunker and the question.

    Raises
    ------
    ModelError
        As in `answer_item`. The first failure stops all other requests; results already passed to ``keep`` remain.
    Cancelled
        If the user asked to stop.
    """
    answers_before = {} if before is None else before
    judged = means.judge is not None

    def one(place: tuple[int, int]) -> Callable[[Callable[[], bool]], None]:
        chunker, question = place

        def work(stopped: Callable[[], bool]) -> None:
            context = gathered[chunker].contexts[question]
            answer_item(items[question], context, means, partial(keep, place), stopped, answers_before.get(place))
            done(place)

        return work

    # Question by question, so that a run that is stopped compares the chunkers on the same ones.
    places = [(chunker, question) for question in range(len(items)) for chunker in gathered]
    left = [place for place in places if place not in answers_before or not answers_before[place].whole(judged=judged)]
    together([one(place) for place in left], cancelled)


def judge_result(
    result: Result,
    means: Means,
    keep: Callable[[Result], None],
    cancelled: Callable[[], bool],
    repeat: int = 0,
    kinds: Collection[Kind] = KINDS,
) -> None:
    """Have the model judge an answer in the given ``kinds``; call ``keep`` with the result after each judgement.

    A new ``repeat`` number asks again instead of using the cache. Raises the same errors as `answer_item`.
    """
    assert means.judge is not None
    for kind in kinds_of(result.item.reference, result.context):
        if kind not in kinds:
            continue
        recording = Recording(means.judge, means.count, cancelled, repeat)
        result = result.with_judgement(judged(kind, result.judged_of, recording, means.similar, repeat))
        keep(result)
