"""Single linkage: its joins and refusals in the order of the decisions, as steps and as a dendrogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from chunkers.methods import DisjointSets
from chunkers.results import Clusters, Merge
from viz.components.stepper.stepper import Step

MOST_NAMED_RANGES = 6
"""Most ranges of sentences that a step lists per cluster; the rest are counted."""


class Decision(NamedTuple):
    """The decision on the two clusters of the sentences ``left`` and ``right``: joined, or kept apart by the size cap."""

    joined: bool
    left: int
    right: int
    distance: float


def linkage_decisions(accepted_merges: Sequence[Merge], clusters: Clusters) -> list[Decision]:
    """Return the accepted and the refused joins in the order in which they were decided."""
    accepted_order_decision_pairs = [
        ((number, 1), Decision(True, merge.left.start, merge.right.start, 1 - merge.similarity))
        for number, merge in enumerate(accepted_merges)
    ]
    refused_order_decision_pairs = [
        ((refusal.joins, 0), Decision(False, refusal.left, refusal.right, refusal.distance)) for refusal in clusters.refused
    ]
    # A refusal precedes the join with the same number.
    return [
        decision
        for _, decision in sorted([*accepted_order_decision_pairs, *refused_order_decision_pairs], key=lambda pair: pair[0])
    ]


def linkage_explanation_steps(
    sentence_count: int, merges: Sequence[Merge], clusters: Clusters, maximum_cluster_size: int, maximum_distance: float
) -> list[Step]:
    """Return the steps of single-linkage clustering limited by ``maximum_cluster_size`` and ``maximum_distance``."""
    disjoint_sentence_sets = DisjointSets(sentence_count)
    steps: list[Step] = []
    for decision in linkage_decisions(merges, clusters):
        steps.append(_linkage_decision_step(disjoint_sentence_sets, decision, maximum_cluster_size, maximum_distance))
        if decision.joined:
            disjoint_sentence_sets.join(decision.left, decision.right)
    return steps


def _linkage_decision_step(
    disjoint_sentence_sets: DisjointSets, decision: Decision, maximum_cluster_size: int, maximum_distance: float
) -> Step:
    """Return the step at two sentences: their clusters are joined unless together they exceed the cap."""
    _, left_sentence_index, right_sentence_index, distance = decision
    left_cluster_sentences, right_cluster_sentences = (
        disjoint_sentence_sets.members(left_sentence_index),
        disjoint_sentence_sets.members(right_sentence_index),
    )
    joint_cluster_sentences = sorted([*left_cluster_sentences, *right_cluster_sentences])
    fits_size_cap = len(joint_cluster_sentences) <= maximum_cluster_size
    is_joint_cluster_scattered = len(_consecutive_runs(joint_cluster_sentences)) > 1
    join_explanation_sentences = [
        f"Sentences {left_sentence_index + 1} and {right_sentence_index + 1} are the nearest remaining pair of different "
        "clusters."
    ]
    if fits_size_cap and is_joint_cluster_scattered:
        join_explanation_sentences.append(
            f"Their clusters become one that lies in several places: {ranges_in_words(joint_cluster_sentences)}. The "
            "text's order is "
            "lost."
        )
    elif fits_size_cap:
        join_explanation_sentences.append(f"Their clusters become one: {ranges_in_words(joint_cluster_sentences)}.")
    else:
        join_explanation_sentences.append(
            f"Together their clusters would hold {len(joint_cluster_sentences)} sentences, and the cap is "
            f"{maximum_cluster_size}: they stay apart."
        )
    join_label_value_pairs = [
        ["joint distance", f"{distance:.3f}, at most {maximum_distance:g}"],
        [f"cluster of {left_sentence_index + 1}", ranges_in_words(left_cluster_sentences)],
        [f"cluster of {right_sentence_index + 1}", ranges_in_words(right_cluster_sentences)],
        ["together", f"{len(joint_cluster_sentences)} of at most {maximum_cluster_size}"],
    ]
    return {
        "title": (
            f"{'Joined' if fits_size_cap else 'Refused'}: sentences {left_sentence_index + 1} and {right_sentence_index + 1}"
        ),
        "story": join_explanation_sentences,
        "numbers": join_label_value_pairs,
        "tone": ("turn" if is_joint_cluster_scattered else "") if fits_size_cap else "cut",
        "mark": {
            "growing": (left_sentence_index, left_sentence_index + 1),
            "next": (right_sentence_index, right_sentence_index + 1),
            "middle": None,
            "gap": None,
        },
        "placed": (0, 0),
        "prediction": {"words": "Do their clusters join?", "yes": "Join", "no": "Stay apart", "right": fits_size_cap},
        "gauge": None,
    }


def ranges_in_words(sentence_indexes: Sequence[int]) -> str:
    """Return sentence numbers as text, such as ``3–5, 9``, with at most `MOST_NAMED_RANGES` ranges."""
    sentence_runs = _consecutive_runs(sorted(sentence_indexes))
    range_phrases = [
        f"{first + 1}" if first == last else f"{first + 1}–{last + 1}" for first, last in sentence_runs[:MOST_NAMED_RANGES]
    ]
    return ", ".join(range_phrases) + (
        f" and {len(sentence_runs) - MOST_NAMED_RANGES} more places" if len(sentence_runs) > MOST_NAMED_RANGES else ""
    )


def _consecutive_runs(sentences: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers."""
    runs_of_sentence_numbers = [
        [number for _, number in row] for _, row in groupby(enumerate(sentences), key=lambda at: at[1] - at[0])
    ]
    return [(row[0], row[-1]) for row in runs_of_sentence_numbers]


