"""A BERT encoder in NumPy: the computation of sentence-transformers, without its padding and without torch.

Source: Devlin et al., "BERT" (NAACL 2019). The texts of a part lie one after the other in one matrix of tokens. All layers
but attention look at tokens singly, so they take the whole matrix; attention takes runs of texts of equal length. No token
is computed that is not one of a text's.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, groupby
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from chunkers.embedders.base import scale_to_unit_length
from chunkers.support import VectorArray

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController
    from tokenizers import Tokenizer

WEIGHTS_FILE = "model.safetensors"
"""The name of the file of the weights."""

MOST_TEXTS_PER_BATCH, MOST_TOKENS_PER_BATCH = 512, 1024
"""Texts, and pieces of texts, to give an encoder at once, so that it can be stopped in between: about a tenth of a
second of work on two cores for the bundled model."""

MAX_TOKENS_PER_PART = 512
"""Tokens of a part, at most, unless a single text is longer: its matrices stay in the processor's second cache."""

_ROWS_PER_BLOCK = 32
"""Rows of a block that goes through several passes while it stays in the cache."""

_MAX_SCORE_SPREAD_SHARING_MAXIMUM = 64
"""Scores this far below the greatest still have exponentials that single precision represents in full."""

_FURTHEST_GELU_INPUT = 5.5
"""Beyond this, the normal distribution's share below a number is 0 or 1 in single precision."""

_NUMERATOR_COEFFICIENTS = [np.float32(x) for x in (0.0189527935, 5.32169305, 142.272298, 3913.23667, 28385.222, 333109.396)]
_DENOMINATOR_COEFFICIENTS = [np.float32(x) for x in (61.9632412, 1580.69862, 23988.2888, 210313.923, 834981.595)]
"""Coefficients of a rational function of x², highest power first, that gives (Φ(x) - 1/2) / x up to 5.5, where Φ is the
normal distribution's share below x; the denominator's first, 1, is left out. With it x Φ(x) is off by at most
7e-9 · max(1, |x|), rounding apart. Fitted by least squares, the weights raised where the error was largest."""


class Linear(NamedTuple):
    """A matrix of shape (out, in) with a bias, or the scale and the shift of a normalisation."""

    weight: Matrix
    bias: Matrix


class Layer(NamedTuple):
    """Weights of one transformer layer; the bias of ``attention_input`` is that of the queries alone."""

    attention_input: Linear
    attention_output: Linear
    attention_norm: Linear
    feed_forward_input: Linear
    feed_forward_output: Linear
    feed_forward_norm: Linear


class _Run(NamedTuple):
    """Texts of equal length, one after the other in the matrix of tokens: its rows from ``start`` to ``end``."""

    start: int
    end: int
    texts: int
    length: int


def read_tensors(path: Path, is_memory_mapped: bool) -> dict[str, npt.NDArray[Any]]:
    """Return the float32 tensors in a safetensors file, keyed by name; tensors of other types are skipped.

    Parameters
    ----------
    path
        The file.
    is_memory_mapped
        True to leave the numbers on disk until they are used, and share them with other processes. The file must not be
        changed in place meanwhile, which would crash the process.

    Raises
    ------
    OSError, ValueError, KeyError, TypeError
        If the file cannot be read or is not a safetensors file.
    """
    safetensors_bytes = np.memmap(path, dtype=np.uint8, mode="r") if is_memory_mapped else np.fromfile(path, dtype=np.uint8)
    tensor_data_offset = 8 + int.from_bytes(safetensors_bytes[:8].tobytes(), "little")
    tensor_by_name = {}
    for tensor_name, tensor_header_entry in json.loads(safetensors_bytes[8:tensor_data_offset].tobytes()).items():
        if tensor_name != "__metadata__" and tensor_header_entry["dtype"] == "F32":
            tensor_start, tensor_end = tensor_header_entry["data_offsets"]
            shaped_tensor_values = (
                safetensors_bytes[tensor_data_offset + tensor_start : tensor_data_offset + tensor_end]
                .view("<f4")
                .reshape(tensor_header_entry["shape"])
            )
            # Whoever wrote the file may not have aligned it, and products copy such numbers each time.
            tensor_by_name[tensor_name] = np.require(shaped_tensor_values, np.float32, "A").view(np.ndarray)
    return tensor_by_name


