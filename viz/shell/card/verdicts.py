"""Verdicts of a page's columns at the user's position, with reasons, and previews of the changes that would reverse them."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import streamlit as st

from chunkers import Chunking, Document, Embedder, Gap, InputError
from chunkers.recipes import chunker_class
from chunkers.support import format_number, pluralize
from evaluation.retrieval.asked_question import SearchSettings
from viz.components.browser_exchange import Component, convert_offsets_to_sentence_positions, no_op_callback
from viz.jobs import ChangedCuts, reversing_change_if_quick, worked_formula_if_embeddings_cached
from viz.shell import ColumnResult
from viz.state import (
    ColumnChoice,
    last_undoable_column_change,
    record_columns_for_undo,
    session,
    stored_questions_about,
    undo_last_column_change,
)

# The preview of a change, and the change itself, which can be undone.

NEW_PREVIEW_WAIT_S, EARLIER_PREVIEW_WAIT_S = 0.25, 0.05
"""Seconds to wait for a preview when it is requested, and whenever the browser polls for it."""

LONGEST_QUOTED, MOST_NAMED_ITEMS = 32, 2
"""Most characters of a quoted sentence or question, and most items of each kind that a preview names."""

UNASKED_QUESTIONS_NOTE = "kept questions: known once it is applied"
"""Note if asking the questions would send chunks to a server or have a language model write context sentences."""


class PreviewData(TypedDict):
    """Payload of a preview: the effects of changing a column's parameters.

    Attributes
    ----------
    column, values
        The column's index, and the parameter values that are tried.
    state
        ``working`` until the preview is complete, ``done``, or ``failed``.
    share
        The share of the work that is done.
    said
        The effects on known boundaries and stored questions so far, or the error.
    added, removed
        Positions of the added and removed cuts, on the sentence axis.
    found, lost
        The added and removed cuts at a known boundary.
    """

    column: int
    values: dict[str, float]
    state: str
    share: float
    said: list[str]
    added: list[float]
    removed: list[float]
    found: list[float]
    lost: list[float]


def preview_of_change(
    column_results: Sequence[ColumnResult],
    change_request: Mapping[str, Any],
    chunk_search_settings: SearchSettings,
    known_boundaries: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> PreviewData | None:
    """Return the preview of a change of a column's parameters as far as it is computed.

    None if the column has no result, or its chunker does not accept the change.

    Parameters
    ----------
    change_request
        The browser's request: the index of the ``column``, and the ``values`` of parameters.
    chunk_search_settings
        The search settings for the stored questions.
    known_boundaries
        The known boundaries; None if the text has none.
    """
    changed_column_index = change_request.get("column")
    if not (isinstance(changed_column_index, int) and 0 <= changed_column_index < len(column_results)):
        return None
    column_chunking_task, current_chunker, current_chunking = (
        column_results[changed_column_index].task,
        column_results[changed_column_index].chunker,
        column_results[changed_column_index].chunking,
    )
    if column_chunking_task is None or current_chunker is None or current_chunking is None:
        return None
    changed_column_choice = ColumnChoice(current_chunker.name, current_chunker.model_dump())
    changed_parameter_values = set_parameters_if_all_valid(changed_column_choice, change_request.get("values"))
    if not changed_parameter_values:
        return None
    try:
        changed_chunker = type(current_chunker)(**changed_column_choice.parameters)
    except InputError:
        return None
    questions_about_document = stored_questions_about(current_chunking.document)
    would_send_texts = chunk_search_settings.method != "bm25" and embedder is not None and embedder.remote
    previews_questions = not would_send_texts and chunk_search_settings.embedded_as != "context"
    previous_changed_cuts_job = session.changed_cuts
    if previous_changed_cuts_job is not None and previous_changed_cuts_job.cancelled():
        previous_changed_cuts_job = None
    session.changed_cuts = changed_cuts_job = ChangedCuts(
        column_chunking_task,
        current_chunking,
        changed_chunker,
        questions_about_document if previews_questions else (),
        chunk_search_settings,
        known_boundaries or (),
        embedder,
        session.keeps_embeddings_on_disk,
    ).earlier_if_same(previous_changed_cuts_job)
    if changed_cuts_job is previous_changed_cuts_job:
        changed_cuts_job.join(EARLIER_PREVIEW_WAIT_S)
    else:
        changed_cuts_job.start(NEW_PREVIEW_WAIT_S)
    return _change_preview_payload(
        changed_cuts_job,
        changed_column_index,
        changed_parameter_values,
        known_boundaries is not None,
        bool(questions_about_document) and not previews_questions,
    )


def _change_preview_payload(
    changed_cuts_job: ChangedCuts,
    column_index: int,
    values: Mapping[str, float],
    has_known_boundaries: bool,
    leaves_out_questions: bool,
) -> PreviewData:
    is_preview_job_running, cut_changes, document = (
        changed_cuts_job.running,
        changed_cuts_job.change,
        changed_cuts_job.chunking_before.document,
    )
    has_preview_failed = not is_preview_job_running and changed_cuts_job.answers_whole is None
    preview_sentences = []
    if has_preview_failed:
        preview_sentences.append(changed_cuts_job.error or "This value cannot be tried without embedding the text anew.")
    elif cut_changes is not None:
        if has_known_boundaries:
            preview_sentences.append(
                _gains_and_losses_phrase(
                    "known boundaries",
                    "found",
                    _quotes_at_offsets(document, cut_changes.found),
                    _quotes_at_offsets(document, cut_changes.lost),
                )
            )
        if leaves_out_questions:
            preview_sentences.append(UNASKED_QUESTIONS_NOTE)
        elif changed_cuts_job.questions and changed_cuts_job.answers_whole is not None:
            questions_and_wholeness = [*zip(changed_cuts_job.questions, changed_cuts_job.answers_whole, strict=True)]
            won_questions, lost_questions = (
                [_shortened_quote(posed.question) for posed, pair in questions_and_wholeness if pair == wanted]
                for wanted in ((False, True), (True, False))
            )
            preview_sentences.append(
                _gains_and_losses_phrase(
                    pluralize(len(questions_and_wholeness), "kept question"), "won", won_questions, lost_questions
                )
            )
    added_cut_axis_positions, removed_cut_axis_positions, gained_boundary_axis_positions, lost_boundary_axis_positions = (
        convert_offsets_to_sentence_positions(document, offsets) for offsets in cut_changes or ((),) * 4
    )
    return {
        "column": column_index,
        "values": {**values},
        "state": "failed" if has_preview_failed else "working" if is_preview_job_running else "done",
        "share": changed_cuts_job.progress()[0],
        "said": preview_sentences,
        "added": added_cut_axis_positions,
        "removed": removed_cut_axis_positions,
        "found": gained_boundary_axis_positions,
        "lost": lost_boundary_axis_positions,
    }


def _gains_and_losses_phrase(
    subject: str, gained_word: str, gained_item_quotes: Sequence[str], lost_quotes: Sequence[str]
) -> str:
    """Describe gains and losses, as in ``known boundaries: 1 found (before “Then it …”), 2 lost (…)``."""
    gain_and_loss_phrases = [
        f"{len(names):,} {word} ({_named_items_phrase(names)})"
        for word, names in ((gained_word, gained_item_quotes), ("lost", lost_quotes))
        if names
    ]
    return f"{subject}: {', '.join(gain_and_loss_phrases) or 'as before'}"


def _named_items_phrase(names: Sequence[str]) -> str:
    more_items_phrase = f" and {len(names) - MOST_NAMED_ITEMS:,} more" if len(names) > MOST_NAMED_ITEMS else ""
    return ", ".join(names[:MOST_NAMED_ITEMS]) + more_items_phrase


def _quotes_at_offsets(document: Document, offsets: Sequence[int]) -> list[str]:
    return [f"before {_shortened_quote(document.text[offset : offset + 4 * LONGEST_QUOTED])}" for offset in offsets]


def _shortened_quote(text: str) -> str:
    text_on_one_line = " ".join(text.split())
    shortened_text = text_on_one_line[:LONGEST_QUOTED].rpartition(" ")[0] or text_on_one_line[:LONGEST_QUOTED]
    return f"“{text_on_one_line}”" if len(text_on_one_line) <= LONGEST_QUOTED else f"“{shortened_text} …”"


def set_parameters_if_all_valid(column_choice_to_change: ColumnChoice, values: object) -> dict[str, float]:
    """Set the parameters that a browser event names, either all or none, and return their values."""
    parameter_spec_by_name = {
        spec.name: spec for spec in chunker_class(column_choice_to_change.chunker).fields(column_choice_to_change.parameters)
    }
    changed_choice, converted_values = column_choice_to_change.copy(), dict[str, float]()
    for parameter_name, parameter_value in values.items() if isinstance(values, Mapping) else ():
        if parameter_name not in parameter_spec_by_name or not isinstance(parameter_value, int | float):
            return {}
        converted_values[parameter_name] = (
            int(parameter_value) if parameter_spec_by_name[parameter_name].kind == "integer" else float(parameter_value)
        )
        changed_choice.set_valid_parameter(parameter_name, converted_values[parameter_name])
        if changed_choice.parameters.get(parameter_name) != converted_values[parameter_name]:
            return {}
    column_choice_to_change.parameters = changed_choice.parameters
    return converted_values


def apply_parameter_change(page_key: str, event: Mapping[str, Any]) -> None:
    """Apply a previewed change to a column of the page, or undo the last change.

    Parameters
    ----------
    event
        The browser event: ``column`` and the ``values`` of its parameters, or ``undo``.
    """
    columns_of_page = session.choices[page_key].columns
    if event.get("undo"):
        undo_last_column_change(page_key)
        return
    changed_column_index = event.get("column")
    if not (isinstance(changed_column_index, int) and 0 <= changed_column_index < len(columns_of_page)):
        return
    changed_column = columns_of_page[changed_column_index].copy()
    changed_parameter_values = set_parameters_if_all_valid(changed_column, event.get("values"))
    if not changed_parameter_values:
        return
    title_by_parameter = {
        spec.name: spec.title.lower() for spec in chunker_class(changed_column.chunker).fields(changed_column.parameters)
    }
    changes_phrase = ", ".join(
        f"{title_by_parameter[name]} {format_number(value)}" for name, value in changed_parameter_values.items()
    )
    with record_columns_for_undo(page_key, f"Column {changed_column_index + 1}: {changes_phrase}"):
        columns_of_page[changed_column_index].parameters = changed_column.parameters


def last_column_change_phrase(page_key: str, index: int) -> str:
    """Describe the last change if it was to this column's parameters and can be undone; otherwise return ""."""
    last_column_change = last_undoable_column_change(page_key)
    if last_column_change is None or len(last_column_change.columns_before) != len(last_column_change.columns_after):
        return ""
    numbered_column_pairs = enumerate(zip(last_column_change.columns_before, last_column_change.columns_after, strict=True))
    if [number for number, (before, after) in numbered_column_pairs if before != after] != [index]:
        return ""
    return (
        last_column_change.description
        if last_column_change.columns_before[index].chunker == last_column_change.columns_after[index].chunker
        else ""
    )


