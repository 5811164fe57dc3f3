"""The Steps view of the Breakpoints page: a chunker's decisions, step by step."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from itertools import pairwise

import numpy as np
import streamlit as st

from chunkers import Cancelled, Chunking, Embedder, Tools
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.methods import ChangePoint, MaxMin, Optimal, PartitionTable, Structure, mean_similarity
from chunkers.support import format_number
from evaluation.segmentation import (
    CumulativeSimilarities,
    StretchComparison,
    compare_greedy_with_other_chunking,
    count_sentences_of_each_chunk,
    cut_offsets,
    pk,
    segmentation_in_sentences,
)
from sample_docs import sample_titles
from viz.breakpoints.decision_steps_by_chunker import (
    change_point_chunker_steps,
    explanation_only_step,
    greedy_scan_steps,
    max_min_steps,
    sentence_range_phrase,
    structure_steps,
)
from viz.breakpoints.score_histogram_and_staircase import DisplayedResult
from viz.components.heatmap.heatmap import SentenceColours, draw_sentence_distance_heatmap
from viz.components.page_elements import show_notice
from viz.components.stepper.stepper import REVEAL_MODES, Step, draw_stepper_at_linked_step
from viz.jobs import (
    ONLY_CACHED_EMBEDDINGS_WATCHER,
    ChunkingTask,
    build_tools,
    cached_sentence_vectors_or_raise,
    cached_while_shown,
)
from viz.shell import ColumnResult
from viz.state import Choices, ColumnChoice, PageText, choose_document, new_default_column, session

MAX_PAIRS_FOR_STEP_SCORES = 10_000_000
"""Most pairs of sentences for which Max–Min's scan is repeated to show its numbers in the steps; repeating it takes
half a second. A single chunk of 4,400 sentences has as many pairs."""


def show_steps(
    shown_result: DisplayedResult,
    column_results: list[ColumnResult],
    text: PageText,
    embedder: Embedder | None,
    choices: Choices,
    near_threshold_margin: float,
) -> None:
    """Draw a stepper through the chunker's decisions; the cuts of a greedy one are compared with the optimal partition."""
    chunker = shown_result.chunker
    if isinstance(chunker, Optimal):
        show_optimal_steps(shown_result, chunker, column_results[1], text, embedder, choices)
        return
    chunker_decision_steps: list[Step] | None = None
    if isinstance(chunker, ChangePoint):
        chunker_decision_steps = _cached_steps(
            shown_result,
            lambda: change_point_chunker_steps(shown_result.chunking, chunker, near_threshold_margin),
            near_threshold_margin,
        )
    elif isinstance(chunker, Structure):
        with suppress(Cancelled):
            chunker_decision_steps = _cached_steps(
                shown_result, lambda: _structure_chunker_steps(shown_result, chunker, embedder)
            )
    else:
        chunker_decision_steps = _greedy_steps_compared_with_optimal(
            shown_result, column_results, embedder, near_threshold_margin
        )
    if chunker_decision_steps is None:
        show_notice(
            "There are no steps, because making them takes too long for this text. Choose a shorter text.", key="no_steps"
        )
    else:
        draw_stepper_at_linked_step(
            chunker_decision_steps, choices.extra, key="stepper", has_known_boundaries=bool(text.source.known)
        )


