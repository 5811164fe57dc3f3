"""Cost of replacing the selected column of Compare by each other: chunks, tokens, dollars, and questions won and lost."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from chunkers import Chunker, Chunking, Document, Embedder, InputError, load_tokenizer
from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs, embedded_text
from chunkers.support import pluralize
from evaluation.questions import question_set_from_user_marks
from evaluation.report.measure_table_cells import (
    QUESTION_CHANGE_HEADS,
    Cell,
    Head,
    document_change_row,
    index_change_cells,
    index_change_heads,
    question_change_cells,
)
from evaluation.retrieval.index_changes import (
    ChunkComparison,
    IndexComparison,
    WonAndLost,
    embedding_dollars,
    estimate_embedded_tokens_of_indexing,
    format_dollars,
)
from evaluation.search import SearchMethod
from evaluation.statistics import corrected_differences_per_comparison
from viz.compare.choices_and_session.session import session
from viz.compare.questions.question_search import chunkings_with_contexts
from viz.compare.scores.scoreboard import score_row_of_column
from viz.components.measure_table import show_measures
from viz.components.page_elements import show_folded_table, show_job_progress_or_error, show_remark
from viz.components.score_table.score_table import RowData, draw_table_of_measures
from viz.controls import build_widget_key_and_callback
from viz.jobs import ChunkingTask, cached_while_shown, contexts_digest
from viz.jobs.index_changes_and_stability import MOST_LISTED_DOCUMENTS_AND_QUESTIONS, IndexChanges, IndexSetting
from viz.jobs.retrieval_plan import RunMaterial
from viz.shell import ColumnResult, bundled_documents_and_questions, shared_question_sets, waiting_status_phrase
from viz.state import RANKING_METHOD_LABELS, Choices, TextWithDetails, ranking_method_of, retrieval_limit_of

THIS_TEXT_OPTION = "This text"

MOST_COUNTED_CHARACTERS = 1_000_000
"""Maximum number of characters whose tokens are counted while the page is drawn; the rest is extrapolated."""

HIGHEST_PRICE_PER_MILLION_TOKENS = 1000.0
"""The highest price of a million tokens that can be set."""


def show_index_changes_and_cost(
    choices: Choices,
    column_results: Sequence[ColumnResult],
    text_with_details: TextWithDetails,
    document: Document,
    embedder: Embedder | None,
) -> None:
    """Draw what is kept, changed, new and gone if each column replaced the selected one, and the questions won and lost."""
    chosen_documents_and_questions = _choose_documents_drawing_price_field(
        _named_documents_with_questions(text_with_details, document)
    )
    dollars_per_million_tokens = session.embedding_price or None
    is_only_this_text = chosen_documents_and_questions.texts == ((document.name, document.text),)
    index_job_setting = _index_setting_from_choices(choices, chosen_documents_and_questions, embedder)
    index_changes_job = session.index_changes
    if index_changes_job is not None and index_changes_job.setting != index_job_setting:
        index_changes_job.cancel()
        session.index_changes = index_changes_job = None
    if not is_only_this_text:
        # Without it the table is empty.
        _offer_index_measurement(column_results, index_job_setting, embedder, is_only_this_text=is_only_this_text)
    document_count = len(chosen_documents_and_questions.texts)
    comparison_by_column: dict[int, IndexComparison] = {}
    rows: list[RowData] = []
    for compared_column_index, column in enumerate(column_results):
        try:
            chunk_count, index_comparison = (
                _compare_columns_on_this_text(column_results, choices.selected, compared_column_index)
                if is_only_this_text
                else _compare_columns_by_job_results(
                    column_results, index_changes_job, choices.selected, compared_column_index
                )
            )
        except InputError as error:
            rows.append(score_row_of_column(compared_column_index, column, message=str(error)))
            continue
        if index_comparison is not None:
            comparison_by_column[compared_column_index] = index_comparison
        rows.append(
            score_row_of_column(
                compared_column_index,
                column,
                index_change_cells(chunk_count, index_comparison, document_count, dollars_per_million_tokens),
            )
        )
    draw_table_of_measures(
        choices,
        index_change_heads(document_count, dollars_per_million_tokens),
        rows,
        key="changes",
        introduction=f"An index of column {choices.selected + 1}, replaced by one of another column. A press on a column "
        "compares with that one.",
        note=_compose_embedded_text_note(choices, column_results, is_only_this_text=is_only_this_text),
    )
    if is_only_this_text:
        _offer_index_measurement(column_results, index_job_setting, embedder, is_only_this_text=is_only_this_text)
    if index_changes_job is not None:
        show_recall_changes(choices, column_results, index_changes_job)
    show_changed_documents_and_questions(choices, column_results, comparison_by_column, index_changes_job)


def _named_documents_with_questions(text_with_details: TextWithDetails, document: Document) -> dict[str, RunMaterial]:
    """Return the documents and questions at hand, by their names in the list."""
    questions = [question for question in session.questions if question.identity == document.identity]
    named_document_texts = ((document.name, document.text),)
    marked_questions_file = (
        question_set_from_user_marks(questions, {document.identity: document.text}).questions if questions else ("", b"")
    )
    document_names_and_parts = () if text_with_details.parts is None else ((document.name, text_with_details.parts),)
    documents_and_questions_by_label = {
        THIS_TEXT_OPTION: RunMaterial(named_document_texts, marked_questions_file, True, document_names_and_parts)
    }
    documents_and_questions_by_label[
        f"{pluralize(len(bundled_documents_and_questions().texts), 'bundled document')} with questions"
    ] = bundled_documents_and_questions()
    for question_set_number, (question_set_origin, documents_and_questions) in enumerate(shared_question_sets(), 1):
        document_set_name = (
            f"{pluralize(len(documents_and_questions.texts), 'document')} with questions {question_set_origin}"
        )
        documents_and_questions_by_label[
            f"{document_set_name}, set {question_set_number}"
            if document_set_name in documents_and_questions_by_label
            else document_set_name
        ] = documents_and_questions
    return documents_and_questions_by_label


def _choose_documents_drawing_price_field(documents_and_questions_by_name: dict[str, RunMaterial]) -> RunMaterial:
    """Draw the choice of documents and the price of embedding, and return the chosen documents."""
    if session.index_documents_name not in documents_and_questions_by_name:
        session.index_documents_name = THIS_TEXT_OPTION
    document_controls_row = st.container(horizontal=True, vertical_alignment="bottom")
    document_set_names = [*documents_and_questions_by_name]
    document_controls_row.selectbox(
        "Documents",
        document_set_names,
        document_set_names.index(session.index_documents_name),
        width=420,
        **build_widget_key_and_callback(
            session.index_documents_name, "changes_documents", partial(setattr, session, "index_documents_name")
        ),
    )
    document_controls_row.number_input(
        "US dollars per million tokens",
        0.0,
        HIGHEST_PRICE_PER_MILLION_TOKENS,
        session.embedding_price,
        step=0.01,
        width=240,
        help="The price of your embedding model, for the column “Cost”; 0 hides it.",
        **build_widget_key_and_callback(
            session.embedding_price, "changes_price", partial(setattr, session, "embedding_price")
        ),
    )
    return documents_and_questions_by_name[session.index_documents_name]


def _index_setting_from_choices(
    choices: Choices, documents_and_questions: RunMaterial, embedder: Embedder | None
) -> IndexSetting:
    total_document_character_count = sum(len(text) for _, text in documents_and_questions.texts)
    embedded_text_kind: EmbeddedAs = "plain" if session.embedded_as == "context" else session.embedded_as
    return IndexSetting(
        documents_and_questions,
        ("", "") if embedder is None else (embedder.name, embedder.identity),
        choices.sentences,
        choices.tokenizer,
        embedded_text_kind,
        ranking_method_of(choices),
        retrieval_limit_of(choices, total_document_character_count)[1],
    )


ChunkCountAndIndexComparison = tuple[int, IndexComparison | None]
"""The number of a column's chunks, and what changes if they replace the selected column's; None for that column."""


def _compare_columns_by_job_results(
    column_results: Sequence[ColumnResult],
    index_changes_job: IndexChanges | None,
    selected_column_index: int,
    column_index: int,
) -> ChunkCountAndIndexComparison:
    """Compare a column's chunks of the job's documents with the selected column's; raise InputError if that fails."""
    column, selected_column = column_results[column_index], column_results[selected_column_index]
    if column.chunker is None:
        raise InputError(column.error)
    if index_changes_job is None or column.chunker not in index_changes_job.results:
        raise InputError(
            "Not measured yet."
            if index_changes_job is None
            else index_changes_job.refusal_by_chunker.get(column.chunker, "Not measured yet.")
        )
    chunk_count = sum(len(own) for _, own in index_changes_job.results[column.chunker].chunks)
    if column is selected_column:
        return chunk_count, None
    if selected_column.chunker not in index_changes_job.results:
        raise InputError(f"Column {selected_column_index + 1}, with which it is compared, is not measured.")
    return chunk_count, index_changes_job.changes_if_chunker_replaced(selected_column.chunker, column.chunker)


