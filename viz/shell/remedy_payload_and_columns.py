"""Tested changes to a column: the search for them, their payload, and their use as columns on Compare."""

from collections.abc import Mapping
from typing import Any

from chunkers import Chunker, Document, Embedder
from chunkers.support import pluralize
from evaluation.remedies.settings_search import Remedy
from evaluation.search import Reranker, SearchMethod
from viz.components.remedies.payload import ColumnRemedies, RemedyLine
from viz.jobs.remedy_search import RemedyJob, RemedyOutcome
from viz.shell.columns_shared_with_compare import add_column_to_compare, column_index_on_compare, compare_is_full
from viz.state import ColumnChoice, chunker_defaults_of_embedder

LONGEST, LONGEST_HYBRID = 100_000, 20_000
"""Most characters of a text for which a search starts by itself: in general, and with hybrid ranking, which is slower."""

NOTHING_TO_TRY_MESSAGE = "No other setting can be tried without embedding the text anew."


def is_remedy_search_automatic(
    method: SearchMethod, embedder: Embedder | None, reranker: Reranker | None, document: Document
) -> bool:
    """Return whether the search for changes of settings may start by itself: it is quick and sends nothing to a server."""
    search_sends_texts = method != "bm25" and embedder is not None and embedder.remote
    text_length_limit = LONGEST_HYBRID if method == "hybrid" else LONGEST
    return reranker is None and not search_sends_texts and len(document.text) <= text_length_limit


def add_remedy_column(event: Mapping[str, Any], job: RemedyJob | None, embedder: Embedder | None) -> bool:
    """Add a column to Compare with the change of settings that the user chose; return False if there is no such change."""
    remedy_search_outcomes = [*job.outcome_by_task.values()] if job is not None else []
    for remedy in (remedy for outcome in remedy_search_outcomes for remedy in outcome.remedies):
        if _setting_identity(remedy.variation.chunker) == event.get("setting"):
            add_column_to_compare(_column_choice_from_chunker(remedy.variation.chunker, embedder))
            return True
    return False


def _setting_identity(chunker: Chunker) -> str:
    return f"{chunker.name} {chunker.model_dump_json()}"


def _column_choice_from_chunker(chunker: Chunker, embedder: Embedder | None) -> ColumnChoice:
    """Return the column with exactly these parameters."""
    parameter_values, embedder_defaults = chunker.model_dump(), chunker_defaults_of_embedder(embedder, chunker.name)
    return ColumnChoice(
        chunker.name,
        {
            spec.name: parameter_values[spec.name]
            for spec in type(chunker).fields(parameter_values)
            if parameter_values[spec.name] != embedder_defaults.get(spec.name, spec.default)
        },
    )


def remedies_payload(
    job: RemedyJob, outcome: RemedyOutcome | None, search_button_label: str, no_remedy_found_phrase: str
) -> ColumnRemedies:
    """Return the payload of the search for settings that solve one column's problem: its state and the settings found.

    Parameters
    ----------
    outcome
        The result of the search; None if it is unfinished.
    search_button_label
        The label of the button that starts the search.
    no_remedy_found_phrase
        The text that follows "None of 41 tried settings" if no remedy was found.
    """
    remedy_lines = [_remedy_line(remedy, job.embedder) for remedy in outcome.remedies] if outcome is not None else []
    search_message, completed_share, search_state = "", 1.0, "done"
    if outcome is not None and not remedy_lines:
        search_message = (
            f"None of {pluralize(outcome.tried_count, 'tried setting')} {no_remedy_found_phrase}."
            if outcome.tried_count
            else NOTHING_TO_TRY_MESSAGE
        )
    if outcome is None:
        completed_share, search_message = job.progress()
        search_state = "looking" if job.is_running_and_not_cancelled else "failed" if job.error else "offered"
        search_message = (
            search_message
            if search_state == "looking"
            else job.error
            if search_state == "failed"
            else "Stopped."
            if job.cancelled()
            else ""
        )
    return {
        "state": search_state,
        "share": completed_share,
        "said": search_message,
        "wanted": search_button_label,
        "lines": remedy_lines,
        "full": compare_is_full(),
    }


def _remedy_line(remedy: Remedy, embedder: Embedder | None) -> RemedyLine:
    chunker = remedy.variation.chunker
    remedy_column_choice = _column_choice_from_chunker(chunker, embedder)
    effect_phrases = [f"{pluralize(remedy.chunks, 'chunk')} of ~{pluralize(round(remedy.tokens), 'token')}"]
    if remedy.findings is not None:
        effect_phrases.append(f"other findings {_before_after_phrase(*remedy.findings)}")
    if remedy.boundary_counts is not None:
        effect_phrases.append(f"boundaries {_before_after_phrase(*remedy.boundary_counts[:2])}")
    if remedy.other_question_count:
        won_lost_phrases = [
            f"{count} {what}" for count, what in ((remedy.won_answer_count, "won"), (remedy.lost, "lost")) if count
        ]
        effect_phrases.append(
            f"{pluralize(remedy.other_question_count, 'other question')}: {', '.join(won_lost_phrases) or 'unchanged'}"
        )
    return {
        "setting": _setting_identity(chunker),
        "words": remedy.variation.words,
        "said": effect_phrases,
        "column": column_index_on_compare(remedy_column_choice, chunker_defaults_of_embedder(embedder, chunker.name)),
    }


def _before_after_phrase(count_before: int, count_after: int) -> str:
    return f"{count_before:,}\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}{count_after:,}"
