"""The inbox of the Failures page: a ranked list of suspicious cuts, with the changes that remove them."""

from collections.abc import Sequence

import streamlit as st

from chunkers import Chunking, Document, Embedder
from chunkers.recipes import chunker_class
from chunkers.results import EmbeddedAs, find_chunk_indices_with_children
from chunkers.support import pluralize
from chunkers.text import detect_language
from evaluation.findings.examined_chunking import DEFAULT_NARROW_MARGIN
from evaluation.findings.rules import NEAR_DUPLICATE_SHARE, RULES, Finding, find_suspicious_cuts, finding_count_per_rule
from evaluation.remedies.tested_changes import SuspiciousColumn
from evaluation.retrieval import count_bm25_duplicates_per_question
from evaluation.search import find_repeated_word_runs
from viz.components.browser_exchange import take_event
from viz.components.findings.findings import (
    MOST_FINDINGS,
    FindingData,
    SoughtData,
    draw_findings_of_result,
    find_sentence_range_at_characters,
)
from viz.components.page_elements import show_notice
from viz.controls import build_widget_key_and_callback
from viz.failures.published_and_best_settings import MeasuredSetting
from viz.failures.session import session
from viz.jobs import ChunkingTask, cached_while_shown, embedder_part_of_cache_key, register_text_gone_callback
from viz.jobs.remedy_search import RemedyJob, build_finding_remedy_search_function
from viz.shell import ColumnResult, compare_page_choices_or_defaults, open_page_at_next_run
from viz.shell.remedy_payload_and_columns import add_remedy_column, is_remedy_search_automatic, remedies_payload
from viz.state import Choices, PageText, main_page, ranking_method_of, retrieval_limit_of, stored_questions_about

register_text_gone_callback(lambda _: find_repeated_word_runs.cache_clear())

INBOX_KEY = "inbox"

SEARCH_WAIT_S = 0.2
"""Seconds to wait for a search while the list is drawn; for a longer search, the browser polls for the result."""

NEAR_DUPLICATE_SEARCH_CHUNK_COUNT = 5
"""Number of best chunks of a question among which near-duplicates are counted."""

NO_REMEDY_REASONS = {
    "splitter": "No chunker changes this: the text was split into sentences so. Choose another splitter under “Sentence "
    "splitter”.",
    "document": "No chunker removes this: the document itself has it. Clean the document before you cut it.",
}
"""Why no setting of a chunker is searched, by the cause of a finding."""


def show_suspicious_cuts(
    choices: Choices, setting_with_result: MeasuredSetting, page_text: PageText, embedder: Embedder | None
) -> None:
    """Draw a result's suspicious cuts, and the changes of settings that remove the selected cut."""
    st.header("Suspicious cuts", anchor=False)
    if setting_with_result.result.chunking is None:
        show_notice("There are no suspicious cuts yet: the text has not been cut.", key="no_inbox")
        return
    score_margin = _choose_score_margin(choices)
    # In its own container, so that elements that come and go above do not make Streamlit rebuild the list.
    with st.container():
        _draw_findings_list(setting_with_result, page_text.source.known, choices.tokenizer, score_margin, embedder)
    with st.expander("Suspicious-cut rules"):
        st.markdown("\n".join(f"- **{rule.title}.** {rule.explanation}" for rule in RULES.values()))


@st.fragment
def _draw_findings_list(
    setting_with_result: MeasuredSetting,
    known_boundaries: tuple[int, ...] | None,
    tokenizer: str,
    score_margin: float,
    embedder: Embedder | None,
) -> None:
    """Draw the list in a fragment, which alone reruns while a search is in progress."""
    column_result = setting_with_result.result
    assert column_result.chunking is not None
    assert column_result.task is not None
    _take_finding_events(embedder)
    column_findings = _cached_findings(column_result.task, column_result.chunking, embedder, score_margin)
    listed_findings = column_findings[:MOST_FINDINGS]
    chunker_title = chunker_class(setting_with_result.setting.chunker).title
    hint_phrase = "; choose one to see what removes it" if column_findings else ""
    findings_phrase = pluralize(len(column_findings), "finding") if column_findings else "nothing found"
    draw_findings_of_result(
        f"{chunker_title}, {setting_with_result.origin_label} settings: {findings_phrase} by rules that may be "
        f"mistaken{hint_phrase}",
        [(RULES[name].title, count, RULES[name].why) for name, count in finding_count_per_rule(column_findings).items()],
        [_finding_data(column_result.chunking.document, finding) for finding in listed_findings],
        len(column_findings),
        unlisted_findings_phrase="less suspicious",
        no_findings_message="Nothing looks suspicious to these rules.",
        key=INBOX_KEY,
        chosen_finding_remedies=_remedies_found_for_chosen_finding(
            column_result, listed_findings, known_boundaries, tokenizer, score_margin, embedder
        ),
    )


