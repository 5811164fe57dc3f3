"""The list of missed excerpts, with what split each and who found it, and the button that opens one on Compare."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypedDict

import streamlit as st

from chunkers import Document, Span
from chunkers.support import pluralize
from evaluation.questions import Corpus
from evaluation.retrieval import MissedExcerpt, RankedChunk, Report, Seam
from sample_docs import load_sample, sample_titles
from viz.components.browser_exchange import Component, take_event
from viz.components.findings.findings import find_sentence_range_at_characters
from viz.components.page_elements import show_notice
from viz.controls import adopt_as_own_text, draw_setting_select_box
from viz.jobs import split_document
from viz.jobs.retrieval import ReportAndFailures
from viz.jobs.retrieval_plan import Plan
from viz.shell import open_page_at_next_run
from viz.state import (
    OWN_DOCUMENT_KEY,
    Choices,
    ColumnChoice,
    TextWithDetails,
    choose_document,
    main_page,
    record_columns_for_undo,
    session,
)

MISSED_EXCERPTS_KEY = "retrieval_failed_list"
MOST_LISTED_EXCERPTS = 200
"""Most excerpts in the list; those with the largest missed parts come first."""
CUT_CONTEXT_CHARACTERS = 40
"""Characters shown on either side of a cut."""
MOST_SHOWN_CUTS = 3
"""Most cuts shown per excerpt; further ones are counted."""


class SeamData(TypedDict):
    """A cut inside an excerpt: the text before and after it, and its reason."""

    before: str
    after: str
    reason: str


class FailedRowData(TypedDict):
    """A row for a missed excerpt: the number of its question, from 0, and texts about what was missed and why."""

    question: int
    title: str
    missed: str
    seams: list[SeamData]
    more: str
    holder: str
    others: str
    here: bool


class FailedData(TypedDict):
    """Payload of the list: its rows, a sentence about the rows left out, and the selector of what a press scrolls to."""

    rows: list[FailedRowData]
    more: str
    below: str


_failed_questions_component = Component[FailedData](
    "seamark_failed",
    "retrieval/failed/missed_excerpts.js",
    "retrieval/failed/missed_excerpts.css",
    html='<div class="failed"></div>',
    colour_group_name="failed",
)


def draw_failed_question_list(failed_questions_payload: FailedData, key: str, on_chosen: Callable[[], None]) -> None:
    """Draw a list of failed questions; ``on_chosen`` is called after a press on a row."""
    _failed_questions_component(key=key, data=failed_questions_payload, on_chosen_change=on_chosen)


def show_missed_excerpts(report_and_failures: ReportAndFailures, plan: Plan, link_parameters: dict[str, str]) -> None:
    """Draw a chunker selector, and the list of the excerpts that the selected chunker missed."""
    retrieval_report = report_and_failures.report
    st.header("Missed excerpts", anchor=False)
    chunker_title_by_number = {
        str(chunker_number + 1): plan.chunker_titles_with_settings[chunker_number]
        for chunker_number in retrieval_report.chunkers
    }
    with st.container(width=420):
        chunker_number = (
            int(draw_setting_select_box("Missed by", link_parameters, "failed", chunker_title_by_number, "retrieval_failed"))
            - 1
        )
    missed_excerpts = report_and_failures.failures[chunker_number]
    searched_questions = retrieval_report.chunkers[chunker_number].evaluation.search.questions
    if retrieval_report.chunkers[chunker_number].retrieves_everything:
        show_notice(
            f"No question can fail: {plan.numbered_chunker_titles[chunker_number]} retrieved everything "
            f"{_retrieval_limit_in_words(retrieval_report)}.",
            key="retrieval_nothing_failed",
        )
        return
    if not missed_excerpts:
        answerable_question_count = sum(bool(question.excerpts) for question in searched_questions)
        show_notice(
            f"No question failed: {plan.numbered_chunker_titles[chunker_number]} found every excerpt of "
            f"{pluralize(answerable_question_count, 'question')} whole "
            f"{_retrieval_limit_in_words(retrieval_report)}.",
            key="retrieval_nothing_failed",
        )
        return
    failed_question_count = len({failure.question for failure in missed_excerpts})
    st.caption(
        f"{plan.numbered_chunker_titles[chunker_number]} did not find {pluralize(len(missed_excerpts), 'excerpt')} whole "
        f"{_retrieval_limit_in_words(retrieval_report)}, in {failed_question_count:,} of "
        f"{pluralize(len(searched_questions), 'question')}. The excerpts with the most missing text come first; press one "
        "to see its passage below."
    )
    missed_excerpt_rows = [
        _missed_excerpt_row(retrieval_report, plan, failure, chunker_number, link_parameters)
        for failure in missed_excerpts[:MOST_LISTED_EXCERPTS]
    ]
    unlisted_excerpt_count = len(missed_excerpts) - len(missed_excerpt_rows)
    more_excerpts_phrase = (
        f"{pluralize(unlisted_excerpt_count, 'more excerpt')} with less missed" if unlisted_excerpt_count else ""
    )
    _failed_questions_component(
        key=MISSED_EXCERPTS_KEY,
        data={"rows": missed_excerpt_rows, "more": more_excerpts_phrase, "below": ".st-key-retrieval_one"},
        on_chosen_change=partial(_select_clicked_question, missed_excerpts, chunker_number, link_parameters),
    )


def _select_clicked_question(
    missed_excerpts: Sequence[MissedExcerpt], chunker_number: int, link_parameters: dict[str, str]
) -> None:
    """Select a row's question for the view below, with the chunker that missed it next to one that did not."""
    chosen_row = take_event(MISSED_EXCERPTS_KEY, "chosen")
    if chosen_row is None:
        return
    chosen_missed_excerpt = next(
        (candidate for candidate in missed_excerpts if candidate.question == chosen_row["question"]), None
    )
    if chosen_missed_excerpt is None:
        return
    link_parameters["disagree"], link_parameters["question"], link_parameters["left"] = (
        "no",
        str(chosen_missed_excerpt.question + 1),
        str(chunker_number + 1),
    )
    other_chunker_numbers = chosen_missed_excerpt.other_successful_chunkers(chunker_number) or tuple(
        sorted(
            (other for other in chosen_missed_excerpt.missed_characters_by_chunker if other != chunker_number),
            key=lambda other: chosen_missed_excerpt.missed_characters_by_chunker[other],
        )
    )
    if other_chunker_numbers:
        link_parameters["right"] = str(other_chunker_numbers[0] + 1)


