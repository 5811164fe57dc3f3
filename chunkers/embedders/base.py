"""Base class for embedders, the embedders that users bring themselves, and the check that all vectors pass."""

import uuid
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from chunkers.support import MOST_VECTOR_NUMBERS, InputError, ModelError, ModelName, VectorArray, pluralize, short_repr
from chunkers.text import Document


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
        Phrase on the work of `ensure_model_built_and_loaded` before loading, for progress messages; empty if it only
        loads the model.
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

    def ensure_loaded(self) -> None:  # noqa: B027  # most have nothing to load
        """Load the model unless it is already in memory. Raise ModelError if loading fails."""

    def ensure_model_built_and_loaded(
        self, progress: Callable[[float], None] = lambda share: None, cancelled: Callable[[], bool] = bool
    ) -> None:
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
        self.ensure_loaded()

    def format_preparation_progress(self, share: float) -> str:
        """Return the progress of `ensure_model_built_and_loaded` as a phrase, with the completed ``share`` in percent."""
        return f"{self.preparation}: {share:.0%} done"

    @property
    def destination(self) -> str:
        """Host that receives the texts, and the proxy in between, if any; empty if no texts are sent."""
        return ""

    def loading_message(self) -> str:
        """Return the progress message that is shown before the first texts are embedded."""
        return f"Waiting for {self.destination}" if self.destination else "Loading the embedding model"

    @property
    def identity(self) -> str:
        """Identifier of the embedder's vectors: the model's revision or, if there is none, a token unique to this object."""
        return self.revision or unique_object_token(self)

    def for_document(self, document: "Document") -> "Embedder":
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


_IDENTITY_TOKEN_BY_OBJECT_ID: dict[int, tuple[Any, str]] = {}
"""By an object's id: a weak reference to it, and its token."""


def unique_object_token(instance: object) -> str:
    """Return a token that identifies an object within the process and is never reused for another object.

    An object without support for weak references gets a new token each time, because nothing reports when it is
    garbage-collected.
    """
    stored_reference_and_token = _IDENTITY_TOKEN_BY_OBJECT_ID.get(id(instance))
    if stored_reference_and_token is not None and stored_reference_and_token[0]() is instance:
        return stored_reference_and_token[1]
    object_identity_token = uuid.uuid4().hex
    with suppress(TypeError):
        python_object_id = id(instance)
        # Called before the object's memory is freed, so that no other object can have its id by then.
        _IDENTITY_TOKEN_BY_OBJECT_ID[python_object_id] = (
            weakref.ref(instance, lambda _: _IDENTITY_TOKEN_BY_OBJECT_ID.pop(python_object_id, None)),
            object_identity_token,
        )
    return object_identity_token


def split_into_batches(text_lengths: Sequence[int], max_batch_texts: int, max_batch_length: int | None) -> Iterator[slice]:
    """Yield slices that divide texts, in order, into batches within two limits.

    A batch has at most ``max_batch_texts`` texts, and a total length of at most ``max_batch_length`` unless it is one text.
    """
    batch_start, current_batch_total_length = 0, 0
    for text_index, text_length in enumerate(text_lengths):
        is_batch_length_exceeded = (
            max_batch_length is not None and current_batch_total_length + text_length > max_batch_length
        )
        if text_index > batch_start and (is_batch_length_exceeded or text_index - batch_start >= max_batch_texts):
            yield slice(batch_start, text_index)
            batch_start, current_batch_total_length = text_index, 0
        current_batch_total_length += text_length
    if batch_start < len(text_lengths):
        yield slice(batch_start, len(text_lengths))


def scale_to_unit_length(vectors: npt.NDArray[Any]) -> VectorArray:
    """Return the rows scaled to length 1; rows of zeros stay zero."""
    double_precision_rows = np.asarray(vectors, dtype=np.float64)
    vector_row_norms = np.linalg.norm(double_precision_rows, axis=1, keepdims=True)
    return np.asarray(
        np.divide(
            double_precision_rows, vector_row_norms, out=np.zeros_like(double_precision_rows), where=vector_row_norms > 0
        ),
        dtype=np.float32,
    )


