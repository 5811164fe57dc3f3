"""Answers with everything measured of them: the work, an estimate of it beforehand, and the measures as JSON."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from chunkers import InputError
from chunkers.contract import Estimate
from chunkers.language_models import Asking, prompts, run_in_parallel
from evaluation.answering.judging import (
    JUDGEMENT_KINDS,
    JUDGING_PROMPTS,
    CosinesWithTexts,
    Judgement,
    JudgementKind,
    JudgingInput,
    applicable_kinds_of_judgement,
    combine_faithfulness_and_relevancy,
    judge_answer,
    judgement_request,
)
from evaluation.answering.questions_and_answers import (
    GUESSED_ANSWER_TOKENS,
    Answer,
    AnswerContext,
    Exchange,
    GatheredPassages,
    QuestionItem,
    Recording,
    find_cached_model_answer,
    model_answer,
)


@dataclass(frozen=True)
class AnswerResult:
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

    item: QuestionItem
    context: AnswerContext
    answer: Answer
    question_cosine: float | None = None
    reference_cosine: float | None = None
    bert_score: float | None = None
    judgements: Mapping[JudgementKind, tuple[Judgement, ...]] = field(default_factory=dict)

    def latest_judgement_of_kind(self, kind: JudgementKind) -> Judgement | None:
        """Return the latest judgement of a kind; None if there is none."""
        judgements_of_kind = self.judgements.get(kind)
        return judgements_of_kind[-1] if judgements_of_kind else None

    def value(self, measure: str) -> float | None:
        """Return the answer's score in a measure; None if the score is undefined or has not been computed."""
        match measure:
            case "aqs":
                return combine_faithfulness_and_relevancy(self.value("faithfulness"), self.value("relevancy"))
            case "faithfulness" | "relevancy" | "correctness":
                latest_measure_judgement = self.latest_judgement_of_kind(measure)
                return latest_measure_judgement.value if latest_measure_judgement else None
            case _:
                stored_measure_value: float | None = getattr(self, measure)
                return stored_measure_value

    @property
    def unreadable_judgement_kinds(self) -> tuple[JudgementKind, ...]:
        """Kinds of judgement for which the model's latest reply was unreadable."""
        return tuple(kind for kind, all_ in self.judgements.items() if all_[-1].problem)

    def has_all_measures(self, *, requires_judgements: bool) -> bool:
        """Return whether all measures are present, including those of the judging model if ``requires_judgements``."""
        if not self.answer.is_usable:
            return True
        has_question_to_answer_cosine = self.question_cosine is not None
        return has_question_to_answer_cosine and (
            not requires_judgements
            or {*applicable_kinds_of_judgement(self.item.reference, self.context)} <= {*self.judgements}
        )


@dataclass(frozen=True)
class Services:
    """Models and functions for answering questions and measuring the answers.

    Attributes
    ----------
    asking
        The model that answers.
    judge
        The model that judges the answers; None if they are not judged.
    cosines_with
        Computes cosines with the embedder.
    count_tokens
        Counts the tokens of each text, for servers that report no token counts.
    """

    asking: Asking
    judge: Asking | None
    cosines_with: CosinesWithTexts
    count_tokens: Callable[[Sequence[str]], list[int]]


def find_reusable_results(
    earlier_results: Iterable[AnswerResult],
    question_items: Sequence[QuestionItem],
    passages_by_chunker_number: Mapping[int, GatheredPassages],
    *,
    has_same_judge: bool,
) -> dict[tuple[int, int], AnswerResult]:
    """Return the reusable results of an earlier run, keyed by chunker number and question number.

    An answer can be reused if the question and the passages are the same. Its judgements are reused only with
    ``has_same_judge``.
    """
    earlier_result_by_input = {
        (result.item, result.context): result if has_same_judge else replace(result, judgements={})
        for result in earlier_results
    }
    chunker_question_numbers_and_results = (
        ((chunker, question), earlier_result_by_input.get((item, context)))
        for chunker, own in passages_by_chunker_number.items()
        for question, (item, context) in enumerate(zip(question_items, own.contexts, strict=True))
    )
    return {place: result for place, result in chunker_question_numbers_and_results if result is not None}