def _retrieval_limit_in_words(retrieval_report: Report) -> str:
    report_settings = retrieval_report.choice
    return (
        f"in {report_settings.budget:,} {report_settings.unit}"
        if report_settings.budget
        else f"in the top {report_settings.top_k}"
    )


def _missed_excerpt_row(
    retrieval_report: Report, plan: Plan, missed_excerpt: MissedExcerpt, chunker_number: int, link_parameters: dict[str, str]
) -> FailedRowData:
    chunker_evaluation = retrieval_report.chunkers[chunker_number].evaluation
    question_text = chunker_evaluation.search.questions[missed_excerpt.question].text
    excerpt_retrieval, ladder_with_cut_reasons = missed_excerpt.retrieval, retrieval_report.chunkers[chunker_number].ladder
    missed_share_phrase = (
        "All of the excerpt"
        if excerpt_retrieval.missed_character_count == excerpt_retrieval.answer_character_count
        else f"{excerpt_retrieval.missed_character_count:,} of {excerpt_retrieval.answer_character_count:,} characters"
    )
    corpus_text = chunker_evaluation.searched_index.corpus.joined_document.text
    cuts_inside_excerpt = excerpt_retrieval.cuts_inside(
        {} if ladder_with_cut_reasons is None else ladder_with_cut_reasons.reasons
    )
    unlisted_cut_count = len(cuts_inside_excerpt) - MOST_SHOWN_CUTS
    return {
        "question": missed_excerpt.question,
        "title": f"{missed_excerpt.question + 1}. {question_text}",
        "missed": f"{missed_share_phrase} missed",
        "seams": [build_excerpt_cut_payload(corpus_text, seam) for seam in cuts_inside_excerpt[:MOST_SHOWN_CUTS]],
        "more": f"and {pluralize(unlisted_cut_count, 'more cut')}" if unlisted_cut_count > 0 else "",
        "holder": _holding_chunk_in_words(retrieval_report, missed_excerpt, chunker_number),
        "others": _successful_chunkers_in_words(plan, missed_excerpt, chunker_number),
        "here": link_parameters["question"] == str(missed_excerpt.question + 1)
        and link_parameters["left"] == str(chunker_number + 1),
    }


