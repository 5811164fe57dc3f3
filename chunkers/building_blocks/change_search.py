"""The exact search for change points: the partition into runs whose vectors lie closest to the means of their runs.

With sums U of the first t vectors, the cost of the run from s to t is a constant of its vectors less
|U_t - U_s|² / (t - s), and the best total H of the first t vectors, without the constants, is β + min over s of
H_s - |U_t - U_s|² / (t - s).

Every s before t is a candidate for the last cut, so the plain search is quadratic. PELT (Killick et al. 2012) drops the
candidates that can never be best again; in a text on a single topic there are none. The remaining candidates are
therefore skipped for as long as a bound shows that they cannot be best; see `_skippable_places`. Both methods skip only
candidates that could not have been chosen, so the result is that of the plain search. Ties, up to `SAME`, take the
earliest last cut.

If cuts are allowed only at some places, the search runs over these places: s and t are places, and t - s is the number
of vectors between them.
"""

from collections.abc import Callable, Sequence

import numpy as np

from chunkers.support import FloatArray, IntArray

SAME = 1e-9
"""The rounding error of sums of costs; it must not decide a tie."""

BLOCK = 64
"""Sentences that the search advances by at a time."""

AHEAD = 1024
"""Number of sentences ahead for which a candidate can be skipped."""

NEVER = np.iinfo(np.intp).max
"""Next round of a candidate that PELT has dropped: it is never considered again."""