class BertNetwork:
    """BERT's transformer layers, followed by pooling of the last layer's output.

    Parameters
    ----------
    tensors
        The weights by name, as the transformers library names them. Only the weights of queries, keys and values are
        copied, because one matrix product computes all three.
    head_count
        The number of attention heads.
    epsilon
        Constant added to the variance in normalisations.
    pooling
        ``mean`` for the mean of all rows of a text, ``cls`` for the row of the first word piece.

    Raises
    ------
    KeyError, ValueError
        If weights are missing or do not fit together.
    """

    def __init__(self, tensors: Mapping[str, Matrix], head_count: int, epsilon: float, pooling: Pooling) -> None:
        self._word_embeddings = tensors["embeddings.word_embeddings.weight"]
        # Every text is a first one, none the second of a pair.
        token_type_vectors = tensors["embeddings.token_type_embeddings.weight"]
        self._position_embeddings = tensors["embeddings.position_embeddings.weight"] + token_type_vectors[0]
        self._embedding_norm = _weight_and_bias(tensors, "embeddings.LayerNorm")
        self.width = self._word_embeddings.shape[1]
        self._head_count, self.pooling = head_count, pooling
        self._epsilon = np.float32(epsilon)
        encoder_layer_count = len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})
        self._layers = [
            self._layer_from_tensors(tensors, f"encoder.layer.{number}") for number in range(encoder_layer_count)
        ]

    def _layer_from_tensors(self, tensors: Mapping[str, Matrix], layer_name: str) -> Layer:
        query_linear, key_linear, value_linear = (
            _weight_and_bias(tensors, f"{layer_name}.attention.self.{part}") for part in ("query", "key", "value")
        )
        attention_query_scale = np.float32((self.width // self._head_count) ** -0.5)
        output_linear = _weight_and_bias(tensors, f"{layer_name}.attention.output.dense")
        return Layer(
            # The keys' bias adds the same to all scores of a query, which the softmax takes away again. The values' bias is
            # added to every weighted mean of values, so that it comes with that of the next product.
            attention_input=Linear(
                np.concatenate([query_linear.weight * attention_query_scale, key_linear.weight, value_linear.weight]),
                query_linear.bias * attention_query_scale,
            ),
            attention_output=Linear(output_linear.weight, output_linear.bias + output_linear.weight @ value_linear.bias),
            attention_norm=_weight_and_bias(tensors, f"{layer_name}.attention.output.LayerNorm"),
            feed_forward_input=_weight_and_bias(tensors, f"{layer_name}.intermediate.dense"),
            feed_forward_output=_weight_and_bias(tensors, f"{layer_name}.output.dense"),
            feed_forward_norm=_weight_and_bias(tensors, f"{layer_name}.output.LayerNorm"),
        )

    def pooled_vectors(self, piece_ids_by_text: Sequence[Sequence[int]]) -> VectorArray:
        """Return one pooled vector per text, the mean or the first row of the last layer, shape (len(texts), width).

        Parameters
        ----------
        piece_ids_by_text
            Ids of each text's word pieces, including the special ones; at least one id per text.
        """
        pooled_text_vectors = np.empty((len(piece_ids_by_text), self.width), dtype=np.float32)

        def store_pooled_vectors(
            text_indices: Sequence[int], last_layer_rows: Matrix, equal_length_runs: Sequence[_Run]
        ) -> None:
            if self.pooling == "cls":
                pooled_text_vectors[text_indices] = last_layer_rows[
                    [run.start + number * run.length for run in equal_length_runs for number in range(run.texts)]
                ]
            else:
                mean_text_vectors_by_run = [
                    last_layer_rows[run.start : run.end].reshape(run.texts, run.length, self.width).mean(axis=1)
                    for run in equal_length_runs
                ]
                pooled_text_vectors[text_indices] = np.concatenate(mean_text_vectors_by_run)

        self._compute_last_layer_in_parts(piece_ids_by_text, store_pooled_vectors)
        return pooled_text_vectors

    def token_vectors(self, piece_ids_by_text: Sequence[Sequence[int]]) -> list[Matrix]:
        """Return the last layer's output for each text, a row per word piece, shape (len(text), width).

        Parameters
        ----------
        piece_ids_by_text
            As for `pooled_vectors`.
        """
        token_vectors_by_text: list[Matrix] = [np.empty((0, self.width), np.float32)] * len(piece_ids_by_text)

        def store_rows_by_text(
            text_indices_of_part: Sequence[int], last_layer_rows: Matrix, equal_length_runs: Sequence[_Run]
        ) -> None:
            text_first_row_indices = [
                run.start + number * run.length for run in equal_length_runs for number in range(run.texts)
            ]
            for text_index, text_rows in zip(
                text_indices_of_part, np.split(last_layer_rows, text_first_row_indices[1:]), strict=True
            ):
                token_vectors_by_text[text_index] = text_rows

        self._compute_last_layer_in_parts(piece_ids_by_text, store_rows_by_text)
        return token_vectors_by_text

    def _compute_last_layer_in_parts(
        self,
        piece_ids_by_text: Sequence[Sequence[int]],
        handle_part_rows: Callable[[Sequence[int], Matrix, Sequence[_Run]], None],
    ) -> None:
        """Compute the last layer for parts of the texts, in threads, and call ``handle_part_rows`` with each part.

        It is called with the numbers of the part's texts, their rows one after the other, and their runs.
        """
        text_indices_shortest_first = sorted(range(len(piece_ids_by_text)), key=lambda place: len(piece_ids_by_text[place]))

        def process_part(part_slice: slice) -> None:
            handle_part_rows(
                text_indices_shortest_first[part_slice],
                *self._run_all_layers([piece_ids_by_text[place] for place in text_indices_shortest_first[part_slice]]),
            )

        run_in_threads(
            process_part,
            list(
                balanced_text_slices(
                    [len(piece_ids_by_text[place]) for place in text_indices_shortest_first], original_blas_thread_count()
                )
            ),
        )

    def _run_all_layers(self, piece_ids_by_text: Sequence[Sequence[int]]) -> tuple[Matrix, list[_Run]]:
        """Return the last layer's rows for texts in ascending order of length, and their runs."""
        equal_length_text_runs = list(_runs_of_equal_length(piece_ids_by_text))
        hidden_width, epsilon = self.width, self._epsilon
        word_piece_rows = self._word_embeddings[
            np.concatenate([np.asarray(text, dtype=np.intp) for text in piece_ids_by_text])
        ]
        for equal_length_run in equal_length_text_runs:
            word_piece_rows[equal_length_run.start : equal_length_run.end].reshape(
                equal_length_run.texts, equal_length_run.length, hidden_width
            )[:] += self._position_embeddings[: equal_length_run.length]
        _layer_normalise_rows_in_place(word_piece_rows, self._embedding_norm, epsilon)
        # Memory that is given back and asked for again in every layer would cost as much as some of its passes.
        widest_layer_width = (
            max(max(len(layer.attention_input.weight), len(layer.feed_forward_input.weight)) for layer in self._layers)
            if self._layers
            else 0
        )
        layer_scratch_buffer = np.empty(len(word_piece_rows) * widest_layer_width, dtype=np.float32)
        attention_output_rows, normalised_attention_rows = np.empty_like(word_piece_rows), np.empty_like(word_piece_rows)
        for layer in self._layers:
            query_key_value_rows = np.matmul(
                word_piece_rows,
                layer.attention_input.weight.T,
                out=layer_scratch_buffer[: len(word_piece_rows) * 3 * hidden_width].reshape(-1, 3 * hidden_width),
            )
            query_key_value_rows[:, :hidden_width] += layer.attention_input.bias
            for equal_length_run in equal_length_text_runs:
                self._write_attention_output(
                    query_key_value_rows[equal_length_run.start : equal_length_run.end],
                    equal_length_run,
                    attention_output_rows[equal_length_run.start : equal_length_run.end],
                )
            np.matmul(attention_output_rows, layer.attention_output.weight.T, out=normalised_attention_rows)
            _add_and_normalise_in_place(
                normalised_attention_rows, layer.attention_output.bias, word_piece_rows, layer.attention_norm, epsilon
            )
            feed_forward_rows = layer_scratch_buffer[: len(word_piece_rows) * len(layer.feed_forward_input.weight)].reshape(
                len(word_piece_rows), -1
            )
            np.matmul(normalised_attention_rows, layer.feed_forward_input.weight.T, out=feed_forward_rows)
            apply_biased_gelu_in_place(feed_forward_rows, layer.feed_forward_input.bias)
            np.matmul(feed_forward_rows, layer.feed_forward_output.weight.T, out=word_piece_rows)
            _add_and_normalise_in_place(
                word_piece_rows, layer.feed_forward_output.bias, normalised_attention_rows, layer.feed_forward_norm, epsilon
            )
        return word_piece_rows, equal_length_text_runs

    def _write_attention_output(self, queries_keys_values: Matrix, equal_length_run: _Run, attention_output: Matrix) -> None:
        """Let the tokens of each text of a run attend to each other; shape (tokens, 3 · width) to (tokens, width)."""
        query_key_value_shape = (
            equal_length_run.texts,
            equal_length_run.length,
            3,
            self._head_count,
            self.width // self._head_count,
        )
        queries, keys, values = queries_keys_values.reshape(query_key_value_shape).transpose(2, 0, 3, 1, 4)
        attention_scores = queries @ keys.swapaxes(2, 3)
        apply_softmax_in_place(attention_scores)
        np.matmul(
            attention_scores,
            values,
            out=attention_output.reshape(
                equal_length_run.texts, equal_length_run.length, *query_key_value_shape[3:]
            ).swapaxes(1, 2),
        )


class BertEncoder:
    """BERT encoder: a tokenizer and a network that turn texts into unit vectors.

    Parameters
    ----------
    tokenizer
        Tokenizer that splits a text into word pieces, including the special ones, without truncation.
    network
        Network that turns word pieces into a vector.
    max_pieces_per_text
        Maximum number of word pieces that the network reads of a text: the first ones, and the one that ends every text.
    """

    def __init__(self, tokenizer: Tokenizer, network: BertNetwork, max_pieces_per_text: int) -> None:
        self._tokenizer, self.network, self.most = tokenizer, network, max_pieces_per_text

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of word pieces of each text, including those beyond the length limit."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    def pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text's word pieces, without the special ones, and their offsets in the text."""
        tokenizer_encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return tokenizer_encoding.ids, tokenizer_encoding.offsets

    def special_piece_ids(self) -> list[int]:
        """Return the ids of the two special pieces, which begin and end every text."""
        return self._tokenizer.encode("").ids

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), width)."""
        piece_ids_by_text = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        word_piece_limit = self.most
        return scale_to_unit_length(
            self.network.pooled_vectors(
                [
                    ids if len(ids) <= word_piece_limit else ids[: word_piece_limit - 1] + ids[-1:]
                    for ids in piece_ids_by_text
                ]
            )
        )


def balanced_text_slices(text_lengths: Sequence[int], thread_count: int) -> Iterator[slice]:
    """Yield slices that divide texts, in order, into parts of similar total length, the same number of parts per thread."""
    cumulative_lengths = list(accumulate(text_lengths))
    if not cumulative_lengths:
        return
    part_count = thread_count * ceil(cumulative_lengths[-1] / (MAX_TOKENS_PER_PART * thread_count))
    part_start_index = 0
    for part_number in range(1, part_count + 1):
        part_end_index = int(
            np.searchsorted(cumulative_lengths, cumulative_lengths[-1] * part_number / part_count, side="right")
        )
        if part_end_index > part_start_index:
            yield slice(part_start_index, part_end_index)
            part_start_index = part_end_index


def _weight_and_bias(tensors: Mapping[str, Matrix], name_prefix: str) -> Linear:
    return Linear(tensors[f"{name_prefix}.weight"], tensors[f"{name_prefix}.bias"])


def _runs_of_equal_length(piece_ids_by_text: Sequence[Sequence[int]]) -> Iterator[_Run]:
    run_start_row_index = 0
    for text_length, equal_length_texts in groupby(piece_ids_by_text, key=len):
        run_text_count = sum(1 for _ in equal_length_texts)
        yield _Run(run_start_row_index, run_start_row_index + run_text_count * text_length, run_text_count, text_length)
        run_start_row_index += run_text_count * text_length


def apply_softmax_in_place(scores: npt.NDArray[np.float32]) -> None:
    """Apply softmax over the keys in place; ``scores`` has shape (texts, heads, queries, keys)."""
    # The greatest score of a text's head is found faster than that of each query, and does unless a query's are far below.
    greatest_attention_scores = scores.max(axis=(2, 3), keepdims=True)
    if (greatest_attention_scores - scores.min(axis=(2, 3), keepdims=True)).max() > _MAX_SCORE_SPREAD_SHARING_MAXIMUM:
        greatest_attention_scores = scores.max(axis=3, keepdims=True)
    scores -= greatest_attention_scores
    np.exp(scores, out=scores)
    scores /= np.einsum("thqk->thq", scores)[..., None]


def _add_and_normalise_in_place(
    rows: Matrix, bias: Matrix, residual_rows: Matrix, scale_and_shift: Linear, epsilon: np.float32
) -> None:
    """Add a bias and ``residual_rows`` to ``rows``, and normalise them, in place."""
    rows += bias
    rows += residual_rows
    _layer_normalise_rows_in_place(rows, scale_and_shift, epsilon)


def _layer_normalise_rows_in_place(rows_to_standardise: Matrix, scale_and_shift: Linear, epsilon: np.float32) -> None:
    """Scale each row to the mean 0 and the variance 1, then by the factors, and shift it, in place."""
    row_width = np.float32(rows_to_standardise.shape[1])
    rows_to_standardise -= np.einsum("ij->i", rows_to_standardise)[:, None] / row_width
    row_variances = np.einsum("ij,ij->i", rows_to_standardise, rows_to_standardise)[:, None] / row_width
    rows_to_standardise *= 1 / np.sqrt(row_variances + epsilon)
    rows_to_standardise *= scale_and_shift.weight
    rows_to_standardise += scale_and_shift.bias


def apply_biased_gelu_in_place(rows: Matrix, bias: Matrix) -> None:
    """Add a bias to the rows and apply the exact GELU, x Φ(x), in place."""
    row_block_shape = min(_ROWS_PER_BLOCK, len(rows)), rows.shape[1]
    normal_share_buffer, square_buffer, polynomial_buffer = (np.empty(row_block_shape, dtype=np.float32) for _ in range(3))
    clip_limit, one_half = np.float32(_FURTHEST_GELU_INPUT), np.float32(0.5)
    for block_start_row in range(0, len(rows), _ROWS_PER_BLOCK):
        row_block = rows[block_start_row : block_start_row + _ROWS_PER_BLOCK]
        normal_distribution_share, squared_inputs, polynomial_values = (
            normal_share_buffer[: len(row_block)],
            square_buffer[: len(row_block)],
            polynomial_buffer[: len(row_block)],
        )
        row_block += bias
        np.clip(row_block, -clip_limit, clip_limit, out=normal_distribution_share)
        np.multiply(normal_distribution_share, normal_distribution_share, out=squared_inputs)
        np.add(squared_inputs, _DENOMINATOR_COEFFICIENTS[0], out=polynomial_values)
        _extend_polynomial_in_place(polynomial_values, _DENOMINATOR_COEFFICIENTS[1:], squared_inputs)
        normal_distribution_share /= polynomial_values
        np.multiply(squared_inputs, _NUMERATOR_COEFFICIENTS[0], out=polynomial_values)
        polynomial_values += _NUMERATOR_COEFFICIENTS[1]
        _extend_polynomial_in_place(polynomial_values, _NUMERATOR_COEFFICIENTS[2:], squared_inputs)
        normal_distribution_share *= polynomial_values
        normal_distribution_share += one_half
        row_block *= normal_distribution_share


def _extend_polynomial_in_place(polynomial_values: Matrix, coefficients: Sequence[np.float32], x: Matrix) -> None:
    """Extend the values of a polynomial of ``x`` by these lower coefficients, in place, by Horner's rule."""
    for coefficient in coefficients:
        polynomial_values *= x
        polynomial_values += coefficient


