"""Answers judged by a language model, for faithfulness, answer relevancy and correctness, and by BERTScore.

Source of faithfulness and answer relevancy: Es, James, Espinosa-Anke and Schockaert, RAGAS (2024), sections 3.1 and 3.2; the
prompts are our own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Literal, NamedTuple

from chunkers.language_models import (
    Message,
    UnusableAnswer,
    answer_schemas_and_parsers,
    ask_until_usable,
    parse_json_answer,
    prompts,
)
from chunkers.support import FloatArray, ModelError, format_number, import_required
from evaluation.answering.questions_and_answers import AnswerContext, Exchange, Recording

JudgementKind = Literal["faithfulness", "relevancy", "correctness"]

JUDGEMENT_KINDS: tuple[JudgementKind, ...] = ("faithfulness", "relevancy", "correctness")

JUDGING_PROMPTS: Mapping[JudgementKind, tuple[str, str, answer_schemas_and_parsers.AnswerKind]] = {
    "faithfulness": (
        prompts.FAITHFULNESS_SYSTEM_PROMPT,
        prompts.FAITHFULNESS_QUESTION_TEMPLATE,
        answer_schemas_and_parsers.FAITHFULNESS_JUDGEMENT_ANSWER,
    ),
    "relevancy": (
        prompts.RELEVANCY_SYSTEM_PROMPT,
        prompts.RELEVANCY_QUESTION_TEMPLATE,
        answer_schemas_and_parsers.RELEVANCY_JUDGEMENT_ANSWER,
    ),
    "correctness": (
        prompts.CORRECTNESS_SYSTEM_PROMPT,
        prompts.CORRECTNESS_QUESTION_TEMPLATE,
        answer_schemas_and_parsers.CORRECTNESS_JUDGEMENT_ANSWER,
    ),
}
"""System prompt, template of the question, and kind of reply for each kind of judgement."""

CosinesWithTexts = Callable[[str, Sequence[str]], FloatArray]
"""Returns the cosines of a text and others, shape (others,)."""


class JudgingInput(NamedTuple):
    """Input of the judging model: question, reference answer, answer and passages."""

    question: str
    reference: str
    answer: str
    context: AnswerContext


@dataclass(frozen=True)
class Judgement:
    """Score that a language model gives an answer, or the reason why it gives none.

    Attributes
    ----------
    value
        Faithfulness and relevancy from 0 to 1, correctness from 1 to 5; None if undefined or not judged.
    problem
        The error in the model's last reply that prevented a judgement; empty if the answer was judged.
    sentences
        Sentences that support the judgement.
    exchange
        The prompt and the model's reply.
    repeat
        Number of the judgement in a series of repeats, from 0.
    """

    kind: JudgementKind
    value: float | None
    problem: str
    sentences: tuple[str, ...]
    exchange: Exchange
    repeat: int = 0


class _Verdict(NamedTuple):
    value: float | None
    sentences: tuple[str, ...]


def applicable_kinds_of_judgement(reference: str, context: AnswerContext) -> tuple[JudgementKind, ...]:
    """Return the applicable kinds of judgement: correctness needs a reference answer, faithfulness needs passages."""
    inapplicable_judgement_kinds = {
        *(() if reference else ("correctness",)),
        *(("faithfulness",) if context.closed_book else ()),
    }
    return tuple(kind for kind in JUDGEMENT_KINDS if kind not in inapplicable_judgement_kinds)


def judgement_request(
    kind: JudgementKind, judging_input: JudgingInput
) -> tuple[list[Message], answer_schemas_and_parsers.AnswerKind]:
    """Return the chat messages that ask a model for one kind of judgement, and the kind of its reply."""
    system_prompt, question_template, expected_reply_kind = JUDGING_PROMPTS[kind]
    filled_judging_prompt = question_template.format(**judging_input._asdict(), passages=judging_input.context)
    return [Message("system", system_prompt), Message("user", filled_judging_prompt)], expected_reply_kind


def judge_answer(
    kind: JudgementKind,
    judging_input: JudgingInput,
    model_call_recorder: Recording,
    compute_cosines_with_texts: CosinesWithTexts,
    repeat_number: int = 0,
) -> Judgement:
    """Return the model's judgement of an answer, repeating the request if its reply is unreadable.

    Raises
    ------
    ModelError
        If the server gives no reply, the request would exceed the spending limit, or the embedder fails.
    Cancelled
        If the user asked to stop.
    """
    reply_readers: dict[JudgementKind, Callable[[str], _Verdict]] = {
        "faithfulness": read_faithfulness,
        "relevancy": lambda reply: read_relevancy(reply, judging_input.question, compute_cosines_with_texts),
        "correctness": read_correctness,
    }
    messages, expected_reply_kind = judgement_request(kind, judging_input)
    try:
        model_verdict = ask_until_usable(
            partial(model_call_recorder, kind=expected_reply_kind),
            messages,
            reply_readers[kind],
            model_call_recorder.report_usability,
        )
    except UnusableAnswer as complaint:
        return Judgement(kind, None, str(complaint), (), model_call_recorder.exchange, repeat_number)
    return Judgement(kind, model_verdict.value, "", model_verdict.sentences, model_call_recorder.exchange, repeat_number)


def read_faithfulness(reply: str) -> _Verdict:
    """Parse a reply into faithfulness F: the share of the answer's statements that its passages support.

    It is undefined if the answer states nothing. Raises UnusableAnswer if the reply is not in the requested form.
    """
    judged_answer_statements = parse_json_answer(reply, answer_schemas_and_parsers.Faithfulness).statements
    statement_verdict_sentences = tuple(
        f"{'borne out' if statement.supported else 'not borne out'}: {statement.statement}"
        for statement in judged_answer_statements
    )
    if not judged_answer_statements:
        return _Verdict(None, ("The answer states nothing.",))
    return _Verdict(
        sum(statement.supported for statement in judged_answer_statements) / len(judged_answer_statements),
        statement_verdict_sentences,
    )


def read_relevancy(reply: str, question: str, cosines_with_texts: CosinesWithTexts) -> _Verdict:
    """Parse a reply into answer relevancy AR: the mean cosine of the question and questions derived from the answer.

    An evasive answer has 0, and a mean below 0 counts as 0. Raises UnusableAnswer if the reply is not in the requested form.
    """
    parsed_relevancy_reply = parse_json_answer(reply, answer_schemas_and_parsers.Relevancy)
    if parsed_relevancy_reply.evasive:
        return _Verdict(0.0, ("The answer is evasive.", *parsed_relevancy_reply.questions))
    derived_question_cosines = cosines_with_texts(question, parsed_relevancy_reply.questions)
    lines_of_cosine_and_question = tuple(
        f"{format_number(cosine, '.2f')}: {other}"
        for cosine, other in zip(derived_question_cosines, parsed_relevancy_reply.questions, strict=True)
    )
    return _Verdict(max(0.0, float(derived_question_cosines.mean())), lines_of_cosine_and_question)


def read_correctness(reply: str) -> _Verdict:
    """Return the correctness grade in a model's reply. Raise UnusableAnswer if the reply has another form."""
    correctness_reply = parse_json_answer(reply, answer_schemas_and_parsers.Correctness)
    return _Verdict(float(correctness_reply.grade), (correctness_reply.reason,) if correctness_reply.reason else ())