# Users' own embedders: any object with a method ``encode``.


class Encoder(Protocol):
    """Interface of a user's own embedder: any object with a method ``encode`` from texts to vectors.

    The vectors have length 1, or are zeros for a text without known tokens; see `chunkers.embedders.base` for the
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
        encoder_own_name = getattr(encoder, "name", None)
        encoder_own_revision = getattr(encoder, "revision", None)
        # With the provider, so that the name never equals the name of a loadable embedder.
        self.name = str(
            ModelName(
                "own",
                encoder_own_name
                if isinstance(encoder_own_name, str) and encoder_own_name.strip()
                else type(encoder).__name__,
            )
        )
        self.revision = encoder_own_revision if isinstance(encoder_own_revision, str) else ""

    @property
    def identity(self) -> str:
        """Identifier made of the object's class and revision; without a revision, a token unique to the object."""
        encoder_class = type(self._encoder)
        return (
            f"{encoder_class.__module__}.{encoder_class.__qualname__}/{self.revision}"
            if self.revision
            else unique_object_token(self._encoder)
        )

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return the object's vectors unchecked; callers pass them through `checked_vectors`."""
        return self._encoder.encode(list(texts))  # type: ignore[no-any-return]  # the caller looks at it


def wrap_encoder_as_embedder(embedder_or_encoder: object) -> Embedder:
    """Return ``embedder_or_encoder`` if it is an `Embedder`; otherwise an `Embedder` that wraps its ``encode`` method.

    Raises
    ------
    InputError
        If ``embedder_or_encoder`` has no method ``encode``.
    """
    if isinstance(embedder_or_encoder, Embedder):
        return embedder_or_encoder
    if isinstance(embedder_or_encoder, type):
        raise InputError(
            f"embedder must be an object with a method encode(texts); got the class {embedder_or_encoder.__name__} itself. "
            "Pass an "
            "instance of the class."
        )
    if isinstance(embedder_or_encoder, str) or not callable(getattr(embedder_or_encoder, "encode", None)):
        raise InputError(
            f"embedder must be a name or an object with a method encode(texts); got {short_repr(embedder_or_encoder)}."
        )
    return OwnEmbedder(embedder_or_encoder)  # type: ignore[arg-type]  # whether it takes texts shows when it is called


# The check that all embeddings pass: valid output becomes unit vectors, anything else an error.

UNIT_LENGTH_TOLERANCE = 0.01
"""Accepted deviation of a vector's length from 1; rounding to half precision stays below it."""

_EXACT_LENGTH_TOLERANCE = 1e-6
"""Deviation from length 1 up to which a vector is left unscaled; vectors scaled in single precision stay below it."""


def check_vector_memory(embedder_name: str, text_count: int, dimension: int) -> None:
    """Raise InputError if the vectors of ``text_count`` texts would exceed the memory limit."""
    if text_count * dimension > MOST_VECTOR_NUMBERS:
        raise InputError(
            f"{embedder_name}: texts × dimensions must be at most {MOST_VECTOR_NUMBERS:,}, because all vectors are in "
            "memory at "
            f"once; this text has {text_count:,} × {dimension:,}. Divide the document, or choose an embedder with fewer "
            "dimensions."
        )


