"""The static embedder: a table with a vector for each word piece, distilled from the bundled model when it is first used."""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers.embedders.base import Embedder, scale_to_unit_length
from chunkers.embedders.sentence_models import MiniLM
from chunkers.storage.fair_locks import FairLocks
from chunkers.storage.private_files import user_cache_folder, write_atomically
from chunkers.support import FloatArray, VectorArray, raise_if_cancelled
from chunkers.text import FILE_HASHES, WEIGHTS_HASH, load_bundled_word_piece_tokenizer, unknown_word_piece_lengths

# Static vectors of word pieces, distilled from a network for whole texts by the method of Model2Vec.

MOST_VECTOR_DIMENSIONS = 256
"""Dimensions of a vector, at most."""

FREQUENCY_WEIGHT_CONSTANT = 1e-4
"""The constant a of the weights."""

WORD_PIECES_PER_BATCH = 512
"""Pieces that go through the network at once: about a tenth of a second of work on two cores."""

_PAUSE_S = 0.001

_UNUSED_PIECE_PATTERN = re.compile(r"\[unused\d+\]")
_SURROUNDING_TOKENS = ("[CLS]", "[SEP]")
_TOKENS_ZEROED_AFTER_DISTILLING = ("[PAD]", "[UNK]")
_TOKENS_WITHOUT_VECTORS = {*_SURROUNDING_TOKENS, "[MASK]"}

StaticVectorTable = np.ndarray[Any, np.dtype[np.float16]]