def _take_finding_events(embedder: Embedder | None) -> None:
    """Apply the user's selection of a finding or of a change that removes it."""
    finding_remedy_job = session.finding_remedy_job
    if remedy_event := take_event(INBOX_KEY, "remedy"):
        if remedy_event.get("tune"):
            open_page_at_next_run("tune")
            st.rerun()
        if add_remedy_column(remedy_event, finding_remedy_job, embedder):
            open_page_at_next_run(main_page.key)
            st.rerun()
    if finding_event := take_event(INBOX_KEY, "sought"):
        session.sought_finding_id = str(finding_event.get("id", ""))
        if finding_event.get("search") and finding_remedy_job is not None and not finding_remedy_job.running:
            session.finding_remedy_job = finding_remedy_job = finding_remedy_job.unstarted_copy()
            finding_remedy_job.start()
        elif finding_event.get("search") is False and finding_remedy_job is not None:
            finding_remedy_job.cancel()


def _remedies_found_for_chosen_finding(
    result: ColumnResult,
    findings: Sequence[Finding],
    known_boundaries: tuple[int, ...] | None,
    tokenizer: str,
    narrow_score_margin: float,
    embedder: Embedder | None,
) -> SoughtData | None:
    """Return the changes found so far that remove the chosen finding; start the search if it needs no request."""
    sought_finding = next((candidate for candidate in findings if _finding_id(candidate) == session.sought_finding_id), None)
    if sought_finding is None or result.task is None or result.chunker is None or result.chunking is None:
        return None
    if no_remedy_reason := NO_REMEDY_REASONS.get(RULES[sought_finding.rule].cause, ""):
        if sought_finding.rule == "near_duplicate":
            no_remedy_reason = f"{no_remedy_reason} {_describe_near_duplicates_among_retrieved(result.chunking)}"
        return {"id": _finding_id(sought_finding), "remedies": None, "why_none": no_remedy_reason}
    document, compare_choices, reranker = result.chunking.document, compare_page_choices_or_defaults(), session.reranker
    # Changed chunks would need new context sentences from a language model.
    embedded_text_kind: EmbeddedAs = "plain" if session.embedded_as == "context" else session.embedded_as
    stored_questions = () if session.embedded_as == "context" else stored_questions_about(document)
    ranking_method, (_, retrieval_limit) = (
        ranking_method_of(compare_choices),
        retrieval_limit_of(compare_choices, len(document.text)),
    )
    suspicious_column = SuspiciousColumn(
        result.chunker,
        result.chunking,
        ranking_method,
        retrieval_limit,
        embedded_text_kind,
        stored_questions,
        known_boundaries,
        narrow_score_margin,
    )
    finding_remedy_search = build_finding_remedy_search_function(
        result.task, suspicious_column, sought_finding, tokenizer, reranker
    )
    remedy_job_identity = (
        sought_finding,
        narrow_score_margin,
        ranking_method,
        retrieval_limit,
        embedded_text_kind,
        stored_questions,
        known_boundaries,
        tokenizer,
        embedder_part_of_cache_key(embedder),
        reranker,
    )
    session.finding_remedy_job = remedy_job = RemedyJob(
        remedy_job_identity, {result.task: finding_remedy_search}, embedder, tokenizer, session.keeps_embeddings_on_disk
    ).earlier_if_same(session.finding_remedy_job)
    starts_automatically = not stored_questions or is_remedy_search_automatic(ranking_method, embedder, reranker, document)
    if starts_automatically and not remedy_job.is_search_finished:
        remedy_job.start_once()
    remedy_job.join(SEARCH_WAIT_S)
    return {
        "id": _finding_id(sought_finding),
        "remedies": remedies_payload(
            remedy_job, remedy_job.outcome_by_task.get(result.task), "What removes it?", "removes it"
        ),
        "why_none": "",
    }


