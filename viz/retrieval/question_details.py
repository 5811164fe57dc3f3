"""One question of a run in detail: two chunkers' chunks, ranked or in their documents, with hits and misses marked."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypedDict

import numpy as np
import streamlit as st

from chunkers import Span
from chunkers.support import FloatArray, IntArray, pluralize
from evaluation.questions import Corpus, difference_of_ranges, intersection_of_ranges, total_length_of_ranges
from evaluation.retrieval import (
    RETRIEVAL_MEASURE_TITLES,
    Evaluation,
    QuestionScores,
    Report,
    RetrievedChunks,
    excerpt_ranges,
)
from viz.components.browser_exchange import Component
from viz.components.page_elements import show_notice
from viz.controls import build_widget_key_and_callback, draw_setting_select_box
from viz.jobs.retrieval import ReportAndFailures
from viz.jobs.retrieval_plan import Plan
from viz.retrieval.failed.missed_excerpts import show_corpus_passage_compare_button
from viz.retrieval.figures import format_score_in_percent
from viz.retrieval.link_parameter_widgets import convert_link_number_to_index, draw_link_parameter_control
from viz.state import Choices
from viz.theme import CHUNK_COLOURS, CHUNK_EDGE_COLOURS, theme_name

_HIT_COLOUR_NUMBER = 2
"""Palette index of the colour for hits."""


PART_CONTEXT_CHARACTERS = 240
"""Characters of context shown on either side of a coloured part of a document."""


PartKind = Literal["hit", "waste", "missed", "rest", "rank", "left_out", "beyond", "end"]
Part = tuple[str, PartKind]


class PassageData(TypedDict):
    """A passage to draw: a retrieved chunk, a missed part of an excerpt, or a document.

    Attributes
    ----------
    kind
        ``holds`` for a chunk that contains part of an excerpt, ``waste`` for one that does not, ``left_out`` for one that no
        longer fits, ``missed`` for a missed part, ``document``, and ``note`` for a title without text.
    parts
        Pieces of text with their kind; ``rest`` is uncoloured text, ``rank`` the rank of a chunk that begins there,
        ``beyond`` the text that exceeds the budget, ``end`` the mark where the budget is full.
    """

    kind: Literal["holds", "waste", "left_out", "missed", "document", "note"]
    title: str
    parts: Sequence[Part]


class PassagesData(TypedDict):
    """Payload of the passages, with the background and border colours of hits."""

    hit: str
    edge: str
    passages: list[PassageData]


_passages_component = Component[PassagesData](
    "seamark_passages", "retrieval/question_result.js", "retrieval/question_result.css", html='<div class="passages"></div>'
)


def ranked_passages(
    evaluation: Evaluation, question_scores: QuestionScores, chunks_within_limit: RetrievedChunks
) -> list[PassageData]:
    """Return the passages of a question: its retrieved chunks, best first, then the missed parts of the excerpts."""
    corpus = evaluation.searched_index.corpus
    corpus_text = corpus.joined_document.text
    excerpt_spans_in_corpus = excerpt_ranges(corpus, question_scores.question)
    passages: list[PassageData] = []
    for chunk in chunks_within_limit.chunks:
        excerpt_character_count, returned_character_count = (
            total_length_of_ranges(intersection_of_ranges(chunk.given, excerpt_spans_in_corpus)),
            total_length_of_ranges(chunk.given),
        )
        passage_title = (
            f"{chunk.rank} · "
            f"{_describe_passage_document_and_pages(corpus, chunk.spans or evaluation.searched_index.chunks[chunk.number])}"
        )
        if not chunk.spans:
            passages.append({"kind": "note", "title": f"{passage_title} · what it returns is above already", "parts": []})
            continue
        if not chunk.given:
            unused_budget_phrase = (
                f"{chunks_within_limit.limit.budget - chunks_within_limit.filled_length:,} of "
                f"{chunks_within_limit.limit.budget:,} "
                f"{chunks_within_limit.limit.unit}"
            )
            passage_title += f" · left out: it does not fit into the {unused_budget_phrase} that are left"
            coloured_passage_parts: list[Part] = [(corpus_text[start:end], "beyond") for start, end in chunk.spans]
            passages.append({"kind": "left_out", "title": passage_title, "parts": coloured_passage_parts})
            continue
        passage_title += (
            f" · {excerpt_character_count:,} of {returned_character_count:,} characters are excerpt"
            if excerpt_character_count
            else f" · {returned_character_count:,} characters, none of them excerpt"
        )
        coloured_passage_parts = parts_coloured_by_excerpts(corpus_text, chunk.given, excerpt_spans_in_corpus)
        if not chunk.is_wholly_retrieved:
            passage_title += " · cut off"
            coloured_passage_parts.append((f"{chunks_within_limit.limit.budget:,} {chunks_within_limit.limit.unit}", "end"))
            coloured_passage_parts += [
                (corpus_text[start:end], "beyond") for start, end in difference_of_ranges(chunk.spans, chunk.given)
            ]
        passages.append(
            {
                "kind": "holds" if excerpt_character_count else "waste",
                "title": passage_title,
                "parts": coloured_passage_parts,
            }
        )
    passages += _budget_notes(chunks_within_limit)
    missed_spans = (
        []
        if chunks_within_limit.chunk_count_beyond_kept_ranks
        else difference_of_ranges(excerpt_spans_in_corpus, chunks_within_limit.retrieved_spans)
    )
    for start, end in missed_spans:
        if corpus_text[start:end].strip():
            passage_title = (
                f"Not retrieved · {_describe_passage_document_and_pages(corpus, [Span(start, end)])} · {end - start:,} "
                "characters"
            )
            passages.append({"kind": "missed", "title": passage_title, "parts": [(corpus_text[start:end], "missed")]})
    return passages


def _budget_notes(chunks_within_limit: RetrievedChunks) -> list[PassageData]:
    """Return the notes to show after the chunks given within a budget."""
    titles_of_budget_notes = []
    if chunks_within_limit.chunk_count_beyond_kept_ranks:
        titles_of_budget_notes.append(
            f"{pluralize(chunks_within_limit.chunk_count_beyond_kept_ranks, 'more chunk')} of lower rank, which the run "
            "does not keep "
            "one by "
            "one"
        )
    elif chunks_within_limit.limit.budget > chunks_within_limit.filled_length and all(
        chunk.given or not chunk.spans for chunk in chunks_within_limit.chunks[-1:]
    ):
        titles_of_budget_notes.append(
            f"Every chunk is here: they fill {chunks_within_limit.filled_length:,} of {chunks_within_limit.limit.budget:,} "
            f"{chunks_within_limit.limit.unit}"
        )
    return [{"kind": "note", "title": title, "parts": []} for title in titles_of_budget_notes]


def _describe_passage_document_and_pages(corpus: Corpus, spans: Sequence[Span]) -> str:
    """Return the document that contains the spans, with their pages or chapters if it has any."""
    document_index = corpus.document_number_at(spans[0].start)
    document_start_in_corpus, pages_or_chapters = corpus.offsets[document_index], corpus.documents[document_index].parts
    if pages_or_chapters is None:
        return corpus.names[document_index]
    spans_in_document = [(start - document_start_in_corpus, end - document_start_in_corpus) for start, end in spans]
    return f"{corpus.names[document_index]}, {pages_or_chapters.label_of_spans(spans_in_document)}"


def parts_coloured_by_excerpts(text: str, spans: Sequence[Span], excerpt_spans: Sequence[Span]) -> list[Part]:
    """Return the text of the spans in order, divided where excerpts begin and end; each span starts a new line."""
    parts: list[Part] = []
    for span_index, span in enumerate(spans):
        if span_index:
            parts.append(("\n", "waste"))
        retrieved_excerpt_parts: list[tuple[Span, PartKind]] = [
            (part, "hit") for part in intersection_of_ranges([span], excerpt_spans)
        ]
        waste_parts: list[tuple[Span, PartKind]] = [(part, "waste") for part in difference_of_ranges([span], excerpt_spans)]
        parts += [(text[part.start : part.end], kind) for part, kind in sorted([*retrieved_excerpt_parts, *waste_parts])]
    return parts


def build_marked_documents(
    evaluation: Evaluation, question_scores: QuestionScores, chunks_within_limit: RetrievedChunks
) -> list[PassageData]:
    """Return the documents that contain an excerpt, then the documents with only retrieved chunks, with all parts marked."""
    corpus = evaluation.searched_index.corpus
    corpus_text = corpus.joined_document.text
    excerpt_spans_in_corpus = excerpt_ranges(corpus, question_scores.question)
    chunks_returning_text = [chunk for chunk in chunks_within_limit.chunks if chunk.given]
    given_chunk_spans = chunks_within_limit.retrieved_spans
    spans_by_kind: dict[PartKind, list[Span]] = {
        "hit": intersection_of_ranges(excerpt_spans_in_corpus, given_chunk_spans),
        "missed": difference_of_ranges(excerpt_spans_in_corpus, given_chunk_spans),
        "waste": difference_of_ranges(given_chunk_spans, excerpt_spans_in_corpus),
    }
    sorted_spans_with_kinds = sorted((span, kind) for kind, spans in spans_by_kind.items() for span in spans)
    chunk_rank_by_span_start = {span.start: chunk.rank for chunk in reversed(chunks_returning_text) for span in chunk.given}
    marked_document_passages: list[PassageData] = []
    document_numbers = dict.fromkeys(
        corpus.document_number_at(span.start) for span in [*excerpt_spans_in_corpus, *given_chunk_spans]
    )
    for document_number in document_numbers:
        document_span_in_corpus = corpus.span_in_corpus(document_number, (0, len(corpus.documents[document_number].text)))
        coloured_document_parts = _coloured_document_parts(
            corpus_text,
            document_span_in_corpus,
            [
                part
                for part in sorted_spans_with_kinds
                if document_span_in_corpus.start <= part[0].start < document_span_in_corpus.end
            ],
            chunk_rank_by_span_start,
        )
        character_count_per_kind = [
            (sum(len(words) for words, what in coloured_document_parts if what == kind), kind) for kind in spans_by_kind
        ]
        counts_phrase = ", ".join(f"{count:,} {kind}" for count, kind in character_count_per_kind if count)
        marked_document_passages.append(
            {
                "kind": "document",
                "title": f"{corpus.names[document_number]} · characters: {counts_phrase}",
                "parts": coloured_document_parts,
            }
        )
    return marked_document_passages


def _coloured_document_parts(
    text: str, document_span: Span, coloured_spans: Sequence[tuple[Span, PartKind]], rank_by_chunk_start: Mapping[int, int]
) -> list[Part]:
    """Return the parts of a document in order; text far from coloured parts is replaced by its number of characters."""
    parts: list[Part] = []
    uncoloured_part_start = document_span.start
    for span, kind in coloured_spans:
        parts += _elide_uncoloured_part(text, Span(uncoloured_part_start, span.start), document_span)
        # A chunk may begin inside a coloured part that overlapping chunks share.
        chunk_starts = [place for place in sorted(rank_by_chunk_start) if span.start <= place < span.end]
        span_division_offsets = [span.start, *(place for place in chunk_starts if place > span.start), span.end]
        for start, end in pairwise(span_division_offsets):
            if start in rank_by_chunk_start:
                parts.append((str(rank_by_chunk_start[start]), "rank"))
            parts.append((text[start:end], kind))
        uncoloured_part_start = span.end
    return parts + _elide_uncoloured_part(text, Span(uncoloured_part_start, document_span.end), document_span)


def _elide_uncoloured_part(text: str, span: Span, document_span_in_corpus: Span) -> list[Part]:
    """Return an uncoloured part, its middle elided if it is long."""
    kept_start_length = PART_CONTEXT_CHARACTERS if span.start > document_span_in_corpus.start else 0
    kept_end_length = PART_CONTEXT_CHARACTERS if span.end < document_span_in_corpus.end else 0
    elided_character_count = span.end - span.start - kept_start_length - kept_end_length
    if elided_character_count <= PART_CONTEXT_CHARACTERS:
        return [(text[span.start : span.end], "rest")] if span.end > span.start else []
    parts_before_elision: list[Part] = (
        [(text[span.start : span.start + kept_start_length], "rest")] if kept_start_length else []
    )
    parts_after_elision: list[Part] = [(text[span.end - kept_end_length : span.end], "rest")] if kept_end_length else []
    return [*parts_before_elision, (f"{elided_character_count:,} characters", "left_out"), *parts_after_elision]


def draw_passages(passages: list[PassageData], key: str) -> None:
    """Draw passages in the colours of the theme."""
    _passages_component(
        key=key,
        data={
            "hit": CHUNK_COLOURS[theme_name()][_HIT_COLOUR_NUMBER],
            "edge": CHUNK_EDGE_COLOURS[theme_name()][_HIT_COLOUR_NUMBER],
            "passages": passages,
        },
    )


# The choice of the question and of two chunkers, whose chunks are drawn side by side.


def show_question_for_two_chunkers(report_and_failures: ReportAndFailures, plan: Plan, choices: Choices) -> None:
    """Draw selectors for a question and two chunkers, the chunkers' chunks, and the button that opens Compare."""
    with st.container(key="retrieval_one"):
        st.header("Question details", anchor=False)
        _draw_question_choice_and_comparison(report_and_failures, plan, choices)