def distil_vector_table(
    vocabulary: Mapping[str, int],
    compute_mean_vectors: Callable[[Sequence[Sequence[int]]], VectorArray],
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> StaticVectorTable:
    """Distil one static vector per word piece, in half precision, shape (pieces, at most `MOST_VECTOR_DIMENSIONS`).

    Special pieces, and pieces that occur in no text, get zeros, because they carry no meaning.

    Parameters
    ----------
    vocabulary
        Id of every word piece; rarer pieces have higher ids.
    compute_mean_vectors
        Function from texts, given as piece ids, to the means of the network's outputs, shape (texts, width).
    progress, cancelled
        Called before each batch of pieces: ``progress`` with the completed share, finally 1; ``cancelled`` returns true
        to stop.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    """
    opening_special_token_id, closing_special_token_id = (vocabulary[piece] for piece in _SURROUNDING_TOKENS)
    piece_ids = sorted(
        number
        for piece, number in vocabulary.items()
        if piece not in _TOKENS_WITHOUT_VECTORS and not _UNUSED_PIECE_PATTERN.match(piece)
    )
    word_piece_vector_batches = []
    for batch_start in range(0, len(piece_ids), WORD_PIECES_PER_BATCH):
        progress(batch_start / len(piece_ids))
        raise_if_cancelled(cancelled)
        word_piece_vector_batches.append(
            compute_mean_vectors(
                [
                    [opening_special_token_id, piece, closing_special_token_id]
                    for piece in piece_ids[batch_start : batch_start + WORD_PIECES_PER_BATCH]
                ]
            )
        )
        # Others use the network too. Its lock is not fair: without a pause this thread would have it again before they wake.
        time.sleep(_PAUSE_S)
    progress(1.0)
    weighted_piece_vectors = (
        project_onto_principal_components(np.concatenate(word_piece_vector_batches), MOST_VECTOR_DIMENSIONS)
        * word_piece_weights(len(piece_ids))[:, None]
    )
    static_vector_table = np.zeros((max(vocabulary.values()) + 1, weighted_piece_vectors.shape[1]), dtype=np.float16)
    static_vector_table[piece_ids] = weighted_piece_vectors
    static_vector_table[[vocabulary[piece] for piece in _TOKENS_ZEROED_AFTER_DISTILLING]] = 0
    return static_vector_table


def project_onto_principal_components(rows: npt.NDArray[np.floating], component_count: int) -> FloatArray:
    """Project the centred rows onto their first ``component_count`` principal components.

    In each column of the result, the number of greatest magnitude is positive, so that the signs do not depend on the
    machine.
    """
    mean_centred_rows = rows - rows.mean(axis=0, dtype=np.float64)
    # The eigenvalues ascend.
    _, principal_directions = np.linalg.eigh(mean_centred_rows.T @ mean_centred_rows)
    projected_rows: FloatArray = mean_centred_rows @ principal_directions[:, ::-1][:, :component_count]
    largest_value_row_indices = np.abs(projected_rows).argmax(axis=0)
    projected_rows *= np.sign(projected_rows[largest_value_row_indices, np.arange(projected_rows.shape[1])])
    return projected_rows


def word_piece_weights(piece_count: int) -> FloatArray:
    """Return the weight a / (a + p) of each word piece, most frequent first, where p is its frequency; shape (count,).

    Source of the weight: Arora, Liang, Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (ICLR 2017). The
    frequency p of the piece of rank r is 1 / (r + 1), divided by the sum over all (Zipf's law).
    """
    estimated_piece_frequencies = 1 / np.arange(2, piece_count + 2)
    return np.asarray(
        FREQUENCY_WEIGHT_CONSTANT
        / (FREQUENCY_WEIGHT_CONSTANT + estimated_piece_frequencies / estimated_piece_frequencies.sum())
    )


# The embedder, which looks up the word pieces of a text in the table.

MOST_CACHED_CHARACTERS = 2_000_000
"""Maximum number of characters of the words whose pieces are cached; beyond that, the cache is emptied."""

_WORD_PATTERN = re.compile(r"[^ \t\r\n]+")
_TEXT_END_TOKEN = "[SEP]"
_WORDS_PER_TOKENIZING_STEP = 256

_DIGEST_BYTES = hashlib.sha256().digest_size

_TABLE_INPUTS_HASH = hashlib.sha256(
    f"1 {WEIGHTS_HASH} {FILE_HASHES['tokenizer.json']} {MOST_VECTOR_DIMENSIONS} {FREQUENCY_WEIGHT_CONSTANT}".encode()
).hexdigest()
"""Hash of everything that determines a table, except rounding; the 1 is the recipe's own version."""


class Static(Embedder):
    """Static embedder, which averages a text's word-piece vectors and scales the mean to length 1, as Model2Vec does.

    No network runs when a text is embedded, and texts of any length are read completely. The order of words does not
    matter; a text without known word pieces is a row of zeros.

    The table is distilled once and kept in the user's cache folder; a file that was changed since it was written is
    replaced.
    """

    name = "static"
    packages = ("tokenizers",)
    approximates = MiniLM.name
    # The best of the tuned half of `python -m benchmarks.stitched --embedder static`: a mean Pk of 0.433 there and of 0.463
    # on the half held out, where the declared ones leave nearly every text whole, at 0.444 and 0.474.
    defaults: Mapping[str, Mapping[str, Any]] = {
        "double_pass": {"initial_threshold": 0.4, "appending_threshold": 0.5, "merging_threshold": 0.4},
    }
    # Both bound the memory of the tokenizer, and how long the user waits for a stop.
    batch = 4096
    batch_length = 200_000

    def __init__(self, model_to_distil: MiniLM | None = None, folder: Path | None = None) -> None:
        self._full_model = model_to_distil or MiniLM("cpu")
        self._path = (folder or user_cache_folder()) / f"static-{_TABLE_INPUTS_HASH[:16]}.bin"
        self._distilling_locks = FairLocks()
        self._distilled_share = 0.0
        self._table: VectorArray | None = None
        self._word_piece_cache = _WordPieceCache({})
        self.preparation = f"Distilling {self.name} from {MiniLM.name}, once; the table is kept, in {self._path.parent}"

    def ensure_loaded(self) -> None:
        """Load the vector table unless it is in memory. Raise ModelError if the model's wheel is missing or changed."""
        self.ensure_model_built_and_loaded()

    def ensure_model_built_and_loaded(
        self, progress: Callable[[float], None] = lambda share: None, cancelled: Callable[[], bool] = bool
    ) -> None:
        """Load the vector table, distilling it first if it is not on this machine."""
        if self._table is not None:
            return

        def report_share_and_return_cancelled() -> bool:
            # Whoever waits for another run's distilling sees how far that is.
            progress(self._distilled_share)
            return cancelled()

        with self._distilling_locks.acquire(self.name, report_share_and_return_cancelled):
            if self._table is None:
                vector_table, self.revision = read_vector_table(self._path) or self._distil(progress, cancelled)
                self._table = vector_table.astype(np.float32)

    def _distil(self, progress: Callable[[float], None], cancelled: Callable[[], bool]) -> tuple[StaticVectorTable, str]:
        """Distil the table and write it; return it with its hash."""

        def report_distilled_share(share: float) -> None:
            self._distilled_share = share
            progress(share)

        report_distilled_share(0.0)
        self._full_model.ensure_model_built_and_loaded(cancelled=cancelled)
        distilled_vector_table = distil_vector_table(
            load_bundled_word_piece_tokenizer().get_vocab(), self._full_model.means, report_distilled_share, cancelled
        )
        return distilled_vector_table, write_vector_table(self._path, distilled_vector_table)

    def unknown_token_lengths_in_characters(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the lengths, in characters, of each text's unknown tokens. Raise ModelError if the wheel is missing."""
        return unknown_word_piece_lengths(texts)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros for a text without known word pieces."""
        self.ensure_loaded()
        assert self._table is not None
        if self._word_piece_cache.characters > MOST_CACHED_CHARACTERS:
            # Another thread may still read those that are dropped here.
            self._word_piece_cache = _WordPieceCache({})
        word_piece_ids_by_text = self._word_piece_cache.piece_ids_of_texts(texts)
        # The mean of a text's rows differs from their sum in its length alone.
        word_piece_vector_sums = np.empty((len(word_piece_ids_by_text), self._table.shape[1]), dtype=np.float32)
        for text_vector_sum, text_piece_ids in zip(word_piece_vector_sums, word_piece_ids_by_text, strict=True):
            np.add.reduce(self._table[np.array(text_piece_ids, dtype=np.intp)], axis=0, out=text_vector_sum)
        return scale_to_unit_length(word_piece_vector_sums)


@dataclass
class _WordPieceCache:
    """Cache of the word pieces of words, by their numbers; ``characters`` is the total length of the words.

    A word ends at a space, a tab or the end of a line, and no piece of the bundled model reaches beyond it. Texts repeat
    their words, and the tokenizer takes several times as long for one as the table does.
    """

    known: dict[str, list[int]]
    characters: int = 0

    def piece_ids_of_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text's word pieces, in order, without the special piece that ends every text."""
        words_of_each_text = [_WORD_PATTERN.findall(text) for text in texts]
        uncached_words = list({word for some in words_of_each_text for word in some if word not in self.known})
        self.known.update(zip(uncached_words, _piece_ids_of_words(uncached_words), strict=True))
        self.characters += sum(map(len, uncached_words))
        cached_piece_ids_by_word = self.known
        return [[number for word in some for number in cached_piece_ids_by_word[word]] for some in words_of_each_text]


def _piece_ids_of_words(words: Sequence[str]) -> list[list[int]]:
    """Return the numbers of each word's pieces, less the one that ends a text.

    Several words are given to the tokenizer as one text, with that piece in between: each text costs it as much as a few
    words.
    """
    text_end_token_id = load_bundled_word_piece_tokenizer().token_to_id(_TEXT_END_TOKEN)
    # Where a text itself has that piece, the table has zeros for it.
    words_with_end_token_removed = [word.replace(_TEXT_END_TOKEN, " ") for word in words]
    joined_word_batches = [
        f" {_TEXT_END_TOKEN} ".join(words_with_end_token_removed[start : start + _WORDS_PER_TOKENIZING_STEP])
        for start in range(0, len(words_with_end_token_removed), _WORDS_PER_TOKENIZING_STEP)
    ]
    piece_ids_by_word: list[list[int]] = []
    for tokenizer_encoding in load_bundled_word_piece_tokenizer().encode_batch_fast(
        joined_word_batches, add_special_tokens=False
    ):
        piece_ids_by_word.append([])
        for piece_id in tokenizer_encoding.ids:
            if piece_id == text_end_token_id:
                piece_ids_by_word.append([])
            else:
                piece_ids_by_word[-1].append(piece_id)
    return piece_ids_by_word


def read_vector_table(path: Path) -> tuple[StaticVectorTable, str] | None:
    """Read a vector table and its hash from a file; None if the file is missing, truncated or changed."""
    vector_table_shape = load_bundled_word_piece_tokenizer().get_vocab_size(), MOST_VECTOR_DIMENSIONS
    expected_table_file_size = _DIGEST_BYTES + np.dtype(np.float16).itemsize * vector_table_shape[0] * vector_table_shape[1]
    try:
        file_bytes = path.read_bytes() if path.is_file() and path.stat().st_size == expected_table_file_size else b""
    except OSError:
        return None
    stored_digest, table_bytes = file_bytes[:_DIGEST_BYTES], file_bytes[_DIGEST_BYTES:]
    if not file_bytes or hashlib.sha256(table_bytes).digest() != stored_digest:
        return None
    return np.frombuffer(table_bytes, dtype="<f2").reshape(vector_table_shape), stored_digest.hex()


def write_vector_table(path: Path, table: StaticVectorTable) -> str:
    """Write a vector table, preceded by its hash, to a file if possible; return the hash."""
    table_bytes = table.astype("<f2").tobytes()
    table_hasher = hashlib.sha256(table_bytes)
    write_atomically(path, [table_hasher.digest(), table_bytes])
    return table_hasher.hexdigest()