def combine_faithfulness_and_relevancy(faithfulness: float | None, relevancy: float | None) -> float | None:
    """Return the answer quality score 2·F·AR / (F + AR): 0 if both are 0, None if either is undefined.

    Source: Kreileder, Reisinger and Fischer, Evaluating Chunking Strategies.
    """
    if faithfulness is None or relevancy is None:
        return None
    faithfulness_relevancy_sum = faithfulness + relevancy
    return 2 * faithfulness * relevancy / faithfulness_relevancy_sum if faithfulness_relevancy_sum else 0.0


# BERTScore, where the package ``bert_score`` is installed.


BERT_SCORE_PACKAGE = "bert_score"


def has_bert_score() -> bool:
    """Return whether the BERTScore package is installed, without importing it."""
    return find_spec(BERT_SCORE_PACKAGE) is not None


def bert_scores(answers: Sequence[str], references: Sequence[str], language: str) -> list[float]:
    """Return the BERTScore F1 of each answer against its reference, shape (answers,).

    The package loads its model from its own cache, or downloads the model.

    Source: Zhang et al., BERTScore: Evaluating Text Generation with BERT (2020).

    Raises
    ------
    ModelError
        If the package is not installed, cannot load its model, or fails.
    """
    bert_score_module = import_required(BERT_SCORE_PACKAGE, "BERTScore", "bert-score")
    try:
        _, _, f1_scores = bert_score_module.score(list(answers), list(references), lang=language, verbose=False)
        return [float(score) for score in f1_scores]
    except Exception as error:
        # What loading a model raises is of many classes, and of a tokenizer that names no greatest length, an OverflowError.
        raise ModelError(
            f"BERTScore: the package {BERT_SCORE_PACKAGE} could not load its model or score the texts; it raised "
            f"{type(error).__name__}. Choose another measure."
        ) from error