def _draw_question_choice_and_comparison(report_and_failures: ReportAndFailures, plan: Plan, choices: Choices) -> None:
    retrieval_report, shown_link_parameters, chunker_titles = (
        report_and_failures.report,
        choices.extra,
        plan.chunker_titles_with_settings,
    )
    searched_questions = next(iter(retrieval_report.chunkers.values())).evaluation.search.questions
    chunker_or_question_numbers: Sequence[int] = range(len(searched_questions))
    question_values_by_chunker = {
        number: distribution.values for number, distribution in retrieval_report.distributions.items()
    }
    link_parameters = shown_link_parameters
    shown_link_parameters = (
        shown_link_parameters
        if shown_link_parameters["question"]
        else shown_link_parameters
        | _most_disputed_question_and_chunkers(question_values_by_chunker, retrieval_report.disagreements)
    )

    def store_shown_question_and_chunkers() -> None:
        """Store the shown question and chunkers as the user's choice."""
        link_parameters.update({name: shown_link_parameters[name] for name in ("question", "left", "right")})

    is_only_disputed_shown = len(question_values_by_chunker) > 1 and _choose_only_disputed(
        link_parameters, len(retrieval_report.disagreements), len(searched_questions)
    )
    if is_only_disputed_shown:
        chunker_or_question_numbers = questions_sorted_by_difference(
            question_values_by_chunker, retrieval_report.disagreements
        )
    if not chunker_or_question_numbers:
        show_notice("The chunkers agree on every question.", key="retrieval_agree")
        return
    question_number_by_link_value = {str(number + 1): number for number in chunker_or_question_numbers}
    linked_question_number_text = str(
        convert_link_number_to_index(shown_link_parameters, "question", len(searched_questions)) + 1
    )
    shown_link_parameters["question"] = (
        linked_question_number_text
        if linked_question_number_text in question_number_by_link_value
        else next(iter(question_number_by_link_value))
    )
    question_titles = {
        word: f"{word}. {searched_questions[number].text}" for word, number in question_number_by_link_value.items()
    }
    chosen_question_number = question_number_by_link_value[
        draw_setting_select_box(
            "Question",
            shown_link_parameters,
            "question",
            question_titles,
            "retrieval_question",
            store_shown_question_and_chunkers,
        )
    ]
    if is_only_disputed_shown:
        shown_link_parameters["left"], shown_link_parameters["right"] = replace_agreeing_chunker_pair(
            question_values_by_chunker,
            chosen_question_number,
            shown_link_parameters["left"],
            shown_link_parameters["right"],
        )
    shown_view_name = draw_link_parameter_control("Shown", link_parameters, "view", is_label_hidden=True)
    compared_side_names = ("left", "right")[: len(retrieval_report.chunkers)]
    corpus = next(iter(retrieval_report.chunkers.values())).evaluation.searched_index.corpus
    chunker_or_question_numbers = [
        convert_link_number_to_index(shown_link_parameters, side, len(chunker_titles)) for side in compared_side_names
    ]
    # The excerpt with the largest missed part on the left, or the first excerpt if none was missed.
    missed_excerpt_spans = [
        failure.retrieval.answer
        for failure in report_and_failures.failures.get(chunker_or_question_numbers[0], ())
        if failure.question == chosen_question_number
    ]
    for span in [*missed_excerpt_spans, *excerpt_ranges(corpus, searched_questions[chosen_question_number])][:1]:
        show_corpus_passage_compare_button(corpus, span, plan, chunker_or_question_numbers, choices)
    for column, side in zip(st.columns(len(compared_side_names), gap="large"), compared_side_names, strict=True):
        with column:
            _show_one_chunker(
                retrieval_report,
                chunker_titles,
                shown_link_parameters,
                side,
                chosen_question_number,
                store_shown_question_and_chunkers,
                shows_document_view=shown_view_name == "document",
            )


