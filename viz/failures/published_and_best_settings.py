"""The results of the Failures page: each chunker at its published settings, and the search for its best settings."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from chunkers import Chunking
from evaluation.segmentation import (
    OUR_SOURCE,
    SETTINGS_BY_CHUNKER,
    MarkedDocument,
    Score,
    SweptSetting,
    chunk_number_per_sentence,
    find_misassigned_units,
    published_setting_and_source,
    score_chunking,
    segment_numbers,
    segmentation_in_sentences,
    summarize_settings,
)
from viz.components.page_elements import show_job_progress_with_cancel, show_notice
from viz.failures.session import session
from viz.jobs import ChunkingTask, cached_while_shown
from viz.jobs.sweep import Sweep
from viz.shell import ColumnResult, Page
from viz.state import PageText

SHOWN_RESULT_KINDS = ("published", "best", "compare")
"""Options for a row of the table, by their names in the link: a chunker's published or best settings, or a column of
Compare."""


@dataclass(frozen=True)
class MeasuredSetting:
    """A chunker's setting with its result, if any, and its measures, if boundaries are known.

    ``result_kind`` (one of `SHOWN_RESULT_KINDS`) and ``column`` (the number of the chunker, or of the column of Compare)
    identify the row.
    """

    result_kind: str
    setting: SweptSetting
    origin: str
    result: ColumnResult
    scores: Mapping[str, Score] | None = None
    misassigned_sentences: tuple[int, ...] = ()
    column: int = 0

    @property
    def origin_label(self) -> str:
        """The setting's origin: ``best found``, ``default``, ``published``, or ``column 2`` of Compare."""
        if self.result_kind == "best":
            return "best found"
        if self.result_kind == "compare":
            return self.origin
        return "default" if self.origin == OUR_SOURCE else "published"


def measured_setting_from_column_result(
    result_kind: str,
    column_index: int,
    chunker_setting: SweptSetting,
    origin: str,
    column_result: ColumnResult,
    page_text: PageText,
) -> MeasuredSetting:
    """Return a chunker's setting with its result and, if boundaries are known, its measures."""
    known_boundaries = page_text.source.known
    if column_result.chunking is None or known_boundaries is None or column_result.task is None:
        return MeasuredSetting(result_kind, chunker_setting, origin, column_result, column=column_index)
    score_by_measure, misassigned_sentence_numbers = _score_and_list_misassigned_sentences(
        column_result.task, column_result.chunking, known_boundaries
    )
    return MeasuredSetting(
        result_kind, chunker_setting, origin, column_result, score_by_measure, misassigned_sentence_numbers, column_index
    )


@cached_while_shown(64, lambda task, chunking, known: (task.document, task, known))
def _score_and_list_misassigned_sentences(
    chunking_task: ChunkingTask, chunking: Chunking, known_boundaries: tuple[int, ...]
) -> tuple[dict[str, Score], tuple[int, ...]]:
    """Return the measures of a result and the numbers of its misassigned sentences, cached by its task."""
    document = chunking.document
    misassigned_sentence_numbers = (
        find_misassigned_units(
            segment_numbers(segmentation_in_sentences(document, known_boundaries)), chunk_number_per_sentence(chunking)
        )
        if document.sentences
        else None
    )
    return score_chunking(
        MarkedDocument(document, known_boundaries), chunking
    ), misassigned_sentence_numbers.units if misassigned_sentence_numbers is not None else ()


SEARCH_MEASURE = "misassigned"
"""The measure that the search minimises."""

FITTED_HERE_CAVEAT = "fitted to this text and no evidence about others: Tune tests settings on held-out documents"
"""Caveat next to the best settings."""

MOST_KEPT_SEARCHES = 8
"""Most searches whose results are kept in a session."""


def _settings_search_key(current_page: Page, page_text: PageText) -> tuple[object, ...]:
    embedder_name = current_page.embedder.name if current_page.embedder is not None else ""
    return (page_text.document.identity, embedder_name, current_page.choices.tokenizer, page_text.source.known)


