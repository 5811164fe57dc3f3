"""Building blocks of several chunkers: thresholds, sizes, joint distances, propositions and the ledger of gaps."""

from chunkers.building_blocks.clustering import chunking_from_labels
from chunkers.building_blocks.gaps_and_pieces import (
    Piece,
    PieceCutter,
    add_uncut_gaps,
    build_all_gaps_of_pieces,
    build_cut_gaps_only,
    make_one_chunk_per_piece,
)
from chunkers.building_blocks.recursive_splitting import (
    SeparatorPreset,
    Unit,
    merge_into_windows,
    recursive_spans,
    separator_patterns,
    text_size_function,
)
from chunkers.building_blocks.sentence_distances import (
    MOST_SAMPLED_SENTENCES,
    gap_distances,
    join_with_neighbours,
    row_cosines,
    scores_under_shuffling,
)
from chunkers.building_blocks.size_limits import (
    SizeLimitedChunker,
    SizeLimits,
    TokenSizes,
    check_overlap,
    enforce_size_limits_on_gaps,
    first_unit_index_after_window,
    refuse_excess_chunks_or_characters,
    refuse_size_yielding_excess_chunks,
    span_size_function,
    split_text_into_fitting_spans,
)
from chunkers.building_blocks.thresholds import ThresholdChunker
from chunkers.building_blocks.verdict_reversal_search import (
    VerdictReversals,
    find_nearest_verdict_reversing_stop,
    find_parameter_spec_by_name,
    next_slider_stop,
)