def _compare_columns_on_this_text(
    column_results: Sequence[ColumnResult], selected_column_index: int, column_index: int
) -> ChunkCountAndIndexComparison:
    """Compare a column's chunks with the selected column's; raise InputError if that fails."""
    embedded_text_kind = _embedded_text_kind(column_results)
    contextual_chunking_by_column = chunkings_with_contexts(column_results) if embedded_text_kind == "context" else {}
    column, selected_column = column_results[column_index], column_results[selected_column_index]
    chunking = contextual_chunking_by_column.get(column_index, column.chunking)
    selected_chunking = contextual_chunking_by_column.get(selected_column_index, selected_column.chunking)
    if chunking is None or selected_chunking is None or column.task is None or selected_column.task is None:
        raise InputError(column.error or waiting_status_phrase())
    if column is selected_column:
        return len(chunking.chunks), None
    return len(chunking.chunks), _index_comparison_between(
        (selected_column.task, column.task), (selected_chunking, chunking), embedded_text_kind
    )


def _embedded_text_kind(column_results: Sequence[ColumnResult]) -> EmbeddedAs:
    """Return the embedded text of chunks: without context sentences unless they are written for all columns."""
    if session.embedded_as == "context":
        contextual_chunking_by_column = chunkings_with_contexts(column_results)
        if any(
            column.chunking and number not in contextual_chunking_by_column for number, column in enumerate(column_results)
        ):
            return "plain"
    return session.embedded_as