# The verdicts.

VERDICTS_KEY = "store_verdicts"
"""Streamlit turns the key into a CSS class, by which the page's style sheet hides the component."""

_POSITION_TOLERANCE = 0.001
"""Tolerance, in sentences, for two positions on the axis to count as equal, since they are sent rounded."""


class ChangeData(TypedDict):
    """Payload of the change of parameters that would reverse the verdict on a gap.

    Attributes
    ----------
    margin
        The distance of the score from its threshold, in words; empty if no score decided.
    words
        The change in words.
    values
        The parameter values that reverse the verdict.
    """

    margin: str
    words: str
    values: dict[str, float]


class VerdictCell(TypedDict):
    """Payload of one column's verdict at a position in the text: whether and why the column cuts there.

    Attributes
    ----------
    cut
        True if the column cuts there.
    reason
        The reason for the verdict; may be empty.
    formula
        The chunker's formula with this gap's values, as lines; may be empty.
    change
        The change that would reverse the verdict; None if unknown.
    undo
        The last change of the column's parameters, in words, if it can be undone; otherwise empty.
    """

    cut: bool
    reason: str
    formula: list[str]
    change: ChangeData | None
    undo: str


class Verdicts(TypedDict):
    """Payload of all columns' verdicts at a position on the sentence axis.

    ``hashes`` are the hashes of the columns' bodies in the reader, so that it can tell whether it still shows these results.
    A cell is None if its column has no result. ``preview`` shows the effects of the change that the user is considering.
    """

    at: float
    hashes: list[str]
    cells: list[VerdictCell | None]
    preview: PreviewData | None