def _most_disputed_question_and_chunkers(
    measure_values_by_chunker: Mapping[int, FloatArray], question_numbers: IntArray
) -> dict[str, str]:
    """Return the question on which two chunkers differ most, and these two; the first question if all agree."""
    if len(measure_values_by_chunker) < 2 or not len(question_numbers):
        return {"question": "1"}
    (question_number, *_) = questions_sorted_by_difference(measure_values_by_chunker, question_numbers)
    value_by_chunker = {
        number: some[question_number]
        for number, some in measure_values_by_chunker.items()
        if not np.isnan(some[question_number])
    }
    left_chunker_number, right_side_chunker_number = sorted(
        (max(value_by_chunker, key=value_by_chunker.__getitem__), min(value_by_chunker, key=value_by_chunker.__getitem__))
    )
    return {
        "question": str(question_number + 1),
        "left": str(left_chunker_number + 1),
        "right": str(right_side_chunker_number + 1),
    }


def questions_sorted_by_difference(
    measure_values_by_chunker: Mapping[int, FloatArray], question_numbers: IntArray
) -> list[int]:
    """Return the questions in descending order of the largest difference between two chunkers.

    Ties keep their order. ``measure_values_by_chunker`` has an array of shape (all questions,) for each chunker, NaN where
    undefined.
    """
    question_values_per_chunker = np.array([*measure_values_by_chunker.values()])[:, question_numbers]
    value_ranges = np.fmax.reduce(question_values_per_chunker) - np.fmin.reduce(question_values_per_chunker)
    return [int(number) for number in question_numbers[np.argsort(-value_ranges, kind="stable")]]


