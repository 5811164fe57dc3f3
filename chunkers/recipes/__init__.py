"""Chunkers by name, their recipes and presets, and the files of a result."""

from chunkers.recipes.chunker_registry import (
    ADAPTERS,
    CHUNKERS,
    GIVEN_CHUNKS_CLASS_BY_NAME,
    MODEL_ASKING_CLASS_BY_NAME,
    chunker_class,
    known_chunkers_phrase,
    register,
    register_installed_chunkers,
    takes_over_existing_chunks,
)
from chunkers.recipes.model_written_context import LONGEST_EXTRACT_CHARACTERS, estimate_context_requests
from chunkers.recipes.presets import MAXIMUM_SIZE_PARAMETERS, MAXIMUM_SIZE_TOKENS, PRESETS, Preset, presets_for_chunker
from chunkers.recipes.recipe import (
    AnyLanguageModel,
    Recipe,
    broken_rule_phrase,
    build_chunker,
    chunk,
    run_chunker,
)
from chunkers.recipes.result_export import (
    ledger_to_csv,
    propositions_arrow_type,
    to_csv,
    to_dict,
    to_json,
    to_jsonl,
    to_parquet,
)
