"""Cards of one question: each chunker's chunks, the model's answer to them, and its judgements, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from chunkers.support.numbers import signed
from evaluation.answering.answer import Context, Exchange
from evaluation.answering.judging import Judgement
from evaluation.answering.report import MEASURES
from evaluation.answering.work import Result
from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.theme.numbers import counted

_cards = component(
    "seamark_answers",
    html='<div class="answers"></div>',
    css=styles("answers/cards.css"),
    js=script("answers/cards.js"),
)

WHO = {"system": "Told to the model", "user": "Asked", "assistant": "Its words"}


class TurnData(TypedDict):
    """A message of a conversation and its author."""

    who: str
    words: str


class JudgementData(TypedDict):
    """A measure judged by a language model: its name, value, findings, earlier verdicts, and the conversation."""

    title: str
    value: str
    said: list[str]
    turns: list[TurnData]


class GivenData(TypedDict):
    """Title and text of a chunk that was passed to the language model."""

    title: str
    text: str


class AnswerCardData(TypedDict):
    """Payload of one chunker's card: its chunks, the model's answer, and the measures of the answer.

    Attributes
    ----------
    answer, note
        The answer, or the reason why there is none.
    values
        Name and value of each measure.
    """

    title: str
    answer: str
    note: str
    values: list[tuple[str, str]]
    given: list[GivenData]
    budget: str
    judgements: list[JudgementData]
    turns: list[TurnData]


class AnswerCardsData(TypedDict):
    """Payload of a question, its reference answer (empty if it has none), and a card for each chunker."""

    question: str
    reference: str
    cards: list[AnswerCardData]


def show_cards(data: AnswerCardsData) -> None:
    """Draw the cards that compare the chunkers' answers to one question."""
    _cards(key="answers_cards", data=data)


def card(title: str, context: Context | None, result: Result | None, budget: int, *, running: bool) -> AnswerCardData:
    """Return a chunker's card: its retrieved chunks, the model's answer, and the measures computed so far."""
    answer = result.answer if result is not None else None
    note = ""
    if context is None:
        note = "Its chunks are not there yet."
    elif answer is None:
        note = "Waiting for the answer …" if running else "No answer yet."
    elif not answer.usable:
        note = f"No answer that can be used: {answer.problem}."
    elif not answer.text:
        note = "Answered before the server was restarted: what was measured of the answer was kept, its words were not."
    return {
        "title": title,
        "answer": answer.text if answer is not None else "",
        "note": note,
        "values": _values(result) if result is not None else [],
        "given": _given_contexts(context) if context is not None else [],
        "budget": _filled(context, budget) if context is not None else "",
        "judgements": [_judgement(times) for times in result.judgements.values()] if result is not None else [],
        "turns": _turns(answer.exchange) if answer is not None else [],
    }


def _given_contexts(context: Context) -> list[GivenData]:
    return [
        {
            "title": f"Chunk {passage.chunk + 1}{'' if passage.whole else ', cut off where the budget is full'}",
            "text": passage.text,
        }
        for passage in context.passages
    ]


def _filled(context: Context, budget: int) -> str:
    if context.closed_book:
        return "nothing of the text"
    return f"{counted(len(context.passages), 'chunk')}, {context.tokens:,} of {budget:,} tokens"


def _values(result: Result) -> list[tuple[str, str]]:
    values = [(MEASURES[name].title, result.value(name)) for name in MEASURES]
    return [(title, signed(value, ".2f")) for title, value in values if value is not None]


def _judgement(times: Sequence[Judgement]) -> JudgementData:
    last = times[-1]
    title = MEASURES[last.kind].title
    sentences = list(last.said)
    if last.problem:
        sentences.append(f"Not judged, as no reply could be used: {last.problem}.")
    if len(times) > 1:
        sentences.append(f"Before: {', '.join(map(_value, times[:-1]))}.")
    return {"title": title, "value": _value(last), "said": sentences, "turns": _turns(last.exchange)}


def _value(judgement: Judgement) -> str:
    if judgement.problem:
        return "not judged"
    return "undefined" if judgement.value is None else signed(judgement.value, ".2f")


def _turns(exchange: Exchange) -> list[TurnData]:
    return [{"who": WHO[role], "words": text or "(nothing)"} for role, text in exchange.turns]