class AnswerData(TypedDict):
    """Payload with the verdicts at the position that the user points at; ``answer`` is None without such a position.

    ``moment`` is the browser's timestamp of the request, by which it recognizes the answer to an earlier one.
    """

    answer: Verdicts | None
    moment: float | None


_verdicts_component = Component[AnswerData](
    "seamark_verdicts", "shell/card/verdict_requests.js", html='<div class="verdicts"></div>'
)


@st.fragment
def send_verdicts_on_pointed_gap(
    document: Document,
    column_results: Sequence[ColumnResult],
    column_body_hashes: Sequence[str],
    embedder: Embedder | None,
    known_boundaries: tuple[int, ...] | None,
    chunk_search_settings: SearchSettings,
    shown_chunking: Chunking | None = None,
) -> None:
    """Send the verdicts at the position that the user points at, in a fragment that reruns without the page.

    Streamlit identifies a fragment by its position on the page, and loses requests to an old position. Call this above
    all elements that come and go. ``known_boundaries`` is None if the text has none. ``chunk_search_settings`` has the
    settings for the stored questions, whose answers a previewed change may gain or lose. ``shown_chunking`` is the first
    column's result with the scores that the page shows, if they differ from the column's scores.
    """
    browser_request = (st.session_state.get(VERDICTS_KEY) or {}).get("asked") or {}
    pointed_axis_position = browser_request.get("at")
    parameter_change = browser_request.get("would")
    # A request about other results refers to outdated values.
    change_to_preview = (
        parameter_change if parameter_change and parameter_change["hashes"] == [*column_body_hashes] else None
    )
    if change_to_preview is None and session.changed_cuts is not None:
        # The preview is no longer shown.
        session.changed_cuts.cancel()
    verdicts_answer_payload: Verdicts | None = None
    if isinstance(pointed_axis_position, int | float) and 0 < pointed_axis_position < len(document.sentences):
        verdict_cell_per_column = [
            verdict_cell(column, document, pointed_axis_position, embedder, last_column_change_phrase(session.page, index))
            for index, column in enumerate(column_results)
        ]
        gap_at_pointer = (
            None if shown_chunking is None else gap_at_axis_position(shown_chunking, document, pointed_axis_position)
        )
        if gap_at_pointer is not None and verdict_cell_per_column[0] is not None:
            verdict_cell_per_column[0]["reason"] = gap_at_pointer.why.brief()
        verdicts_answer_payload = {
            "at": pointed_axis_position,
            "hashes": [*column_body_hashes],
            "cells": verdict_cell_per_column,
            "preview": preview_of_change(
                column_results, change_to_preview, chunk_search_settings, known_boundaries, embedder
            )
            if change_to_preview
            else None,
        }
    _verdicts_component(
        key=VERDICTS_KEY,
        data={"answer": verdicts_answer_payload, "moment": browser_request.get("moment")},
        height=0,
        on_asked_change=no_op_callback,
    )


