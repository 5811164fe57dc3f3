"""Base class for embedders."""

from __future__ import annotations

import uuid
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from chunkers.support.arrays import FloatArray, VectorArray

if TYPE_CHECKING:
    from chunkers.text.document import Document


def _no_share(share: float) -> None:
    """Report nothing."""


class Embedder(ABC):
    """Base class for embedders, which turn texts into unit vectors.

    An object that only has ``encode`` need not inherit from this class: `chunkers.load_embedder` wraps the object.

    Attributes
    ----------
    name, revision
        Together they determine the vectors; both are part of the cache key. The revision is empty until loading, or
        fitting on a document, determines it. If it stays empty, cached vectors are used for this object only. The name
        defaults to the class's name.
    max_tokens
        Maximum number of tokens, by the model's own tokenizer, that are read from a text; None if there is no limit, or
        until the model is loaded.
    batch
        Maximum number of texts per call of ``encode``; between two batches the user may stop.
    remote
        True if another machine computes the vectors, which may take any time.
    batch_length
        Maximum total length per call of ``encode``, in the unit of ``lengths``; None if only the number of texts counts. A
        longer text is a batch by itself.
    defaults
        For each chunker name, the parameters that suit this embedder better than the declared defaults.
    packages
        The installed packages that the vectors depend on; a recipe names their versions.
    preparation
        Phrase on the work of `prepare` before loading, for progress messages; empty if it only loads the model.
    device
        The device that computes the vectors, by torch's name; empty if there is none, or until the device is known,
        which may take loading the model.
    engine
        Name of the library that runs the model; empty if there is no choice, or until the model is loaded.
    approximates
        Name of the embedder that this one approximates in less time, which the page offers for comparison; empty if
        there is none.
    remark
        A sentence on what the user should know about the embedder on this machine, once it is loaded; mostly empty.
    """

    name: str
    revision: str = ""
    max_tokens: int | None = None
    # About 50 ms of work for sentences on two cores.
    batch: int = 32
    remote: bool = False
    batch_length: int | None = None
    defaults: Mapping[str, Mapping[str, Any]] = {}
    packages: tuple[str, ...] = ()
    preparation: str = ""
    device: str = ""
    engine: str = ""
    approximates: str = ""
    remark: str = ""

    def __init_subclass__(cls, **others: Any) -> None:
        """Use the class name as the name of a subclass without one."""
        super().__init_subclass__(**others)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    def load(self) -> None:  # noqa: B027  # most have nothing to load
        """Load the model unless it is already in memory. Raise ModelError if loading fails."""

    def prepare(self, progress: Callable[[float], None] = _no_share, cancelled: Callable[[], bool] = bool) -> None:
        """Load the model, building it on this machine first if necessary; building may take a long time.

        Parameters
        ----------
        progress
            Called with the completed share of building the model, from 0 to 1; not called if there is nothing to build.
        cancelled
            Called between steps; returns true once the user has asked to stop.

        Raises
        ------
        ModelError
            If building or loading fails.
        Cancelled
            If the user asked to stop.
        """
        self.load()

    def prepared_said(self, share: float) -> str:
        """Return the progress of `prepare` as a phrase, with the completed ``share`` in percent."""
        return f"{self.preparation}: {share:.0%} done"

    @property
    def destination(self) -> str:
        """Host that receives the texts, and the proxy in between, if any; empty if no texts are sent."""
        return ""

    def loading_said(self) -> str:
        """Return the progress message that is shown before the first texts are embedded."""
        return f"Waiting for {self.destination}" if self.destination else "Loading the embedding model"

    @property
    def identity(self) -> str:
        """Identifier of the embedder's vectors: the model's revision or, if there is none, a token unique to this object."""
        return self.revision or token_of(self)

    def for_document(self, document: Document) -> Embedder:
        """Return this embedder or, if the embedder must be fitted on each document, a version fitted on this document."""
        return self

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the length of each text in the unit of ``max_tokens``, including special tokens.

        The default unit is characters.
        """
        return [len(text) for text in texts]

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known tokens."""


_TOKENS: dict[int, tuple[Any, str]] = {}
"""By an object's id: a weak reference to it, and its token."""


def token_of(given: object) -> str:
    """Return a token that identifies an object within the process and is never reused for another object.

    An object without support for weak references gets a new token each time, because nothing reports when it is
    garbage-collected.
    """
    known = _TOKENS.get(id(given))
    if known is not None and known[0]() is given:
        return known[1]
    token = uuid.uuid4().hex
    with suppress(TypeError):
        number = id(given)
        _TOKENS[number] = (weakref.ref(given, lambda reference: _forget(number, reference)), token)
    return token


def _forget(number: int, reference: object) -> None:
    """Forget an object that is gone, unless another has its id by now."""
    known = _TOKENS.get(number)
    if known is not None and known[0] is reference:
        del _TOKENS[number]


def batches(lengths: Sequence[int], most: int, most_length: int | None) -> Iterator[slice]:
    """Yield slices that divide texts, in order, into batches of at most ``most`` texts and ``most_length`` total length."""
    start, sum_of_lengths = 0, 0
    for place, length in enumerate(lengths):
        too_long = most_length is not None and sum_of_lengths + length > most_length
        if place > start and (too_long or place - start >= most):
            yield slice(start, place)
            start, sum_of_lengths = place, 0
        sum_of_lengths += length
    if start < len(lengths):
        yield slice(start, len(lengths))


def unit(vectors: npt.NDArray[Any]) -> VectorArray:
    """Return the rows scaled to length 1; rows of zeros stay zero."""
    rows = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: FloatArray = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return scaled.astype(np.float32)
