"""Seamark: see where text chunkers cut, and why.

>>> from seamark import chunk
>>> chunk("One sentence. Another.", "fixed_sentences", size=1).texts
('One sentence.', 'Another.')

What is named here is what most programs need, and what a chunker of your own is made of. It is imported when it is first
asked for, so that ``import seamark`` alone costs next to nothing. ``seamark.chunkers``, ``seamark.integrations`` and so on
have the rest, in a checkout as well.
"""

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkers import (
        SHARED_CACHE,
        Cancelled,
        Chunk,
        Chunker,
        Chunking,
        Document,
        EmbeddingCache,
        Gap,
        InputError,
        ModelError,
        ParameterError,
        Reason,
        Recipe,
        Span,
        Tools,
        Verdict,
        Watcher,
        __version__,
        build_chunker,
        chunk,
        compare,
        inspect,
        ledger_to_csv,
        load_embedder,
        load_tokenizer,
        register,
        to_csv,
        to_dict,
        to_json,
        to_jsonl,
        to_parquet,
    )

__all__ = [
    "SHARED_CACHE",
    "Cancelled",
    "Chunk",
    "Chunker",
    "Chunking",
    "Document",
    "EmbeddingCache",
    "Gap",
    "InputError",
    "ModelError",
    "ParameterError",
    "Reason",
    "Recipe",
    "Span",
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
    "to_csv",
    "to_dict",
    "to_json",
    "to_jsonl",
    "to_parquet",
]

if not os.path.isdir(os.path.join(os.path.dirname(__file__), "chunkers")):  # noqa: PTH112, PTH118, PTH120 - pathlib takes long
    from seamark.checkout_imports import CheckoutFinder

    # In front of Python's own finders, which would find `integrations/langchain.py` a second time.
    sys.meta_path.insert(0, CheckoutFinder())

# A type checker that saw this function would accept every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a name on first use; raises AttributeError if there is none of that name."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import chunkers

        return getattr(chunkers, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
