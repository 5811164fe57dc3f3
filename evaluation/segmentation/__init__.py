"""Chunks against known boundaries: measures, grids and sweeps, stitched documents, marked texts."""

from evaluation.segmentation.boundary_and_structure_ranking import (
    ChunkingRanking,
    Contender,
    count_cuts_by_position_kind,
    f1_from_counts,
    rank_by_known_boundaries,
    rank_by_respect_for_structure,
)
from evaluation.segmentation.boundary_files import (
    BoundaryFile,
    boundaries_and_text_hash_json,
    offsets_without_mark_lines,
    separate_text_from_boundary_marks,
)
from evaluation.segmentation.boundary_measures import (
    BOUNDARY_MEASURES_EXPLAINED,
    TRIVIAL_BASELINES_EXPLAINED,
    Score,
    Segmentation,
    boundary_scores,
    chunk_number_per_sentence,
    chunking_from_cuts,
    count_crossing_chunks,
    cut_offsets,
    explain_why_no_cut_wins,
    find_misassigned_units,
    mixed_chunk_section_counts,
    pk,
    segment_numbers,
    segmentation_in_sentences,
)
from evaluation.segmentation.chunk_statistics import (
    SIZE_UNITS,
    ChunkFacts,
    DiscontinuousChunks,
    SizeBounds,
    chunk_sizes,
    count_added_removed_moved_boundaries,
    count_found_missed_added,
    count_sentences_of_each_chunk,
    find_chunker_else_embedder_bounds,
    list_overlong_chunks_with_unread_tokens,
)
from evaluation.segmentation.cohesion import (
    EQUAL_COHESION_TOLERANCE,
    Cohesion,
    CumulativeSimilarities,
    StretchComparison,
    compare_greedy_with_other_chunking,
)
from evaluation.segmentation.embedder_agreement import (
    BoundaryAgreement,
    GapShift,
    compare_boundaries,
    measure_change_of_sentence_distances,
)
from evaluation.segmentation.label_free_measures import (
    BASELINE_SETTINGS,
    DEFAULT_EDIT_COUNT,
    EXPLANATION_BY_MEASURE,
    EditStability,
    LabelFreeMeasures,
    check_edit_count,
    count_size_compliance,
    count_whole_blocks_by_kind,
    count_whole_spans,
    measure_chunk_changes_by_edits,
    measure_without_labels,
    sentence_vectors,
    spans_to_keep_whole,
)
from evaluation.segmentation.settings_sweep import (
    HIGHER_IS_BETTER,
    OUR_SOURCE,
    SETTINGS_BY_CHUNKER,
    TRIVIAL_SETTINGS,
    SettingSummary,
    SweepRow,
    SweptSetting,
    compare_settings,
    lead_significance_sentences,
    list_qu_et_al_settings,
    published_setting_and_source,
    score_chunking,
    settings_grid,
    summarize_settings,
    sweep_rows_to_csv,
    sweep_settings,
    untested_lead_sentence,
)
from evaluation.segmentation.texts_with_known_boundaries import (
    BOUNDARY_FILE_ENDING,
    MarkedDocument,
    MarkedText,
    SubjectPassage,
    cut_sections_into_passages,
    halve_passages_by_subject,
    make_stitched_documents,
    message_with_file_name,
    read_marked_texts,
    read_passages,
    select_texts_sharing_heldout_sections,
)
from evaluation.segmentation.threshold_staircase import MIN_FLAT_STRETCH_AMOUNTS, ScoreHistogram, Staircase, score_histogram
