"""The exact search for change points: the partition into runs whose vectors lie closest to the means of their runs.

With sums U of the first t vectors, the cost of the run from s to t is a constant of its vectors less
|U_t - U_s|² / (t - s), and the best total H of the first t vectors, without the constants, is β + min over s of
H_s - |U_t - U_s|² / (t - s).

Every s before t is a candidate for the last cut, so the plain search is quadratic. PELT (Killick et al. 2012) drops the
candidates that can never be best again; in a text on a single topic there are none. The remaining candidates are therefore
skipped for as long as a bound shows that they cannot be best; see `_count_next_places_skipping_candidate`. Both methods skip
only candidates that could not have been chosen, so the result is that of the plain search. Ties, up to
`COST_ROUNDING_ERROR`, take the earliest last cut.

If cuts are allowed only at some places, the search runs over these places: s and t are places, and t - s is the number
of vectors between them.
"""

from collections.abc import Callable, Sequence

import numpy as np

from chunkers.support import FloatArray, IntArray

COST_ROUNDING_ERROR = 1e-9
"""The rounding error of sums of costs; it must not decide a tie."""

PLACES_PER_BLOCK = 64
"""Places that the search advances by at a time."""

MAX_SKIPPED_PLACES = 1024
"""Maximum number of places ahead for which a candidate can be skipped."""

NO_NEXT_TRIAL = np.iinfo(np.intp).max
"""Next trial place of a candidate that PELT has dropped: it is never tried again."""


