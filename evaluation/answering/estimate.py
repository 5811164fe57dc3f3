"""About what a run of answers takes, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from chunkers.base import Estimate
from chunkers.language_models import prompts
from evaluation.answering.answer import ANSWER_TOKENS, Context, Gathered
from evaluation.answering.judging import kinds_of
from evaluation.answering.questions import Item


class Estimates(NamedTuple):
    """What answering takes, and what judging the answers takes."""

    answers: Estimate
    judgements: Estimate


def estimates(
    items: Sequence[Item], gathered: Mapping[int, Gathered], count: Callable[[Sequence[str]], list[int]]
) -> Estimates:
    """Return about what a run takes if nothing has to be asked again and nothing is remembered; an answer is guessed.

    Chunks count as many tokens as they fill of the budget.
    """
    texts = [prompts.ANSWER_SYSTEM, prompts.FAITHFULNESS_SYSTEM, prompts.RELEVANCY_SYSTEM, prompts.CORRECTNESS_SYSTEM]
    sizes = count([*texts, *(item.question for item in items), *(item.reference for item in items)])
    fixed, questions, references = sizes[:4], sizes[4 : 4 + len(items)], sizes[4 + len(items) :]
    answers = judgements = (0, 0)
    for one in gathered.values():
        for number, (item, context) in enumerate(zip(items, one.contexts, strict=True)):
            answers = _more(answers, 1, fixed[0] + questions[number] + context.tokens)
            said = judging_tokens(item, context, (fixed[1], fixed[2], fixed[3]), questions[number], references[number])
            judgements = _more(judgements, len(kinds_of(item.reference)), said)
    return Estimates(Estimate(*answers), Estimate(*judgements))


def judging_tokens(item: Item, context: Context, prompts_: tuple[int, int, int], question: int, reference: int) -> int:
    """Return about how many tokens judging one answer sends."""
    faithfulness = prompts_[0] + context.tokens + question + ANSWER_TOKENS
    relevancy = prompts_[1] + ANSWER_TOKENS
    correctness = prompts_[2] + question + reference + ANSWER_TOKENS if item.reference else 0
    return faithfulness + relevancy + correctness


def _more(sums: tuple[int, int], requests: int, tokens: int) -> tuple[int, int]:
    return sums[0] + requests, sums[1] + tokens
