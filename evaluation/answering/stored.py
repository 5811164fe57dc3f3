"""Measures of an answer as JSON without any text: scores, tokens, and whether there was an answer at all."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from chunkers import InputError
from evaluation.answering.answer import Answer, Context, Exchange
from evaluation.answering.judging import Judgement, Kind
from evaluation.answering.questions import Item
from evaluation.answering.work import Result

NOT_KEPT = "what was wrong with it is not kept"
"""Why there is no answer or judgement, of one that was stored: the reason may quote the model."""

_STRICT = ConfigDict(extra="forbid", strict=True)


class _Judgement(BaseModel):
    model_config = _STRICT

    value: float | None
    failed: bool
    tokens_in: int
    tokens_out: int
    repeat: int


class _Stored(BaseModel):
    model_config = _STRICT

    failed: bool
    tokens_in: int
    tokens_out: int
    question_cosine: float | None
    reference_cosine: float | None
    bert_score: float | None
    judgements: dict[Kind, tuple[_Judgement, ...]]


def to_json(result: Result) -> bytes:
    """Return the measures of an answer as JSON, without question, passages or answer texts."""
    return (
        _Stored(
            failed=not result.answer.usable,
            tokens_in=result.answer.exchange.tokens_in,
            tokens_out=result.answer.exchange.tokens_out,
            question_cosine=result.question_cosine,
            reference_cosine=result.reference_cosine,
            bert_score=result.bert_score,
            judgements={
                kind: tuple(
                    _Judgement(
                        value=judgement.value,
                        failed=bool(judgement.problem),
                        tokens_in=judgement.exchange.tokens_in,
                        tokens_out=judgement.exchange.tokens_out,
                        repeat=judgement.repeat,
                    )
                    for judgement in times
                )
                for kind, times in result.judgements.items()
            },
        )
        .model_dump_json()
        .encode()
    )


def from_json(data: bytes, item: Item, context: Context) -> Result:
    """Return the result that `to_json` stored; the answer's text is empty, since it was not stored.

    Raises
    ------
    InputError
        If the JSON was not written by `to_json`.
    """
    try:
        kept = _Stored.model_validate_json(data)
    except ValidationError as error:
        raise InputError(
            "A stored answer must be in the format that Seamark writes; this one is not. Ask the question again."
        ) from error
    answer = Answer("", NOT_KEPT if kept.failed else "", Exchange((), kept.tokens_in, kept.tokens_out))
    judgements: dict[Kind, tuple[Judgement, ...]] = {
        kind: tuple(
            Judgement(
                kind,
                judgement.value,
                NOT_KEPT if judgement.failed else "",
                (),
                Exchange((), judgement.tokens_in, judgement.tokens_out),
                judgement.repeat,
            )
            for judgement in times
        )
        for kind, times in kept.judgements.items()
    }
    return Result(item, context, answer, kept.question_cosine, kept.reference_cosine, kept.bert_score, judgements)
