"""The exact search for change points: the partition into runs whose vectors lie closest to the means of their runs.

With sums U of the first t vectors, the cost of the run from s to t is a constant of its vectors less
|U_t - U_s|² / (t - s), and the best total H of the first t vectors, without the constants, is β + min over s of
H_s - |U_t - U_s|² / (t - s).

Every s before t is a candidate for the last cut, so the plain search is quadratic. PELT (Killick et al. 2012) drops the
candidates that can never be best again, which are none where a text has one subject. Therefore the others are also left out
for as long as a bound shows that they cannot be best, see `_left_out`. Both leave out only what could not have been chosen,
so the result is that of the plain search. Ties, up to `SAME`, take the earliest last cut.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chunkers.arrays import FloatArray, IntArray
from chunkers.building_blocks.compiled import compiled

SAME = 1e-9
"""The rounding error of sums of costs; it must not decide a tie."""

BLOCK = 64
"""Sentences that the search advances by at a time."""

AHEAD = 1024
"""How many sentences ahead a candidate can be left out for."""

NEVER = np.iinfo(np.intp).max
"""When a candidate that PELT drops is looked at again."""


@compiled("float64(float64[::1], float64[::1])", any_order=True)
def _product(left: FloatArray, right: FloatArray) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@compiled("void(float64[::1], float64[:, ::1], float64[::1])", any_order=True)
def _products(vector: FloatArray, rows: FloatArray, products: FloatArray) -> None:
    """Write the products of a vector with all rows, four at a time, so that it is read less often."""
    count, width = rows.shape
    row = 0
    while row + 4 <= count:
        a = b = c = d = 0.0
        for i in range(width):
            value = vector[i]
            a += value * rows[row, i]
            b += value * rows[row + 1, i]
            c += value * rows[row + 2, i]
            d += value * rows[row + 3, i]
        products[row], products[row + 1], products[row + 2], products[row + 3] = a, b, c, d
        row += 4
    while row < count:
        products[row] = _product(vector, rows[row])
        row += 1


@compiled("Tuple((float64[:, ::1], float64[::1]))(float64[:, ::1], int64, int64)", any_order=True)
def _after(sums: FloatArray, start: int, stop: int) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the vectors from ``start`` to t = start + 1..stop, and their squares."""
    width = sums.shape[1]
    after, squares = np.empty((stop - start, width)), np.empty(stop - start)
    for m in range(stop - start):
        for i in range(width):
            after[m, i] = sums[start + 1 + m, i] - sums[start, i]
        squares[m] = _product(after[m], after[m])
    return after, squares


@compiled("float64[::1](float64[:, ::1], int64, int64, int64)", any_order=True)
def _strayed(sums: FloatArray, run: int, start: int, ahead: int) -> FloatArray:
    """Return how far the sum of the next vectors, up to m, strays from as many times the run's mean, for m = 1..ahead."""
    width = sums.shape[1]
    mean = (sums[start] - sums[run]) / (start - run)
    strayed = np.empty(ahead)
    most = 0.0
    for m in range(1, ahead + 1):
        square = 0.0
        for i in range(width):
            apart = sums[start + m, i] - sums[start, i] - m * mean[i]
            square += apart * apart
        most = max(most, square)
        strayed[m - 1] = np.sqrt(most)
    return strayed


