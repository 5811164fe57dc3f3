"""The scoreboard of Compare's columns, their ranking, and their measures that need no known boundaries."""

import math
from collections.abc import Sequence

import streamlit as st

from chunkers import Chunking, Document, Embedder, InputError, build_chunker, load_tokenizer
from chunkers.recipes import MAXIMUM_SIZE_TOKENS, presets_for_chunker
from chunkers.support import VectorArray, pluralize
from evaluation.findings.rules import find_suspicious_cuts, finding_count_per_rule
from evaluation.report.measure_table_cells import (
    EDIT_CELL_COUNT,
    FOUND_BOUNDARY_HEADS,
    KNOWN_BOUNDARY_HEADS,
    STRUCTURE_HEADS,
    SUSPICIOUS_HEAD,
    UNLABELLED_HEADS,
    Cell,
    Head,
    boundary_count_cells,
    cells_and_why_no_cut_wins,
    count_cell,
    edit_stability_cells,
    label_free_measure_cells,
    score_and_behind_best_cells,
    size_spread_cell,
    structure_cells,
    suspicious_findings_cell,
    unknown_cell,
)
from evaluation.segmentation import (
    BASELINE_SETTINGS,
    DEFAULT_EDIT_COUNT,
    ChunkingRanking,
    Contender,
    EditStability,
    LabelFreeMeasures,
    check_edit_count,
    count_size_compliance,
    measure_without_labels,
    rank_by_known_boundaries,
    rank_by_respect_for_structure,
)
from viz.compare.choices_and_session.session import session
from viz.components.page_elements import show_job_progress_or_error, show_notice
from viz.components.score_table.score_table import (
    RowData,
    draw_table_of_measures,
    flag_best_cells_in_column,
    score_table_row,
)
from viz.jobs import ChunkingTask, build_tools, cached_sentence_vectors_or_none, cached_while_shown, chunk_if_quick
from viz.jobs.index_changes_and_stability import EditStabilityJob
from viz.shell import ColumnResult, FinishedColumn, lecture_mode, settings_in_words, waiting_status_phrase
from viz.state import OWN_DOCUMENT_KEY, Choices
from viz.theme import duration_in_words


@cached_while_shown(32, lambda task, chunking, embedder=None: (task.document, task, embedder is None))
def count_tokens_of_each_chunk(task: ChunkingTask, chunking: Chunking, embedder: Embedder | None = None) -> list[int] | None:
    """Return each chunk's token count, by the tokenizer of ``embedder`` or by the chosen tokenizer; None if unavailable."""
    chunk_texts = [chunk.text for chunk in chunking.chunks]
    try:
        return [*(load_tokenizer(task.tokenizer).count(chunk_texts) if embedder is None else embedder.lengths(chunk_texts))]
    except InputError:
        return None


