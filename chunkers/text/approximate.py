"""Approximate search for a pattern in a text by edit distance.

Sources: Sellers (1980), the search for a pattern anywhere in a text; Myers (1999), a whole column of its table in a few
operations on long integers, in the form of Hyyrö (2003).
"""

from collections.abc import Sequence

import numpy as np

from chunkers.support.arrays import IntArray
from chunkers.text.document import Span


def codes(text: str) -> IntArray:
    """Return the code points of a text as an array, shape (characters,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.intp)


def nearest(
    pattern: IntArray, text: IntArray, most: int, place: int, work: int, ranges: Sequence[Span] | None = None
) -> tuple[int, int, int, int]:
    """Find the passage closest to a pattern by edit distance; return its distance, start and end, and the comparisons made.

    Of passages with the same distance, the one that begins nearest to ``place`` is returned, and the longest of these.
    The distance is -1 if no passage is within ``most``, and -2 if the search would take more than ``work`` comparisons.
    Passages are searched for in disjoint ranges of the text, by default in all of it.
    """
    ranges = [Span(0, len(text))] if ranges is None else ranges
    comparisons = len(pattern) * sum(end - start for start, end in ranges)
    if comparisons > work:
        return -2, 0, 0, comparisons
    best, ends = most, list[int]()
    for start, end in ranges:
        distance, own = _least_distance(pattern.tolist(), text[start:end].tolist(), best)
        if distance < best:
            best, ends = distance, []
        ends += [start + offset for offset in own]
    best_start, best_end = 0, 0
    # An alignment strays from the diagonal of its end by no more than its distance, and what it is compared with by as much.
    reach = len(pattern) + 4 * best + 1
    at = 0
    while at < len(ends):
        first = at
        while at + 1 < len(ends) and ends[at + 1] - ends[at] <= reach:
            at += 1
        at += 1
        left, right = max(0, ends[first] - reach), ends[at - 1]
        comparisons += len(pattern) * (right - left)
        if comparisons > work:
            return -2, 0, 0, comparisons
        begins = _begins(pattern, text[left:right])
        for end in ends[first:at]:
            begin = left + int(begins[end - left - 1])
            if best_end == 0 or abs(begin - place) < abs(best_start - place) or begin == best_start:
                best_start, best_end = begin, end
    return best if ends else -1, best_start, best_end, comparisons


def _least_distance(pattern: list[int], text: list[int], most: int) -> tuple[int, list[int]]:
    """Return the least edit distance, at most ``most``, of a stretch of the text to the pattern, and where those end.

    The bits of ``up`` and ``down`` say in which rows of Sellers' table the distance grows or falls by 1 from the row above.
    """
    rows = (1 << len(pattern)) - 1
    last = len(pattern) - 1
    same: dict[int, int] = {}
    for row, code in enumerate(pattern):
        same[code] = same.get(code, 0) | 1 << row
    up, down = rows, 0
    distance, best = len(pattern), most
    ends: list[int] = []
    for end, code in enumerate(text, start=1):
        equal = same.get(code, 0)
        across = (((equal & up) + up) ^ up) | equal
        grows = down | (~(across | up) & rows)
        falls = up & across
        distance += (grows >> last & 1) - (falls >> last & 1)
        equal |= down
        grows, falls = grows << 1, falls << 1
        up = (falls | ~(equal | grows)) & rows
        down = grows & equal & rows
        if distance <= best:
            if distance < best:
                best = distance
                ends.clear()
            ends.append(end)
    return best, ends


def _begins(pattern: IntArray, text: IntArray) -> IntArray:
    """Return for each character of the text where the nearest stretch that ends with it begins, shape (characters,)."""
    rows = np.arange(len(pattern) + 1)
    distance, start = rows.copy(), np.zeros(len(rows), dtype=np.intp)
    begins = np.empty(len(text), dtype=np.intp)
    for at, code in enumerate(text.tolist()):
        # A character replaced or kept; one of the text left out, if that is less; one of the pattern, if that is less still.
        value = np.concatenate(([0], distance[:-1] + (pattern != code)))
        begin = np.concatenate(([at + 1], start[:-1]))
        left_out = distance + 1 < value
        value, begin = np.where(left_out, distance + 1, value), np.where(left_out, start, begin)
        along = value - rows
        least = np.minimum.accumulate(along)
        start = begin[np.maximum.accumulate(np.where(along == least, rows, 0))]
        distance = least + rows
        begins[at] = start[-1]
    return begins
