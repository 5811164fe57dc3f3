"""Rows and columns matched one to one: the linear assignment problem, by shortest augmenting paths.

Source: Crouse (2016), On implementing 2D rectangular assignment algorithms. Of several best assignments it is SciPy's.
"""

from __future__ import annotations

import numpy as np

from chunkers.support.arrays import FloatArray, IntArray


def largest_assignment(values: IntArray) -> dict[int, int]:
    """Return the one-to-one assignment of a matrix's columns to its rows with the largest sum of ``values``."""
    if len(values) > values.shape[1]:
        return {row: column for column, row in sorted(largest_assignment(values.T).items(), key=lambda pair: pair[1])}
    costs = -values.astype(np.float64)
    rows, columns = costs.shape
    row_prices, column_prices = np.zeros(rows), np.zeros(columns)
    column_of, row_of = np.full(rows, -1), np.full(columns, -1)
    for row in range(rows):
        _augment(row, costs, row_prices, column_prices, column_of, row_of)
    return dict(enumerate(column_of.tolist()))


def _augment(
    row: int,
    costs: FloatArray,
    row_prices: FloatArray,
    column_prices: FloatArray,
    column_of: IntArray,
    row_of: IntArray,
) -> None:
    """Assign one more row, by the shortest path from it to a column that is free."""
    columns = costs.shape[1]
    # The last is looked at first, so that rows which are all alike take the columns in order.
    remaining = np.arange(columns)[::-1].copy()
    shortest, before = np.full(columns, np.inf), np.full(columns, -1)
    seen_rows, seen_columns = [], []
    at, least = row, 0.0
    while True:
        seen_rows.append(at)
        reached = least + costs[at, remaining] - row_prices[at] - column_prices[remaining]
        shorter = reached < shortest[remaining]
        shortest[remaining[shorter]], before[remaining[shorter]] = reached[shorter], at
        least = shortest[remaining].min()
        nearest = np.flatnonzero(shortest[remaining] == least)
        free = nearest[row_of[remaining[nearest]] < 0]
        place = free[-1] if len(free) else nearest[0]
        column = int(remaining[place])
        seen_columns.append(column)
        remaining[place] = remaining[-1]
        remaining = remaining[:-1]
        if row_of[column] < 0:
            break
        at = int(row_of[column])
    row_prices[row] += least
    others = np.array(seen_rows[1:], dtype=np.intp)
    row_prices[others] += least - shortest[column_of[others]]
    column_prices[seen_columns] -= least - shortest[seen_columns]
    while True:
        at = int(before[column])
        row_of[column] = at
        column_of[at], column = column, int(column_of[at])
        if at == row:
            return
