"""The questions of the page Answers: typed, from a file, or Retrieval's for the text that is open."""

from functools import lru_cache, partial

import streamlit as st

from chunkers.support import pluralize
from evaluation.answering import (
    QUESTION_ANSWER_SEPARATOR,
    QuestionItem,
    QuestionItems,
    questions_of_file,
    questions_of_lines,
)
from sample_docs import SAMPLES_FOLDER
from viz.answers.session import session
from viz.components.page_elements import (
    show_folded_table,
    show_job_progress_or_error,
    show_job_progress_with_cancel,
    show_notice,
    show_remark,
)
from viz.controls import adopt_as_own_text, build_widget_key_and_callback, draw_segmented_control_storing_setting
from viz.jobs import ReadingJob, converter_from_single_file_function
from viz.jobs.answering_plan_and_jobs import QuestionAssignmentJob, SharedText
from viz.shell import open_page_at_next_run, shared_question_sets
from viz.state import OWN_DOCUMENT_KEY, Choices, PageText, TextWithDetails

QUESTION_SOURCES = {"retrieval": "Retrieval's", "typed": "Typed", "file": "From a file"}
"""Sources of questions: the word in the link, and its label on the page."""

QUESTION_SOURCE_LINK_PARAMETER = "questions"
"""The link parameter that names the source of the questions."""

QUESTION_LOOKUP_WAIT_SECONDS = 0.3
"""Seconds to wait for Retrieval's questions before the page shows that it is looking them up."""


def choose_questions(choices: Choices, text: PageText) -> QuestionItems:
    """Draw the controls for choosing questions, report the invalid questions, and return the valid ones."""
    with st.container(key="answers_source"):
        draw_segmented_control_storing_setting(
            "Questions", choices.extra, QUESTION_SOURCE_LINK_PARAMETER, QUESTION_SOURCES, "answers/questions"
        )
        if choices.extra[QUESTION_SOURCE_LINK_PARAMETER] == "retrieval":
            return _take_retrieval_questions_showing_origin(choices, text)
        chosen_question_items = (
            _draw_typed_questions_field()
            if choices.extra[QUESTION_SOURCE_LINK_PARAMETER] == "typed"
            else _draw_question_file_uploader()
        )
    if chosen_question_items.usable:
        show_remark(f"{_question_and_reference_counts_phrase(chosen_question_items)}.", key="answers_questions_said")
    _show_question_problems(chosen_question_items)
    return chosen_question_items


def _question_and_reference_counts_phrase(question_items: QuestionItems) -> str:
    questions_with_reference_count = sum(bool(item.reference) for item in question_items.usable)
    return (
        f"{pluralize(len(question_items.usable), 'question')}, {questions_with_reference_count:,} of them with a reference "
        "answer"
    )


def _show_question_problems(question_items: QuestionItems) -> None:
    if len(question_items.problems) == 1:
        show_notice(question_items.problems[0], "error", key="answers_problem")
    else:
        show_folded_table(
            f"{pluralize(len(question_items.problems), 'question')} left out", {"question": question_items.problems}
        )


def _take_retrieval_questions_showing_origin(choices: Choices, text: PageText) -> QuestionItems:
    """Return Retrieval's questions about the text; draw their origin and a link to Retrieval."""
    retrieval_questions_job = _retrieval_question_lookup_job()
    shared_question_set = retrieval_questions_job.shared_texts.get(text.document.text)
    questions_from_compare = tuple(
        QuestionItem(question.question, question.answer)
        for question in session.questions
        if question.identity == text.document.identity
    )
    sample_text_questions = () if choices.document == OWN_DOCUMENT_KEY else _questions_of_sample_text(choices.document)
    all_question_items = (
        *questions_from_compare,
        *sample_text_questions,
        *(shared_question_set.items.usable if shared_question_set is not None else ()),
    )
    item_by_question = {item.question: item for item in all_question_items}
    distinct_question_items = QuestionItems(
        (*item_by_question.values(),), shared_question_set.items.problems if shared_question_set is not None else ()
    )
    origin_phrases = [
        *(["kept on Compare"] if questions_from_compare else []),
        *(["that come with this sample"] if sample_text_questions else []),
        *([shared_question_set.origin] if shared_question_set is not None and shared_question_set.items.usable else []),
    ]
    open_retrieval_button_row = st.container(horizontal=True, vertical_alignment="center")
    if distinct_question_items.usable:
        with open_retrieval_button_row:
            show_remark(
                f"{_question_and_reference_counts_phrase(distinct_question_items)}: those "
                f"{' and those '.join(origin_phrases)}; the excerpts that answer them are the references.",
                key="answers_questions_said",
            )
    open_retrieval_button_row.button(
        "Open Retrieval", key="answers/open", on_click=open_page_at_next_run, args=("retrieval",), type="tertiary"
    )
    _show_question_problems(distinct_question_items)
    show_job_progress_or_error(retrieval_questions_job, "answers_sharing")
    other_texts_with_questions = [
        other
        for other in [*retrieval_questions_job.shared_texts.values()]
        if other is not shared_question_set and other.items.usable
    ]
    if other_texts_with_questions:
        _draw_other_text_opener(choices, other_texts_with_questions)
    return distinct_question_items