def find_current_search_cancelling_others(current_page: Page, page_text: PageText) -> Sweep | None:
    """Return the search for the best settings on the page's document, if any, and cancel all other searches.

    A search belongs to a document with its known boundaries, an embedder and a tokenizer.
    """
    current_search_key = _settings_search_key(current_page, page_text)
    for other_search_key, search_for_other_text in session.best_setting_searches.items():
        if other_search_key != current_search_key and search_for_other_text.running:
            search_for_other_text.cancel()
    return session.best_setting_searches.get(current_search_key)


def find_best_setting_per_chunker(settings_search: Sweep | None) -> dict[str, SweptSetting]:
    """Return, for each chunker, the best setting found: fewest misassigned sentences, and fewest chunks if tied.

    The result is empty until the search has ended or was cancelled.
    """
    finished_search_rows = (
        list(settings_search.rows)
        if settings_search is not None and not settings_search.is_running_and_not_cancelled
        else []
    )
    best_setting_by_chunker: dict[str, SweptSetting] = {}
    for setting_summary in summarize_settings(finished_search_rows, SEARCH_MEASURE):
        best_setting_by_chunker.setdefault(setting_summary.setting.chunker, setting_summary.setting)
    return best_setting_by_chunker


def draw_search_controls(
    current_page: Page, page_text: PageText, best_settings_search: Sweep | None, can_start_search: bool
) -> None:
    """Draw the button that starts the search for the best settings, or the search's progress."""
    if best_settings_search is not None and best_settings_search.is_running_and_not_cancelled:
        show_job_progress_with_cancel(best_settings_search)
        return
    list_of_searched_settings = list(
        dict.fromkeys(
            setting
            for name, some in SETTINGS_BY_CHUNKER.items()
            for setting in (published_setting_and_source(name)[0], *some)
        )
    )

    def start_settings_search() -> None:
        assert current_page.embedder is not None
        document_with_boundaries = MarkedDocument(page_text.document, page_text.source.known or ())
        document_names, tokenizer = [page_text.document.name], current_page.choices.tokenizer
        new_settings_search = Sweep(
            document_names,
            lambda: [document_with_boundaries],
            list_of_searched_settings,
            current_page.embedder,
            tokenizer,
            session.keeps_embeddings_on_disk,
        )
        settings_search_by_key = session.best_setting_searches
        settings_search_by_key.pop(_settings_search_key(current_page, page_text), None)
        settings_search_by_key[_settings_search_key(current_page, page_text)] = new_settings_search
        for old_search_key in list(settings_search_by_key)[:-MOST_KEPT_SEARCHES]:
            settings_search_by_key.pop(old_search_key).cancel()
        current_page.choices.extra["result"] = "best"
        new_settings_search.start()

    button_row = st.container(horizontal=True, vertical_alignment="center")
    is_search_complete = (
        best_settings_search is not None and len(best_settings_search.rows) == best_settings_search.part_count
    )
    if not is_search_complete:
        button_row.button(
            "Find best settings",
            on_click=start_settings_search,
            disabled=not can_start_search or current_page.embedder is None,
            width="content",
        )
    if best_settings_search is None:
        button_row.caption(
            f"The search tries {len(list_of_searched_settings):,} settings on this document, and keeps each chunker's best."
        )
    elif best_settings_search.error:
        show_notice(best_settings_search.error, "error", key="failures_search_error")
    elif is_search_complete:
        button_row.caption(
            f"These are the best of {best_settings_search.part_count:,} settings by misassigned sentences, "
            f"{FITTED_HERE_CAVEAT}. Of equally "
            "good "
            "settings, the one with the fewest chunks is shown."
        )
    else:
        button_row.caption(
            f"Stopped after {len(best_settings_search.rows):,} of {best_settings_search.part_count:,} settings; the best of "
            "these are shown, "
            f"{FITTED_HERE_CAVEAT}."
        )