def build_excerpt_cut_payload(text: str, cut_in_excerpt: Seam) -> SeamData:
    """Return the payload of a cut, with the chunks' numbers if the chunker gives no reason."""
    cut_reason = cut_in_excerpt.reason or (
        f"between chunks {cut_in_excerpt.before + 1:,} and {cut_in_excerpt.after + 1:,}, at character "
        f"{cut_in_excerpt.place:,}"
    )
    text_before, text_after = (
        text[max(0, cut_in_excerpt.place - CUT_CONTEXT_CHARACTERS) : cut_in_excerpt.place],
        text[cut_in_excerpt.place : cut_in_excerpt.place + CUT_CONTEXT_CHARACTERS],
    )
    return {"before": " ".join(text_before.split()), "after": " ".join(text_after.split()), "reason": cut_reason}


def _holding_chunk_in_words(retrieval_report: Report, missed_excerpt: MissedExcerpt, chunker_number: int) -> str:
    """Describe the chunk that holds most of an excerpt, why it was not enough, and how much no chunk holds."""
    holder, unchunked_character_count = (
        missed_excerpt.retrieval.chunk_with_most_answer,
        missed_excerpt.retrieval.outside_character_count,
    )
    if holder is None:
        return "No chunk holds any of it."
    unchunked_part_phrase = (
        f" {pluralize(unchunked_character_count, 'character')} of it in no chunk." if unchunked_character_count else ""
    )
    return _why_excerpt_missed(retrieval_report, missed_excerpt, holder, chunker_number) + unchunked_part_phrase


def _why_excerpt_missed(
    retrieval_report: Report, missed_excerpt: MissedExcerpt, holder: RankedChunk, chunker_number: int
) -> str:
    excerpt_retrieval = missed_excerpt.retrieval
    held_share_phrase = (
        f"{excerpt_retrieval.count_answer_characters_in_chunk(holder):,} of {excerpt_retrieval.answer_character_count:,} "
        "characters"
        if excerpt_retrieval.fate == "split"
        else "all of it"
    )
    chunk_or_child_noun = (
        "Chunk" if retrieval_report.chunkers[chunker_number].evaluation.searched_index.parents is None else "Child"
    )
    holding_chunk_phrase = f"{chunk_or_child_noun} {holder.number + 1:,} holds {held_share_phrase}"
    if not holder.rank:
        return f"{holding_chunk_phrase}; its rank is not known."
    holding_chunk_and_rank_phrase = f"{holding_chunk_phrase} and has rank {holder.rank:,}"
    chunks_within_limit, report_settings = (
        retrieval_report.chunks_retrieved_for_question(chunker_number, missed_excerpt.question),
        retrieval_report.choice,
    )
    if holder.rank > chunks_within_limit.taken_count:
        if report_settings.budget:
            return (
                f"{holding_chunk_and_rank_phrase}: the {report_settings.budget:,} {report_settings.unit} are full after "
                f"{pluralize(chunks_within_limit.taken_count, 'chunk')}."
            )
        return f"{holding_chunk_and_rank_phrase}: only the top {report_settings.top_k} count."
    is_cut_off = excerpt_retrieval.fate == "cut off" or any(
        chunk.rank == holder.rank and not chunk.is_wholly_retrieved for chunk in chunks_within_limit.chunks
    )
    return (
        f"{holding_chunk_and_rank_phrase}, where the budget cuts it off."
        if is_cut_off
        else f"{holding_chunk_and_rank_phrase}: it was found, the rest was not."
    )


def _successful_chunkers_in_words(plan: Plan, missed_excerpt: MissedExcerpt, chunker_number: int) -> str:
    if len(missed_excerpt.missed_characters_by_chunker) < 2:
        return ""
    successful_chunker_numbers = missed_excerpt.other_successful_chunkers(chunker_number)
    return (
        f"Found whole by {', '.join(plan.numbered_chunker_titles[other] for other in successful_chunker_numbers)}."
        if successful_chunker_numbers
        else "No other chunker found it whole."
    )