def _compose_embedded_text_note(choices: Choices, column_results: Sequence[ColumnResult], *, is_only_this_text: bool) -> str:
    embedded_text_kind = (
        _embedded_text_kind(column_results) if is_only_this_text or session.embedded_as != "context" else "plain"
    )
    caveat_phrase = ""
    if embedded_text_kind != session.embedded_as:
        caveat_phrase = f" Context sentences are not written for all {'columns' if is_only_this_text else 'documents'}."
    if embedded_text_kind == "late":
        caveat_phrase = " A chunk's vector depends on the text around it, so that none is kept."
    return (
        f"Embedded text: {EMBEDDED_AS_LABELS[embedded_text_kind].lower()}, as chosen in Downloads.{caveat_phrase} Tokens as "
        f"{choices.tokenizer} counts them. For a whole corpus: seamark diff."
    )


@cached_while_shown(
    32,
    lambda tasks, chunkings, embedded_as: (
        chunkings[0].document.identity,
        tasks,
        embedded_as,
        contexts_digest(chunkings) if embedded_as == "context" else "",
    ),
)
def _index_comparison_between(
    tasks: tuple[ChunkingTask, ChunkingTask], chunkings: tuple[Chunking, Chunking], embedded_text_kind: EmbeddedAs
) -> IndexComparison:
    """Return the changes from one column to the other. Raise InputError if the tokenizer is not available."""
    tokenizer = load_tokenizer(tasks[1].tokenizer)
    with ChunkComparison(embedded_text_kind != "late") as chunk_comparison:
        for is_new_chunking, chunking in enumerate(chunkings):
            chunk_texts = [embedded_text(chunking.document, chunk, embedded_text_kind) for chunk in chunking.chunks]
            chunk_comparison.add_document_chunks_to_side(
                "",
                zip(chunk_texts, map(int, tokenizer.count(chunk_texts)), strict=True),
                bool(is_new_chunking),
            )
        return chunk_comparison.index_comparison(MOST_LISTED_DOCUMENTS_AND_QUESTIONS)


