"""Late chunking: token vectors of the whole text, pooled by chunk.

Source: Günther, Mohr, Williams, Wang and Xiao (2024), "Late Chunking: Contextual Chunk Embeddings Using Long-Context
Embedding Models", arXiv:2409.04701, section 3. A plain vector pools the token vectors of a chunk that the model reads alone.
Late chunking pools the vectors that the chunk's tokens have in the text: v = unit(mean of t_i over the chunk's tokens i).

A text longer than the model's limit is read in windows that overlap by half, as in the paper's "long late chunking". Each
token's vector comes from the window in which it has the most context on its shorter side, so at least a quarter of a window
except at the ends of the text. (The paper takes the first window that has the token.) As in the paper's code, the special
piece that begins a text belongs to the chunk with its first token, and the one that ends it to the chunk with its last: a
text that is one chunk within the limit has its plain vector.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from chunkers.embedders.base import Embedder, scale_to_unit_length
from chunkers.embedders.numpy_bert_encoder import BertEncoder
from chunkers.embedders.sentence_models import Model
from chunkers.support import IntArray, ModelError, VectorArray, raise_if_cancelled

WINDOWS_AT_ONCE = 8
"""Windows computed together, about a fifth of a second of work on two cores for the bundled model."""

LATE_CHUNKING_ERROR = (
    "Late chunking needs the vectors of a model's tokens, which {name} does not give. Choose all-MiniLM-L6-v2 on the "
    "processor, or another BERT model with mean pooling that Seamark runs itself."
)
"""Error message for an embedder that cannot do late chunking."""

LATE_CHUNKING_NOTE = (
    "Late chunking reads each document in windows of the model's limit, 256 word pieces for all-MiniLM-L6-v2, that overlap "
    "by half. A chunk's vector is the mean of its tokens' vectors, each from the window in which it has the most context; "
    "text further away does not change it."
)
"""Note on the context that late chunking gives."""

_LATE_CHUNKING_VERSION = "late chunking 1"
"""Part of the cache key, to be changed whenever the vectors change."""


class TokenWindow(NamedTuple):
    """Half-open range of pieces that the model reads at once, and the range whose vectors are taken from this window."""

    start: int
    end: int
    kept_start: int
    kept_end: int


class _Pieces(NamedTuple):
    """Word pieces of a text, without the special ones: ids, start and end offsets in the text, and the windows over them."""

    ids: list[int]
    starts: IntArray
    ends: IntArray
    windows: list[TokenWindow]


class LateChunks(Embedder):
    """Embedder of chunks by late chunking, for the chunks of given texts.

    `encode` takes places, see `build_key_of_chunk_place`, instead of texts, so that the cache, the progress and the
    cancellation of `chunkers.contract.tools.Tools.embed` apply to chunks as to texts. Neighbouring chunks share windows: a
    text's places should come in order.

    Parameters
    ----------
    model
        The embedder; it must be a `Model` that this package's encoder runs, with mean pooling.
    texts
        The whole texts, in which the chunks lie.

    Raises
    ------
    ModelError
        If the embedder is known to be unable to do late chunking; for some models this shows only in
        `ensure_model_built_and_loaded`.
    """

    batch = 16
    packages = ("numpy", "tokenizers")

    def __init__(self, model: Embedder, texts: Sequence[str]) -> None:
        if not isinstance(model, Model):
            raise ModelError(reason_against_late_chunking(model))
        self._model = model
        self.name = model.name
        self.revision = f"{model.revision}/{_LATE_CHUNKING_VERSION}" if model.revision else ""
        self._texts = {_text_digest(text): text for text in texts}
        self._pieces: dict[str, _Pieces] = {}
        self._last_window_vectors: dict[tuple[str, int], VectorArray] = {}
        self._cancelled: Callable[[], bool] = bool

    def ensure_model_built_and_loaded(
        self, progress: Callable[[float], None] = lambda share: None, cancelled: Callable[[], bool] = bool
    ) -> None:
        """Load the model; raises ModelError if it is run by another library or does not pool by the mean."""
        self._model.ensure_model_built_and_loaded(progress, cancelled)
        self._cancelled = cancelled
        self._encoder()
        self.revision = f"{self._model.revision}/{_LATE_CHUNKING_VERSION}"

    def _encoder(self) -> "BertEncoder":
        late_chunking_encoder = self._model.numpy_encoder_if_loaded
        if late_chunking_encoder is None or late_chunking_encoder.network.pooling != "mean":
            raise ModelError(LATE_CHUNKING_ERROR.format(name=self.name))
        return late_chunking_encoder

    @staticmethod
    def build_key_of_chunk_place(text: str, spans_of_chunk: Sequence[tuple[int, int]]) -> str:
        """Return the place of a chunk, a hash of the whole text and the chunk's spans, as `encode` takes it."""
        return f"{_text_digest(text)} {','.join(f'{start}-{end}' for start, end in spans_of_chunk)}"

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return 1 for each place, so that places stay in order."""
        return [1] * len(texts)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per place, shape (len(texts), dimension); zeros for a chunk without any token."""
        late_chunking_encoder = self._encoder()
        chunk_token_vector_sums = np.zeros((len(texts), late_chunking_encoder.network.width))
        chunk_token_counts = np.zeros((len(texts), 1))
        # Only the texts of this batch, as the pieces of all would fill the memory.
        document_text_digests = {place.partition(" ")[0] for place in texts}
        self._pieces = {
            digest: self._pieces.get(digest) or self._tokenize_text(late_chunking_encoder, digest)
            for digest in document_text_digests
        }
        chunk_row_slices_by_window: dict[tuple[str, int], list[tuple[int, slice]]] = {}
        for chunk_index, chunk_place_key in enumerate(texts):
            text_digest, _, spans_as_text = chunk_place_key.partition(" ")
            for span_start, span_end in (map(int, span.split("-")) for span in spans_as_text.split(",")):
                for window_index, chunk_rows_in_window in _find_span_rows_in_windows(
                    self._pieces[text_digest], span_start, span_end
                ):
                    chunk_row_slices_by_window.setdefault((text_digest, window_index), []).append(
                        (chunk_index, chunk_rows_in_window)
                    )
        for window_key, window_vectors in self._yield_vectors_of_windows(
            late_chunking_encoder, list(chunk_row_slices_by_window)
        ):
            for chunk_index, chunk_rows_in_window in chunk_row_slices_by_window[window_key]:
                chunk_token_vector_sums[chunk_index] += window_vectors[chunk_rows_in_window].sum(axis=0, dtype=np.float64)
                chunk_token_counts[chunk_index] += len(window_vectors[chunk_rows_in_window])
        return scale_to_unit_length(chunk_token_vector_sums / np.maximum(chunk_token_counts, 1))

    def _tokenize_text(self, encoder: "BertEncoder", text_digest: str) -> _Pieces:
        piece_ids, piece_offsets = encoder.pieces(self._texts[text_digest])
        piece_starts, piece_ends = np.array(piece_offsets, dtype=np.intp).reshape(-1, 2).T
        return _Pieces(piece_ids, piece_starts, piece_ends, overlapping_windows(len(piece_ids), encoder.most))

    def _yield_vectors_of_windows(
        self, encoder: "BertEncoder", window_keys: Sequence[tuple[str, int]]
    ) -> Iterator[tuple[tuple[str, int], VectorArray]]:
        """Yield the vectors of windows, given by text and number, special pieces included.

        The last two are kept for the next batch, which begins in their middle.
        """
        remembered_vectors_by_window = {
            key: self._last_window_vectors[key] for key in window_keys if key in self._last_window_vectors
        }
        yield from remembered_vectors_by_window.items()
        missing_window_key_iterator = iter([key for key in window_keys if key not in remembered_vectors_by_window])
        opening_special_token_id, closing_special_token_id = encoder.special_piece_ids()
        while window_key_batch := list(islice(missing_window_key_iterator, WINDOWS_AT_ONCE)):
            raise_if_cancelled(self._cancelled)
            piece_ids_by_window = []
            for text_digest, window_index in window_key_batch:
                text_word_pieces = self._pieces[text_digest]
                window_piece_range = text_word_pieces.windows[window_index]
                piece_ids_by_window.append(
                    [
                        opening_special_token_id,
                        *text_word_pieces.ids[window_piece_range.start : window_piece_range.end],
                        closing_special_token_id,
                    ]
                )
            computed_vectors_by_window = dict(
                zip(window_key_batch, self._model.token_vectors(piece_ids_by_window), strict=True)
            )
            self._last_window_vectors = dict(
                [*remembered_vectors_by_window.items(), *computed_vectors_by_window.items()][-2:]
            )
            yield from computed_vectors_by_window.items()


