"""The layout of the dendrogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkers.building_blocks.linkage import LinkedGroups
from chunkers.results.result import Clusters, Merge


@dataclass
class Bracket:
    """An accepted or refused join of two clusters, drawn as a bracket from ``left`` to ``right`` at ``height``.

    Its legs reach down to the heights ``low_left`` and ``low_right``.
    """

    left: float
    right: float
    height: float
    low_left: float
    low_right: float


@dataclass
class Tree:
    """A dendrogram: its sentences in an order in which no joins cross, and a bracket for each join."""

    leaves: list[int]
    joins: list[Bracket]
    refused: list[Bracket]


def layout(count: int, merges: Sequence[Merge], clusters: Clusters) -> Tree:
    """Lay out a dendrogram of ``count`` sentences so that clusters whose join was refused are next to each other."""
    groups = LinkedGroups(count)
    node = [*range(count)]  # node of each group label; nodes from ``count`` on are joins
    first = [*range(count)]  # first sentence of each node
    children: list[tuple[int, int]] = []
    refused: list[tuple[int, int]] = []
    refusals = iter(clusters.refused)
    refusal = next(refusals, None)

    def pair(left: int, right: int) -> tuple[int, int]:
        a, b = node[groups.label[left]], node[groups.label[right]]
        return (a, b) if first[a] < first[b] else (b, a)

    for number in range(len(merges) + 1):
        while refusal is not None and refusal.joins == number:
            refused.append(pair(refusal.left, refusal.right))
            refusal = next(refusals, None)
        if number < len(merges):
            left, right = merges[number].left.start, merges[number].right.start
            children.append(pair(left, right))
            groups.join(left, right)
            node[groups.label[left]] = len(first)
            first.append(first[children[-1][0]])
    roots = [node[label] for label in groups.label]
    leaves = [leaf for root in _side_by_side(roots, first, clusters) for leaf in _leaves(root, count, children)]
    return _placed(leaves, merges, clusters, children, refused)


def _side_by_side(roots: Sequence[int], first: Sequence[int], clusters: Clusters) -> list[int]:
    """Return the distinct roots of ``roots``, ordered so that clusters whose join was refused are neighbours."""
    rows = {root: [root] for root in roots}
    for refusal in clusters.refused:
        left, right = sorted((rows[roots[refusal.left]], rows[roots[refusal.right]]), key=lambda row: first[row[0]])
        if left is not right:
            left += right
            rows.update(dict.fromkeys(right, left))
    return [root for row in {id(row): row for row in rows.values()}.values() for root in row]


def _leaves(root: int, count: int, children: Sequence[tuple[int, int]]) -> list[int]:
    leaves = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node < count:
            leaves.append(node)
        else:
            stack += reversed(children[node - count])
    return leaves


def _placed(
    leaves: list[int],
    merges: Sequence[Merge],
    clusters: Clusters,
    children: Sequence[tuple[int, int]],
    refused: Sequence[tuple[int, int]],
) -> Tree:
    places = [0.0] * len(leaves)
    for place, leaf in enumerate(leaves):
        places[leaf] = float(place)
    heights = [0.0] * len(leaves)

    def bracket(left: int, right: int, height: float) -> Bracket:
        left, right = sorted((left, right), key=places.__getitem__)
        return Bracket(places[left], places[right], height, heights[left], heights[right])

    joins = []
    for merge, (left, right) in zip(merges, children, strict=True):
        joins.append(bracket(left, right, 1 - merge.similarity))
        places.append((places[left] + places[right]) / 2)
        heights.append(1 - merge.similarity)
    kept_apart = [
        bracket(left, right, refusal.distance) for refusal, (left, right) in zip(clusters.refused, refused, strict=True)
    ]
    return Tree(leaves, joins, kept_apart)