def _offer_index_measurement(
    column_results: Sequence[ColumnResult], setting: IndexSetting, embedder: Embedder | None, *, is_only_this_text: bool
) -> None:
    """Draw the progress of the job, or the button that cuts and searches what is not measured yet."""
    changes_job = session.index_changes
    known_results_by_chunker = {} if changes_job is None else changes_job.results
    refusals_by_chunker = {} if changes_job is None else changes_job.refusal_by_chunker
    tried_count = len(known_results_by_chunker) + len(refusals_by_chunker)
    if changes_job is not None and show_job_progress_or_error(
        changes_job, "changes", lambda: len(known_results_by_chunker) + len(refusals_by_chunker) > tried_count
    ):
        return
    if is_only_this_text and not setting.material.questions[1]:
        show_remark(
            "To see the questions won and lost, mark answers to your questions above, or choose documents that have "
            "questions.",
            key="changes_no_questions",
        )
        return
    label_by_chunker = {
        column.chunker: f"Column {number}" for number, column in enumerate(column_results, 1) if column.chunker is not None
    }
    measured_or_failed_chunkers = known_results_by_chunker.keys() | refusals_by_chunker.keys()
    if not label_by_chunker.keys() - measured_or_failed_chunkers:
        return

    def start_index_changes_job() -> None:
        new_index_changes_job = IndexChanges(
            setting, label_by_chunker, embedder, session.keeps_embeddings_on_disk, results=known_results_by_chunker
        )
        if changes_job is not None:
            new_index_changes_job.questions, new_index_changes_job.problems = (
                changes_job.questions,
                changes_job.problems,
            )
        session.index_changes = new_index_changes_job
        session.index_changes.start()

    remaining_chunkers = [
        chunker for chunker in label_by_chunker if chunker not in measured_or_failed_chunkers and not chunker.asks
    ]
    button_label = (
        "Measure questions won and lost"
        if is_only_this_text
        else f"Cut and search {pluralize(len(setting.material.texts), 'document')}"
    )
    measure_controls_row = st.container(horizontal=True, vertical_alignment="center")
    measure_controls_row.button(
        button_label,
        on_click=start_index_changes_job,
        key="changes_measure",
        width="content",
        help="Cuts the documents by every column, embeds the chunks, and searches them for each question. It can be "
        "cancelled and continued; what is embedded is kept.",
    )
    with measure_controls_row.container():
        show_remark(_embedding_estimate_in_words(setting, remaining_chunkers), key="changes_estimate")


def _embedding_estimate_in_words(index_setting: IndexSetting, chunkers: Sequence[Chunker]) -> str:
    """Return a sentence on the tokens to embed, and their price."""
    search_method: SearchMethod = index_setting.method if index_setting.material.questions[1] else "bm25"
    embedded_tokens_per_token = sum(
        estimate_embedded_tokens_of_indexing(1, chunker, search_method, index_setting.embedded_as) for chunker in chunkers
    )
    if not embedded_tokens_per_token:
        return "Nothing is embedded."
    embedded_token_count = embedded_tokens_per_token * _total_token_count_of_documents(
        index_setting.material.texts, index_setting.tokenizer
    )
    embedding_cost_dollars = embedding_dollars(embedded_token_count, session.embedding_price or None)
    cost_phrase = "" if embedding_cost_dollars is None else f", {format_dollars(embedding_cost_dollars)}"
    return f"About {embedded_token_count:,} tokens to embed{cost_phrase}, less what is kept."