def _greedy_steps_compared_with_optimal(
    shown_result: DisplayedResult,
    column_results: list[ColumnResult],
    embedder: Embedder | None,
    near_threshold_margin: float,
) -> list[Step]:
    _, optimal_result, unbuffered_result = column_results
    optimal_comparison_by_gap: Mapping[int, StretchComparison] | None = None
    if optimal_result.error:
        show_notice(
            f"The cuts cannot be compared with those of “optimal”: {optimal_result.error}", "error", key="optimal_error"
        )
    elif (
        optimal_result.chunking is not None
        and optimal_result.task is not None
        and unbuffered_result.chunking is not None
        and embedder is not None
    ):
        with suppress(Cancelled):
            optimal_comparison_by_gap = _comparison_with_optimal_by_gap(
                shown_result.identity[0], optimal_result.task, shown_result.chunking, optimal_result.chunking, embedder
            )
    elif column_results[0].chunking is not None:
        show_notice(
            "The cuts will be compared with those of “optimal” as soon as these have been computed.", key="optimal_waits"
        )
    chunker = shown_result.chunker
    if isinstance(chunker, MaxMin) and embedder is not None:
        # The scan compares the sentences within the same chunk.
        sentence_pair_count = sum(count * (count - 1) // 2 for count in count_sentences_of_each_chunk(shown_result.chunking))
        if sentence_pair_count > MAX_PAIRS_FOR_STEP_SCORES:
            show_notice(
                f"The steps show no numbers, because numbers are shown for at most {MAX_PAIRS_FOR_STEP_SCORES:,} compared "
                f"pairs of sentences, and this text has {sentence_pair_count:,}. Choose a shorter text to see them.",
                key="long_scan",
            )
        else:
            with suppress(Cancelled):
                return _cached_steps(
                    shown_result,
                    lambda: _max_min_scan_steps(
                        shown_result, chunker, near_threshold_margin, optimal_comparison_by_gap, embedder
                    ),
                    "scanned",
                    near_threshold_margin,
                    optimal_comparison_by_gap is None,
                )
    return _cached_steps(
        shown_result,
        lambda: greedy_scan_steps(shown_result.chunking, near_threshold_margin, optimal_comparison_by_gap),
        near_threshold_margin,
        optimal_comparison_by_gap is None,
    )


@cached_while_shown(32, lambda shown, make, *settings: (shown.identity[0].document, shown.identity, *settings))
def _cached_steps(
    shown_result: DisplayedResult, make_steps: Callable[[], list[Step]], *dependencies: Hashable
) -> list[Step]:
    """Return a result's steps, from ``make_steps`` unless they are cached; the steps also depend on ``dependencies``."""
    return make_steps()


@cached_while_shown(8, lambda task, best_task, *_: (task.document, task, best_task))
def _comparison_with_optimal_by_gap(
    chunking_task: ChunkingTask,
    optimal_task: ChunkingTask,
    chunking: Chunking,
    optimal_chunking: Chunking,
    embedder: Embedder,
) -> Mapping[int, StretchComparison]:
    # The sentences are embedded by the page's own job, for the chunker without a buffer.
    document_sentence_vectors = cached_sentence_vectors_or_raise(
        chunking.document, embedder, chunking_task.tokenizer, session.keeps_embeddings_on_disk
    )
    return compare_greedy_with_other_chunking(chunking, optimal_chunking, CumulativeSimilarities(document_sentence_vectors))


def _max_min_scan_steps(
    shown_result: DisplayedResult,
    chunker: MaxMin,
    near_threshold_margin: float,
    optimal_comparison_by_gap: Mapping[int, StretchComparison] | None,
    embedder: Embedder,
) -> list[Step]:
    tokenizer = shown_result.identity[0].tokenizer
    document_sentence_vectors = cached_sentence_vectors_or_raise(
        shown_result.chunking.document, embedder, tokenizer, session.keeps_embeddings_on_disk
    ).astype(np.float64)
    max_min_scan_results = list(chunker.decide_gaps(document_sentence_vectors, build_tools(None, tokenizer)))
    return max_min_steps(
        shown_result.chunking, chunker, max_min_scan_results, near_threshold_margin, optimal_comparison_by_gap
    )


def _structure_chunker_steps(shown_result: DisplayedResult, chunker: Structure, embedder: Embedder | None) -> list[Step]:
    document = shown_result.chunking.document
    scanned_structure_blocks = chunker.block_steps(
        document, _cached_only_tools(shown_result, embedder if chunker.embeds else None)
    )
    return structure_steps(shown_result.chunking, chunker, scanned_structure_blocks)


def _cached_only_tools(shown_result: DisplayedResult, embedder: Embedder | None) -> Tools:
    """Return tools to repeat the shown run, whose embeddings are cached."""
    return build_tools(
        embedder,
        shown_result.identity[0].tokenizer,
        ONLY_CACHED_EMBEDDINGS_WATCHER,
        fitted_on=shown_result.chunking.document,
        uses_disk_cache=session.keeps_embeddings_on_disk,
    )


# Optimal: its table, step by step, beside the heatmap on which its chunks are squares.


OPTIMAL_WINS_SAMPLE = "emoji"
"""A sample whose boundary Optimal finds, and nothing else, while Breakpoint does so at no threshold."""


def default_column_for_chunker(chunker_name: str) -> ColumnChoice:
    """Return a new column for a chunker on this page, where the steps of Optimal are about whole sentences."""
    return (
        ColumnChoice(chunker_name, {"pieces": "sentences"})
        if chunker_name == "optimal"
        else new_default_column(chunker_name)
    )


def show_optimal_steps(
    shown_result: DisplayedResult,
    chunker: Optimal,
    greedy_result: ColumnResult,
    text: PageText,
    embedder: Embedder | None,
    choices: Choices,
) -> None:
    """Draw the stepper and the heatmap side by side, and compare the result with ``greedy_result``."""
    if chunker.pieces != "sentences":
        show_notice("The steps are about whole sentences, and the pieces of this column are others.", key="other_pieces")
        st.button("Use whole sentences", on_click=choices.columns[0].set_valid_parameter, args=("pieces", "sentences"))
        return
    sentence_count = len(text.document.sentences)
    if sentence_count > MOST_SENTENCES:
        show_notice(
            f"The steps go through at most {MOST_SENTENCES:,} sentences; this text has {sentence_count:,}. Choose a "
            "shorter text.",
            key="long_table",
        )
        return
    if embedder is None:
        return
    with suppress(Cancelled):
        document_sentence_vectors = cached_sentence_vectors_or_raise(
            text.document, embedder, choices.tokenizer, session.keeps_embeddings_on_disk
        )
        optimal_partition_table = _partition_table(shown_result, chunker, embedder)
        mean_pair_similarity = mean_similarity(document_sentence_vectors)
        optimal_partition_steps = _cached_steps(
            shown_result,
            lambda: list_optimal_partition_steps(shown_result.chunking, optimal_partition_table, mean_pair_similarity),
        )
        stepper_half, page_column_with_heatmap = st.columns(2)
        with stepper_half:
            draw_stepper_at_linked_step(
                optimal_partition_steps, choices.extra, key="stepper", has_known_boundaries=bool(text.source.known)
            )
            _show_optimal_against_greedy(shown_result.chunking, greedy_result, text, choices)
        with page_column_with_heatmap:
            draw_sentence_distance_heatmap(
                SentenceColours([0] * sentence_count, [0]),
                document_sentence_vectors.astype(np.float64),
                0.0,
                ("the mean", 1 - mean_pair_similarity),
                key="optimal_heatmap",
                optimal_last_chunk_starts=optimal_partition_table.last_run_starts.tolist(),
            )


@cached_while_shown(4, lambda shown, chunker, embedder: (shown.identity[0].document, shown.identity))
def _partition_table(shown_result: DisplayedResult, chunker: Optimal, embedder: Embedder) -> PartitionTable:
    return chunker.pieces_and_partition_table(shown_result.chunking.document, _cached_only_tools(shown_result, embedder))[1]


def _show_optimal_against_greedy(
    optimal_chunking: Chunking, greedy_result: ColumnResult, text: PageText, choices: Choices
) -> None:
    """Say how far both results are from the known boundaries, and offer a text on which Optimal wins."""
    known_boundaries = text.source.known
    # What is built up or predicted is not given away.
    if (
        known_boundaries
        and choices.extra["pace"] == REVEAL_MODES[0]
        and greedy_result.chunking is not None
        and greedy_result.chunker is not None
    ):
        optimal_pk, greedy_pk = (
            pk(
                segmentation_in_sentences(text.document, known_boundaries),
                segmentation_in_sentences(text.document, cut_offsets(result)),
            ).value
            for result in (optimal_chunking, greedy_result.chunking)
        )
        if optimal_pk is not None and greedy_pk is not None:
            st.caption(
                f"Pk, lower is better: Optimal {optimal_pk:.2f}, Breakpoint {greedy_pk:.2f} "
                f"({greedy_result.chunker.describe()})."
            )
    if choices.document != OPTIMAL_WINS_SAMPLE:
        st.button(
            f"Where it wins: {sample_titles()[OPTIMAL_WINS_SAMPLE]}",
            on_click=choose_document,
            args=(choices, OPTIMAL_WINS_SAMPLE),
            type="tertiary",
        )


# The steps of Optimal: the table of the best partitions is filled from left to right, then read off from right to left.


SHOWN_RUNNER_UP_COUNT = 2
"""Other last chunks that a step of the table shows, best first."""

SUPERSCRIPT_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

MOST_DIGITS = 15
"""Digits up to which the number of partitions is written out."""


def list_optimal_partition_steps(
    chunking: Chunking, partition_table: PartitionTable, mean_pair_similarity: float
) -> list[Step]:
    """Return a step on the number of partitions, one per entry of the table, and then one per chunk from the last on.

    Parameters
    ----------
    partition_table
        The table of the whole sentences, from `Optimal.pieces_and_partition_table`.
    mean_pair_similarity
        Mean similarity of all pairs of sentences.
    """
    sentence_count = len(chunking.document.sentences)
    whole_sentence_range = (0, sentence_count)
    table_entry_steps = [_table_entry_step(partition_table, end) for end in range(1, sentence_count + 1)]
    full_table_step: Step = {
        **explanation_only_step(
            f"The table is full: value {_format_table_entry_value(partition_table, sentence_count)}",
            [
                "Its last entry is the value of the best partition.",
                "Its cuts are read off from right to left: each entry names its last chunk, and leads to the entry before "
                "that.",
            ],
        ),
        "tone": "turn",
        "pauses": True,
        "table": (whole_sentence_range, whole_sentence_range),
    }
    chunk_edge_indexes = [0, *partition_table.cuts().tolist(), sentence_count]
    read_off_steps = [
        _step_reading_chunk_off_table(chunking, partition_table, first, end)
        for first, end in reversed([*pairwise(chunk_edge_indexes)])
    ]
    # Only now is every cut final.
    read_off_steps[-1]["placed"] = (0, sentence_count)
    return [
        _possible_partition_count_step(sentence_count, mean_pair_similarity),
        *table_entry_steps,
        full_table_step,
        *read_off_steps,
    ]


def _possible_partition_count_step(sentence_count: int, mean_pair_similarity: float) -> Step:
    partition_count_phrase = f"{2 ** (sentence_count - 1):,}"
    if len(partition_count_phrase) > MOST_DIGITS:
        partition_count_phrase = f"a number of {len(partition_count_phrase.replace(',', ''))} digits"
    superscript_exponent_of_two = str(sentence_count - 1).translate(SUPERSCRIPT_DIGITS)
    return {
        **explanation_only_step(
            f"A table of {sentence_count:,} entries",
            [
                f"{sentence_count - 1:,} gaps, each cut or not, make 2{superscript_exponent_of_two} partitions: "
                f"{partition_count_phrase}.",
                "The best partition of any beginning is a shorter best partition and one last chunk. So one entry for each "
                "beginning is enough.",
            ],
            [
                [
                    "a chunk’s value",
                    f"for each pair, twice: similarity − {format_number(mean_pair_similarity, '.2f')}, the mean of all "
                    "pairs",
                ]
            ],
        ),
        "table": ((0, 0), (0, 0)),
    }


def _table_entry_step(partition_table: PartitionTable, leading_sentence_count: int) -> Step:
    """Return the step that fills in the entry of the first ``leading_sentence_count`` sentences."""
    possible_last_chunks = partition_table.ranked_last_runs(leading_sentence_count)
    best_last_chunk_start_index, best_partition_value = possible_last_chunks[0]
    best_last_chunk_phrase = sentence_range_phrase(best_last_chunk_start_index, leading_sentence_count)
    entry_explanation_sentences = [
        f"The best last chunk is {best_last_chunk_phrase}, one of {len(possible_last_chunks):,} possible."
        if len(possible_last_chunks) > 1
        else f"It is one chunk, {best_last_chunk_phrase}."
    ]
    if best_last_chunk_start_index:
        keep_verb_form = "keeps" if best_last_chunk_start_index == 1 else "keep"
        entry_explanation_sentences.append(
            f"Before it, {_first_n_sentences_phrase(best_last_chunk_start_index)} {keep_verb_form} the value that the "
            f"table has: {_format_table_entry_value(partition_table, best_last_chunk_start_index)}."
        )
    entry_label_value_pairs = [
        [
            "value",
            _entry_value_sum_formula(
                partition_table, best_last_chunk_start_index, leading_sentence_count, best_partition_value
            ),
        ]
    ]
    entry_label_value_pairs += [
        [
            "runner-up" if place == 1 else "",
            f"{sentence_range_phrase(start, leading_sentence_count)}: "
            f"{_entry_value_sum_formula(partition_table, start, leading_sentence_count, total)}",
        ]
        for place, (start, total) in enumerate(possible_last_chunks[1 : 1 + SHOWN_RUNNER_UP_COUNT], start=1)
    ]
    return {
        "title": (
            f"{_first_n_sentences_phrase(leading_sentence_count).capitalize()}: value "
            f"{_format_table_entry_value(partition_table, leading_sentence_count)}"
        ),
        "story": entry_explanation_sentences,
        "numbers": entry_label_value_pairs,
        "tone": "",
        "mark": {
            "growing": (best_last_chunk_start_index, leading_sentence_count - 1)
            if best_last_chunk_start_index < leading_sentence_count - 1
            else None,
            "next": (leading_sentence_count - 1, leading_sentence_count),
            "middle": None,
            "gap": None,
        },
        "placed": (0, 0),
        "prediction": {
            "words": (
                f"Sentences {leading_sentence_count - 1:,} and {leading_sentence_count:,} in one chunk, if the text ended "
                "here?"
            ),
            "yes": "Together",
            "no": "Cut",
            "right": best_last_chunk_start_index < leading_sentence_count - 1,
        }
        if leading_sentence_count > 1
        else None,
        "gauge": None,
        "table": ((0, leading_sentence_count - 1), (0, leading_sentence_count)),
    }


def _step_reading_chunk_off_table(
    chunking: Chunking, partition_table: PartitionTable, first_sentence_index: int, sentence_index_after_chunk: int
) -> Step:
    """Return the step that reads off the chunk from ``first_sentence_index`` to before ``sentence_index_after_chunk``."""
    chunk_phrase, sentence_count = (
        sentence_range_phrase(first_sentence_index, sentence_index_after_chunk),
        len(chunking.document.sentences),
    )
    next_entry_sentence = (
        f"The next entry to read is that of {_first_n_sentences_phrase(first_sentence_index)}."
        if first_sentence_index
        else f"Nothing is left before it: {len(chunking.chunks):,} chunks."
    )
    return {
        **explanation_only_step(
            f"Chunk of {chunk_phrase}",
            [
                f"The entry of {_first_n_sentences_phrase(sentence_index_after_chunk)} names {chunk_phrase} as its last "
                "chunk.",
                next_entry_sentence,
            ],
            [
                [
                    "value",
                    _entry_value_sum_formula(
                        partition_table,
                        first_sentence_index,
                        sentence_index_after_chunk,
                        float(partition_table.best_totals[sentence_index_after_chunk]),
                    ),
                ],
                *([["the cut", chunking.gaps[first_sentence_index - 1].reason]] if first_sentence_index else []),
            ],
        ),
        "tone": "cut" if first_sentence_index else "",
        "mark": {
            "growing": (first_sentence_index, sentence_index_after_chunk),
            "next": None,
            "middle": None,
            "gap": first_sentence_index - 1 if first_sentence_index else None,
        },
        "table": ((sentence_index_after_chunk, sentence_count), (first_sentence_index, sentence_count)),
    }


def _first_n_sentences_phrase(count: int) -> str:
    return "the first sentence" if count == 1 else f"the first {count:,} sentences"


def _format_table_entry_value(partition_table: PartitionTable, leading_sentence_count: int) -> str:
    return format_number(float(partition_table.best_totals[leading_sentence_count]), ".2f")


def _entry_value_sum_formula(
    partition_table: PartitionTable, first_sentence_index: int, end_sentence_index: int, entry_value: float
) -> str:
    """Return a value as the entry before the last chunk plus the reward of the chunk."""
    chunk_reward = float(partition_table.rewards[first_sentence_index, end_sentence_index - first_sentence_index - 1])
    chunk_reward_sign = "\N{MINUS SIGN}" if chunk_reward < 0 else "+"
    return (
        f"{_format_table_entry_value(partition_table, first_sentence_index)} {chunk_reward_sign} {abs(chunk_reward):.2f} = "
        f"{format_number(entry_value, '.2f')}"
    )
