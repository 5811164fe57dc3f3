"""User-defined embedders: any object with a method ``encode``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from chunkers.embedders.base import Embedder, token_of
from chunkers.support.arrays import VectorArray
from chunkers.support.errors import InputError, shown

OWN = "own:"
"""Prefix of the names of callers' own objects, so that none equals the name of a loadable embedder."""


class Encoder(Protocol):
    """Interface of a user's own embedder: any object with a method ``encode`` from texts to vectors.

    The vectors have length 1, or are zeros for a text without known tokens; see `chunkers.embedders.vector_check` for the
    accepted types. Two optional attributes are used: ``name``, by default the name of the class, for messages and
    recipes; and ``revision``, which together with the name and the class determines the vectors, so that objects of the
    same model share cached vectors. Without a revision, each object has cached vectors of its own.
    """

    def encode(self, texts: list[str], /) -> Any:
        """Return one embedding per text, as a row of numbers."""
        ...


class OwnEmbedder(Embedder):
    """Embedder that wraps a user's object with a method ``encode``."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        kind = type(encoder)
        name = getattr(encoder, "name", None)
        revision = getattr(encoder, "revision", None)
        self.name = OWN + (name if isinstance(name, str) and name.strip() else kind.__name__)
        self.revision = revision if isinstance(revision, str) else ""

    @property
    def identity(self) -> str:
        """Identifier made of the object's class and revision; without a revision, a token unique to the object."""
        kind = type(self._encoder)
        return f"{kind.__module__}.{kind.__qualname__}/{self.revision}" if self.revision else token_of(self._encoder)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return the object's vectors unchecked; callers pass them through `checked_vectors`."""
        vectors: VectorArray = self._encoder.encode(list(texts))
        return vectors


def embedder_of(given: object) -> Embedder:
    """Return ``given`` if it is an `Embedder`; otherwise return an `Embedder` that wraps its ``encode`` method.

    Raises
    ------
    InputError
        If ``given`` has no method ``encode``.
    """
    if isinstance(given, Embedder):
        return given
    if isinstance(given, type):
        raise InputError(
            f"embedder must be an object with a method encode(texts); got the class {given.__name__} itself. Pass an "
            "instance of the class."
        )
    if isinstance(given, str) or not callable(getattr(given, "encode", None)):
        raise InputError(f"embedder must be a name or an object with a method encode(texts); got {shown(given)}.")
    return OwnEmbedder(given)  # type: ignore[arg-type]  # whether it takes texts shows when it is called