# The button that opens Compare at a passage, in a sample or the user's own text.


class OnCompareData(TypedDict):
    """Payload of the button that opens Compare: its label, and the half-open range of sentences to show."""

    label: str
    range: tuple[int, int]


_compare_button_component = Component[OnCompareData](
    "seamark_on_compare",
    "retrieval/failed/open_on_compare.js",
    "retrieval/failed/open_on_compare.css",
    html='<div class="on-compare"></div>',
    colour_group_name="on-compare",
)


@lru_cache(maxsize=1)
def _sample_ids_by_text() -> dict[str, str]:
    """Return the ids of the bundled documents by their texts."""
    return {load_sample(name).text: name for name in sample_titles()}


def show_corpus_passage_compare_button(
    corpus: Corpus, span_in_corpus: Span, plan: Plan, chunker_numbers: Sequence[int], choices: Choices
) -> None:
    """Draw the button that opens Compare at ``span_in_corpus``, with the run's chunkers ``chunker_numbers`` as columns.

    ``span_in_corpus`` is on the corpus's axis. A document that is not a sample of Compare becomes the user's own text there;
    the label names the text that it replaces.
    """
    document_number = corpus.document_number_at(span_in_corpus.start)
    document_start_in_corpus, document = corpus.offsets[document_number], corpus.documents[document_number]
    if document.splitter != plan.sentences:
        # A run that only shows stored results uses another splitter.
        document = split_document(document.text, plan.sentences, document.name, document.parts)
    compare_column_choices = [
        ColumnChoice(chunker.name, chunker.model_dump(mode="json"))
        for chunker in (plan.chunkers[n] for n in dict.fromkeys(chunker_numbers))
    ]
    draw_button_opening_document_passage(
        document,
        Span(span_in_corpus.start - document_start_in_corpus, span_in_corpus.end - document_start_in_corpus),
        compare_column_choices,
        choices,
        "retrieval_on_compare",
        plan.embedder,
    )


def draw_button_opening_document_passage(
    document: Document,
    span_in_document: Span,
    columns: list[ColumnChoice],
    choices: Choices,
    key: str,
    embedder: str | None = None,
) -> None:
    """Draw the button that opens Compare at a span of a document, with these columns and by default the page's embedder."""
    sample_id, current_own_text = _sample_ids_by_text().get(document.text), session.own
    sample_id_or_source: str | TextWithDetails = sample_id or TextWithDetails(
        document.text, document.name, parts=document.parts
    )
    replaced_text_phrase = (
        f", in the place of “{current_own_text.name}”"
        if sample_id is None and current_own_text is not None and current_own_text.text != document.text
        else ""
    )
    button_data: OnCompareData = {
        "label": f"See the passage on Compare{replaced_text_phrase}",
        "range": find_sentence_range_at_characters(document, *span_in_document),
    }
    splitter_and_embedder_names = document.splitter, embedder or choices.embedder
    _compare_button_component(
        key=key,
        data=button_data,
        on_open_change=partial(
            _open_document_and_columns, sample_id_or_source, splitter_and_embedder_names, columns, choices, key
        ),
    )


def _open_document_and_columns(
    sample_or_text: str | TextWithDetails,
    splitter_and_embedder_names: tuple[str, str],
    columns: list[ColumnChoice],
    choices: Choices,
    key: str,
) -> None:
    """Go to Compare with the document and these columns; the user can undo this there."""
    if take_event(key, "open") is None:
        return
    # These settings are shared: Compare adopts them from the page that the user comes from.
    if isinstance(sample_or_text, str):
        choose_document(choices, sample_or_text)
    elif session.own is not None and session.own.text == sample_or_text.text:
        # Keep its known boundaries.
        choose_document(choices, OWN_DOCUMENT_KEY)
    else:
        adopt_as_own_text(sample_or_text, choices)
    choices.sentences, choices.embedder = splitter_and_embedder_names
    compare_choices = main_page.current_choices()
    with record_columns_for_undo(main_page.key, "Columns replaced by those of Retrieval"):
        compare_choices.columns, compare_choices.selected = columns, 0
    open_page_at_next_run(main_page.key)