def _total_token_count_of_documents(texts: tuple[tuple[str, str], ...], tokenizer: str) -> int:
    """Return the number of tokens in the documents; beyond `MOST_COUNTED_CHARACTERS` characters it is extrapolated.

    The number is cached in the session, as users' texts must not be kept anywhere else.
    """
    texts_tokenizer_and_token_total = session.index_token_count
    if texts_tokenizer_and_token_total is None or texts_tokenizer_and_token_total[:2] != (texts, tokenizer):
        text_beginnings_to_count, remaining_character_budget = [], MOST_COUNTED_CHARACTERS
        for _, document_text in texts:
            text_beginnings_to_count.append(document_text[:remaining_character_budget])
            remaining_character_budget -= len(text_beginnings_to_count[-1])
        counted_character_count = MOST_COUNTED_CHARACTERS - remaining_character_budget
        total_token_count = int(sum(load_tokenizer(tokenizer).count(text_beginnings_to_count)))
        total_token_count = round(total_token_count * sum(len(text) for _, text in texts) / max(1, counted_character_count))
        session.index_token_count = texts_tokenizer_and_token_total = (texts, tokenizer, total_token_count)
    return texts_tokenizer_and_token_total[2]


# The questions that are won and lost if another column replaces the selected one, and the documents that change most.


def show_recall_changes(choices: Choices, column_results: Sequence[ColumnResult], index_changes_job: IndexChanges) -> None:
    """Draw a table of the recall of every measured column, with the questions won and lost and the interval."""
    show_folded_table(
        f"{pluralize(len(index_changes_job.problems), 'question')} left out", {"problem": index_changes_job.problems}
    )
    recall_changes_by_column = recalls_compared_with_selected(choices, column_results, index_changes_job)
    refusal_by_column_number = {
        number: index_changes_job.refusal_by_chunker[column.chunker]
        for number, column in enumerate(column_results)
        if column.chunker in index_changes_job.refusal_by_chunker
    }
    if choices.selected in refusal_by_column_number:
        show_remark(f"Column {choices.selected + 1}: {refusal_by_column_number[choices.selected]}", key="changes_refused")
    if not recall_changes_by_column:
        return
    retrieval_amount = next(iter(next(iter(recall_changes_by_column.values())).after))
    other_column_numbers = [number for number in recall_changes_by_column if number != choices.selected]
    recall_differences = np.array(
        [
            recall_changes_by_column[number].after[retrieval_amount]
            - recall_changes_by_column[number].before[retrieval_amount]
            for number in other_column_numbers
        ]
    )
    recall_difference_by_column = (
        dict(zip(other_column_numbers, corrected_differences_per_comparison(recall_differences), strict=True))
        if other_column_numbers
        else {}
    )
    column_rows = [
        score_row_of_column(
            number,
            column_results[number],
            question_change_cells(
                f"Column {number + 1}",
                None if number == choices.selected else f"column {choices.selected + 1}",
                changes,
                retrieval_amount,
                recall_difference_by_column.get(number),
            ),
        )
        for number, changes in recall_changes_by_column.items()
    ]
    column_rows += [
        score_row_of_column(number, column_results[number], message=why) for number, why in refusal_by_column_number.items()
    ]
    draw_table_of_measures(
        choices,
        QUESTION_CHANGE_HEADS,
        column_rows,
        key="changes_questions",
        introduction=f"Recall at {retrieval_amount} of {pluralize(len(index_changes_job.questions), 'question')}, "
        f"searched {RANKING_METHOD_LABELS[index_changes_job.setting.method]}, as chosen for questions above.",
    )


def recalls_compared_with_selected(
    choices: Choices, column_results: Sequence[ColumnResult], index_changes_job: IndexChanges
) -> dict[int, WonAndLost]:
    """Return the recalls of every measured column beside the selected one's; empty if that one is not measured."""
    selected_column_chunker = column_results[choices.selected].chunker
    if not index_changes_job.questions or selected_column_chunker not in index_changes_job.results:
        return {}
    return {
        number: WonAndLost(
            index_changes_job.results[selected_column_chunker].recalls, index_changes_job.results[column.chunker].recalls
        )
        for number, column in enumerate(column_results)
        if column.chunker in index_changes_job.results
    }


