"""The Clustering page: chunks of sentences that need not be adjacent, and how they were formed."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

import streamlit as st

from chunkers import Chunker, Chunking
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.contract import Reach
from chunkers.methods import core_distances
from chunkers.recipes import chunker_class
from chunkers.results import Clusters
from chunkers.support import FloatArray, pluralize
from evaluation.segmentation import (
    DiscontinuousChunks,
    count_found_missed_added,
    count_sentences_of_each_chunk,
    cut_offsets,
    mixed_chunk_section_counts,
)
from sample_docs import sample_splitters
from viz.clustering.figures import (
    centre_distances_figure,
    centre_distances_table,
    core_distance_figure,
    dbscan_role_table,
    dendrogram_figure,
    heatmap_figure,
    heatmap_table,
    joins_table,
)
from viz.clustering.linkage import lay_out_dendrogram, linkage_explanation_steps
from viz.components.browser_exchange import Component, take_event
from viz.components.figure import show_figure_with_its_data
from viz.components.heatmap.heatmap import (
    SentenceColours,
    draw_sentence_distance_heatmap,
    mean_block_distances,
    sentences_per_heatmap_row,
)
from viz.components.page_elements import show_notice
from viz.components.reader.column_body import text_segments
from viz.components.reader.reader import HeadRow, ReaderColumn, draw_reader_and_hash_columns
from viz.components.stepper.stepper import ALLOWED_LINK_VALUES, DEFAULT_STEPPER_PARAMETERS, draw_stepper_at_linked_step
from viz.controls import build_widget_key_and_callback, draw_parameter_controls
from viz.jobs import cached_sentence_vectors_or_none
from viz.shell import (
    ColumnResult,
    Page,
    columns_to_open_with,
    lecture_mode,
    reader_column_for_result,
    run_columns_or_start_job,
    show_compare_column_number,
    show_misfit_warnings,
    show_progress_and_consents,
    side_by_side_columns,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import Choices, ColumnChoice, PageText, chunker_defaults_of_embedder, main_page, session
from viz.theme import embedding_time_in_words, known_boundary_count_phrase, stage_times_in_words, theme_name

PAGE_KEY = "clustering"
TEXT_READER_KEY = "reader"
CLUSTERING_METHODS = ("single_linkage", "dbscan", "kmeans")


def show() -> None:
    """Draw the Clustering page."""
    sample_name, splitter_name = next(iter(sample_splitters().items()))
    method_column_choices = [ColumnChoice(name) for name in CLUSTERING_METHODS]
    columns_from_compare = columns_to_open_with(PAGE_KEY, [(name,) for name in CLUSTERING_METHODS])
    with frame_page_and_write_link(
        PAGE_KEY, Choices(sample_name, splitter_name, method_column_choices, extra={**DEFAULT_STEPPER_PARAMETERS})
    ) as current_page:
        current_page.replace_invalid_link_parameters(ALLOWED_LINK_VALUES)
        _set_one_column_per_method(current_page)
        _adopt_columns_from_compare(current_page.choices, columns_from_compare)
        if threshold_line_drag_event := take_event(TEXT_READER_KEY, "line"):
            current_page.choices.columns[current_page.choices.selected].set_valid_parameter(
                str(threshold_line_drag_event["parameter"]), float(threshold_line_drag_event["value"])
            )
        _draw(current_page)


def _draw(current_page: Page) -> None:
    choices, text = current_page.choices, current_page.text
    chosen_column_settings = choices.columns[choices.selected]
    column_result = (
        run_columns_or_start_job(current_page, text, [chosen_column_settings])[0]
        if text is not None
        else ColumnResult(chosen_column_settings)
    )
    with current_page.controls:
        draw_parameter_controls(
            choices.selected,
            chosen_column_settings,
            column_result.chunker,
            chunker_defaults_of_embedder(current_page.embedder, chosen_column_settings.chunker),
        )
        show_compare_column_number(
            PAGE_KEY,
            chosen_column_settings,
            current_page.embedder,
            are_column_settings_valid=column_result.chunker is not None or text is None,
        )
    if text is None:
        _draw_clustering_method_choice(choices)
        return
    show_progress_and_consents([column_result])
    show_misfit_warnings(current_page.choices, [column_result])
    text_container, figures_container = side_by_side_columns(PAGE_KEY, 6, 5, gap="large")
    with text_container:
        _draw_chunked_text(column_result, text)
    with figures_container, st.container(key="beside"):
        _draw_clustering_method_choice(choices)
        if column_result.chunking is None or not column_result.chunking.chunks:
            show_notice("There is nothing to show yet: the text has not been cut.", key="nothing_beside")
    document_sentence_vectors = cached_sentence_vectors_or_none(
        text.document, current_page.embedder, choices.tokenizer, session.keeps_embeddings_on_disk
    )
    if (
        column_result.chunker is not None
        and column_result.chunking is not None
        and column_result.chunking.chunks
        and document_sentence_vectors is not None
    ):
        show_cluster_figures_and_list(
            choices,
            column_result.chunker,
            column_result.chunking,
            document_sentence_vectors.astype("float64"),
            figures_container,
            has_known_boundaries=bool(text.source.known),
        )


def _set_one_column_per_method(current_page: Page) -> None:
    """Give the page one column for each method; show an error if the link names other chunkers."""
    page_choices = current_page.choices
    if [column.chunker for column in page_choices.columns] == [*CLUSTERING_METHODS]:
        return
    column_by_chunker = {column.chunker: column for column in reversed(page_choices.columns)}
    selected_chunker_name = page_choices.columns[page_choices.selected].chunker
    page_choices.columns = [column_by_chunker.get(name, ColumnChoice(name)) for name in CLUSTERING_METHODS]
    page_choices.selected = (
        CLUSTERING_METHODS.index(selected_chunker_name) if selected_chunker_name in CLUSTERING_METHODS else 0
    )
    unsupported_chunker_names = [name for name in column_by_chunker if name not in CLUSTERING_METHODS]
    if unsupported_chunker_names:
        current_page.show_link_error(
            f"The link's chunkers must be among {', '.join(CLUSTERING_METHODS)}; got {', '.join(unsupported_chunker_names)}."
        )


def _adopt_columns_from_compare(choices: Choices, columns_from_compare: Sequence[ColumnChoice | None]) -> None:
    """Take over the given columns of Compare, and select one, preferably the one selected on Compare."""
    adopted_column_indexes = [number for number, column in enumerate(columns_from_compare) if column is not None]
    if not adopted_column_indexes:
        return
    choices.columns = [new or old for new, old in zip(columns_from_compare, choices.columns, strict=True)]
    choices_of_compare = main_page.current_choices()
    selected_compare_chunker_name = choices_of_compare.columns[choices_of_compare.selected].chunker
    choices.selected = (
        CLUSTERING_METHODS.index(selected_compare_chunker_name)
        if selected_compare_chunker_name in CLUSTERING_METHODS
        else adopted_column_indexes[0]
    )


def _draw_clustering_method_choice(choices: Choices) -> None:
    st.segmented_control(
        "Chunker",
        range(len(CLUSTERING_METHODS)),
        default=choices.selected,
        format_func=lambda number: chunker_class(CLUSTERING_METHODS[number]).title,
        required=True,
        label_visibility="collapsed",
        **build_widget_key_and_callback(choices.selected, "clustering_method", partial(setattr, choices, "selected")),
    )
    st.caption(chunker_class(CLUSTERING_METHODS[choices.selected]).idea)


def _draw_chunked_text(column_result: ColumnResult, text: PageText) -> None:
    document, known_boundaries = text.document, text.source.known
    known_boundary_total_phrase = ""
    if known_boundaries is not None:
        known_boundary_total_phrase = (
            known_boundary_count_phrase(len(known_boundaries)) if known_boundaries else "one topic: no known boundary"
        )
    draw_reader_and_hash_columns(
        document,
        [
            reader_column_for_result(
                column_result, lambda chunking: ReaderColumn(rows=_column_head_summary_rows(chunking, known_boundaries))
            )
        ],
        title=text.source.name,
        summary=known_boundary_total_phrase,
        selected_column_index=0,
        known_boundaries=known_boundaries,
        key=TEXT_READER_KEY,
    )


def _column_head_summary_rows(chunking: Chunking, known_boundaries: Sequence[int] | None) -> tuple[HeadRow, ...]:
    """Return the column's summary: chunk count and sizes, their parts, times, and errors against known boundaries."""
    column_summary_rows = [HeadRow("chunks", f"{len(chunking.chunks):,}", brief=pluralize(len(chunking.chunks), "chunk"))]
    sentence_counts_of_chunks = count_sentences_of_each_chunk(chunking)
    if sentence_counts_of_chunks:
        fewest_sentences_per_chunk, most_sentences_per_chunk = min(sentence_counts_of_chunks), max(sentence_counts_of_chunks)
        column_summary_rows.append(
            HeadRow(
                "sentences",
                f"{fewest_sentences_per_chunk:,}"
                f"{f' to {most_sentences_per_chunk:,}' * (most_sentences_per_chunk > fewest_sentences_per_chunk)} per chunk",
            )
        )
    discontinuity_totals = DiscontinuousChunks.of(chunking)
    if discontinuity_totals.chunks:
        column_summary_rows.append(
            HeadRow(
                "in pieces",
                discontinuity_totals.words(len(sentence_counts_of_chunks)),
                brief=f"{discontinuity_totals.chunks:,} in pieces",
            )
        )
    if not lecture_mode.is_lecture_mode_on():
        column_summary_rows.append(HeadRow("time", stage_times_in_words(chunking.timing)))
        column_summary_rows.append(HeadRow("embedding", embedding_time_in_words(chunking.timing)))
    if known_boundaries is not None:
        _, missed_boundary_count, spurious_cut_count = count_found_missed_added(cut_offsets(chunking), known_boundaries)
        section_count_by_chunk = mixed_chunk_section_counts(chunking, known_boundaries)
        boundary_errors_phrase = (
            f"{missed_boundary_count:,} missed, {spurious_cut_count:,} added"
            if missed_boundary_count or spurious_cut_count
            else "boundaries as known"
        )
        if section_count_by_chunk and not missed_boundary_count and not spurious_cut_count:
            # Chunks of several pieces can match all boundaries and still mix sections.
            boundary_errors_phrase += "; " + _mixed_sections_in_words(section_count_by_chunk)
        column_summary_rows.append(
            HeadRow(
                "against known",
                boundary_errors_phrase,
                "wrong" if missed_boundary_count or spurious_cut_count or section_count_by_chunk else "",
                boundary_errors_phrase,
            )
        )
    return tuple(column_summary_rows)


