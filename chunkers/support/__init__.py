"""Errors, limits, types of arrays, number formats and other parts that every room uses."""

from chunkers.support.array_types import FloatArray, IntArray, VectorArray
from chunkers.support.errors import (
    LONGEST_SHOWN_VALUE,
    Cancelled,
    InputError,
    ModelError,
    ParameterError,
    first_field_and_error,
    message_with_document_name,
    one_line_message,
    raise_if_cancelled,
    short_repr,
)
from chunkers.support.formatting import (
    csv_text,
    escape_csv_cell,
    format_bound_of_range,
    format_milliseconds,
    format_number,
    format_three_figures,
    join_words,
    pluralize,
    round_up_estimate,
    text_table,
    unescape_csv_cell,
)
from chunkers.support.limits import (
    LONGEST_RECIPE_CHARACTERS,
    MAX_CACHE_FILE_BYTES,
    MAX_FILE_BYTES,
    MAX_HTML_NESTING_DEPTH,
    MAX_IDLE_READER_MEMORY_BYTES,
    MAX_PARAGRAPH_CHARACTERS,
    MAX_SENTENCES,
    MAX_UNPACKED_BYTES,
    MOST_CHANGE_POINT_PRODUCTS,
    MOST_CHANGE_POINT_STEPS,
    MOST_CHUNKS,
    MOST_CLUSTERING_WORK,
    MOST_FILE_TEXT_CHARACTERS,
    MOST_JSON_BRACKETS,
    MOST_MARKDOWN_MARKS,
    MOST_MAX_MIN_PRODUCTS,
    MOST_OPTIMAL_PIECE_RUNS,
    MOST_READER_MEMORY_BYTES,
    MOST_READER_PROCESSES,
    MOST_READING_SECONDS,
    MOST_SPENT_TOKENS,
    MOST_TABLE_COLUMNS,
    MOST_TABLE_ROWS,
    MOST_TOTAL_CHUNK_CHARACTERS,
    MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS,
    MOST_VECTOR_NUMBERS,
    SHARED_ANSWERS_BYTES,
    SHARED_CACHE_BYTES,
)
from chunkers.support.lru_dict import LRUDict, cache_results_in
from chunkers.support.model_names import ModelName
from chunkers.support.optional_packages import (
    MODULES_BY_EXTRA,
    failed_import_error,
    import_required,
    missing_extra_message,
    raise_if_extra_missing,
)
