"""Results: chunks, the ledger of decisions, and their forms as tables, documents and pictures."""

from chunkers.results.chunk_fields import (
    EMBEDDED_AS_LABELS,
    METADATA_FIELD_DESCRIPTIONS,
    EmbeddedAs,
    check_embedded_as,
    embedded_text,
    exported_fields,
    metadata_of_all_chunks,
    proposition_as_dict,
    resolved_embedded_as,
    table_columns,
    table_rows,
)
from chunkers.results.model_written_content import Proposition, QuotationMatch, StatedContent
from chunkers.results.notebook_comparison import MOST_SIDE_BY_SIDE, SideBySide, compare
from chunkers.results.parent_chunks import indices_of_parent_chunks, parent_index_by_child
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
    chunk_strip_html,
    chunker_title,
    column_html,
    escape_html,
    offset_marks_html,
    settings_phrase,
    style_sheet,
    theme_colours,
)
