"""Approximate search for a pattern in a text by edit distance, compiled.

Sources: Sellers (1980), the search for a pattern anywhere in a text; Ukkonen (1985), leaving out what is too far already.
"""

from __future__ import annotations

import numpy as np

from chunkers.arrays import IntArray
from chunkers.building_blocks.compiled import compiled


def codes(text: str) -> IntArray:
    """Return the code points of a text, shape (characters,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.intp)


@compiled("void(int64[::1], int64[::1], int64, int64[::1], int64[::1], int64)")
def _advance(
    pattern: IntArray, text: IntArray, at: int, distance: IntArray, start: IntArray, rows: int
) -> None:  # pragma: no cover - compiled
    """Go on from the stretches that end before a place of the text to those that end with it, for the first ``rows``."""
    corner, corner_start = distance[0], start[0]
    start[0] = at + 1
    for row in range(1, rows + 1):
        value = corner + (pattern[row - 1] != text[at])
        begin = corner_start
        if distance[row] + 1 < value:
            value, begin = distance[row] + 1, start[row]
        if distance[row - 1] + 1 < value:
            value, begin = distance[row - 1] + 1, start[row - 1]
        corner, corner_start = distance[row], start[row]
        distance[row], start[row] = value, begin


@compiled("UniTuple(int64, 4)(int64[::1], int64[::1], int64, int64, int64)")
def nearest(
    pattern: IntArray, text: IntArray, most: int, place: int, work: int
) -> tuple[int, int, int, int]:  # pragma: no cover - compiled
    """Return the least edit distance of a stretch of the text to the pattern, its start and end, and the comparisons made.

    Of stretches with the same distance it is the one that begins nearest to ``place``, of these the longest. The distance is
    -1 where no stretch is within ``most``, and -2 where it would take more than ``work`` comparisons.
    """
    length = len(pattern)
    # For each beginning of the pattern: its distance to the stretch that ends here, and where that stretch begins.
    distance = np.arange(length + 1)
    start = np.zeros(length + 1, dtype=np.int64)
    last = min(most, length)
    best, best_start, best_end = -1, 0, 0
    made = 0
    for at in range(len(text)):
        made += last + 1
        if made > work:
            return -2, 0, 0, made
        if last < length:
            distance[last + 1] = most + 1
        _advance(pattern, text, at, distance, start, min(last + 1, length))
        if last < length and distance[last + 1] <= most:
            last += 1
        while distance[last] > most:
            last -= 1
        if last < length:
            continue
        found, begin = distance[length], start[length]
        nearer = abs(begin - place) < abs(best_start - place)
        if best < 0 or found < best or (found == best and (nearer or begin == best_start)):
            best, best_start, best_end = found, begin, at + 1
            most = best
    return best, best_start, best_end, made