def _squared_row_norms(rows: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def _update_least_costs_in_place(
    costs_by_candidate: FloatArray, least_costs_so_far: FloatArray, cheapest_candidates: IntArray, candidate_places: IntArray
) -> None:
    """Lower each least cost to the minimum of its column, and note the candidate that has it.

    Ties, up to `COST_ROUNDING_ERROR`, take the earliest candidate.

    Parameters
    ----------
    costs_by_candidate
        A row for each candidate, in order, shape (candidates, n).
    least_costs_so_far, cheapest_candidates
        The least costs of the candidates before these, and the candidates that have them, shape (n,).
    """
    if not len(costs_by_candidate):
        return
    column_minima = costs_by_candidate.min(axis=0)
    within_tolerance_of_minimum_mask = costs_by_candidate <= column_minima + COST_ROUNDING_ERROR
    lowered_column_mask = column_minima < least_costs_so_far - COST_ROUNDING_ERROR
    lowered_without_tie_mask = lowered_column_mask & (within_tolerance_of_minimum_mask.sum(axis=0) == 1)
    least_costs_so_far[lowered_without_tie_mask], cheapest_candidates[lowered_without_tie_mask] = (
        column_minima[lowered_without_tie_mask],
        candidate_places[within_tolerance_of_minimum_mask.argmax(axis=0)[lowered_without_tie_mask]],
    )
    for column_index in np.flatnonzero(lowered_column_mask & ~lowered_without_tie_mask):
        for candidate_place, cost_of_candidate in zip(
            candidate_places.tolist(), costs_by_candidate[:, column_index].tolist(), strict=True
        ):
            if cost_of_candidate < least_costs_so_far[column_index] - COST_ROUNDING_ERROR:
                least_costs_so_far[column_index], cheapest_candidates[column_index] = cost_of_candidate, candidate_place


def _running_max_deviation_from_mean(
    cumulative_sums: FloatArray, run_mean: FloatArray, start_place: int, vector_counts_to_next_places: FloatArray
) -> FloatArray:
    """Return the largest distance of the sum of the next m vectors from m times the mean, up to each following count m."""
    drift_vectors = (
        cumulative_sums[start_place + 1 : start_place + 1 + len(vector_counts_to_next_places)]
        - cumulative_sums[start_place]
        - vector_counts_to_next_places[:, np.newaxis] * run_mean
    )
    return np.sqrt(np.maximum.accumulate(_squared_row_norms(drift_vectors)))


def _count_next_places_skipping_candidate(
    candidate_excess_costs: FloatArray,
    squared_distances_to_best_mean: FloatArray,
    candidate_run_sizes: FloatArray,
    best_run_vector_count: float,
    largest_vector_sum_deviations: FloatArray,
    vector_counts_to_following_places: FloatArray,
    first_stretch_place_count: int,
) -> IntArray:
    """Return for how many places after the block's start each candidate cannot be best, at most all given places.

    Let R be the run to the block's start from the best candidate, S that from this one, and B the next m vectors, whose sum
    less m times the mean of R is b. By Ward's identity for the cost of two runs joined, this candidate is behind the other
    after m more vectors by what it is behind at the block's start, and by

        h_S |μ_S - μ_B|² - h_R |μ_R - μ_B|² ≥ h_S D² - 2 |S| / (|S| + m) D |b| - (|R| - |S|)⁺ |b|² / ((|S| + m) (|R| + m))

    where D = |μ_S - μ_R|, h_S = |S| m / (|S| + m), and h_R likewise. As long as it is behind, it is not best. The bound
    is taken for stretches of places, the first of which has ``first_stretch_place_count`` places: each factor at the end
    where it makes the bound lowest.

    Parameters
    ----------
    candidate_excess_costs
        By how much the candidates are behind at the block's start, shape (n,).
    squared_distances_to_best_mean
        D², shape (n,).
    candidate_run_sizes, best_run_vector_count
        |S|, shape (n,), and |R|.
    largest_vector_sum_deviations
        The greatest |b| up to each place after the block's start.
    vector_counts_to_following_places
        m at each of these places, ascending.
    """
    candidate_distances_to_best_mean = np.sqrt(squared_distances_to_best_mean)
    skippable_place_counts = np.zeros(len(candidate_excess_costs), np.intp)
    surviving_candidate_indices = np.arange(len(candidate_excess_costs))
    tested_places_start, tested_places_end = 0, first_stretch_place_count
    while tested_places_start < len(largest_vector_sum_deviations) and len(surviving_candidate_indices):
        tested_places_end = min(tested_places_end, len(largest_vector_sum_deviations))
        largest_drift_so_far = largest_vector_sum_deviations[tested_places_end - 1]
        run_sizes_of_surviving_candidates = candidate_run_sizes[surviving_candidate_indices]
        passed_vector_count = vector_counts_to_following_places[tested_places_start - 1] if tested_places_start else 0.0
        excess_lower_bounds = candidate_excess_costs[surviving_candidate_indices] + run_sizes_of_surviving_candidates / (
            run_sizes_of_surviving_candidates + passed_vector_count
        ) * (
            passed_vector_count * squared_distances_to_best_mean[surviving_candidate_indices]
            - 2 * candidate_distances_to_best_mean[surviving_candidate_indices] * largest_drift_so_far
        )
        excess_lower_bounds -= (
            np.maximum(best_run_vector_count - run_sizes_of_surviving_candidates, 0)
            / ((run_sizes_of_surviving_candidates + passed_vector_count) * (best_run_vector_count + passed_vector_count))
            * largest_drift_so_far
            * largest_drift_so_far
        )
        surviving_candidate_indices = surviving_candidate_indices[excess_lower_bounds > 1000 * COST_ROUNDING_ERROR]
        skippable_place_counts[surviving_candidate_indices] = tested_places_end
        tested_places_start, tested_places_end = (
            tested_places_end,
            tested_places_end + max(1, first_stretch_place_count // 2, tested_places_end // 4),
        )
    return skippable_place_counts


def _try_earlier_candidates_counting_comparisons(
    cumulative_sums: FloatArray,
    vector_counts_before_places: FloatArray,
    least_total_costs: FloatArray,
    best_last_cuts: IntArray,
    next_trial_place_by_candidate: IntArray,
    least_costs_in_block: FloatArray,
    block_start: int,
    block_end_place: int,
    penalty: float,
) -> int:
    """Try the candidates before ``block_start``, and return how many comparisons that took."""
    best_run_start = int(best_last_cuts[block_start])
    candidate_places = np.flatnonzero(next_trial_place_by_candidate[:block_start] <= block_end_place)
    sizes_from_candidates = vector_counts_before_places[block_start] - vector_counts_before_places[candidate_places]
    negated_run_sums = cumulative_sums[candidate_places] - cumulative_sums[block_start]
    squared_run_sum_norms = _squared_row_norms(negated_run_sums)
    excess_costs = (
        least_total_costs[candidate_places]
        - squared_run_sum_norms / sizes_from_candidates
        - (least_total_costs[block_start] - penalty)
    )
    comparison_count = len(candidate_places)
    never_best_mask = excess_costs > penalty + COST_ROUNDING_ERROR
    next_trial_place_by_candidate[candidate_places[never_best_mask]] = NO_NEXT_TRIAL
    candidate_places, sizes_from_candidates, negated_run_sums, squared_run_sum_norms, excess_costs = (
        array[~never_best_mask]
        for array in (candidate_places, sizes_from_candidates, negated_run_sums, squared_run_sum_norms, excess_costs)
    )
    best_run_vector_count = vector_counts_before_places[block_start] - vector_counts_before_places[best_run_start]
    current_run_mean = (cumulative_sums[block_start] - cumulative_sums[best_run_start]) / best_run_vector_count
    squared_distances_between_means = _squared_row_norms(
        negated_run_sums / sizes_from_candidates[:, np.newaxis] + current_run_mean
    )
    vector_counts_after_block_start = (
        vector_counts_before_places[block_start + 1 : block_start + 1 + MAX_SKIPPED_PLACES]
        - vector_counts_before_places[block_start]
    )
    largest_sum_deviations_ahead = _running_max_deviation_from_mean(
        cumulative_sums, current_run_mean, block_start, vector_counts_after_block_start
    )
    skippable_place_counts = _count_next_places_skipping_candidate(
        excess_costs,
        squared_distances_between_means,
        sizes_from_candidates,
        float(best_run_vector_count),
        largest_sum_deviations_ahead,
        vector_counts_after_block_start,
        block_end_place - block_start,
    )
    next_trial_place_by_candidate[candidate_places] = block_start + skippable_place_counts + 1
    tried_candidates_mask = skippable_place_counts == 0
    vector_sums_after_start = cumulative_sums[block_start + 1 : block_end_place + 1] - cumulative_sums[block_start]
    costs_by_candidate_and_place = (
        squared_run_sum_norms[tried_candidates_mask, np.newaxis]
        + _squared_row_norms(vector_sums_after_start)
        - 2 * (negated_run_sums[tried_candidates_mask] @ vector_sums_after_start.T)
    )
    costs_by_candidate_and_place = least_total_costs[
        candidate_places[tried_candidates_mask], np.newaxis
    ] - costs_by_candidate_and_place / (
        sizes_from_candidates[tried_candidates_mask, np.newaxis]
        + vector_counts_after_block_start[: block_end_place - block_start]
    )
    _update_least_costs_in_place(
        costs_by_candidate_and_place,
        least_costs_in_block,
        best_last_cuts[block_start + 1 : block_end_place + 1],
        candidate_places[tried_candidates_mask],
    )
    return comparison_count + int(costs_by_candidate_and_place.size)


def advance_search_counting_comparisons(
    cumulative_sums: FloatArray,
    vector_counts_before_places: FloatArray,
    least_total_costs: FloatArray,
    best_last_cuts: IntArray,
    next_trial_place_by_candidate: IntArray,
    block_start: int,
    block_end: int,
    penalty: float,
) -> int:
    """Advance the change-point search to place ``block_end`` and return the number of comparisons.

    ``least_total_costs``, ``best_last_cuts`` and ``next_trial_place_by_candidate`` are updated in place.

    Parameters
    ----------
    cumulative_sums
        Sums of the vectors before each of n + 1 places, the first and the last of which are the ends, (n + 1, dimension).
    vector_counts_before_places
        Number of vectors before each place, ascending, shape (n + 1,).
    least_total_costs, best_last_cuts
        Best total and last cut for the vectors before each place, shape (n + 1,); known up to ``block_start``.
    next_trial_place_by_candidate
        The t from which each candidate is to be tried again, shape (n + 1,).
    """
    block_place_count = block_end - block_start
    least_cost_by_place = np.full(block_place_count, np.inf)
    comparison_count = block_place_count * (block_place_count + 1) // 2
    if block_start > 0:
        comparison_count += _try_earlier_candidates_counting_comparisons(
            cumulative_sums,
            vector_counts_before_places,
            least_total_costs,
            best_last_cuts,
            next_trial_place_by_candidate,
            least_cost_by_place,
            block_start,
            block_end,
            penalty,
        )
    for run_end in range(block_start + 1, block_end + 1):
        costs_by_last_cut = least_total_costs[block_start:run_end] - _squared_row_norms(
            cumulative_sums[run_end] - cumulative_sums[block_start:run_end]
        ) / (vector_counts_before_places[run_end] - vector_counts_before_places[block_start:run_end])
        for candidate_last_cut, partition_cost in enumerate(costs_by_last_cut.tolist(), block_start):
            if partition_cost < least_cost_by_place[run_end - block_start - 1] - COST_ROUNDING_ERROR:
                least_cost_by_place[run_end - block_start - 1], best_last_cuts[run_end] = partition_cost, candidate_last_cut
        least_total_costs[run_end] = least_cost_by_place[run_end - block_start - 1] + penalty
    return comparison_count


def advance_search_per_run_count(
    cumulative_sums: FloatArray,
    vector_counts_before_places: FloatArray,
    least_total_costs: FloatArray,
    best_last_cuts: IntArray,
    block_start: int,
    block_end: int,
) -> None:
    """Advance the change-point search to place ``block_end`` for each number of runs.

    ``least_total_costs`` and ``best_last_cuts`` are updated in place.

    Parameters
    ----------
    cumulative_sums, vector_counts_before_places
        As for `advance_search_counting_comparisons`.
    least_total_costs, best_last_cuts
        Best total and last cut for the vectors before each place in k runs, shape (n + 1, k + 1); known up to
        ``block_start``, infinite where there is no such partition.
    """
    last_cut_candidates = np.arange(block_end)
    vector_sums_at_run_ends, sums_at_run_starts = (
        cumulative_sums[block_start + 1 : block_end + 1] - cumulative_sums[block_start],
        cumulative_sums[:block_end] - cumulative_sums[block_start],
    )
    run_sizes_between_places = (
        vector_counts_before_places[block_start + 1 : block_end + 1] - vector_counts_before_places[:block_end, np.newaxis]
    )
    squared_run_sum_norms = (
        _squared_row_norms(sums_at_run_starts)[:, np.newaxis]
        + _squared_row_norms(vector_sums_at_run_ends)
        - 2 * (sums_at_run_starts @ vector_sums_at_run_ends.T)
    )
    squares_explained_by_run = np.where(
        run_sizes_between_places > 0,
        squared_run_sum_norms / np.where(run_sizes_between_places > 0, run_sizes_between_places, 1),
        -np.inf,
    )
    for run_count in range(1, least_total_costs.shape[1]):
        # The totals of fewer runs, also those within this block, are known already.
        partition_costs_by_last_cut = least_total_costs[:block_end, run_count - 1, np.newaxis] - squares_explained_by_run
        _update_least_costs_in_place(
            partition_costs_by_last_cut,
            least_total_costs[block_start + 1 : block_end + 1, run_count],
            best_last_cuts[block_start + 1 : block_end + 1, run_count],
            last_cut_candidates,
        )


def centred_cumulative_sums(vectors: FloatArray) -> FloatArray:
    """Return the cumulative sums of the mean-centred vectors, shape (n + 1, dimension).

    Subtracting the mean changes no costs and keeps the sums small.
    """
    cumulative_vector_sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum(vectors - vectors.mean(axis=0), axis=0, out=cumulative_vector_sums[1:])
    return cumulative_vector_sums


def _list_allowed_boundary_places(vector_count: int, allowed_places: Sequence[int] | IntArray | None) -> IntArray:
    """Return the places at which a run may begin or end, in order, both ends included."""
    return np.arange(vector_count + 1) if allowed_places is None else np.array([0, *allowed_places, vector_count])


def best_cuts_with_fixed_penalty(
    vectors: FloatArray,
    penalty: float,
    block_callback: Callable[[int, int], None],
    allowed_places: Sequence[int] | IntArray | None = None,
) -> list[int]:
    """Return the start of each run after the first, in the partition that minimises total cost plus a penalty per cut.

    Parameters
    ----------
    vectors
        Shape (n, dimension), n at least 1.
    penalty
        β: a cut must lower the costs by this amount.
    block_callback
        Called after each block with the vectors done and the candidates compared since the last call; it may raise.
    allowed_places
        Places at which a run may begin, ascending, strictly between 0 and n; None for all.
    """
    allowed_run_edges = _list_allowed_boundary_places(len(vectors), allowed_places)
    cumulative_sums_at_edges, vector_counts_before_edges, last_edge_index = (
        centred_cumulative_sums(vectors)[allowed_run_edges],
        allowed_run_edges.astype(np.float64),
        len(allowed_run_edges) - 1,
    )
    least_total_cost_by_edge = np.zeros(last_edge_index + 1)
    last_cut_by_edge, next_trial_place_by_candidate = (
        np.zeros(last_edge_index + 1, np.intp),
        np.zeros(last_edge_index + 1, np.intp),
    )
    for block_start_edge_index in range(0, last_edge_index, PLACES_PER_BLOCK):
        block_end_edge_index = min(block_start_edge_index + PLACES_PER_BLOCK, last_edge_index)
        block_callback(
            int(allowed_run_edges[block_end_edge_index]),
            advance_search_counting_comparisons(
                cumulative_sums_at_edges,
                vector_counts_before_edges,
                least_total_cost_by_edge,
                last_cut_by_edge,
                next_trial_place_by_candidate,
                block_start_edge_index,
                block_end_edge_index,
                penalty,
            ),
        )
    return [int(start) for start in allowed_run_edges[backtrack_cuts(last_cut_by_edge)]]


def backtrack_cuts(best_last_cuts: IntArray) -> list[int]:
    """Return the cuts of the best partition, ascending; ``best_last_cuts`` has the best last cut before each place."""
    descending_cut_indices = []
    current_cut = int(best_last_cuts[-1])
    while current_cut:
        descending_cut_indices.append(current_cut)
        current_cut = int(best_last_cuts[current_cut])
    return descending_cut_indices[::-1]


def best_cuts_with_run_count(
    vectors: FloatArray,
    run_count: int,
    block_callback: Callable[[int, int], None],
    allowed_places: Sequence[int] | IntArray | None = None,
) -> list[int]:
    """Return the start of each run after the first, in the cheapest partition into exactly ``run_count`` runs.

    Parameters
    ----------
    vectors
        Shape (n, dimension).
    run_count
        At least 1, and at most one more than there are allowed places.
    block_callback, allowed_places
        As for `best_cuts_with_fixed_penalty`.
    """
    allowed_run_edges = _list_allowed_boundary_places(len(vectors), allowed_places)
    cumulative_sums_at_edges, vector_counts_before_edges, last_edge_index = (
        centred_cumulative_sums(vectors)[allowed_run_edges],
        allowed_run_edges.astype(np.float64),
        len(allowed_run_edges) - 1,
    )
    least_cost_by_edge_and_runs = np.full((last_edge_index + 1, run_count + 1), np.inf)
    least_cost_by_edge_and_runs[0, 0] = 0.0
    last_cut_by_edge_and_runs = np.zeros((last_edge_index + 1, run_count + 1), np.intp)
    for block_start_edge_index in range(0, last_edge_index, PLACES_PER_BLOCK):
        block_end_edge_index = min(block_start_edge_index + PLACES_PER_BLOCK, last_edge_index)
        advance_search_per_run_count(
            cumulative_sums_at_edges,
            vector_counts_before_edges,
            least_cost_by_edge_and_runs,
            last_cut_by_edge_and_runs,
            block_start_edge_index,
            block_end_edge_index,
        )
        block_callback(
            int(allowed_run_edges[block_end_edge_index]),
            (block_end_edge_index * block_end_edge_index - block_start_edge_index * block_start_edge_index) // 2,
        )
    descending_cut_edge_indices = []
    run_end = last_edge_index
    for remaining_run_count in range(run_count, 1, -1):
        run_end = int(last_cut_by_edge_and_runs[run_end, remaining_run_count])
        descending_cut_edge_indices.append(run_end)
    return [int(start) for start in allowed_run_edges[descending_cut_edge_indices[::-1]]]


def least_penalty_without_cuts(
    vectors: FloatArray, block_callback: Callable[[int, int], None], allowed_places: Sequence[int] | IntArray | None = None
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
    block_callback, allowed_places
        As for `best_cuts_with_fixed_penalty`; there must be at least one place.
    """
    vector_count = len(vectors)
    allowed_run_edges = _list_allowed_boundary_places(vector_count, allowed_places)
    cumulative_sums_at_edges, last_edge_index = (
        centred_cumulative_sums(vectors)[allowed_run_edges],
        len(allowed_run_edges) - 1,
    )
    # What the run between two places explains: |U_t - U_s|² / (t - s), in row t and column s.
    squares_explained_by_run = cumulative_sums_at_edges @ cumulative_sums_at_edges.T
    squared_cumulative_norms = squares_explained_by_run.diagonal().copy()
    squares_explained_by_run *= -2
    squares_explained_by_run += squared_cumulative_norms
    squares_explained_by_run += squared_cumulative_norms[:, np.newaxis]
    squares_explained_by_run /= np.maximum(np.abs(allowed_run_edges[:, np.newaxis] - allowed_run_edges), 1)
    block_callback(vector_count, last_edge_index * last_edge_index // 2)
    least_cost_by_edge, last_cut_by_edge = np.zeros(last_edge_index + 1), np.zeros(last_edge_index + 1, np.intp)
    # With the mean taken off, one run explains nothing, and two explain what both do.
    critical_penalty_estimate = float((squares_explained_by_run[1:-1, 0] + squares_explained_by_run[-1, 1:-1]).max())
    while True:
        for run_end in range(1, last_edge_index + 1):
            partition_costs_by_last_cut = least_cost_by_edge[:run_end] - squares_explained_by_run[run_end, :run_end]
            last_cut_by_edge[run_end] = best_last_cut = partition_costs_by_last_cut.argmin()
            least_cost_by_edge[run_end] = (
                partition_costs_by_last_cut[best_last_cut] + critical_penalty_estimate + COST_ROUNDING_ERROR
            )
        best_partition_edge_indices = [0, *backtrack_cuts(last_cut_by_edge), last_edge_index]
        block_callback(vector_count, last_edge_index)
        if len(best_partition_edge_indices) == 2:
            return critical_penalty_estimate
        mean_gain_per_cut = float(
            squares_explained_by_run[best_partition_edge_indices[1:], best_partition_edge_indices[:-1]].sum()
        ) / (len(best_partition_edge_indices) - 2)
        if mean_gain_per_cut <= critical_penalty_estimate + COST_ROUNDING_ERROR:
            return critical_penalty_estimate
        critical_penalty_estimate = mean_gain_per_cut