def _mixed_sections_in_words(section_count_by_mixed_chunk: Mapping[int, int]) -> str:
    """Name the first chunk that mixes sections, and count the others."""
    first_mixed_chunk_number, first_mixed_chunk_section_count = next(iter(section_count_by_mixed_chunk.items()))
    other_mixed_chunks_phrase = (
        f", and {pluralize(len(section_count_by_mixed_chunk) - 1, 'other')}" if len(section_count_by_mixed_chunk) > 1 else ""
    )
    return (
        f"chunk {first_mixed_chunk_number + 1:,} mixes {first_mixed_chunk_section_count:,} "
        f"sections{other_mixed_chunks_phrase}"
    )


# The formation of the clusters: heatmap and chunks next to the text, and the joins, roles or centres below it.


def show_cluster_figures_and_list(
    choices: Choices,
    chunker: Chunker,
    chunking: Chunking,
    vectors: FloatArray,
    side_container: Any,
    *,
    has_known_boundaries: bool,
) -> None:
    """Draw the heatmap and the list of chunks next to the text, then a figure of how the clusters were formed.

    If the text has known boundaries (``has_known_boundaries``), the stepper can show them.
    """
    sentence_chunk_colours = SentenceColours(
        chunk_numbers_of_sentences(chunking), text_segments(chunking.document, chunking, None, frozenset())["colours"]
    )
    distance_limit = chunker.reach()
    sentence_position_weight = 0.0 if distance_limit is None else distance_limit.position_weight
    chunking_clusters = chunking.clusters
    with side_container:
        if chunking_clusters is not None and distance_limit is not None and chunking_clusters.cap is not None:
            _show_linkage_steps(
                choices, chunking, chunking_clusters, chunking_clusters.cap, distance_limit, has_known_boundaries
            )
        draw_sentence_distance_heatmap(
            sentence_chunk_colours,
            vectors,
            sentence_position_weight,
            None if distance_limit is None else (distance_limit.name, distance_limit.distance),
            key="heatmap",
        )
    if chunking_clusters is not None and distance_limit is not None and chunking_clusters.cap is not None:
        _show_dendrogram(chunking, chunking_clusters, chunking_clusters.cap, distance_limit, sentence_chunk_colours)
    elif chunking_clusters is not None and distance_limit is not None and chunking_clusters.roles:
        _show_dbscan_core_distances(chunking_clusters, distance_limit, sentence_chunk_colours, vectors)
    elif chunking_clusters is not None and chunking_clusters.own:
        _show_distances_to_centres(chunking_clusters, sentence_chunk_colours)
    if len(vectors) <= MOST_SENTENCES:
        _show_downloadable_heatmap(sentence_chunk_colours, vectors, sentence_position_weight)
    with side_container:
        _chunk_list_component(
            key="chunk_list",
            data={
                "chunk_of": list(sentence_chunk_colours.chunk_of),
                "grounds": list(sentence_chunk_colours.colour_number_of_chunk),
                "tags": _list_noise_tags_of_chunks(chunking, sentence_chunk_colours.chunk_of),
                "breaks": order_breaks_in_words(chunking),
            },
        )


