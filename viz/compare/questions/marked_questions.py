"""The session's questions with marked answers: ask again, remove, measure on Retrieval, or save as a file."""

import streamlit as st

from chunkers.support import pluralize
from evaluation.questions import MarkedQuestion, marked_questions_to_csv
from evaluation.search import MOST_RERANKED_CHUNKS, Reranker
from viz.compare.choices_and_session.session import session
from viz.compare.questions.question_search import delete_stored_texts_without_questions
from viz.components.page_elements import show_download_button, show_remark
from viz.controls import build_widget_key_and_callback, offer_to_store_document
from viz.shell import columns_of_compare, give_compare_questions_to_retrieval, open_page_at_next_run
from viz.state import MAX_LINK_NAME_CHARACTERS, current_document_name

MOST_SHOWN_ANSWER_CHARACTERS = 120
"""Most characters of an answer that the list shows; the file has the whole answer."""


def draw_stored_questions_across_texts() -> None:
    """Draw the stored questions about all texts, a button that measures the columns on them, and a cross-encoder's name."""
    _show_marked_questions()
    _draw_reranker_field()


def _draw_reranker_field() -> None:
    """Draw the text box for a cross-encoder's name; it is loaded when a question is asked and is not part of links."""
    displayed_reranker_name = "" if session.reranker is None else session.reranker.name

    def set_reranker(name: str) -> None:
        session.reranker = Reranker(name.strip()) if name.strip() else None

    st.text_input(
        "Cross-encoder folder",
        value=displayed_reranker_name,
        max_chars=MAX_LINK_NAME_CHARACTERS,
        help=(
            f"Reorders the best {MOST_RERANKED_CHUNKS} chunks by reading each with the question. The model is never fetched."
        ),
        **build_widget_key_and_callback(displayed_reranker_name, "ask_reranker", set_reranker),
    )


def _show_marked_questions() -> None:
    stored_questions = tuple(session.questions)
    if not stored_questions:
        show_remark(
            "Ask the text a question above, select its answer in the text and mark it: it is kept here as long as this tab "
            "is open, and Retrieval measures the chunkers on it.",
            key="questions_none",
        )
        return
    text_count = len({session.question_texts[question.identity].text for question in stored_questions})
    storage_duration_phrase = (
        "as long as this tab is open"
        if current_document_name() not in session.stored_versions
        else "with its text, or while this tab is open"
    )
    show_remark(
        f"{pluralize(len(stored_questions), 'question')} about {pluralize(text_count, 'text')}, kept "
        f"{storage_duration_phrase}.",
        key="questions_said",
    )
    offer_to_store_document("questions", current_document_name())
    for question_index, question in enumerate(stored_questions):
        buttons_row = st.container(horizontal=True, vertical_alignment="center", key=f"question_{question_index}")
        with buttons_row.container():
            show_remark(
                f"{question.question} → “{_shorten_answer(question.answer)}” ({question.document})",
                key=f"question_said_{question_index}",
            )
        buttons_row.button(
            "Ask again",
            key=f"question_ask_{question_index}",
            on_click=_ask_marked_question_again,
            args=(question,),
            width="content",
        )
        buttons_row.button(
            "Remove question",
            key=f"question_remove_{question_index}",
            on_click=_remove_question,
            args=(question,),
            width="content",
        )
    actions_row = st.container(horizontal=True)
    actions_row.button(
        "Measure on Retrieval",
        on_click=_start_retrieval_run,
        key="questions_measure",
        type="primary",
        help="Opens Retrieval and measures the columns of this page on these questions and their texts.",
    )
    show_download_button(
        actions_row,
        "Questions, CSV",
        lambda: marked_questions_to_csv(stored_questions),
        "seamark-questions.csv",
        "text/csv",
        (stored_questions,),
        help="Question, references with content and place, and the text's name: a file that Retrieval reads with the texts.",
    )


def _start_retrieval_run() -> None:
    """Pass the questions and their texts to Retrieval, and start its run on this page's columns."""
    give_compare_questions_to_retrieval(columns_of_compare(), begins_run=True)
    open_page_at_next_run("retrieval")


def _shorten_answer(answer: str) -> str:
    single_line_answer = " ".join(answer.split())
    return (
        single_line_answer
        if len(single_line_answer) <= MOST_SHOWN_ANSWER_CHARACTERS
        else f"{single_line_answer[:MOST_SHOWN_ANSWER_CHARACTERS]}…"
    )


def _ask_marked_question_again(marked_question: MarkedQuestion) -> None:
    session.question, session.marked_answer, session.answer_complaint = marked_question.question, marked_question, ""


def _remove_question(marked_question: MarkedQuestion) -> None:
    session.questions[:] = [other for other in session.questions if other is not marked_question]
    delete_stored_texts_without_questions()
    if session.marked_answer is marked_question:
        session.marked_answer = None
