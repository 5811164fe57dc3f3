"""Text chunkers that explain their cuts.

>>> from chunkers import chunk
>>> result = chunk("One sentence. Another.", "fixed_sentences", size=1)
>>> [piece.text for piece in result.chunks]
['One sentence.', 'Another.']
"""

from __future__ import annotations

from typing import Any

from chunkers.base import Chunker, FieldSpec, run
from chunkers.embedders import EMBEDDERS, Embedder, load_embedder
from chunkers.errors import Cancelled, InputError, ModelError, ParameterError
from chunkers.methods.breakpoint import Breakpoint
from chunkers.methods.double_pass import DoublePass
from chunkers.methods.fixed import FixedSentences
from chunkers.methods.recursive import Recursive
from chunkers.presets import PRESETS, Preset
from chunkers.reason import Reason
from chunkers.recipe import Recipe, __version__, build_chunker
from chunkers.registry import ADAPTERS, CHUNKERS
from chunkers.result import Chunk, Chunking, Comparison, Curve, Gap, Line, Merge, Timing, Verdict
from chunkers.text.document import Document, Span
from chunkers.text.sentences import DEFAULT_SPLITTER, SPLITTERS
from chunkers.text.tokenizers import TOKENIZERS, Tokenizer, load_tokenizer
from chunkers.tools import Tools

__all__ = [
    "ADAPTERS",
    "CHUNKERS",
    "DEFAULT_SPLITTER",
    "EMBEDDERS",
    "PRESETS",
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
    "Span",
    "Timing",
    "Tokenizer",
    "Tools",
    "Verdict",
    "__version__",
    "build_chunker",
    "chunk",
    "load_embedder",
    "load_tokenizer",
    "run",
]


def chunk(
    text: str,
    chunker: str = "breakpoint",
    *,
    sentences: str = DEFAULT_SPLITTER,
    embedder: str | Embedder = "all-MiniLM-L6-v2",
    tokenizer: str = "all-MiniLM-L6-v2",
    **parameters: Any,
) -> Chunking:
    """Cut ``text`` with the named chunker.

    Parameters
    ----------
    text
        The original; the chunks' spans are code points of it.
    chunker
        A key of `CHUNKERS` or `ADAPTERS`.
    sentences, embedder, tokenizer
        Names from `SPLITTERS`, `EMBEDDERS` and `TOKENIZERS`; the embedder may also be an `Embedder` object.
    parameters
        The chunker's parameters; those left out have their defaults.

    Raises
    ------
    InputError
        If a name or a parameter is wrong, or the text is not valid Unicode; one sentence says which and why.
    """
    vectors = load_embedder(embedder) if isinstance(embedder, str) else embedder
    tools = Tools(vectors, load_tokenizer(tokenizer))
    return run(build_chunker(chunker, parameters, vectors), Document.from_text(text, sentences), tools)