def answer_judge_and_store_item(
    question_item: QuestionItem,
    context_passages: AnswerContext,
    services: Services,
    store_result: Callable[[AnswerResult], None],
    cancelled: Callable[[], bool],
    earlier_result: AnswerResult | None = None,
) -> None:
    """Answer a question, measure the answer and have it judged; call ``store_result`` with the result after each step.

    ``earlier_result`` is reused if it has the text of an answer; otherwise the question is asked again.

    Raises
    ------
    ModelError
        If a server gives no answer, a request would exceed the spending limit, or the embedder fails.
    Cancelled
        If the user asked to stop.
    """
    answer_result = earlier_result
    if answer_result is None or not answer_result.answer.text:
        answer_result = AnswerResult(
            question_item,
            context_passages,
            model_answer(
                question_item.question, context_passages, Recording(services.asking, services.count_tokens, cancelled)
            ),
        )
        store_result(answer_result)
    if not answer_result.answer.is_usable:
        return
    if answer_result.question_cosine is None:
        question_and_reference_texts = [
            question_item.question,
            *([question_item.reference] if question_item.reference else []),
        ]
        cosines_to_question_and_reference = [
            float(cosine) for cosine in services.cosines_with(answer_result.answer.text, question_and_reference_texts)
        ]
        answer_result = replace(
            answer_result,
            question_cosine=cosines_to_question_and_reference[0],
            reference_cosine=cosines_to_question_and_reference[1] if question_item.reference else None,
        )
        store_result(answer_result)
    if services.judge is not None:
        judge_and_store_result(
            answer_result,
            services,
            store_result,
            cancelled,
            judgement_kinds=[kind for kind in JUDGEMENT_KINDS if kind not in answer_result.judgements],
        )


def answer_judge_and_store_all(
    question_items: Sequence[QuestionItem],
    passages_by_chunker_number: Mapping[int, GatheredPassages],
    services: Services,
    store_result: Callable[[tuple[int, int], AnswerResult], None],
    report_completed: Callable[[tuple[int, int]], None],
    cancelled: Callable[[], bool] = bool,
    prior_results: Mapping[tuple[int, int], AnswerResult] | None = None,
) -> None:
    """Answer every question from every chunker's passages, several at a time.

    Each answer is measured and judged as `answer_judge_and_store_item` does it.

    Parameters
    ----------
    store_result
        Called with the numbers of the chunker and the question, from any thread.
    report_completed
        Called when an answer and all its measures are complete, except for those already complete in ``prior_results``.
    prior_results
        Earlier results, by the numbers of the chunker and the question.

    Raises
    ------
    ModelError
        As in `answer_judge_and_store_item`. The first failure stops all other requests; results already passed to
        ``store_result`` remain.
    Cancelled
        If the user asked to stop.
    """
    earlier_results = {} if prior_results is None else prior_results

    def answer_judge_and_report_question(
        chunker_and_question_number: tuple[int, int], cancelled: Callable[[], bool]
    ) -> None:
        chunker_number, question_number = chunker_and_question_number
        passages_of_this_question = passages_by_chunker_number[chunker_number].contexts[question_number]
        answer_judge_and_store_item(
            question_items[question_number],
            passages_of_this_question,
            services,
            partial(store_result, chunker_and_question_number),
            cancelled,
            earlier_results.get(chunker_and_question_number),
        )
        report_completed(chunker_and_question_number)

    # Question by question, so that a run that is stopped compares the chunkers on the same ones.
    chunker_and_question_numbers = [
        (chunker, question) for question in range(len(question_items)) for chunker in passages_by_chunker_number
    ]
    has_judging_model = services.judge is not None
    incomplete_chunker_question_pairs = [
        place
        for place in chunker_and_question_numbers
        if place not in earlier_results or not earlier_results[place].has_all_measures(requires_judgements=has_judging_model)
    ]
    run_in_parallel(
        [partial(answer_judge_and_report_question, place) for place in incomplete_chunker_question_pairs], cancelled
    )


def judge_and_store_result(
    result: AnswerResult,
    services: Services,
    store_result: Callable[[AnswerResult], None],
    cancelled: Callable[[], bool],
    judgement_repeat_number: int = 0,
    judgement_kinds: Collection[JudgementKind] = JUDGEMENT_KINDS,
) -> None:
    """Have the model judge an answer by the ``judgement_kinds`` that apply; store the result after each judgement.

    A new ``judgement_repeat_number`` asks again instead of using the cache. Raises the same errors as
    `answer_judge_and_store_item`.
    """
    assert services.judge is not None
    judging_input = JudgingInput(result.item.question, result.item.reference, result.answer.text, result.context)
    for judgement_kind in applicable_kinds_of_judgement(result.item.reference, result.context):
        if judgement_kind in judgement_kinds:
            judge_exchange_recording = Recording(services.judge, services.count_tokens, cancelled, judgement_repeat_number)
            model_judgement = judge_answer(
                judgement_kind, judging_input, judge_exchange_recording, services.cosines_with, judgement_repeat_number
            )
            earlier_judgements_of_kind = result.judgements.get(judgement_kind, ())
            result = replace(
                result, judgements={**result.judgements, judgement_kind: (*earlier_judgements_of_kind, model_judgement)}
            )
            store_result(result)


