"""One answer with all that is measured of it, as far as the work on it has come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chunkers.language_models.asking import Asking, together
from evaluation.answering.answer import Answer, Context, Gathered, Recording, answered
from evaluation.answering.judging import Judged, Judgement, Kind, Similar, aqs, judged, kinds_of
from evaluation.answering.questions import Item


@dataclass(frozen=True)
class Result:
    """An answer, and what is measured of it.

    Attributes
    ----------
    question_cosine, reference_cosine
        The cosine of the answer and the question, and of the answer and the reference, from -1 to 1; None without an answer,
        and without a reference.
    bert_score
        F1 of BERTScore; None where it was not computed.
    judgements
        By kind, the latest last; the latest counts.
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
        """What the judging model is shown."""
        return Judged(self.item.question, self.item.reference, self.answer.text, self.context)

    def latest(self, kind: Kind) -> Judgement | None:
        """Return the judgement that counts."""
        found = self.judgements.get(kind)
        return found[-1] if found else None

    def value(self, measure: str) -> float | None:
        """Return a measure of `evaluation.answering.report.MEASURES`; None where it is undefined or there is none yet."""
        match measure:
            case "aqs":
                return aqs(self.value("faithfulness"), self.value("relevancy"))
            case "faithfulness" | "relevancy" | "correctness":
                found = self.latest(measure)
                return found.value if found else None
            case _:
                value: float | None = getattr(self, measure)
                return value

    @property
    def not_judged(self) -> tuple[Kind, ...]:
        """Which of the judgements could not be read."""
        return tuple(kind for kind, all_ in self.judgements.items() if all_[-1].problem)

    def with_judgement(self, one: Judgement) -> Result:
        """Return it with one more judgement."""
        return replace(self, judgements={**self.judgements, one.kind: (*self.judgements.get(one.kind, ()), one)})


@dataclass(frozen=True)
class Means:
    """What answering and measuring take.

    Attributes
    ----------
    asking
        The model that answers.
    judge
        The one that judges; None where none does.
    similar
        Cosines by the embedder.
    count
        Counts the tokens of each text, for a server that does not.
    """

    asking: Asking
    judge: Asking | None
    similar: Similar
    count: Callable[[Sequence[str]], list[int]]


def answer_item(
    item: Item, context: Context, means: Means, keep: Callable[[Result], None], cancelled: Callable[[], bool]
) -> None:
    """Answer a question, measure the answer and have it judged; ``keep`` is called with what there is after each step.

    Raises
    ------
    ModelError
        If a server gives no answer, or asking it would pass the limit of what may be spent; if the embedder fails.
    Cancelled
        If the user asked to stop.
    """
    given = answered(item.question, context, Recording(means.asking, means.count, cancelled))
    result = Result(item, context, given)
    keep(result)
    if not given.text:
        return
    others = [item.question, *([item.reference] if item.reference else [])]
    cosines = [float(one) for one in means.similar(given.text, others)]
    result = replace(result, question_cosine=cosines[0], reference_cosine=cosines[1] if item.reference else None)
    keep(result)
    if means.judge is not None:
        judge_result(result, means, keep, cancelled)


def answer_all(
    items: Sequence[Item],
    gathered: Mapping[int, Gathered],
    means: Means,
    keep: Callable[[tuple[int, int], Result], None],
    done: Callable[[tuple[int, int]], None],
    cancelled: Callable[[], bool] = bool,
) -> None:
    """Answer every question from the chunks of every chunker, several at once, as `answer_item` does.

    Parameters
    ----------
    keep
        Called with the numbers of the chunker and of the question, from any thread.
    done
        Called when all of an answer is there.

    Raises
    ------
    ModelError
        As `answer_item`; the first that fails stops the others, and what was kept is there.
    Cancelled
        If the user asked to stop.
    """

    def one(chunker: int, question: int) -> Callable[[Callable[[], bool]], None]:
        def work(stopped: Callable[[], bool]) -> None:
            place = chunker, question
            answer_item(items[question], gathered[chunker].contexts[question], means, partial(keep, place), stopped)
            done(place)

        return work

    # Question by question, so that a run that is stopped compares the chunkers on the same ones.
    together([one(chunker, question) for question in range(len(items)) for chunker in gathered], cancelled)


def judge_result(
    result: Result, means: Means, keep: Callable[[Result], None], cancelled: Callable[[], bool], repeat: int = 0
) -> None:
    """Have an answer judged, afresh with another ``repeat``; raises as `answer_item`."""
    assert means.judge is not None
    for kind in kinds_of(result.item.reference):
        recording = Recording(means.judge, means.count, cancelled, repeat)
        result = result.with_judgement(judged(kind, result.judged_of, recording, means.similar, repeat))
        keep(result)
