"""Results: chunks, the ledger of decisions, and their forms as tables, documents and pictures."""

from chunkers.results.chunk_fields import (
    EMBEDDED_AS_LABELS,
    METADATA_FIELD_DESCRIPTIONS,
    EmbeddedAs,
    build_exported_chunk_fields,
    check_embedded_as,
    embedded_text,
    metadata_of_all_chunks,
    proposition_as_dict,
    resolved_embedded_as,
    table_columns,
    table_rows,
)
from chunkers.results.model_written_content import Proposition, QuotationMatch, StatedContent
from chunkers.results.notebook_comparison import MOST_SIDE_BY_SIDE, SideBySide, compare
from chunkers.results.parent_chunks import find_chunk_indices_with_children, parent_index_by_child
from chunkers.results.result import (
    Band,
    Chunk,
    Chunking,
    Clusters,
    Comparison,
    ComparisonKind,
    ComparisonOutcome,
    Curve,
    DbscanRole,
    Gap,
    LazyTuple,
    Line,
    Merge,
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
    chunker_title,
    escape_html,
    find_colours_of_theme,
    offset_marks_html,
    settings_phrase,
    style_sheet,
)