def _squared_row_norms(rows: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def _lower_to_column_minima(values: FloatArray, best: FloatArray, lasts: IntArray, candidates: IntArray) -> None:
    """Lower the best values to the least of each column, and note its candidate; ties, up to `SAME`, take the earliest.

    Parameters
    ----------
    values
        A row for each candidate, in order, shape (candidates, n).
    best, lasts
        The best of the candidates before these, and which it is, shape (n,).
    """
    if not len(values):
        return
    least = values.min(axis=0)
    near = values <= least + SAME
    lower = least < best - SAME
    untied = lower & (near.sum(axis=0) == 1)
    best[untied], lasts[untied] = least[untied], candidates[near.argmax(axis=0)[untied]]
    for column in np.flatnonzero(lower & ~untied):
        for candidate, value in zip(candidates.tolist(), values[:, column].tolist(), strict=True):
            if value < best[column] - SAME:
                best[column], lasts[column] = value, candidate


def _largest_drift(sums: FloatArray, mean: FloatArray, start: int, following: FloatArray) -> FloatArray:
    """Return the largest distance of the sum of the next m vectors from m times the mean, up to each m of ``following``."""
    drifts = sums[start + 1 : start + 1 + len(following)] - sums[start] - following[:, np.newaxis] * mean
    return np.sqrt(np.maximum.accumulate(_squared_row_norms(drifts)))


def _skippable_places(
    behind: FloatArray,
    apart: FloatArray,
    sizes: FloatArray,
    run_size: float,
    strayed: FloatArray,
    following: FloatArray,
    block: int,
) -> IntArray:
    """Return for how many places after ``start`` each candidate cannot be best, at most ``len(strayed)``.

    Let R be the run up to ``start`` from the best candidate there, S that from this one, and B the next m vectors, whose sum
    less m times the mean of R is b. By Ward's identity for the cost of two runs joined, this candidate is behind the other
    after m more vectors by what it is behind at ``start``, and by

        h_S |μ_S - μ_B|² - h_R |μ_R - μ_B|² ≥ h_S D² - 2 |S| / (|S| + m) D |b| - (|R| - |S|)⁺ |b|² / ((|S| + m) (|R| + m))

    where D = |μ_S - μ_R|, h_S = |S| m / (|S| + m), and h_R likewise. As long as it is behind, it is not best. The bound is
    taken for stretches of places, of which the first has ``block``: each factor at the end where it makes the bound lowest.

    Parameters
    ----------
    behind
        By how much the candidates are behind at ``start``, shape (n,).
    apart
        D², shape (n,).
    sizes, run_size
        |S|, shape (n,), and |R|.
    strayed
        The greatest |b| up to each place after ``start``.
    following
        m at each of these places, ascending.
    """
    roots = np.sqrt(apart)
    skippable_places = np.zeros(len(behind), np.intp)
    survivors = np.arange(len(behind))
    first, last = 0, block
    while first < len(strayed) and len(survivors):
        last = min(last, len(strayed))
        drift = strayed[last - 1]
        size = sizes[survivors]
        passed = following[first - 1] if first else 0.0
        bound = behind[survivors] + size / (size + passed) * (passed * apart[survivors] - 2 * roots[survivors] * drift)
        bound -= np.maximum(run_size - size, 0) / ((size + passed) * (run_size + passed)) * drift * drift
        survivors = survivors[bound > 1000 * SAME]
        skippable_places[survivors] = last
        first, last = last, last + max(1, block // 2, last // 4)
    return skippable_places


def _try_earlier_candidates(
    sums: FloatArray,
    places: FloatArray,
    totals: FloatArray,
    lasts: IntArray,
    due: IntArray,
    best: FloatArray,
    start: int,
    stop: int,
    penalty: float,
) -> int:
    """Try the candidates before ``start``, as `advance_search` does, and return how many comparisons that took."""
    run_start = int(lasts[start])
    candidates = np.flatnonzero(due[:start] <= stop)
    sizes = places[start] - places[candidates]
    before = sums[candidates] - sums[start]
    squares = _squared_row_norms(before)
    costs_behind = totals[candidates] - squares / sizes - (totals[start] - penalty)
    compared = len(candidates)
    hopeless = costs_behind > penalty + SAME
    due[candidates[hopeless]] = NEVER
    candidates, sizes, before, squares, costs_behind = (
        array[~hopeless] for array in (candidates, sizes, before, squares, costs_behind)
    )
    run_size = places[start] - places[run_start]
    mean = (sums[start] - sums[run_start]) / run_size
    apart = _squared_row_norms(before / sizes[:, np.newaxis] + mean)
    following = places[start + 1 : start + 1 + AHEAD] - places[start]
    strayed = _largest_drift(sums, mean, start, following)
    left_out = _skippable_places(costs_behind, apart, sizes, float(run_size), strayed, following, stop - start)
    due[candidates] = start + left_out + 1
    tried = left_out == 0
    after = sums[start + 1 : stop + 1] - sums[start]
    values = squares[tried, np.newaxis] + _squared_row_norms(after) - 2 * (before[tried] @ after.T)
    values = totals[candidates[tried], np.newaxis] - values / (sizes[tried, np.newaxis] + following[: stop - start])
    _lower_to_column_minima(values, best, lasts[start + 1 : stop + 1], candidates[tried])
    return compared + int(values.size)


def advance_search(
    sums: FloatArray,
    places: FloatArray,
    totals: FloatArray,
    lasts: IntArray,
    due: IntArray,
    start: int,
    stop: int,
    penalty: float,
) -> int:
    """Advance the change-point search to place ``stop`` and return the number of comparisons.

    ``totals``, ``lasts`` and ``due`` are updated in place.

    Parameters
    ----------
    sums
        Sums of the vectors before each of n + 1 places, the first and the last of which are the ends, (n + 1, dimension).
    places
        Number of vectors before each place, ascending, shape (n + 1,).
    totals, lasts
        Best total and last cut for the vectors before each place, shape (n + 1,); known up to ``start``.
    due
        The t from which each candidate is to be tried again, shape (n + 1,).
    """
    block = stop - start
    best = np.full(block, np.inf)
    compared = block * (block + 1) // 2
    if start > 0:
        compared += _try_earlier_candidates(sums, places, totals, lasts, due, best, start, stop, penalty)
    for t in range(start + 1, stop + 1):
        values = totals[start:t] - _squared_row_norms(sums[t] - sums[start:t]) / (places[t] - places[start:t])
        for s, value in enumerate(values.tolist(), start):
            if value < best[t - start - 1] - SAME:
                best[t - start - 1], lasts[t] = value, s
        totals[t] = best[t - start - 1] + penalty
    return compared


def advance_search_by_count(
    sums: FloatArray, places: FloatArray, totals: FloatArray, lasts: IntArray, start: int, stop: int
) -> None:
    """Advance the change-point search to place ``stop`` for each number of runs, updating ``totals`` and ``lasts``.

    Parameters
    ----------
    sums, places
        As for `advance_search`.
    totals, lasts
        Best total and last cut for the vectors before each place in k runs, shape (n + 1, k + 1); known up to ``start``,
        infinite where there is no such partition.
    """
    candidates = np.arange(stop)
    after, before = sums[start + 1 : stop + 1] - sums[start], sums[:stop] - sums[start]
    sizes = places[start + 1 : stop + 1] - places[:stop, np.newaxis]
    squares = _squared_row_norms(before)[:, np.newaxis] + _squared_row_norms(after) - 2 * (before @ after.T)
    gains = np.where(sizes > 0, squares / np.where(sizes > 0, sizes, 1), -np.inf)
    for runs in range(1, totals.shape[1]):
        # The totals of fewer runs, also those within this block, are known already.
        values = totals[:stop, runs - 1, np.newaxis] - gains
        _lower_to_column_minima(values, totals[start + 1 : stop + 1, runs], lasts[start + 1 : stop + 1, runs], candidates)


def centred_cumulative_sums(vectors: FloatArray) -> FloatArray:
    """Return the cumulative sums of the mean-centred vectors, shape (n + 1, dimension).

    Subtracting the mean changes no costs and keeps the sums small.
    """
    sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors - vectors.mean(axis=0), axis=0, out=sums[1:])
    return sums


def _allowed_edges(count: int, allowed: Sequence[int] | IntArray | None) -> IntArray:
    """Return the places at which a run may begin or end, in order, both ends included."""
    return np.arange(count + 1) if allowed is None else np.array([0, *allowed, count])


def best_partition_by_penalty(
    vectors: FloatArray,
    penalty: float,
    step: Callable[[int, int], None],
    allowed: Sequence[int] | IntArray | None = None,
) -> list[int]:
    """Return the start of each run after the first, in the partition that minimises total cost plus a penalty per cut.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least 1.
    penalty
        β: a cut must lower the costs by this amount.
    step
        Called after each block with the vectors done and the candidates compared since the last call; it may raise.
    allowed
        Places at which a run may begin, ascending, strictly between 0 and n; None for all.
    """
    edges = _allowed_edges(len(vectors), allowed)
    sums, places, last = centred_cumulative_sums(vectors)[edges], edges.astype(np.float64), len(edges) - 1
    totals = np.zeros(last + 1)
    lasts, due = np.zeros(last + 1, np.intp), np.zeros(last + 1, np.intp)
    for start in range(0, last, BLOCK):
        stop = min(start + BLOCK, last)
        step(int(edges[stop]), advance_search(sums, places, totals, lasts, due, start, stop, penalty))
    return [int(start) for start in edges[backtrack_cuts(lasts)]]


def backtrack_cuts(lasts: IntArray) -> list[int]:
    """Return the cuts of the best partition, ascending; ``lasts`` has the best last cut before each place."""
    cuts = []
    current_cut = int(lasts[-1])
    while current_cut:
        cuts.append(current_cut)
        current_cut = int(lasts[current_cut])
    return cuts[::-1]


def best_partition_by_count(
    vectors: FloatArray, runs: int, step: Callable[[int, int], None], allowed: Sequence[int] | IntArray | None = None
) -> list[int]:
    """Return the start of each run after the first, in the cheapest partition into exactly ``runs`` runs.

    Parameters
    ----------
    vectors
        Shape (n, dimension).
    runs
        At least 1, and at most one more than there are allowed places.
    step, allowed
        As for `best_partition_by_penalty`.
    """
    edges = _allowed_edges(len(vectors), allowed)
    sums, places, last = centred_cumulative_sums(vectors)[edges], edges.astype(np.float64), len(edges) - 1
    totals = np.full((last + 1, runs + 1), np.inf)
    totals[0, 0] = 0.0
    lasts = np.zeros((last + 1, runs + 1), np.intp)
    for start in range(0, last, BLOCK):
        stop = min(start + BLOCK, last)
        advance_search_by_count(sums, places, totals, lasts, start, stop)
        step(int(edges[stop]), (stop * stop - start * start) // 2)
    cuts = []
    run_end = last
    for left in range(runs, 1, -1):
        run_end = int(lasts[run_end, left])
        cuts.append(run_end)
    return [int(start) for start in edges[cuts[::-1]]]


def critical_penalty(
    vectors: FloatArray, step: Callable[[int, int], None], allowed: Sequence[int] | IntArray | None = None
) -> float:
    """Return the smallest penalty at which the best partition has no cut.

    It is the largest average gain per cut over all numbers of cuts: the greatest (cost(1) - cost(K)) / (K - 1), where
    cost(K) is the least cost of K runs. The ratio is maximised by Dinkelbach's method (1967): the best partition at a
    penalty that is too low yields a higher one. In a text without distinct topics hardly any candidate can be skipped,
    so the search is the plain one, and the gain of every run is computed once for all penalties, in memory quadratic in
    the number of allowed places.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least 2.
    step, allowed
        As for `best_partition_by_penalty`; there must be at least one place.
    """
    count = len(vectors)
    edges = _allowed_edges(count, allowed)
    sums, last = centred_cumulative_sums(vectors)[edges], len(edges) - 1
    # What the run between two places explains: |U_t - U_s|² / (t - s), in row t and column s.
    run_gains = sums @ sums.T
    squares = run_gains.diagonal().copy()
    run_gains *= -2
    run_gains += squares
    run_gains += squares[:, np.newaxis]
    run_gains /= np.maximum(np.abs(edges[:, np.newaxis] - edges), 1)
    step(count, last * last // 2)
    totals, lasts = np.zeros(last + 1), np.zeros(last + 1, np.intp)
    # With the mean taken off, one run explains nothing, and two explain what both do.
    penalty = float((run_gains[1:-1, 0] + run_gains[-1, 1:-1]).max())
    while True:
        for t in range(1, last + 1):
            values = totals[:t] - run_gains[t, :t]
            lasts[t] = at = values.argmin()
            totals[t] = values[at] + penalty + SAME
        cuts = [0, *backtrack_cuts(lasts), last]
        step(count, last)
        if len(cuts) == 2:
            return penalty
        gained = float(run_gains[cuts[1:], cuts[:-1]].sum()) / (len(cuts) - 2)
        if gained <= penalty + SAME:
            return penalty
        penalty = gained
