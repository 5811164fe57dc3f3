"""Results: chunks, the ledger of decisions, and their forms as tables, documents and pictures."""

from chunkers.results.chunk_fields import (
    EMBEDDED_AS_LABELS,
    METADATA_FIELD_DESCRIPTIONS,
    EmbeddedAs,
    build_exported_chunk_fields,
    check_embedded_as_option,
    embedded_text,
    metadata_of_all_chunks,
    proposition_as_dict,
    resolve_embedded_as_option,
    table_column_names,
    table_rows,
)
from chunkers.results.notebook_comparison import MOST_SIDE_BY_SIDE, SideBySide, compare
from chunkers.results.parent_chunks import find_chunk_indices_with_children, parent_index_by_child
from chunkers.results.result import (
    Band,
    Chunk,
    Chunking,
    Clusters,
    Comparison,
    ComparisonOutcome,
    Curve,
    DbscanRole,
    Gap,
    LazyTuple,
    Line,
    Merge,
    MergeComparisonKind,
    Reason,
    Refusal,
    ThresholdRelation,
    Timing,
    Verdict,
    combine_reasons,
    none_if_nan,
)
from chunkers.results.result_html import (
    CHUNK_COLOUR_COUNT,
    CHUNK_COLOURS,
    CHUNK_EDGE_COLOURS,
    NO_MATHJAX_CLASSES,
    ROOT_CLASS,
    THEME_COLOURS,
    build_html_column_of_result,
    chunk_strip_html,
    chunker_title_without_settings,
    escape_html,
    find_colours_of_theme,
    marked_offsets_row_html,
    settings_phrase,
    style_sheet,
)
from chunkers.results.titles_summaries_and_propositions import Proposition, QuotationMatch, StatedContent