def show_changed_documents_and_questions(
    choices: Choices,
    column_results: Sequence[ColumnResult],
    index_comparison_by_column: Mapping[int, IndexComparison],
    index_changes_job: IndexChanges | None,
) -> None:
    """Draw the documents that change most and the questions won and lost by one of the other columns."""
    recall_changes_by_column = (
        {} if index_changes_job is None else recalls_compared_with_selected(choices, column_results, index_changes_job)
    )
    replacing_column_numbers = [
        column_number for column_number in range(len(column_results)) if column_number != choices.selected
    ]
    replacing_column_numbers = [
        column_number
        for column_number in replacing_column_numbers
        if column_number in recall_changes_by_column
        or (column_number in index_comparison_by_column and index_comparison_by_column[column_number].documents > 1)
    ]
    if not replacing_column_numbers:
        return
    title_by_column_number = {
        column_number: f"{column_number + 1}. {column_results[column_number].title}"
        for column_number in replacing_column_numbers
    }
    column_number = replacing_column_numbers[0]
    if len(replacing_column_numbers) > 1:
        # A column that is gone or selected now is not among the options any more.
        details_selectbox_key = f"changes_details/{choices.selected}/{len(column_results)}"
        column_number = st.selectbox(
            "Details of",
            replacing_column_numbers,
            format_func=title_by_column_number.__getitem__,
            key=details_selectbox_key,
            width=420,
        )
    if column_number in index_comparison_by_column and index_comparison_by_column[column_number].documents > 1:
        _show_changed_documents(index_comparison_by_column[column_number])
    if index_changes_job is not None and column_number in recall_changes_by_column:
        _show_won_lost_questions(index_changes_job, recall_changes_by_column[column_number])


def _show_changed_documents(index_comparison: IndexComparison) -> None:
    most_changed_documents = index_comparison.most_changed
    if not most_changed_documents:
        st.caption("No document changes.")
        return
    st.caption(
        f"The documents with the most to embed again: {len(most_changed_documents):,} of "
        f"{index_comparison.changed_documents:,} that change."
    )
    show_measures([document_change_row(name, changes) for name, changes in most_changed_documents])


def _show_won_lost_questions(index_changes_job: IndexChanges, won_and_lost: WonAndLost) -> None:
    retrieval_amount = next(iter(won_and_lost.after))
    won_question_numbers, lost_question_numbers = won_and_lost.won_and_lost_question_numbers(retrieval_amount)
    if not won_question_numbers and not lost_question_numbers:
        st.caption("No question is won or lost.")
        return
    listed_question_outcomes = [("won", number) for number in won_question_numbers[:MOST_LISTED_DOCUMENTS_AND_QUESTIONS]] + [
        ("lost", number) for number in lost_question_numbers[:MOST_LISTED_DOCUMENTS_AND_QUESTIONS]
    ]
    unlisted_question_count = len(won_question_numbers) + len(lost_question_numbers) - len(listed_question_outcomes)
    unlisted_questions_phrase = (
        f" {pluralize(unlisted_question_count, 'more question')} not listed." if unlisted_question_count else ""
    )
    st.caption(
        f"{pluralize(len(won_question_numbers), 'question')} won, {len(lost_question_numbers):,} lost, by recall in "
        f"percent.{unlisted_questions_phrase}"
    )
    recalls_before, recalls_after = won_and_lost.before[retrieval_amount], won_and_lost.after[retrieval_amount]
    show_measures(
        [
            {
                Head(""): Cell(what),
                Head("question"): Cell(index_changes_job.questions[number]),
                Head("before", number="%.0f"): Cell("", 100 * float(recalls_before[number])),
                Head("after", number="%.0f"): Cell("", 100 * float(recalls_after[number])),
            }
            for what, number in listed_question_outcomes
        ]
    )
