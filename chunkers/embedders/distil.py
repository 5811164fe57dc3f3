"""Static vectors of word pieces, distilled from a network for whole texts by the method of Model2Vec.

Source: Tulkens and van Dongen, "Model2Vec: Fast State-of-the-Art Static Embeddings" (2024), at the defaults of its
package ``model2vec`` in version 0.10.0. Every piece goes through the network by itself, between the two special pieces
that surround each text. The means of the outputs are projected onto their principal components, and each is weighted by
the rarity of its piece.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers.support.arrays import FloatArray, VectorArray
from chunkers.support.errors import Cancelled

DIMENSIONS = 256
"""Dimensions of a vector, at most."""

SMOOTHING = 1e-4
"""The constant a of the weights."""

BATCH = 512
"""Pieces that go through the network at once: about a tenth of a second of work on two cores."""

_PAUSE_S = 0.001

_UNUSED = re.compile(r"\[unused\d+\]")
_AROUND = ("[CLS]", "[SEP]")
_UNKNOWN = ("[PAD]", "[UNK]")
_LEFT_OUT = {*_AROUND, "[MASK]"}

Table = np.ndarray[Any, np.dtype[np.float16]]


def distilled(
    vocabulary: Mapping[str, int],
    means: Callable[[Sequence[Sequence[int]]], VectorArray],
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> Table:
    """Distil one static vector per word piece, in half precision, shape (pieces, at most `DIMENSIONS`).

    Special pieces, and pieces that occur in no text, get zeros, because they carry no meaning.

    Parameters
    ----------
    vocabulary
        Id of every word piece; rarer pieces have higher ids.
    means
        Function from texts, given as piece ids, to the means of the network's outputs, shape (texts, width).
    progress, cancelled
        Called before each batch of pieces: ``progress`` with the completed share, finally 1; ``cancelled`` returns true
        to stop.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    """
    first, last = (vocabulary[piece] for piece in _AROUND)
    pieces = sorted(number for piece, number in vocabulary.items() if piece not in _LEFT_OUT and not _UNUSED.match(piece))
    batches = []
    for start in range(0, len(pieces), BATCH):
        progress(start / len(pieces))
        if cancelled():
            raise Cancelled
        batches.append(means([[first, piece, last] for piece in pieces[start : start + BATCH]]))
        # Others use the network too. Its lock is not fair: without a pause this thread would have it again before they wake.
        time.sleep(_PAUSE_S)
    progress(1.0)
    rows = principal(np.concatenate(batches), DIMENSIONS) * rarity(len(pieces))[:, None]
    table = np.zeros((max(vocabulary.values()) + 1, rows.shape[1]), dtype=np.float16)
    table[pieces] = rows
    table[[vocabulary[piece] for piece in _UNKNOWN]] = 0
    return table


def principal(rows: npt.NDArray[np.floating], most: int) -> FloatArray:
    """Project the centred rows onto their first ``most`` principal components.

    In each column of the result, the number of greatest magnitude is positive, so that the signs do not depend on the
    machine.
    """
    centred = rows - rows.mean(axis=0, dtype=np.float64)
    # The eigenvalues ascend.
    _, directions = np.linalg.eigh(centred.T @ centred)
    projected: FloatArray = centred @ directions[:, ::-1][:, :most]
    largest = np.abs(projected).argmax(axis=0)
    projected *= np.sign(projected[largest, np.arange(projected.shape[1])])
    return projected


def rarity(count: int) -> FloatArray:
    """Return the weight a / (a + p) of each word piece, most frequent first, where p is its frequency; shape (count,).

    Source of the weight: Arora, Liang, Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings" (ICLR 2017). The
    frequency p of the piece of rank r is 1 / (r + 1), divided by the sum over all (Zipf's law).
    """
    frequency = 1 / np.arange(2, count + 2)
    weights: FloatArray = SMOOTHING / (SMOOTHING + frequency / frequency.sum())
    return weights