def replace_agreeing_chunker_pair(
    measure_values_by_chunker: Mapping[int, FloatArray],
    question_number: int,
    left_chunker_number: str,
    right_chunker_number: str,
) -> tuple[str, str]:
    """Return the two chunkers to show, numbered from 1; the chosen chunkers are replaced if they do not differ.

    The chosen pair is kept if its values on the question differ, or if fewer than two chunkers have a value. Otherwise the
    right chunker is replaced by the one furthest from the left; if the left has no value, the pair is the worst and the best
    chunker.
    """
    value_by_chunker = {
        str(number + 1): float(some[question_number])
        for number, some in measure_values_by_chunker.items()
        if not np.isnan(some[question_number])
    }
    if len(value_by_chunker) < 2 or (
        left_chunker_number in value_by_chunker
        and right_chunker_number in value_by_chunker
        and value_by_chunker[left_chunker_number] != value_by_chunker[right_chunker_number]
    ):
        return left_chunker_number, right_chunker_number
    if left_chunker_number in value_by_chunker:
        return left_chunker_number, max(
            value_by_chunker, key=lambda word: abs(value_by_chunker[word] - value_by_chunker[left_chunker_number])
        )
    return min(value_by_chunker, key=value_by_chunker.__getitem__), max(value_by_chunker, key=value_by_chunker.__getitem__)