def _show_downloadable_heatmap(sentence_colours: SentenceColours, vectors: FloatArray, position_weight: float) -> None:
    """Draw the heatmap as a figure with table and downloads, only on request because it is large."""
    if not st.toggle("Downloadable heatmap", key="heatmap_to_keep"):
        return
    sentences_per_block = sentences_per_heatmap_row(len(vectors))
    block_mean_distances = mean_block_distances(vectors, position_weight, sentences_per_block)
    show_figure_with_its_data(
        heatmap_figure(block_mean_distances, sentences_per_block, sentence_colours, theme_name()),
        heatmap_table(block_mean_distances, sentences_per_block, len(vectors)),
        "Heatmap",
        key="heatmap_figure",
    )


def _show_linkage_steps(
    choices: Choices,
    chunking: Chunking,
    clusters: Clusters,
    maximum_cluster_size: int,
    distance_limit: Reach,
    has_known_boundaries: bool,
) -> None:
    """Draw the stepper through the joins above the heatmap, so that its buttons are visible without scrolling."""
    single_linkage_steps = linkage_explanation_steps(
        len(chunking.document.sentences), chunking.merges, clusters, maximum_cluster_size, distance_limit.distance
    )
    if single_linkage_steps:
        draw_stepper_at_linked_step(
            single_linkage_steps, choices.extra, key="linkage", has_known_boundaries=has_known_boundaries
        )
    else:
        show_notice("No two sentences are close enough to be joined. Raise the maximum distance.", key="no_joins")