def verdict_cell(
    column: ColumnResult,
    document: Document,
    axis_position: float,
    embedder: Embedder | None,
    undoable_change_phrase: str = "",
) -> VerdictCell | None:
    """Return a column's verdict at a position in the text; None if the column has no result.

    ``undoable_change_phrase`` is the column's last change in words, if it can be undone.
    """
    if column.chunking is None or column.chunker is None or column.task is None:
        return None
    gap_at_position = gap_at_axis_position(column.chunking, document, axis_position)
    if gap_at_position is None:
        return {"cut": False, "reason": "", "formula": [], "change": None, "undo": undoable_change_phrase}
    decision_arguments = (
        column.task,
        column.chunker,
        column.chunking,
        gap_at_position,
        embedder,
        session.keeps_embeddings_on_disk,
    )
    decision_tipping_change = reversing_change_if_quick(*decision_arguments)
    tipping_change_payload: ChangeData | None = None
    if decision_tipping_change is not None:
        tipping_change_payload = {
            "margin": decision_tipping_change.describe_distance_to_threshold(),
            "words": decision_tipping_change.claim(),
            "values": decision_tipping_change.new_values,
        }
    return {
        "cut": gap_at_position.verdict.is_cut,
        "reason": gap_at_position.why.brief(),
        "formula": worked_formula_if_embeddings_cached(*decision_arguments),
        "change": tipping_change_payload,
        "undo": undoable_change_phrase,
    }


def gap_at_axis_position(chunking: Chunking, document: Document, axis_position: float) -> Gap | None:
    """Return the gap at a position on the sentence axis; None if no gap is at the position."""
    is_between_sentences = axis_position == int(axis_position)
    sought_gap_index = int(axis_position) - 1 if is_between_sentences else int(axis_position)
    first_candidate_index = bisect_left(chunking.gaps, sought_gap_index, key=lambda gap: gap.index)
    for gap in chunking.gaps[first_candidate_index:]:
        if gap.index != sought_gap_index:
            break
        if gap.offset is None and is_between_sentences:
            return gap
        if (
            gap.offset is not None
            and not is_between_sentences
            and abs(convert_offsets_to_sentence_positions(document, [gap.offset])[0] - axis_position) < _POSITION_TOLERANCE
        ):
            return gap
    return None