def _retrieval_question_lookup_job() -> QuestionAssignmentJob:
    """Return the job that looks up Retrieval's questions, starting a new one if its material has changed."""
    session.question_sharing_job = retrieval_questions_job = QuestionAssignmentJob(shared_question_sets()).earlier_if_same(
        session.question_sharing_job
    )
    retrieval_questions_job.start_once(QUESTION_LOOKUP_WAIT_SECONDS)
    return retrieval_questions_job


def _draw_other_text_opener(choices: Choices, other_texts: list[SharedText]) -> None:
    """Draw the list of other texts with questions on Retrieval, and the button that opens one of them on this page."""
    text_selection_container = st.container(horizontal=True, vertical_alignment="bottom")
    other_text_index = text_selection_container.selectbox(
        "Questions from Retrieval",
        range(len(other_texts)),
        format_func=lambda place: (
            f"{other_texts[place].name}: {pluralize(len(other_texts[place].items.usable), 'question')}"
        ),
        key="answers/other_text",
    )
    selected_other_text = other_texts[other_text_index or 0]
    text_selection_container.button(
        "Open selected text",
        key="answers/open_text",
        on_click=lambda: adopt_as_own_text(
            TextWithDetails(
                selected_other_text.text, selected_other_text.name, None, "from Retrieval", selected_other_text.parts
            ),
            choices,
        ),
    )


@lru_cache(maxsize=32)
def _questions_of_sample_text(document_name: str) -> tuple[QuestionItem, ...]:
    import csv
    import json

    with (SAMPLES_FOLDER / "questions.csv").open(encoding="utf-8", newline="") as questions_file:
        document_question_rows = [row for row in csv.DictReader(questions_file) if row["corpus_id"] == document_name]
    return tuple(QuestionItem(row["question"], " ".join(json.loads(row["excerpts"]))) for row in document_question_rows)


def _draw_typed_questions_field() -> QuestionItems:
    st.text_area(
        "Your questions",
        session.typed_questions,
        help="One question per line.",
        height=140,
        placeholder=(
            f"When was it built?\nWho built it? {QUESTION_ANSWER_SEPARATOR} A reference answer may follow after a bar."
        ),
        **build_widget_key_and_callback(
            session.typed_questions, "answers/typed", partial(setattr, session, "typed_questions")
        ),
    )
    return questions_of_lines(session.typed_questions)


def _draw_question_file_uploader() -> QuestionItems:
    def begin_reading_uploaded_file() -> None:
        uploaded_question_file = st.session_state["answers/file"]
        session.answers_file = session.question_reading_job = None
        if uploaded_question_file is not None:
            session.question_reading_job = ReadingJob(
                [(uploaded_question_file.name, uploaded_question_file.getvalue())],
                converter_from_single_file_function(questions_of_file),
            ).start_and_wait_briefly()

    st.file_uploader(
        "Question file",
        type=["csv", "jsonl", "json", "tsv"],
        key="answers/file",
        on_change=begin_reading_uploaded_file,
        help="At most 20 MB of CSV, JSON lines or JSON, with a question and perhaps an answer in each row. A file of "
        "Retrieval's will do.",
    )
    if reading_job := session.take_finished_reading_job("question_reading_job"):
        # An unusable file gives no questions, only a problem.
        session.answers_file = reading_job.name, reading_job.result or QuestionItems((), (reading_job.error,))
    if session.question_reading_job is not None:
        show_job_progress_with_cancel(session.question_reading_job, key="answers_reading")
    if session.answers_file is None:
        return QuestionItems(())
    question_file_name, question_items = session.answers_file
    show_remark(question_file_name, key="answers_file_name")
    return question_items