def _show_dendrogram(
    chunking: Chunking,
    clusters: Clusters,
    maximum_cluster_size: int,
    distance_limit: Reach,
    sentence_colours: SentenceColours,
) -> None:
    merges, sentence_count = chunking.merges, len(sentence_colours.chunk_of)
    st.header("Dendrogram", anchor=False)
    st.caption(dendrogram_explanation_with_refusals(clusters, maximum_cluster_size))
    dendrogram_layout = lay_out_dendrogram(sentence_count, merges, clusters)
    show_figure_with_its_data(
        dendrogram_figure(dendrogram_layout, merges, clusters, sentence_colours, distance_limit.distance, theme_name()),
        joins_table(merges, clusters, sentence_colours),
        "Tree of joins",
        key="tree",
    )


def _show_dbscan_core_distances(
    clusters: Clusters, distance_limit: Reach, sentence_colours: SentenceColours, vectors: FloatArray
) -> None:
    core_distance_by_sentence = core_distances(vectors, distance_limit.position_weight, clusters.core_size)
    st.header("Core, border, noise", anchor=False)
    st.caption(dbscan_roles_in_words(clusters, distance_limit.distance))
    show_figure_with_its_data(
        core_distance_figure(
            clusters, core_distance_by_sentence, sentence_colours, distance_limit.distance, clusters.core_size, theme_name()
        ),
        dbscan_role_table(clusters, core_distance_by_sentence, sentence_colours),
        "Core, border, noise",
        key="density",
    )