def reason_against_late_chunking(embedder: Embedder) -> str:
    """Return why an embedder cannot do late chunking; empty if it can, or if only loading the model would tell."""
    return "" if isinstance(embedder, Model) else LATE_CHUNKING_ERROR.format(name=embedder.name)


def overlapping_windows(piece_count: int, max_window_pieces: int) -> list[TokenWindow]:
    """Return the windows over a text's word pieces, each of at most ``max_window_pieces``, including the two special ones.

    They overlap by half, the last two by more. Between two windows, the middle of their overlap divides the tokens.
    """
    window_word_piece_count = max_window_pieces - 2
    window_start_indices = [
        *range(0, max(piece_count - window_word_piece_count, 0), max(window_word_piece_count // 2, 1)),
        max(piece_count - window_word_piece_count, 0),
    ]
    window_own_range_edges = [
        0,
        *((start + before + window_word_piece_count) // 2 for before, start in pairwise(window_start_indices)),
        piece_count,
    ]
    return [
        TokenWindow(
            start,
            min(start + window_word_piece_count, piece_count),
            window_own_range_edges[number],
            window_own_range_edges[number + 1],
        )
        for number, start in enumerate(window_start_indices)
    ]


def _find_span_rows_in_windows(text_word_pieces: _Pieces, start: int, end: int) -> Iterator[tuple[int, slice]]:
    """Yield the windows, by number, from which a span's tokens are taken, with the rows of each.

    A token that a cut goes through counts for both sides. Row 0 of a window is the special piece that begins it.
    """
    first_piece_index, piece_end_index = (
        int(np.searchsorted(text_word_pieces.ends, start, "right")),
        int(np.searchsorted(text_word_pieces.starts, end, "left")),
    )
    first_window_index = max(
        0, bisect_right(text_word_pieces.windows, first_piece_index, key=lambda window: window.kept_start) - 1
    )
    for window_index, word_piece_window in enumerate(text_word_pieces.windows[first_window_index:], first_window_index):
        first_taken_piece_index, span_piece_end_in_window = (
            max(first_piece_index, word_piece_window.kept_start),
            min(piece_end_index, word_piece_window.kept_end),
        )
        if first_taken_piece_index >= span_piece_end_in_window:
            return
        # The special piece at an end of the text belongs to the token there.
        yield (
            window_index,
            slice(
                first_taken_piece_index - word_piece_window.start + (first_taken_piece_index > 0),
                span_piece_end_in_window
                - word_piece_window.start
                + 1
                + (span_piece_end_in_window == len(text_word_pieces.ids)),
            ),
        )


def _text_digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
