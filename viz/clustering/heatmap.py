"""The heatmap of the joint distance and the list of the chunks, linked with the reader in the browser."""

from __future__ import annotations

import hashlib
import json
import math
from threading import Lock
from typing import TypedDict

import numpy as np
import streamlit as st
from cachetools import LRUCache, cached

from chunkers.arrays import FloatArray
from chunkers.building_blocks.clustering import MOST_SENTENCES, joint_distances
from viz.clustering.coloured import Coloured
from viz.components.assets import script, styles
from viz.components.store import store
from viz.components.text_store import CACHED_BYTES
from viz.theme import palette

_store = store("seamark_matrix", "storeMatrix")
_heatmap = st.components.v2.component(
    "seamark_heatmap",
    html='<div class="heatmap"></div>',
    css=palette.css("heatmap") + styles("components/shared/common.css", "clustering/heatmap.css"),
    js=script("clustering/heatmap.js"),
)

MOST_CELLS = 400
"""Rows of the heatmap up to which each is a sentence; of a longer text each is several, and a cell the mean of its pairs."""


class HeatmapData(TypedDict):
    """The heatmap.

    Attributes
    ----------
    chunk_of, grounds
        The fields of `Coloured`.
    weight
        λ; 0 where the meaning alone counts.
    line
        The greatest distance that joins, as a label and a level; None where there is none.
    matrix
        The name of the distances in the store; empty where there are too many sentences.
    block
        Sentences in a row of it.
    most
        Sentences up to which there is one.
    """

    chunk_of: list[int]
    grounds: list[int]
    weight: float
    line: tuple[str, float] | None
    matrix: str
    block: int
    most: int


def heatmap(coloured: Coloured, vectors: FloatArray, weight: float, line: tuple[str, float] | None, key: str) -> None:
    """Mount the heatmap of the joint distance of sentences.

    It fires the reader's events ``seamark-step`` and ``seamark-jump``, and shows the two sentences of others' steps.

    Parameters
    ----------
    vectors
        Unit vectors of the sentences, shape (n, dimension); above `MOST_SENTENCES` a sentence stands for the heatmap.
    weight
        λ; 0 where the meaning alone counts.
    line
        The greatest distance that joins, as a label and a level; None where there is none.
    """
    matrix = ""
    if 0 < len(vectors) <= MOST_SENTENCES:
        matrix = hashlib.blake2b(vectors.tobytes(), digest_size=12).hexdigest()
        _store(_matrix(vectors, matrix), key=f"{key}_matrix")
    data: HeatmapData = {
        "chunk_of": list(coloured.chunk_of),
        "grounds": list(coloured.grounds),
        "weight": weight,
        "line": line,
        "matrix": matrix,
        "block": block_size(len(vectors)),
        "most": MOST_SENTENCES,
    }
    _heatmap(key=key, data=data)


def block_size(count: int) -> int:
    """Return how many sentences of ``count`` stand in one row of the heatmap."""
    return max(1, math.ceil(count / MOST_CELLS))


@cached(LRUCache(CACHED_BYTES, getsizeof=len), key=lambda vectors, identity: identity, lock=Lock())
def _matrix(vectors: FloatArray, identity: str) -> bytes:
    """Return one line of JSON, and after it the distances in meaning as 16-bit numbers, 65,535 for 1."""
    means = mean_distances(vectors, 0, block_size(len(vectors)))
    head = json.dumps({"id": identity, "cells": len(means)})
    return f"{head}\n".encode() + np.rint(means * 65535).astype("<u2").tobytes()


def mean_distances(vectors: FloatArray, weight: float, block: int) -> FloatArray:
    """Return the mean joint distance of every ``block`` sentences to every other, shape (ceil(n / block),) * 2."""
    count = len(vectors)
    starts = np.arange(0, count, block)
    sizes = np.diff(np.append(starts, count))
    sums = np.zeros((len(starts), len(starts)))
    for first, rows in joint_distances(vectors, weight):
        np.add.at(sums, np.arange(first, first + len(rows)) // block, np.add.reduceat(rows, starts, axis=1))
    return np.asarray(sums / np.outer(sizes, sizes))