@compiled("int64(float64, float64, int64, int64, float64[::1], int64)", any_order=True)
def _left_out(behind: float, apart: float, size: int, run_size: int, strayed: FloatArray, block: int) -> int:
    """Return for how many sentences after ``start`` a candidate cannot be best, at most ``len(strayed)``.

    Let R be the run up to ``start`` from the best candidate there, S that from this one, and B the next m vectors, whose sum
    less m times the mean of R is b. By Ward's identity for the cost of two runs joined, this candidate is behind the other
    after m more vectors by what it is behind at ``start``, and by

        h_S |μ_S - μ_B|² - h_R |μ_R - μ_B|² ≥ h_S D² - 2 |S| / (|S| + m) D |b| - (|R| - |S|)⁺ |b|² / ((|S| + m) (|R| + m))

    where D = |μ_S - μ_R|, h_S = |S| m / (|S| + m), and h_R likewise. As long as it is behind, it is not best. The bound is
    taken for stretches of m, of which the first has ``block``: each factor at the end where it makes the bound lowest.

    Parameters
    ----------
    behind
        By how much the candidate is behind at ``start``.
    apart
        D².
    size, run_size
        |S| and |R|.
    strayed
        The greatest |b| up to each m.
    """
    root = np.sqrt(apart)
    first, last = 0, block
    while first < len(strayed):
        last = min(last, len(strayed))
        far = strayed[last - 1]
        share = size / (size + first)
        bound = behind + share * (first * apart - 2 * root * far)
        if run_size > size:
            bound -= (run_size - size) / ((size + first) * (run_size + first)) * far * far
        if bound <= 1000 * SAME:
            break
        first, last = last, last + max(1, block // 2, last // 4)
    return first


@compiled(
    "int64(float64[:, ::1], float64[::1], int64[::1], int64[::1], float64[::1], int64, int64, float64)", any_order=True
)
def _look_back(
    sums: FloatArray,
    totals: FloatArray,
    lasts: IntArray,
    due: IntArray,
    best: FloatArray,
    start: int,
    stop: int,
    penalty: float,
) -> int:
    """Try the candidates before ``start``, as `advance` does, and return how many comparisons that took."""
    width = sums.shape[1]
    block = stop - start
    run_size = start - lasts[start]
    mean = (sums[start] - sums[lasts[start]]) / run_size
    strayed = _strayed(sums, lasts[start], start, min(AHEAD, len(totals) - 1 - start))
    after, squares = _after(sums, start, stop)
    before, products = np.empty(width), np.empty(block)
    compared = 0
    for s in range(start):
        if due[s] > stop:
            continue
        size = start - s
        square = apart = 0.0
        for i in range(width):
            before[i] = sums[s, i] - sums[start, i]
            square += before[i] * before[i]
            value = before[i] / size + mean[i]
            apart += value * value
        compared += 1
        behind = totals[s] - square / size - (totals[start] - penalty)
        if behind > penalty + SAME:
            due[s] = NEVER
            continue
        first = _left_out(behind, apart, size, run_size, strayed, block)
        due[s] = start + first + 1
        if first == 0:
            _products(before, after, products)
            compared += block
            for m in range(block):
                value = totals[s] - (square + squares[m] - 2 * products[m]) / (size + m + 1)
                if value < best[m] - SAME:
                    best[m] = value
                    lasts[start + 1 + m] = s
    return compared


@compiled("int64(float64[:, ::1], float64[::1], int64[::1], int64[::1], int64, int64, float64)", any_order=True)
def advance(
    sums: FloatArray, totals: FloatArray, lasts: IntArray, due: IntArray, start: int, stop: int, penalty: float
) -> int:
    """Write the best totals and the last cuts of the first t vectors for t = start + 1..stop; return the comparisons made.

    Parameters
    ----------
    sums
        Sums of the first 0..n vectors, shape (n + 1, dimension).
    totals, lasts
        Those of the first t vectors, shape (n + 1,); known up to ``start``.
    due
        The t from which each candidate is to be tried again, shape (n + 1,).
    """
    width = sums.shape[1]
    block = stop - start
    best = np.full(block, np.inf)
    compared = block * (block + 1) // 2
    if start > 0:
        compared += _look_back(sums, totals, lasts, due, best, start, stop, penalty)
    for t in range(start + 1, stop + 1):
        for s in range(start, t):
            square = 0.0
            for i in range(width):
                apart = sums[t, i] - sums[s, i]
                square += apart * apart
            value = totals[s] - square / (t - s)
            if value < best[t - start - 1] - SAME:
                best[t - start - 1] = value
                lasts[t] = s
        totals[t] = best[t - start - 1] + penalty
    return compared


@compiled("void(float64[:, ::1], float64[:, ::1], int64[:, ::1], int64, int64)", any_order=True)
def advance_by_number(sums: FloatArray, totals: FloatArray, lasts: IntArray, start: int, stop: int) -> None:
    """Write the best totals of the first t vectors in 0, 1, ... runs, and the last cuts, for t = start + 1..stop.

    Parameters
    ----------
    sums
        Sums of the first 0..n vectors, shape (n + 1, dimension).
    totals, lasts
        Those of the first t vectors in k runs, shape (n + 1, k + 1); known up to ``start``, infinite where there are none.
    """
    width = sums.shape[1]
    runs = totals.shape[1] - 1
    block = stop - start
    after, squares = _after(sums, start, stop)
    before, products = np.empty(width), np.empty(block)
    for s in range(stop):
        square = 0.0
        for i in range(width):
            value = sums[s, i] - sums[start, i]
            before[i] = value
            square += value * value
        _products(before, after, products)
        for m in range(max(0, s - start), block):
            gain = (square + squares[m] - 2 * products[m]) / (start + m + 1 - s)
            t = start + 1 + m
            for k in range(runs):
                value = totals[s, k] - gain
                if value < totals[t, k + 1] - SAME:
                    totals[t, k + 1] = value
                    lasts[t, k + 1] = s


def sums_of(vectors: FloatArray) -> FloatArray:
    """Return the sums of the first 0..n vectors less their mean, which changes no costs but keeps the sums small."""
    sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors - vectors.mean(axis=0), axis=0, out=sums[1:])
    return sums


