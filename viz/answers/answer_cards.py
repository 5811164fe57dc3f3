"""One question of a run: each chunker's chunks, the model's answer and its judgements on cards, side by side."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import streamlit as st

from chunkers import load_tokenizer
from chunkers.contract import Estimate
from chunkers.language_models import Asking
from chunkers.support import format_number, pluralize
from evaluation.answering import (
    ANSWER_MEASURES,
    GUESSED_ANSWER_TOKENS,
    AnswerContext,
    AnswerResult,
    Exchange,
    GatheredPassages,
    Judgement,
    PromptSizes,
    applicable_kinds_of_judgement,
)
from viz.answers.model_choice import access_to_judging_model
from viz.answers.session import session
from viz.components.browser_exchange import Component
from viz.components.page_elements import show_job_progress_or_error, show_remark
from viz.controls import draw_setting_select_box
from viz.jobs.answering_plan_and_jobs import Answering, AnswerPlan, Judging
from viz.shell import ModelRequests, draw_consent_once_estimated
from viz.state import Choices, access_to_chosen_language_model, language_model_name_and_revision

MESSAGE_ROLE_LABELS = {"system": "Told to the model", "user": "Asked", "assistant": "Its words"}


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


class GivenChunkData(TypedDict):
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
    given: list[GivenChunkData]
    budget: str
    judgements: list[JudgementData]
    turns: list[TurnData]


class AnswerCardsData(TypedDict):
    """Payload of a question, its reference answer (empty if it has none), and a card for each chunker."""

    question: str
    reference: str
    cards: list[AnswerCardData]


_answer_cards_component = Component[AnswerCardsData](
    "seamark_answers", "answers/answer_cards.js", "answers/answer_cards.css", html='<div class="answers"></div>'
)


def answer_card_data(
    title: str,
    answer_context: AnswerContext | None,
    answer_result: AnswerResult | None,
    token_budget: int,
    *,
    is_running: bool,
) -> AnswerCardData:
    """Return a chunker's card: its retrieved chunks, the model's answer, and the measures computed so far."""
    model_answer = answer_result.answer if answer_result is not None else None
    missing_answer_note = ""
    if answer_context is None:
        missing_answer_note = "Its chunks are not there yet."
    elif model_answer is None:
        missing_answer_note = "Waiting for the answer …" if is_running else "No answer yet."
    elif not model_answer.is_usable:
        missing_answer_note = f"No answer that can be used: {model_answer.problem}."
    elif not model_answer.text:
        missing_answer_note = (
            "Answered before the server was restarted: what was measured of the answer was kept, its words were not."
        )
    return {
        "title": title,
        "answer": model_answer.text if model_answer is not None else "",
        "note": missing_answer_note,
        "values": _measure_titles_and_values(answer_result) if answer_result is not None else [],
        "given": _given_chunks_data(answer_context) if answer_context is not None else [],
        "budget": _budget_use_phrase(answer_context, token_budget) if answer_context is not None else "",
        "judgements": [_latest_judgement_data(times) for times in answer_result.judgements.values()]
        if answer_result is not None
        else [],
        "turns": _exchange_turns_data(model_answer.exchange) if model_answer is not None else [],
    }


def _given_chunks_data(answer_context: AnswerContext) -> list[GivenChunkData]:
    return [
        {
            "title": f"Chunk {passage.chunk + 1}{'' if passage.whole else ', cut off where the budget is full'}",
            "text": passage.text,
        }
        for passage in answer_context.passages
    ]


def _budget_use_phrase(answer_context: AnswerContext, token_budget: int) -> str:
    if answer_context.closed_book:
        return "nothing of the text"
    return f"{pluralize(len(answer_context.passages), 'chunk')}, {answer_context.tokens:,} of {token_budget:,} tokens"


def _measure_titles_and_values(answer_result: AnswerResult) -> list[tuple[str, str]]:
    return [
        (measure.title, format_number(value, ".2f"))
        for name, measure in ANSWER_MEASURES.items()
        if (value := answer_result.value(name)) is not None
    ]


def _latest_judgement_data(judgements: Sequence[Judgement]) -> JudgementData:
    latest_judgement = judgements[-1]
    answer_measure_title = ANSWER_MEASURES[latest_judgement.kind].title
    judgement_sentences = list(latest_judgement.sentences)
    if latest_judgement.problem:
        judgement_sentences.append(f"Not judged, as no reply could be used: {latest_judgement.problem}.")
    if len(judgements) > 1:
        judgement_sentences.append(f"Before: {', '.join(map(_judged_value_as_text, judgements[:-1]))}.")
    return {
        "title": answer_measure_title,
        "value": _judged_value_as_text(latest_judgement),
        "said": judgement_sentences,
        "turns": _exchange_turns_data(latest_judgement.exchange),
    }


def _judged_value_as_text(judgement: Judgement) -> str:
    if judgement.problem:
        return "not judged"
    return "undefined" if judgement.value is None else format_number(judgement.value, ".2f")


def _exchange_turns_data(exchange: Exchange) -> list[TurnData]:
    return [{"who": MESSAGE_ROLE_LABELS[role], "words": text or "(nothing)"} for role, text in exchange.turns]


def draw_question_selector_and_answers(
    choices: Choices,
    answer_plan: AnswerPlan,
    passages_by_column: Mapping[int, GatheredPassages],
    answers_run: Answering | None,
) -> None:
    """Draw a question selector, and each chunker's card for the selected question, with answers if there is a run."""
    st.header("Question details", anchor=False)
    label_by_question_number = {
        str(question_number): f"{question_number}. {item.question}"
        for question_number, item in enumerate(answer_plan.items, start=1)
    }
    question_index = (
        int(draw_setting_select_box("Question", choices.extra, "question", label_by_question_number, "answers/question")) - 1
    )
    question_item, result_by_column_and_question = (
        answer_plan.items[question_index],
        {} if answers_run is None else answers_run.results.copy(),
    )
    is_run_in_progress = answers_run is not None and answers_run.running
    chunker_answer_cards = [
        answer_card_data(
            name,
            passages_by_column[column].contexts[question_index] if column in passages_by_column else None,
            result_by_column_and_question.get((column, question_index)),
            answer_plan.budget,
            is_running=is_run_in_progress,
        )
        for column, name in enumerate(answer_plan.names)
    ]
    _answer_cards_component(
        key="answers_cards",
        data={"question": question_item.question, "reference": question_item.reference, "cards": chunker_answer_cards},
    )
    answering_model_access = access_to_chosen_language_model()
    if answers_run is None or is_run_in_progress or answering_model_access is None:
        return
    judging_model_access = access_to_judging_model(choices, answering_model_access)
    if (
        judging_model_access is not None
        and language_model_name_and_revision(judging_model_access) == answers_run.models.judge
    ):
        _draw_judge_again_button(answers_run, judging_model_access, question_index)


