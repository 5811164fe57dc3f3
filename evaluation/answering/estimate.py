"""About what a run of answers takes, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from chunkers.contract.base import Estimate
from chunkers.language_models import prompts
from chunkers.language_models.asking import Asking
from evaluation.answering.answer import ANSWER_TOKENS, Context, Gathered, recalled_answer
from evaluation.answering.judging import ANSWER_KINDS, KINDS, Judged, Kind, judge_messages, kinds_of
from evaluation.answering.questions import Item
from evaluation.answering.work import Result

_PROMPTS: Mapping[Kind, str] = {
    "faithfulness": prompts.FAITHFULNESS_SYSTEM,
    "relevancy": prompts.RELEVANCY_SYSTEM,
    "correctness": prompts.CORRECTNESS_SYSTEM,
}


class Estimates(NamedTuple):
    """Estimated requests for answering questions and for judging the answers."""

    answers: Estimate
    judgements: Estimate

    @property
    def requests(self) -> int:
        """Total number of requests for answers and judgements."""
        return self.answers.requests + self.judgements.requests


class Sizes(NamedTuple):
    """Token counts of prompts, questions and reference answers.

    Attributes
    ----------
    answering, closed_book
        Tokens of the prompts for answering with passages and without passages.
    judging
        Tokens of the prompt for each kind of judgement.
    questions, references
        Tokens of each question and of each reference answer, in the order of the items.
    """

    answering: int
    closed_book: int
    judging: Mapping[Kind, int]
    questions: Sequence[int]
    references: Sequence[int]

    @classmethod
    def of(cls, items: Sequence[Item], count: Callable[[Sequence[str]], list[int]]) -> Sizes:
        """Return the token counts of the prompts, the questions and the reference answers."""
        fixed = [prompts.ANSWER_SYSTEM, prompts.CLOSED_BOOK_SYSTEM, *(_PROMPTS[kind] for kind in KINDS)]
        sizes = count([*fixed, *(item.question for item in items), *(item.reference for item in items)])
        answering, closed_book, *judging = sizes[: len(fixed)]
        rest = sizes[len(fixed) :]
        by_kind = dict(zip(KINDS, judging, strict=True))
        return cls(answering, closed_book, by_kind, rest[: len(items)], rest[len(items) :])

    def answer(self, question: int, context: Context) -> int:
        """Estimate the tokens of the request that asks a question with its passages."""
        task = self.closed_book if context.closed_book else self.answering
        return task + self.questions[question] + context.tokens

    def judgement(self, kind: Kind, question: int, context: Context) -> int:
        """Estimate the tokens of the request for one kind of judgement of an answer."""
        task = self.judging[kind] + ANSWER_TOKENS
        match kind:
            case "faithfulness":
                return task + context.tokens + self.questions[question]
            case "relevancy":
                return task
            case "correctness":
                return task + self.questions[question] + self.references[question]


class Left(NamedTuple):
    """Requests that a question still needs: one for the answer, and one for each kind of judgement."""

    answer: bool
    kinds: tuple[Kind, ...]


def left_of(item: Item, context: Context, before: Result | None, asking: Asking, judge: Asking | None) -> Left:
    """Return the requests that a question still needs, given earlier results and cached answers.

    Parameters
    ----------
    judge
        Access to the judging model; None if the answers are not judged.
    """
    every = () if judge is None else kinds_of(item.reference, context)
    if before is not None and before.whole(judged=judge is not None):
        return Left(False, ())
    known = before is not None and before.answer.text
    text = known or recalled_answer(item.question, context, asking)
    if text is None:
        return Left(True, every)
    if not text or judge is None:
        return Left(False, ())
    judged_before = before.judgements if before is not None and known else {}
    asked = Judged(item.question, item.reference, text, context)
    missing = (kind for kind in every if kind not in judged_before)
    return Left(
        False, tuple(kind for kind in missing if judge.recalled(judge_messages(kind, asked), ANSWER_KINDS[kind]) is None)
    )


def estimates(
    items: Sequence[Item],
    gathered: Mapping[int, Gathered],
    sizes: Sizes,
    left: Callable[[tuple[int, int], Item, Context], Left],
) -> Estimates:
    """Estimate the number of requests and tokens of a run without sending a request.

    The estimate assumes that no request is repeated, and guesses the lengths of the answers.

    Parameters
    ----------
    left
        Returns the requests still needed, given the numbers of the chunker and the question, the question, and its context.
    """
    answers: list[int] = []
    judgements: list[int] = []
    for chunker, retrieval in gathered.items():
        for number, (item, context) in enumerate(zip(items, retrieval.contexts, strict=True)):
            needed = left((chunker, number), item, context)
            if needed.answer:
                answers.append(sizes.answer(number, context))
            judgements += [sizes.judgement(kind, number, context) for kind in needed.kinds]
    return Estimates(_sum(answers), _sum(judgements))


def _sum(tokens: Iterable[int]) -> Estimate:
    every = [*tokens]
    return Estimate(len(every), sum(every))
