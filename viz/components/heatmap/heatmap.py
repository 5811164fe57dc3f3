"""The heatmap of the joint distance, linked with the reader in the browser."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from chunkers.building_blocks.clustering import MOST_SENTENCES, compute_joint_distances_in_blocks
from chunkers.support import FloatArray, LRUDict, cache_results_in
from viz.components.browser_exchange import Component, Store
from viz.jobs import MOST_CACHED_BYTES


@dataclass(frozen=True)
class SentenceColours:
    """The chunk number of each sentence, and the colour number of each chunk."""

    chunk_of: Sequence[int]
    colour_number_of_chunk: Sequence[int]


_browser_distance_store = Store[bytes]("seamark_matrix", "storeMatrix")

MOST_HEATMAP_ROWS = 400
"""Most rows of the heatmap; in longer texts a row is a block of sentences, and a cell the mean over its pairs."""


class HeatmapData(TypedDict):
    """Payload of the heatmap: the chunks, the settings of the distance, and the key of the stored distances.

    Attributes
    ----------
    chunk_of, grounds
        ``chunk_of`` and ``colour_number_of_chunk`` of `SentenceColours`.
    weight
        The position weight λ; 0 if only the meaning counts.
    line
        The label and value of the greatest distance at which sentences are joined; None if the method has none.
    matrix
        The identity of the distances in the store; empty if there are too many sentences.
    block
        The number of sentences per row.
    most
        The largest number of sentences for which a heatmap is drawn.
    lasts
        For each number of sentences from the beginning, the first sentence of the last chunk in their best partition: the
        chunks of a step are squares over the heatmap. None where the chunks are in their colours.
    """

    chunk_of: list[int]
    grounds: list[int]
    weight: float
    line: tuple[str, float] | None
    matrix: str
    block: int
    most: int
    lasts: list[int] | None


_heatmap_component = Component[HeatmapData](
    "seamark_heatmap",
    "components/heatmap/heatmap.js",
    "components/shared/common.css",
    "components/heatmap/heatmap.css",
    html='<div class="heatmap"></div>',
    colour_group_name="heatmap",
)


def draw_sentence_distance_heatmap(
    sentence_colours: SentenceColours,
    sentence_vectors: FloatArray,
    position_weight: float,
    threshold_label_and_distance: tuple[str, float] | None,
    key: str,
    optimal_last_chunk_starts: list[int] | None = None,
) -> None:
    """Mount the heatmap of the distances between sentences, which combine meaning and position.

    With ``optimal_last_chunk_starts``, described in `HeatmapData`, it shows similarities, and the chunks of each
    step as squares. It emits ``seamark-step`` and ``seamark-jump``, and marks the two sentences of the steps of other
    components.

    Parameters
    ----------
    sentence_vectors
        Unit vectors of the sentences, shape (n, dimension); above `MOST_SENTENCES` a message is shown instead.
    position_weight
        The position weight λ; 0 if only the meaning counts.
    threshold_label_and_distance
        The label and value of the greatest distance at which sentences are joined; None if the method has none.
    """
    matrix_hash = ""
    if 0 < len(sentence_vectors) <= MOST_SENTENCES:
        matrix_hash = hashlib.blake2b(sentence_vectors.tobytes(), digest_size=12).hexdigest()
        _browser_distance_store(_distance_matrix_payload(sentence_vectors, matrix_hash), key=f"{key}_matrix")
    _heatmap_component(
        key=key,
        data={
            "chunk_of": list(sentence_colours.chunk_of),
            "grounds": list(sentence_colours.colour_number_of_chunk),
            "weight": position_weight,
            "line": threshold_label_and_distance,
            "matrix": matrix_hash,
            "block": sentences_per_heatmap_row(len(sentence_vectors)),
            "most": MOST_SENTENCES,
            "lasts": optimal_last_chunk_starts,
        },
    )


def sentences_per_heatmap_row(sentence_count: int) -> int:
    """Return the number of sentences that a heatmap row represents in a text of ``sentence_count`` sentences."""
    return max(1, math.ceil(sentence_count / MOST_HEATMAP_ROWS))


@cache_results_in(LRUDict(MOST_CACHED_BYTES, len), lambda vectors, identity: identity)
def _distance_matrix_payload(sentence_vectors: FloatArray, matrix_hash: str) -> bytes:
    """Return a line of JSON followed by the semantic distances as little-endian 16-bit integers; 65,535 stands for 1."""
    block_distances = mean_block_distances(sentence_vectors, 0, sentences_per_heatmap_row(len(sentence_vectors)))
    matrix_header_json = json.dumps({"id": matrix_hash, "cells": len(block_distances)})
    return f"{matrix_header_json}\n".encode() + np.rint(block_distances * 65535).astype("<u2").tobytes()


def mean_block_distances(sentence_vectors: FloatArray, position_weight: float, sentences_per_block: int) -> FloatArray:
    """Return the mean distances between blocks of ``sentences_per_block`` sentences, shape (blocks, blocks).

    The last block may be smaller.
    """
    sentence_count = len(sentence_vectors)
    block_starts = np.arange(0, sentence_count, sentences_per_block)
    block_sizes = np.diff(np.append(block_starts, sentence_count))
    distance_sums = np.zeros((len(block_starts), len(block_starts)))
    for batch_first_row_index, distance_rows in compute_joint_distances_in_blocks(sentence_vectors, position_weight):
        np.add.at(
            distance_sums,
            np.arange(batch_first_row_index, batch_first_row_index + len(distance_rows)) // sentences_per_block,
            np.add.reduceat(distance_rows, block_starts, axis=1),
        )
    return np.asarray(distance_sums / np.outer(block_sizes, block_sizes))
