"""Seamark: see where text chunkers cut, and why.

>>> from seamark import chunk
>>> chunk("One sentence. Another.", "fixed_sentences", size=1).texts
('One sentence.', 'Another.')

What is named here is what most programs need, and what a chunker of your own is made of. It is imported when it is first
asked for, so that ``import seamark`` alone costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkers import (
        Chunk,
        Chunker,
        Chunking,
        Document,
        Gap,
        InputError,
        ParameterError,
        Reason,
        Recipe,
        Span,
        Tools,
        Verdict,
        __version__,
        build_chunker,
        chunk,
        load_embedder,
        load_tokenizer,
        register,
    )

__all__ = [
    "Chunk",
    "Chunker",
    "Chunking",
    "Document",
    "Gap",
    "InputError",
    "ParameterError",
    "Reason",
    "Recipe",
    "Span",
    "Tools",
    "Verdict",
    "__version__",
    "build_chunker",
    "chunk",
    "load_embedder",
    "load_tokenizer",
    "register",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for; raises AttributeError if there is none of that name."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import chunkers

    return getattr(chunkers, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