def checked_vectors(embedder_name: str, embedder_output: object, texts: Sequence[str]) -> VectorArray:
    """Check an embedder's output and return unit vectors in single precision, shape (len(texts), dimension).

    Arrays and tensors of any numeric type, lists of numbers and lists of such rows are converted. A vector of length
    about 1, as in half precision, is scaled to length 1. A row of zeros is kept, and stands for a text without known
    tokens.

    Raises
    ------
    ModelError
        If the output is not one row of finite numbers per text, all of the same dimension and of length 1 or 0; the
        message begins with the embedder's name and says what was returned instead.
    """
    checked_embedding_vectors = _number_array(embedder_name, embedder_output)
    if checked_embedding_vectors.ndim != 2:
        raise ModelError(
            f"{embedder_name}: encode must return a two-dimensional array, with one row for each text; it returned an "
            "array of "
            f"shape {checked_embedding_vectors.shape}."
        )
    if len(checked_embedding_vectors) != len(texts):
        raise ModelError(
            f"{embedder_name}: encode must return one row for each text; it returned "
            f"{pluralize(len(checked_embedding_vectors), 'row')} for "
            f"{pluralize(len(texts), 'text')}."
        )
    if not checked_embedding_vectors.shape[1]:
        raise ModelError(f"{embedder_name}: encode must return at least one number for each text; it returned empty rows.")
    if not np.isfinite(checked_embedding_vectors).all():
        first_faulty_row_index, faulty_dimension_index = np.argwhere(~np.isfinite(checked_embedding_vectors))[0]
        raise ModelError(
            f"{embedder_name}: encode must return finite numbers; for the text {short_repr(texts[first_faulty_row_index])} "
            f"it returned {checked_embedding_vectors[first_faulty_row_index, faulty_dimension_index]}."
        )
    with np.errstate(over="ignore"):
        vector_norms = np.linalg.norm(checked_embedding_vectors.astype(np.float64, copy=False), axis=1)
    # The largest finite numbers have no finite length.
    deviations_from_unit_length = np.abs(vector_norms - 1)
    non_unit_row_indices = np.flatnonzero((deviations_from_unit_length > UNIT_LENGTH_TOLERANCE) & (vector_norms > 0))
    if len(non_unit_row_indices):
        first_faulty_row_index = non_unit_row_indices[0]
        raise ModelError(
            f"{embedder_name}: encode must return vectors of length 1, or zeros for a text without known words; the vector "
            "of "
            f"{short_repr(texts[first_faulty_row_index])} has length {vector_norms[first_faulty_row_index]:.4g}. "
            f"Divide every vector by its length."
        )
    inexact_length_row_indices = np.flatnonzero((deviations_from_unit_length > _EXACT_LENGTH_TOLERANCE) & (vector_norms > 0))
    if len(inexact_length_row_indices):
        checked_embedding_vectors = checked_embedding_vectors.astype(np.float64)
        checked_embedding_vectors[inexact_length_row_indices] /= vector_norms[inexact_length_row_indices, None]
    return np.ascontiguousarray(checked_embedding_vectors, dtype=np.float32)


def _number_array(embedder_name: str, embedder_output: object) -> np.ndarray[Any, np.dtype[Any]]:
    """Convert the output of an embedder to an array of real numbers."""
    try:
        embedder_output_array = np.asarray(_tensor_to_array(embedder_output))
        if embedder_output_array.dtype == object:
            if not isinstance(embedder_output, list | tuple | np.ndarray):
                raise TypeError
            # A list of tensors or of arrays; those of different dimensions make no array.
            output_row_arrays = [np.asarray(_tensor_to_array(row)) for row in embedder_output]
            embedder_output_array = np.stack(output_row_arrays) if output_row_arrays else np.empty((0, 1))
    except (TypeError, ValueError, AttributeError, RuntimeError):
        embedder_output_array = np.empty(0, dtype=object)
    if embedder_output_array.dtype.kind not in "fiu":
        raise ModelError(
            f"{embedder_name}: encode must return one row of numbers for each text, all of the same dimensions, as an "
            "array, a "
            f"tensor or lists; it returned {short_repr(embedder_output)}."
        )
    return embedder_output_array


def _tensor_to_array(possible_tensor: Any) -> Any:
    """Return a tensor of torch as an array, without importing torch: anything else as it is."""
    if isinstance(possible_tensor, list | tuple) and possible_tensor and hasattr(possible_tensor[0], "detach"):
        return [_tensor_to_array(row) for row in possible_tensor]
    if not hasattr(possible_tensor, "detach"):
        return possible_tensor
    # NumPy has no bfloat16, and reads neither gradients nor another device's memory.
    detached_cpu_tensor = possible_tensor.detach().cpu()
    return (detached_cpu_tensor.float() if detached_cpu_tensor.is_floating_point() else detached_cpu_tensor).numpy()