# About what a run of answers takes, before anything is sent.


class RequestEstimates(NamedTuple):
    """Estimated requests for answering questions and for judging the answers."""

    answers: Estimate
    judgements: Estimate

    @property
    def requests(self) -> int:
        """Total number of requests for answers and judgements."""
        return self.answers.requests + self.judgements.requests


class PromptSizes(NamedTuple):
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
    judging: Mapping[JudgementKind, int]
    questions: Sequence[int]
    references: Sequence[int]

    @classmethod
    def count_tokens_for_questions(
        cls, question_items: Sequence[QuestionItem], count_tokens: Callable[[Sequence[str]], list[int]]
    ) -> "PromptSizes":
        """Return the token counts of the prompts, the questions and the reference answers."""
        fixed_prompt_texts = [
            prompts.ANSWER_SYSTEM_PROMPT,
            prompts.CLOSED_BOOK_SYSTEM_PROMPT,
            *(JUDGING_PROMPTS[kind][0] for kind in JUDGEMENT_KINDS),
        ]
        prompt_question_reference_token_counts = count_tokens(
            [*fixed_prompt_texts, *(item.question for item in question_items), *(item.reference for item in question_items)]
        )
        answering_prompt_token_count, closed_book_prompt_token_count, *judging_prompt_token_counts = (
            prompt_question_reference_token_counts[: len(fixed_prompt_texts)]
        )
        question_then_reference_token_counts = prompt_question_reference_token_counts[len(fixed_prompt_texts) :]
        judge_prompt_tokens_by_kind = dict(zip(JUDGEMENT_KINDS, judging_prompt_token_counts, strict=True))
        return cls(
            answering_prompt_token_count,
            closed_book_prompt_token_count,
            judge_prompt_tokens_by_kind,
            question_then_reference_token_counts[: len(question_items)],
            question_then_reference_token_counts[len(question_items) :],
        )

    def estimate_answer_request_tokens(self, question_number: int, context: AnswerContext) -> int:
        """Estimate the tokens of the request that asks a question with its passages."""
        system_prompt_token_count = self.closed_book if context.closed_book else self.answering
        return system_prompt_token_count + self.questions[question_number] + context.tokens

    def estimate_judgement_request_tokens(self, kind: JudgementKind, question_number: int, context: AnswerContext) -> int:
        """Estimate the tokens of the request for one kind of judgement of an answer."""
        prompt_and_answer_token_count = self.judging[kind] + GUESSED_ANSWER_TOKENS
        match kind:
            case "faithfulness":
                return prompt_and_answer_token_count + context.tokens + self.questions[question_number]
            case "relevancy":
                return prompt_and_answer_token_count
            case "correctness":
                return prompt_and_answer_token_count + self.questions[question_number] + self.references[question_number]


class RemainingRequests(NamedTuple):
    """Requests that a question still needs: one for the answer, and one for each kind of judgement."""

    answer: bool
    kinds: tuple[JudgementKind, ...]


def find_requests_question_still_needs(
    question_item: QuestionItem,
    context: AnswerContext,
    earlier_result: AnswerResult | None,
    model_access: Asking,
    judge_model_access: Asking | None,
) -> RemainingRequests:
    """Return the requests that a question still needs, given earlier results and cached answers.

    Parameters
    ----------
    judge_model_access
        Access to the judging model; None if the answers are not judged.
    """
    applicable_judgement_kinds = (
        () if judge_model_access is None else applicable_kinds_of_judgement(question_item.reference, context)
    )
    if earlier_result is not None and earlier_result.has_all_measures(requires_judgements=judge_model_access is not None):
        return RemainingRequests(False, ())
    earlier_answer_text = earlier_result is not None and earlier_result.answer.text
    answer_text = earlier_answer_text or find_cached_model_answer(question_item.question, context, model_access)
    if answer_text is None:
        return RemainingRequests(True, applicable_judgement_kinds)
    if not answer_text or judge_model_access is None:
        return RemainingRequests(False, ())
    earlier_judgements_by_kind = earlier_result.judgements if earlier_result is not None and earlier_answer_text else {}
    judging_input = JudgingInput(question_item.question, question_item.reference, answer_text, context)
    unjudged_kinds = (kind for kind in applicable_judgement_kinds if kind not in earlier_judgements_by_kind)
    return RemainingRequests(
        False,
        tuple(
            kind
            for kind in unjudged_kinds
            if judge_model_access.cached_answer(*judgement_request(kind, judging_input)) is None
        ),
    )


