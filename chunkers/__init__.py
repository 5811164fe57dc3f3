"""Text chunkers that explain their cuts.

>>> from seamark import chunk
>>> result = chunk("One sentence. Another.", "fixed_sentences", size=1)
>>> result.texts
('One sentence.', 'Another.')
>>> result[1].spans
(Span(start=14, end=22),)
"""

from chunkers.contract import Chunker, FieldSpec, Tools, Watcher
from chunkers.embedders import EMBEDDER_DESCRIPTIONS, Embedder, Encoder, load_embedder
from chunkers.found_again import inspect
from chunkers.methods import Breakpoint, DoublePass, FixedSentences, Recursive
from chunkers.recipes import (
    ADAPTERS,
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    PRESETS,
    Preset,
    Recipe,
    build_chunker,
    chunk,
    ledger_to_csv,
    register,
    register_installed_chunkers,
    run_chunker,
    to_csv,
    to_dict,
    to_json,
    to_jsonl,
    to_parquet,
)
from chunkers.recipes.recipe import __version__
from chunkers.results import (
    Chunk,
    Chunking,
    Comparison,
    Curve,
    Gap,
    Line,
    Merge,
    Reason,
    SideBySide,
    Timing,
    Verdict,
    compare,
)
from chunkers.storage.embedding_cache import SHARED_CACHE, EmbeddingCache
from chunkers.support import Cancelled, InputError, ModelError, ParameterError
from chunkers.text import (
    DEFAULT_SPLITTER,
    SPLITTER_DESCRIPTIONS,
    TOKENIZER_DESCRIPTIONS,
    Document,
    Span,
    Tokenizer,
    load_tokenizer,
)

__all__ = [
    "ADAPTERS",
    "CHUNKERS",
    "DEFAULT_SPLITTER",
    "EMBEDDER_DESCRIPTIONS",
    "MODEL_ASKING_CLASS_BY_NAME",
    "PRESETS",
    "SHARED_CACHE",
    "SPLITTER_DESCRIPTIONS",
    "TOKENIZER_DESCRIPTIONS",
    "Breakpoint",
    "Cancelled",
    "Chunk",
    "Chunker",
    "Chunking",
    "Comparison",
    "Curve",
    "Document",
    "DoublePass",
    "Embedder",
    "EmbeddingCache",
    "Encoder",
    "FieldSpec",
    "FixedSentences",
    "Gap",
    "InputError",
    "Line",
    "Merge",
    "ModelError",
    "ParameterError",
    "Preset",
    "Reason",
    "Recipe",
    "Recursive",
    "SideBySide",
    "Span",
    "Timing",
    "Tokenizer",
    "Tools",
    "Verdict",
    "Watcher",
    "__version__",
    "build_chunker",
    "chunk",
    "compare",
    "inspect",
    "ledger_to_csv",
    "load_embedder",
    "load_tokenizer",
    "register",
    "register_installed_chunkers",
    "run_chunker",
    "to_csv",
    "to_dict",
    "to_json",
    "to_jsonl",
    "to_parquet",
]