def _draw_judge_again_button(answers_run: Answering, judging_model_access: Asking, question_index: int) -> None:
    """Draw the button that judges the answers to a question again, with the receiving server and the estimated cost."""
    judging_job = session.judging
    answered_results = [
        outcome
        for place, outcome in answers_run.results.copy().items()
        if place[1] == question_index and outcome.answer.text
    ]
    if not answered_results:
        return
    if judging_job is not None and judging_job.run is answers_run:
        finished_judgement_count_before = judging_job.finished
        if show_job_progress_or_error(
            judging_job, "answers_judging", lambda: judging_job.finished > finished_judgement_count_before
        ):
            return
    question_to_judge_again = answers_run.plan.items[question_index]
    question_prompt_sizes = PromptSizes.count_tokens_for_questions(
        [question_to_judge_again], load_tokenizer(answers_run.plan.tokenizer).count
    )
    result_and_measure_pairs = [
        (outcome, kind)
        for outcome in answered_results
        for kind in applicable_kinds_of_judgement(question_to_judge_again.reference, outcome.context)
    ]
    judgement_token_count = sum(
        question_prompt_sizes.estimate_judgement_request_tokens(kind, 0, outcome.context)
        for outcome, kind in result_and_measure_pairs
    )

    def judge_question_answers_again() -> None:
        session.judging = judging_job = Judging(answers_run, question_index, judging_model_access)
        judging_job.start()

    draw_consent_once_estimated(
        ModelRequests(
            (answers_run, question_index),
            judging_model_access,
            Estimate(len(result_and_measure_pairs), judgement_token_count),
            f"“Judge again” sends {pluralize(len(answered_results), 'answer')} and what they were given once more",
            "judge_again",
            GUESSED_ANSWER_TOKENS,
            schema_model=judging_model_access,
            label="Judge again",
        ),
        judge_question_answers_again,
    )
    show_remark("What the judge said before stays to be read.", key="answers_judge_again_said")