def best_by_penalty(vectors: FloatArray, penalty: float, step: Callable[[int, int], None]) -> list[int]:
    """Return where the runs begin, except the first, of the partition of least costs and penalties.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least 1.
    penalty
        β, what a cut has to lower the costs by.
    step
        Called after each block with the vectors done and the candidates compared since the last call; it may raise.
    """
    count = len(vectors)
    sums = sums_of(vectors)
    totals = np.zeros(count + 1)
    lasts, due = np.zeros(count + 1, np.intp), np.zeros(count + 1, np.intp)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        step(stop, advance(sums, totals, lasts, due, start, stop, penalty))
    cuts = []
    at = int(lasts[count])
    while at:
        cuts.append(at)
        at = int(lasts[at])
    return cuts[::-1]


def best_by_number(vectors: FloatArray, runs: int, step: Callable[[int, int], None]) -> list[int]:
    """Return where the runs begin, except the first, of the partition into so many runs of least costs.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least ``runs``.
    runs
        At least 1.
    step
        As for `best_by_penalty`.
    """
    count = len(vectors)
    sums = sums_of(vectors)
    totals = np.full((count + 1, runs + 1), np.inf)
    totals[0, 0] = 0.0
    lasts = np.zeros((count + 1, runs + 1), np.intp)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        advance_by_number(sums, totals, lasts, start, stop)
        step(stop, (stop * stop - start * start) // 2)
    cuts = []
    at = count
    for left in range(runs, 1, -1):
        at = int(lasts[at, left])
        cuts.append(at)
    return cuts[::-1]


def critical_penalty(vectors: FloatArray, step: Callable[[int, int], None]) -> float:
    """Return the least penalty at which the best partition has no cut: the most that cuts gain, divided by their number.

    That is the greatest (cost(1) - cost(K)) / (K - 1), where cost(K) is the least cost of K runs. The ratio is maximised by
    Dinkelbach's method (1967): the best partition at a penalty that is too low shows a higher one.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least 2.
    step
        As for `best_by_penalty`.
    """
    count = len(vectors)
    sums = sums_of(vectors)
    before = np.arange(1, count)
    # With the mean taken off, the cost of one run is explained to nothing, and that of two to |S|² (1 / m + 1 / (n - m)).
    squares = np.einsum("ij,ij->i", sums[1:-1], sums[1:-1])
    penalty = float((squares * count / (before * (count - before))).max())
    while cuts := best_by_penalty(vectors, penalty + SAME, step):
        edges = np.array([0, *cuts, count])
        totals = np.diff(sums[edges], axis=0)
        gained = float((np.einsum("ij,ij->i", totals, totals) / np.diff(edges)).sum()) / len(cuts)
        if gained <= penalty + SAME:
            break
        penalty = gained
    return penalty