def show_scoreboard(
    choices: Choices,
    column_results: Sequence[ColumnResult],
    known_boundaries: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> None:
    """Draw a table of each column's chunks, tokens, boundary errors, suspicious cuts and time."""
    embedder_with_token_limit = embedder if embedder is not None and embedder.max_tokens is not None else None
    scoreboard_table_rows = [
        _scoreboard_row(number, column, known_boundaries, embedder, embedder_with_token_limit)
        for number, column in enumerate(column_results)
    ]
    scoreboard_column_heads = _scoreboard_heads(known_boundaries is not None, choices.tokenizer)
    for cell_index, column_head in enumerate(scoreboard_column_heads):
        if column_head.label not in ("Chunks", "Tokens"):
            flag_best_cells_in_column(scoreboard_table_rows, cell_index, max if column_head.label == "Found" else min)
    special_token_count = (
        None if embedder_with_token_limit is None else _special_token_count(column_results, embedder_with_token_limit)
    )
    usable_token_limit, embedder_limit_mark_note = None, ""
    if (
        embedder_with_token_limit is not None
        and embedder_with_token_limit.max_tokens is not None
        and special_token_count is not None
    ):
        usable_token_limit = embedder_with_token_limit.max_tokens - special_token_count
        special_tokens_phrase = f", besides {pluralize(special_token_count, 'special token')}" if special_token_count else ""
        embedder_limit_mark_note = (
            f"The line in the strips is where {embedder_with_token_limit.name} stops reading: {usable_token_limit:,} "
            f"tokens{special_tokens_phrase}."
        )
    draw_table_of_measures(
        choices,
        scoreboard_column_heads,
        scoreboard_table_rows,
        key="scoreboard",
        note=embedder_limit_mark_note,
        token_limit=usable_token_limit,
    )


def score_row_of_column(
    column_number: int, column: ColumnResult, score_cells: Sequence[Cell] = (), message: str = ""
) -> RowData:
    """Return the row of a column of Compare; without cells and a message, it says why the column has no result."""
    why_no_cells = message or column.error or waiting_status_phrase()
    return score_table_row(column_number, column.title, settings_in_words(column), score_cells, why_no_cells)


def _special_token_count(column_results: Sequence[ColumnResult], embedder_with_token_limit: Embedder) -> int | None:
    """Return the number of special tokens that the embedder adds to each text; None if another tokenizer counts."""
    added_token_counts = {
        length - size
        for column in column_results
        if (finished := column.finished_column_or_none)
        for length, size in zip(
            count_tokens_of_each_chunk(finished.task, finished.chunking, embedder_with_token_limit) or (),
            count_tokens_of_each_chunk(finished.task, finished.chunking, None) or (),
            strict=False,
        )
    }
    return added_token_counts.pop() if len(added_token_counts) == 1 else None


def _scoreboard_heads(has_known_boundaries: bool, tokenizer: str) -> list[Head]:
    time_column_heads = [
        Head("Decide", "Time to cut once the embeddings are there, pass two included."),
        Head("Embed", "Time to compute the embeddings when they were new. Columns share the embeddings of equal texts."),
    ]
    return [
        Head("Chunks", "Number of chunks."),
        Head("Tokens", f"Fewest, median and most in a chunk, as {tokenizer} counts them; every dot is a chunk."),
        *(FOUND_BOUNDARY_HEADS if has_known_boundaries else ()),
        SUSPICIOUS_HEAD,
        *([] if lecture_mode.is_lecture_mode_on() else time_column_heads),
    ]


def _scoreboard_row(
    column_number: int,
    column: ColumnResult,
    known_boundaries: tuple[int, ...] | None,
    embedder: Embedder | None,
    embedder_with_token_limit: Embedder | None,
) -> RowData:
    finished_column = column.finished_column_or_none
    if finished_column is None:
        return score_row_of_column(column_number, column)
    chunking_task, chunking = finished_column.task, finished_column.chunking
    chunk_token_counts, chunk_token_counts_for_embedder = (
        count_tokens_of_each_chunk(chunking_task, chunking, None),
        count_tokens_of_each_chunk(chunking_task, chunking, embedder_with_token_limit),
    )
    overlong_chunk_count = (
        0
        if embedder_with_token_limit is None or embedder_with_token_limit.max_tokens is None
        else sum(size > embedder_with_token_limit.max_tokens for size in chunk_token_counts_for_embedder or ())
    )
    tokens_cell = size_spread_cell(
        chunk_token_counts,
        f"{pluralize(overlong_chunk_count, 'chunk')} longer than the model reads" if overlong_chunk_count else "",
    )
    known_boundary_cells = [] if known_boundaries is None else boundary_count_cells(chunking, known_boundaries)
    suspicious_cuts_cell = suspicious_findings_cell(_suspicious_cut_counts_by_rule(chunking_task, chunking, embedder))
    scoreboard_cells = [count_cell(len(chunking.chunks)), tokens_cell, *known_boundary_cells, suspicious_cuts_cell]
    return score_row_of_column(
        column_number,
        column,
        scoreboard_cells if lecture_mode.is_lecture_mode_on() else scoreboard_cells + _time_cells(finished_column),
    )


@cached_while_shown(32, lambda task, chunking, embedder: (task.document, task))
def _suspicious_cut_counts_by_rule(task: ChunkingTask, chunking: Chunking, embedder: Embedder | None) -> dict[str, int]:
    return finding_count_per_rule(find_suspicious_cuts(chunking, embedder))


def _time_cells(column: FinishedColumn) -> list[Cell]:
    if column.chunker.elsewhere:
        return [unknown_cell("These chunks were made elsewhere.")] * 2
    chunking_timing, repeated_decision_times = column.chunking.timing, session.repeats.get(column.task)
    if chunking_timing is None:
        return [unknown_cell()] * 2
    decision_ms = (
        repeated_decision_times.median
        if repeated_decision_times is not None
        else chunking_timing.decide_ms + chunking_timing.merge_ms
    )
    decision_cell = Cell(
        duration_in_words(decision_ms),
        decision_ms,
        f"median of {repeated_decision_times.runs} runs" if repeated_decision_times is not None else "",
    )
    if not column.chunker.embeds:
        return [decision_cell, unknown_cell("It embeds nothing.")]
    embedding_ms = chunking_timing.cold_ms
    if math.isnan(embedding_ms):
        return [decision_cell, unknown_cell("It was not recorded.")]
    return [
        decision_cell,
        Cell(
            duration_in_words(embedding_ms),
            embedding_ms,
            f"{pluralize(chunking_timing.embedded + chunking_timing.cached, 'text')} in all",
        ),
    ]


# The ranking: by known boundaries or, without them, by structure.


def show_ranking(
    choices: Choices,
    column_results: Sequence[ColumnResult],
    document: Document,
    known_boundaries: tuple[int, ...] | None,
    embedder: Embedder | None,
) -> None:
    """Draw the ranking of Compare's columns, with the significance of their differences."""
    numbered_finished_columns = [
        (column_number, finished)
        for column_number, column in enumerate(column_results)
        if (finished := column.finished_column_or_none)
    ]
    finished_column_names = tuple(
        f"{column.chunker.title} (column {column_number + 1})" for column_number, column in numbered_finished_columns
    )
    finished_column_tasks = tuple(column.task for _, column in numbered_finished_columns)
    finished_column_chunkings = [column.chunking for _, column in numbered_finished_columns]
    unranked_contender_indices = tuple(
        place for place, (_, column) in enumerate(numbered_finished_columns) if column.chunker.reads_blocks
    )
    chunker_ranking = _cached_ranking(
        document,
        finished_column_names,
        finished_column_tasks,
        finished_column_chunkings,
        known_boundaries,
        embedder,
        unranked_contender_indices,
    )
    notes = ["Significant: adjusted p below 0.05, and an interval that excludes 0."]
    if known_boundaries is not None:
        measure_cells_by_contender, why_no_cut_wins = cells_and_why_no_cut_wins(
            chunker_ranking, document, known_boundaries, finished_column_chunkings
        )
        notes.append(why_no_cut_wins)
    else:
        measure_cells_by_contender = [
            structure_cells(column.chunking, embedder, count_tokens_of_each_chunk(column.task, column.chunking))
            for _, column in numbered_finished_columns
        ]
    rows: list[RowData] = []
    for contender_index in chunker_ranking.order:
        ranked_contender = chunker_ranking.contenders[contender_index]
        column_number = (
            numbered_finished_columns[contender_index][0] if contender_index < len(numbered_finished_columns) else None
        )
        contender_title, settings_description = ranked_contender.name, ""
        if column_number is not None:
            contender_title, settings_description = (
                column_results[column_number].title,
                _describe_settings_noting_separate_ranking(column_results[column_number], ranked_contender),
            )
        rows.append(
            score_table_row(
                column_number,
                contender_title,
                settings_description,
                score_and_behind_best_cells(chunker_ranking, contender_index) + measure_cells_by_contender[contender_index],
            )
        )
    notes.append(_too_large_for_retrieval_warning([column for _, column in numbered_finished_columns]))
    if known_boundaries is None and choices.document == OWN_DOCUMENT_KEY:
        st.button(
            "Mark boundaries",
            key="mark_boundaries",
            on_click=setattr,
            args=(session, "folded_document_and_purpose", (document.identity, "marks")),
            help="Mark where the sections of the text end; the columns are ranked by the marks then.",
        )
    draw_table_of_measures(
        choices,
        STRUCTURE_HEADS if known_boundaries is None else KNOWN_BOUNDARY_HEADS,
        rows,
        key="ranking",
        introduction=(
            f"{chunker_ranking.best_contender_and_lead_sentences()} "
            f"{chunker_ranking.ranking_basis_in_words(known_boundaries is not None)}"
        ),
        note=" ".join(filter(None, notes)),
    )


def _describe_settings_noting_separate_ranking(column_result: ColumnResult, contender: Contender) -> str:
    """Return the settings of a column in words, with a note if it is ranked separately."""
    return ", ".join(filter(None, (settings_in_words(column_result), "not ranked" * contender.is_unranked)))


def _too_large_for_retrieval_warning(columns: Sequence[FinishedColumn]) -> str:
    """Return a warning about columns with chunks so large that retrieval suffered in our benchmarks; empty if none."""
    long_chunk_phrases = []
    for checked_column in columns:
        has_maximum_size = getattr(checked_column.chunker, "max_size", None) is not None
        if has_maximum_size or all(preset.published for preset in presets_for_chunker(checked_column.chunker.name)):
            continue
        longest_chunk_token_count = max(count_tokens_of_each_chunk(checked_column.task, checked_column.chunking) or [0])
        if longest_chunk_token_count > MAXIMUM_SIZE_TOKENS:
            long_chunk_phrases.append(f"{checked_column.chunker.title} has a chunk of {longest_chunk_token_count:,} tokens")
    if not long_chunk_phrases:
        return ""
    return (
        f"Without a maximum size, {' and '.join(long_chunk_phrases)}. This ranking does not look at sizes, but retrieval "
        "depends on them: see “For retrieval” among the settings."
    )


@cached_while_shown(
    8, lambda document, names, tasks, chunkings, known, embedder, apart: (document.identity, names, tasks, known)
)
def _cached_ranking(
    document: Document,
    contender_names: tuple[str, ...],
    chunking_tasks: tuple[ChunkingTask, ...],
    chunkings: Sequence[Chunking],
    known_boundaries: tuple[int, ...] | None,
    embedder: Embedder | None,
    unranked_contender_indices: tuple[int, ...],
) -> ChunkingRanking:
    """Return the ranking, cached by the tasks, since equal tasks have equal results."""
    names_and_chunkings = [*zip(contender_names, chunkings, strict=True)]
    return (
        rank_by_respect_for_structure(document, names_and_chunkings, embedder, unranked_contender_indices)
        if known_boundaries is None
        else rank_by_known_boundaries(document, known_boundaries, names_and_chunkings)
    )


# The measures that need no known boundaries: blocks, sizes, contrast, and the effect of edits.


_NumberedNamedColumn = tuple[int | None, str, FinishedColumn]
"""A column of Compare, with its number from 0 and its title, or a trivial baseline, without a number."""


def show_label_free_measures(
    choices: Choices, column_results: Sequence[ColumnResult], document: Document, embedder: Embedder | None
) -> None:
    """Draw the measures that need no known boundaries, and the button that measures stability under edits."""
    document_sentence_vectors = cached_sentence_vectors_or_none(
        document, embedder, choices.tokenizer, session.keeps_embeddings_on_disk
    )
    contenders: list[_NumberedNamedColumn] = [
        (number, column.title, finished)
        for number, column in enumerate(column_results)
        if (finished := column.finished_column_or_none)
    ]
    contenders += _trivial_contenders(document, choices.tokenizer)
    edit_stability_by_task = _edit_stability_by_task(document)
    is_edit_stability_measured = any(contender.task in edit_stability_by_task for _, _, contender in contenders)
    rows: list[RowData] = []
    for column_number, contender_name, contender in contenders:
        measure_cells = label_free_measure_cells(_label_free_measures(contender, document_sentence_vectors, embedder))
        stability_cells = (
            edit_stability_cells(edit_stability_by_task.get(contender.task)) if is_edit_stability_measured else []
        )
        rows.append(
            score_table_row(
                column_number,
                contender_name,
                "" if column_number is None else contender.chunker.describe(),
                measure_cells + stability_cells,
            )
        )
    rows += [
        score_row_of_column(number, column)
        for number, column in enumerate(column_results)
        if column.finished_column_or_none is None
    ]
    draw_table_of_measures(
        choices,
        UNLABELLED_HEADS if is_edit_stability_measured else UNLABELLED_HEADS[:-EDIT_CELL_COUNT],
        rows,
        key="unlabelled",
        introduction="Measures that need no known boundaries. None is a grade by itself: few cuts leave blocks whole, and "
        "short chunks are alike inside.",
        note=f"An edit inserts one sentence of the text at one of {DEFAULT_EDIT_COUNT} places."
        if is_edit_stability_measured
        else "",
    )
    _offer_edit_stability(contenders, document, embedder, edit_stability_by_task)


def _trivial_contenders(document: Document, tokenizer: str) -> list[_NumberedNamedColumn]:
    """Return the trivial baselines, which embed nothing."""
    baselines: list[_NumberedNamedColumn] = []
    for baseline_name, parameters in BASELINE_SETTINGS:
        chunker = build_chunker("fixed_sentences", parameters)
        baseline_chunking_task = ChunkingTask.of(document, None, tokenizer, chunker)
        chunking = chunk_if_quick(baseline_chunking_task, chunker, document, None, False)
        if chunking is not None:
            baselines.append((None, baseline_name, FinishedColumn(baseline_chunking_task, chunker, chunking)))
    return baselines


@cached_while_shown(
    32, lambda result, vectors, embedder: (result.task.document, result.task, vectors is None, embedder is None)
)
def _label_free_measures(
    finished_column: FinishedColumn, sentence_vectors: VectorArray | None, embedder: Embedder | None
) -> LabelFreeMeasures:
    size_compliance_counts = count_size_compliance(
        finished_column.chunking, finished_column.chunker, build_tools(embedder, finished_column.task.tokenizer)
    )
    return measure_without_labels(finished_column.chunking, sentence_vectors, size_compliance_counts)


def _edit_stability_by_task(document: Document) -> dict[ChunkingTask, EditStability | str]:
    """Return the results of the edit job on this document, or error messages; cancel a job on another document."""
    edit_stability_job = session.edit_stability_job
    if edit_stability_job is None:
        return {}
    if edit_stability_job.source.identity != document.identity:
        session.edit_stability_job = None
        return {}
    return {**edit_stability_job.results, **edit_stability_job.refusal_by_task}


def _offer_edit_stability(
    contenders: Sequence[_NumberedNamedColumn],
    document: Document,
    embedder: Embedder | None,
    edit_stability_by_task: dict[ChunkingTask, EditStability | str],
) -> None:
    """Draw the button that measures the effect of edits, or its progress."""
    edit_stability_job = session.edit_stability_job
    if edit_stability_job is not None and show_job_progress_or_error(
        edit_stability_job,
        "edits",
        lambda: {**edit_stability_job.results, **edit_stability_job.refusal_by_task}.keys() != edit_stability_by_task.keys(),
    ):
        return
    unmeasured_contenders = [
        (name if number is None else f"Column {number + 1}", contender.task, contender.chunker)
        for number, name, contender in contenders
        if contender.task not in edit_stability_by_task
    ]
    if not unmeasured_contenders:
        return
    try:
        check_edit_count(document, DEFAULT_EDIT_COUNT)
    except InputError as error:
        show_notice(str(error), key="edits_refused")
        return

    def start_edit_stability_job() -> None:
        measured_edit_stabilities = {
            task: stability for task, stability in edit_stability_by_task.items() if isinstance(stability, EditStability)
        }
        session.edit_stability_job = EditStabilityJob(
            document, embedder, unmeasured_contenders, session.keeps_embeddings_on_disk, results=measured_edit_stabilities
        )
        session.edit_stability_job.start()

    st.button(
        "Measure edit stability",
        key="measure_edits",
        on_click=start_edit_stability_job,
        help=f"Inserts one sentence at each of {DEFAULT_EDIT_COUNT} places, cuts the text again with every column, and "
        "counts the chunks that change: they would have to be embedded and stored again.",
    )