def estimate_answering_and_judging_requests(
    question_items: Sequence[QuestionItem],
    passages_by_chunker_number: Mapping[int, GatheredPassages],
    prompt_sizes: PromptSizes,
    remaining_requests_of: Callable[[tuple[int, int], QuestionItem, AnswerContext], RemainingRequests],
) -> RequestEstimates:
    """Estimate the number of requests and tokens of a run without sending a request.

    The estimate assumes that no request is repeated, and guesses the lengths of the answers.

    Parameters
    ----------
    remaining_requests_of
        Returns the requests still needed, given the numbers of the chunker and the question, the question, and its context.
    """
    answer_request_token_counts: list[int] = []
    judgement_request_token_counts: list[int] = []
    for chunker_number, retrieved_passages in passages_by_chunker_number.items():
        for question_number, (question_item, context) in enumerate(
            zip(question_items, retrieved_passages.contexts, strict=True)
        ):
            remaining_requests_of_question = remaining_requests_of((chunker_number, question_number), question_item, context)
            if remaining_requests_of_question.answer:
                answer_request_token_counts.append(prompt_sizes.estimate_answer_request_tokens(question_number, context))
            judgement_request_token_counts += [
                prompt_sizes.estimate_judgement_request_tokens(kind, question_number, context)
                for kind in remaining_requests_of_question.kinds
            ]
    return RequestEstimates(
        Estimate(len(answer_request_token_counts), sum(answer_request_token_counts)),
        Estimate(len(judgement_request_token_counts), sum(judgement_request_token_counts)),
    )


# Measures of an answer as JSON without any text: scores, tokens, and whether there was an answer at all.


UNKNOWN_PROBLEM_PHRASE = "what was wrong with it is not kept"
"""Why there is no answer or judgement, of one that was stored: the reason may quote the model."""


class _StoredJudgement(BaseModel, extra="forbid", strict=True):
    value: float | None
    failed: bool
    tokens_in: int
    tokens_out: int
    repeat: int


class _Stored(BaseModel, extra="forbid", strict=True):
    failed: bool
    tokens_in: int
    tokens_out: int
    question_cosine: float | None
    reference_cosine: float | None
    bert_score: float | None
    judgements: dict[JudgementKind, tuple[_StoredJudgement, ...]]


def encode_answer_result_json_bytes(result: AnswerResult) -> bytes:
    """Return the measures of an answer as JSON, without question, passages or answer texts."""
    return (
        _Stored(
            failed=not result.answer.is_usable,
            tokens_in=result.answer.exchange.tokens_in,
            tokens_out=result.answer.exchange.tokens_out,
            question_cosine=result.question_cosine,
            reference_cosine=result.reference_cosine,
            bert_score=result.bert_score,
            judgements={
                kind: tuple(
                    _StoredJudgement(
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


def answer_result_from_json(json_bytes: bytes, question_item: QuestionItem, context_passages: AnswerContext) -> AnswerResult:
    """Return the result that `encode_answer_result_json_bytes` stored; the answer's text is empty, since it was not stored.

    Raises
    ------
    InputError
        If the JSON was not written by `encode_answer_result_json_bytes`.
    """
    try:
        stored_result_record = _Stored.model_validate_json(json_bytes)
    except ValidationError as error:
        raise InputError(
            "A stored answer must be in the format that Seamark writes; this one is not. Ask the question again."
        ) from error
    answer_without_text = Answer(
        "",
        UNKNOWN_PROBLEM_PHRASE if stored_result_record.failed else "",
        Exchange((), stored_result_record.tokens_in, stored_result_record.tokens_out),
    )
    judgements_by_kind: dict[JudgementKind, tuple[Judgement, ...]] = {
        kind: tuple(
            Judgement(
                kind,
                judgement.value,
                UNKNOWN_PROBLEM_PHRASE if judgement.failed else "",
                (),
                Exchange((), judgement.tokens_in, judgement.tokens_out),
                judgement.repeat,
            )
            for judgement in times
        )
        for kind, times in stored_result_record.judgements.items()
    }
    return AnswerResult(
        question_item,
        context_passages,
        answer_without_text,
        stored_result_record.question_cosine,
        stored_result_record.reference_cosine,
        stored_result_record.bert_score,
        judgements_by_kind,
    )