def _describe_near_duplicates_among_retrieved(chunking: Chunking) -> str:
    """Return a sentence on how many of the best chunks for the questions about the text are near-duplicates."""
    stored_question_texts = [posed.question for posed in stored_questions_about(chunking.document)]
    if not stored_question_texts:
        return "Mark answers on Compare to see here how many of the best places near-duplicates take."
    parent_chunk_numbers = find_chunk_indices_with_children(chunking.chunks)
    non_parent_chunk_texts = [
        chunk.text for number, chunk in enumerate(chunking.chunks) if number not in parent_chunk_numbers
    ]
    duplicate_counts_by_question = count_bm25_duplicates_per_question(
        non_parent_chunk_texts,
        detect_language(chunking.document.text),
        stored_question_texts,
        NEAR_DUPLICATE_SEARCH_CHUNK_COUNT,
        NEAR_DUPLICATE_SHARE,
    )
    return (
        f"For {pluralize(len(stored_question_texts), 'question')} about this text, searched by words, they take "
        f"{duplicate_counts_by_question.mean():.2g} of "
        f"the best {min(NEAR_DUPLICATE_SEARCH_CHUNK_COUNT, len(non_parent_chunk_texts))} places on average, and at most "
        f"{duplicate_counts_by_question.max()}."
    )


def _finding_id(finding: Finding) -> str:
    return f"{finding.rule} {finding.span.start} {finding.span.end}"


def _choose_score_margin(choices: Choices) -> float:
    """Draw the slider for the distance within which a score counts as close to the threshold; check the link's value."""
    try:
        score_margin = float(choices.extra["hair"])
    except ValueError:
        score_margin = -1.0
    if not 0 <= score_margin <= 0.1:
        show_notice(
            f"The link's parameter hair must be a number from 0 to 0.1; got {choices.extra['hair'][:60]!r}.",
            "error",
            key="bad_hair",
        )
        score_margin = DEFAULT_NARROW_MARGIN

    def store_score_margin(margin: float) -> None:
        choices.extra["hair"] = f"{margin:g}"

    return float(
        st.slider(
            "Score margin",
            0.0,
            0.1,
            score_margin,
            step=0.005,
            format="%.3f",
            help="Cuts whose score is within this distance of the threshold are listed: a small change could remove them.",
            **build_widget_key_and_callback(score_margin, "hair", store_score_margin),
        )
    )


@cached_while_shown(32, lambda task, chunking, embedder, score_margin: (task.document, task, score_margin))
def _cached_findings(
    task: ChunkingTask, chunking: Chunking, embedder: Embedder | None, score_margin: float
) -> list[Finding]:
    """Return the findings of a result, cached by its task and ``score_margin``."""
    return find_suspicious_cuts(chunking, embedder, score_margin)


def _finding_data(document: Document, finding: Finding) -> FindingData:
    """Return a finding for the browser: its rule's title, the reason, the passage, and its range of sentences."""
    return {
        "id": _finding_id(finding),
        "title": RULES[finding.rule].title,
        "reason": finding.reason,
        "passage": elide_middle(document.text[slice(*finding.span)]),
        "range": find_sentence_range_at_characters(document, *finding.span),
    }


def elide_middle(passage: str, max_length: int = 150) -> str:
    """Return a passage on one line, its middle elided if it is longer than ``max_length`` characters."""
    single_line_passage = " ".join(passage.split())
    return (
        single_line_passage
        if len(single_line_passage) <= max_length
        else f"{single_line_passage[: max_length * 2 // 3]} … {single_line_passage[-max_length // 3 :]}"
    )