def _choose_only_disputed(link_parameters: dict[str, str], disputed_question_count: int, question_count: int) -> bool:
    is_only_disputed_shown = link_parameters["disagree"] == "yes"

    def store_only_disputed_toggle(shows_only_disputed: bool) -> None:
        link_parameters["disagree"] = "yes" if shows_only_disputed else "no"

    disputed_toggle_label = (
        f"Only where the chunkers disagree in {RETRIEVAL_MEASURE_TITLES[link_parameters['measure']].lower()}: "
        f"{disputed_question_count:,} of {question_count:,}"
    )
    return st.toggle(
        disputed_toggle_label,
        is_only_disputed_shown,
        **build_widget_key_and_callback(is_only_disputed_shown, "retrieval_disagree", store_only_disputed_toggle),
    )


def _show_one_chunker(
    retrieval_report: Report,
    chunker_titles: list[str],
    link_parameters: dict[str, str],
    side: str,
    question_number: int,
    store_choice: Callable[[], None],
    *,
    shows_document_view: bool,
) -> None:
    """Draw one of the two compared chunkers, with its scores and retrieved chunks."""
    chunker_title_by_number = {
        str(chunker_number + 1): chunker_titles[chunker_number] for chunker_number in retrieval_report.chunkers
    }
    if link_parameters[side] not in chunker_title_by_number:
        link_parameters[side] = list(chunker_title_by_number)[0 if side == "left" else -1]
    chunker_number = (
        int(
            draw_setting_select_box(
                side.capitalize(), link_parameters, side, chunker_title_by_number, f"retrieval_{side}", store_choice
            )
        )
        - 1
    )
    chunker_evaluation = retrieval_report.chunkers[chunker_number].evaluation
    scores_of_one_question = chunker_evaluation.scores_of_question(question_number)
    score_by_measure = getattr(scores_of_one_question, retrieval_report.choice.unit)
    st.caption(
        " · ".join(
            f"{title} {format_score_in_percent(score_by_measure[name])}" for name, title in RETRIEVAL_MEASURE_TITLES.items()
        )
    )
    make_passages = build_marked_documents if shows_document_view else ranked_passages
    draw_passages(
        make_passages(
            chunker_evaluation,
            scores_of_one_question,
            retrieval_report.chunks_retrieved_for_question(chunker_number, question_number),
        ),
        f"retrieval_passages_{side}",
    )
