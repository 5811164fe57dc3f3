"""Text chunkers that explain their cuts.

>>> from seamark import chunk
>>> result = chunk("One sentence. Another.", "fixed_sentences", size=1)
>>> result.texts
('One sentence.', 'Another.')
>>> result[1].spans
(Span(start=14, end=22),)
"""

from chunkers.contract import Chunker, FieldSpec, Tools
from chunkers.embedders import EMBEDDERS, Embedder, Encoder, load_embedder
from chunkers.found_again.located_chunks import inspect
from chunkers.methods.breakpoint import Breakpoint
from chunkers.methods.double_pass import DoublePass
from chunkers.methods.fixed_sentences import FixedSentences
from chunkers.methods.recursive import Recursive
from chunkers.recipes.chunker_registry import ADAPTERS, ASKING, CHUNKERS, discover, register
from chunkers.recipes.export import ledger_to_csv, to_csv, to_dict, to_json, to_jsonl, to_parquet
from chunkers.recipes.presets import PRESETS, Preset
from chunkers.recipes.recipe import Recipe, __version__, build_chunker, chunk, run
from chunkers.results.notebook_comparison import SideBySide, compare
from chunkers.results.result import Chunk, Chunking, Comparison, Curve, Gap, Line, Merge, Reason, Timing, Verdict
from chunkers.storage.embedding_cache import SHARED_CACHE, EmbeddingCache
from chunkers.support import Cancelled, InputError, ModelError, ParameterError
from chunkers.text import DEFAULT_SPLITTER, SPLITTERS, TOKENIZERS, Document, Span, Tokenizer, load_tokenizer

__all__ = [
    "ADAPTERS",
    "ASKING",
    "CHUNKERS",
    "DEFAULT_SPLITTER",
    "EMBEDDERS",
    "PRESETS",
    "SHARED_CACHE",
    "SPLITTERS",
    "TOKENIZERS",
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
    "__version__",
    "build_chunker",
    "chunk",
    "compare",
    "discover",
    "inspect",
    "ledger_to_csv",
    "load_embedder",
    "load_tokenizer",
    "register",
    "run",
    "to_csv",
    "to_dict",
    "to_json",
    "to_jsonl",
    "to_parquet",
]