def _show_distances_to_centres(clusters: Clusters, sentence_colours: SentenceColours) -> None:
    st.header("Distance to centres", anchor=False)
    st.caption(
        "A dot shows how far a sentence is from the centre of its own chunk; a ring shows how far it is from the nearest "
        "other centre, in the colour of that centre's chunk. If both are about equally far, the decision was close."
    )
    show_figure_with_its_data(
        centre_distances_figure(clusters, sentence_colours, theme_name()),
        centre_distances_table(clusters, sentence_colours),
        "Distance to centres",
        key="centres",
    )


def _list_noise_tags_of_chunks(chunking: Chunking, chunk_number_by_sentence: Sequence[int]) -> list[str]:
    """Return a tag for each chunk: ``noise`` or empty."""
    noise_tag_of_each_chunk = [""] * len(chunking.chunks)
    for sentence_index, role in enumerate(chunking.clusters.roles if chunking.clusters is not None else ()):
        if role == "noise":
            noise_tag_of_each_chunk[chunk_number_by_sentence[sentence_index]] = "noise"
    return noise_tag_of_each_chunk


def chunk_numbers_of_sentences(chunking: Chunking) -> list[int]:
    """Return each sentence's chunk number."""
    chunk_number_by_sentence = [0] * len(chunking.document.sentences)
    for chunk_number, chunk in enumerate(chunking.chunks):
        for start, span_end_offset in chunk.spans:
            first_sentence_number, last_sentence_number = (
                chunking.document.sentence_at(start),
                chunking.document.sentence_at(span_end_offset - 1),
            )
            chunk_number_by_sentence[first_sentence_number : last_sentence_number + 1] = [chunk_number] * (
                last_sentence_number + 1 - first_sentence_number
            )
    return chunk_number_by_sentence


def order_breaks_in_words(chunking: Chunking) -> str:
    """Describe how often the chunks depart from the order of the text."""
    discontinuity_totals = DiscontinuousChunks.of(chunking)
    if not discontinuity_totals.chunks:
        return "No order breaks: every chunk is one stretch of the text."
    order_break_times_phrase = "once" if discontinuity_totals.breaks == 1 else f"{discontinuity_totals.breaks:,} times"
    chunk_count_verb = "is" if discontinuity_totals.chunks == 1 else "are"
    return (
        f"{pluralize(discontinuity_totals.breaks, 'order break')}: {discontinuity_totals.chunks:,} of "
        f"{len(chunking.chunks):,} chunks {chunk_count_verb} "
        f"non-contiguous, so reading chunk by chunk jumps over other chunks {order_break_times_phrase}."
    )


def dendrogram_explanation_with_refusals(clusters: Clusters, maximum_cluster_size: int) -> str:
    """Explain how to read the dendrogram, and state how many joins the size cap refused."""
    bracket_explanation = "A bracket joins two clusters at the distance of their two nearest sentences. "
    if not clusters.refused:
        return bracket_explanation + f"The cap of {maximum_cluster_size:,} sentences refused nothing."
    return bracket_explanation + (
        f"Dashed: {pluralize(len(clusters.refused), 'merge')} that the cap of {maximum_cluster_size:,} sentences refused, "
        f"{pluralize(clusters.refusals, 'pair')} of sentences in all."
    )


def dbscan_roles_in_words(clusters: Clusters, eps: float) -> str:
    """Describe the numbers of core, border and noise sentences, and explain these DBSCAN roles."""
    dbscan_role_by_sentence = clusters.roles
    return (
        f"{dbscan_role_by_sentence.count('core'):,} core: at least {clusters.core_size} sentences, itself included, within "
        "ε "
        f"{eps:g}. {dbscan_role_by_sentence.count('border'):,} border: within ε of a core, but not a core itself. "
        f"{dbscan_role_by_sentence.count('noise'):,} noise: neither, so each is a chunk of its own."
    )


# The list of chunks, each with its sentences.


class ChunkListData(TypedDict):
    """Payload of the list of chunks: their sentences, colours and tags, and a sentence on breaks in the text's order."""

    chunk_of: list[int]
    grounds: list[int]
    tags: list[str]
    breaks: str


_chunk_list_component = Component[ChunkListData](
    "seamark_chunk_list",
    "clustering/chunk_list.js",
    "clustering/chunk_list.css",
    html='<div class="chunks"></div>',
    colour_group_name="chunks",
)
