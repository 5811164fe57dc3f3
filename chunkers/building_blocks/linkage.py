"""Join items pair by pair into clusters of a bounded size, and record the refused joins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chunkers.support.arrays import IntArray


class LinkedGroups:
    """Disjoint sets of items; each item starts in its own group."""

    def __init__(self, count: int) -> None:
        self.label = [*range(count)]
        self._members = [[item] for item in range(count)]

    def members(self, item: int) -> list[int]:
        """Return all items in the group of ``item``."""
        return self._members[self.label[item]]

    def join(self, left: int, right: int) -> bool:
        """Merge the groups of two items; return False if the items were already in the same group."""
        into, gone = self.label[left], self.label[right]
        if into == gone:
            return False
        if len(self._members[into]) < len(self._members[gone]):
            into, gone = gone, into
        for item in self._members[gone]:
            self.label[item] = into
        self._members[into] += self._members[gone]
        self._members[gone] = []
        return True


class Linked(NamedTuple):
    """Clusters of items, with the joins that formed them and the joins that were refused.

    Attributes
    ----------
    labels
        The cluster of every item.
    joins
        Positions in the list of pairs at which two clusters were joined.
    refused
        Positions in the list of pairs at which a join was refused because of the size, each with the number of joins
        before and the combined size of both clusters; only between clusters that no earlier joins and refusals had
        linked.
    refusals
        Number of pairs whose clusters were too large to join.
    """

    labels: list[int]
    joins: list[int]
    refused: list[tuple[int, int, int]]
    refusals: int


def linkage(pairs: IntArray, count: int, cap: int) -> Linked:
    """Join the clusters of each pair of items in turn, unless the joined cluster would have more than ``cap`` items.

    Parameters
    ----------
    pairs
        Items a and b of ``count``, encoded as the number a * count + b, in the order in which they are to be joined.
    """
    clusters, chained = LinkedGroups(count), LinkedGroups(count)
    joins: list[int] = []
    refused: list[tuple[int, int, int]] = []
    refusals = 0
    length = 1024
    start = 0
    while start < len(pairs) and len(joins) < count - 1:
        block = pairs[start : start + length]
        labels, chains = np.array(clusters.label), np.array(chained.label)
        sizes = np.bincount(labels, minlength=count)
        left, right = block // count, block % count
        apart = labels[left] != labels[right]
        fits = sizes[labels[left]] + sizes[labels[right]] <= cap
        # As clusters only grow, a pair that is one, or too much, stays so; it is looked at only where its refusal is new.
        refusals += int(np.count_nonzero(apart & ~fits))
        for place in np.flatnonzero(apart & (fits | (chains[left] != chains[right]))).tolist():
            a, b = int(left[place]), int(right[place])
            if clusters.label[a] == clusters.label[b]:
                continue
            size = len(clusters.members(a)) + len(clusters.members(b))
            if size <= cap:
                clusters.join(a, b)
                chained.join(a, b)
                joins.append(start + place)
                continue
            refusals += int(fits[place])
            if chained.join(a, b):
                refused.append((start + place, len(joins), size))
        start += length
        length = min(2 * length, 1 << 20)
    return Linked(clusters.label, joins, refused, refusals)