# The layout of the dendrogram.


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
class Dendrogram:
    """A dendrogram: its sentences in an order in which no joins cross, and a bracket for each join."""

    leaves: list[int]
    joins: list[Bracket]
    refused: list[Bracket]


def lay_out_dendrogram(sentence_count: int, merges: Sequence[Merge], clusters: Clusters) -> Dendrogram:
    """Lay out a dendrogram of ``sentence_count`` sentences, with clusters whose join was refused next to each other."""
    disjoint_sentence_sets = DisjointSets(sentence_count)
    node_by_label = [*range(sentence_count)]  # node of each group label; nodes from ``sentence_count`` on are joins
    first_sentence_by_node = [*range(sentence_count)]  # first sentence of each node
    children_of_joins: list[tuple[int, int]] = []
    refused_node_pairs: list[tuple[int, int]] = []
    for is_join_accepted, left_sentence_index, right_sentence_index, _ in linkage_decisions(merges, clusters):
        node_pair = sorted(
            (
                node_by_label[disjoint_sentence_sets.label[left_sentence_index]],
                node_by_label[disjoint_sentence_sets.label[right_sentence_index]],
            ),
            key=first_sentence_by_node.__getitem__,
        )
        (children_of_joins if is_join_accepted else refused_node_pairs).append((node_pair[0], node_pair[1]))
        if is_join_accepted:
            disjoint_sentence_sets.join(left_sentence_index, right_sentence_index)
            node_by_label[disjoint_sentence_sets.label[left_sentence_index]] = len(first_sentence_by_node)
            first_sentence_by_node.append(first_sentence_by_node[node_pair[0]])
    root_by_sentence = [node_by_label[label] for label in disjoint_sentence_sets.label]
    ordered_leaf_sentences = [
        leaf
        for root in _order_roots_by_refused_joins(root_by_sentence, first_sentence_by_node, clusters)
        for leaf in _leaf_sentences_below(root, sentence_count, children_of_joins)
    ]
    return _lay_out_join_brackets(ordered_leaf_sentences, merges, clusters, children_of_joins, refused_node_pairs)


def _order_roots_by_refused_joins(
    root_by_sentence: Sequence[int], first_sentence_of_node: Sequence[int], clusters: Clusters
) -> list[int]:
    """Return the distinct roots of ``root_by_sentence``, ordered so that clusters whose join was refused are neighbours."""
    root_group_by_root = {root: [root] for root in root_by_sentence}
    for refusal in clusters.refused:
        left_root_group, right_root_group = sorted(
            (root_group_by_root[root_by_sentence[refusal.left]], root_group_by_root[root_by_sentence[refusal.right]]),
            key=lambda row: first_sentence_of_node[row[0]],
        )
        if left_root_group is not right_root_group:
            left_root_group += right_root_group
            root_group_by_root.update(dict.fromkeys(right_root_group, left_root_group))
    return [root for row in {id(row): row for row in root_group_by_root.values()}.values() for root in row]


def _leaf_sentences_below(root_node: int, sentence_count: int, children_of_joins: Sequence[tuple[int, int]]) -> list[int]:
    leaf_sentence_indexes = []
    unvisited_tree_nodes = [root_node]
    while unvisited_tree_nodes:
        visited_tree_node = unvisited_tree_nodes.pop()
        if visited_tree_node < sentence_count:
            leaf_sentence_indexes.append(visited_tree_node)
        else:
            unvisited_tree_nodes += reversed(children_of_joins[visited_tree_node - sentence_count])
    return leaf_sentence_indexes


def _lay_out_join_brackets(
    leaves: list[int],
    merges: Sequence[Merge],
    clusters: Clusters,
    children_of_joins: Sequence[tuple[int, int]],
    refused_node_pairs: Sequence[tuple[int, int]],
) -> Dendrogram:
    node_positions = [0.0] * len(leaves)
    for leaf_position, leaf_sentence_index in enumerate(leaves):
        node_positions[leaf_sentence_index] = float(leaf_position)
    dendrogram_node_heights = [0.0] * len(leaves)

    def join_bracket_between_nodes(left_tree_node: int, right_tree_node: int, height: float) -> Bracket:
        left_tree_node, right_tree_node = sorted((left_tree_node, right_tree_node), key=node_positions.__getitem__)
        return Bracket(
            node_positions[left_tree_node],
            node_positions[right_tree_node],
            height,
            dendrogram_node_heights[left_tree_node],
            dendrogram_node_heights[right_tree_node],
        )

    accepted_join_brackets = []
    for merge, (left_node, right_node) in zip(merges, children_of_joins, strict=True):
        accepted_join_brackets.append(join_bracket_between_nodes(left_node, right_node, 1 - merge.similarity))
        node_positions.append((node_positions[left_node] + node_positions[right_node]) / 2)
        dendrogram_node_heights.append(1 - merge.similarity)
    refused_brackets = [
        join_bracket_between_nodes(left, right, refusal.distance)
        for refusal, (left, right) in zip(clusters.refused, refused_node_pairs, strict=True)
    ]
    return Dendrogram(leaves, accepted_join_brackets, refused_brackets)