# Threads for NumPy's matrix products: one thread per part of the work, with BLAS limited to one thread each.

Part = TypeVar("Part")
Result = TypeVar("Result")

_BLAS_LIMIT_LOCK = threading.Lock()
_ACTIVE_ONE_THREAD_USER_COUNT = 0
_BLAS_THREAD_LIMIT: Any = None


def original_blas_thread_count() -> int:
    """Return the number of threads that BLAS uses for a matrix product, at least 1, without the limit of `run_in_threads`.

    The number is 1 if threadpoolctl is not installed or does not know the BLAS library, such as Apple's; BLAS then
    divides its own work.
    """
    if find_spec("threadpoolctl") is None:
        return 1
    with _BLAS_LIMIT_LOCK:
        if _BLAS_THREAD_LIMIT is not None:
            return max(_BLAS_THREAD_LIMIT.get_original_num_threads()["blas"] or 1, 1)
        return max((library["num_threads"] for library in _blas_controller().info()), default=1)


def run_in_threads(process_part: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Run ``process_part`` on each part, in as many threads as BLAS uses, and return the results in order.

    A single part is left to BLAS's own threads. These threads divide only matrix products, and wait for each other if
    another program is busy; with one thread per part, all other work is divided too.
    """
    thread_count = min(original_blas_thread_count(), len(parts))
    if thread_count < 2:
        return [process_part(part) for part in parts]
    with _hold_blas_to_one_thread(), ThreadPoolExecutor(thread_count) as thread_pool:
        return list(thread_pool.map(process_part, parts))


@cache
def _blas_controller() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def _hold_blas_to_one_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the number is the process's, so that the last of several users sets it back."""
    global _ACTIVE_ONE_THREAD_USER_COUNT, _BLAS_THREAD_LIMIT
    with _BLAS_LIMIT_LOCK:
        if not _ACTIVE_ONE_THREAD_USER_COUNT:
            _BLAS_THREAD_LIMIT = _blas_controller().limit(limits=1)
        _ACTIVE_ONE_THREAD_USER_COUNT += 1
    try:
        yield
    finally:
        with _BLAS_LIMIT_LOCK:
            _ACTIVE_ONE_THREAD_USER_COUNT -= 1
            if not _ACTIVE_ONE_THREAD_USER_COUNT:
                _BLAS_THREAD_LIMIT.restore_original_limits()
                _BLAS_THREAD_LIMIT = None


Matrix = npt.NDArray[np.float32]
Pooling = Literal["mean", "cls"]
