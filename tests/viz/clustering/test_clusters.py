"""The Clustering page's heatmap, tree, steps and sentences, by hand and against the result."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document, build_chunker
from chunkers.building_blocks.clustering import compute_joint_distances_in_blocks
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.single_linkage import DisjointSets
from chunkers.results.result import Clusters
from sample_docs import load_sample, sample_titles
from tests.support import AngleEmbedder, HashEmbedder, cut, tools
from viz.clustering import figures as cluster_figures
from viz.clustering import figures as cluster_tables
from viz.clustering.linkage import lay_out_dendrogram, linkage_explanation_steps, ranges_in_words
from viz.clustering.page import (
    chunk_numbers_of_sentences,
    dbscan_roles_in_words,
    dendrogram_explanation_with_refusals,
    order_breaks_in_words,
)
from viz.components.heatmap.heatmap import (
    SentenceColours,
    _distance_matrix_payload,
    mean_block_distances,
    sentences_per_heatmap_row,
)


def linked(text, embedder=None, **parameters):
    chunker = build_chunker("single_linkage", parameters)
    return chunker, cut(chunker, text, embedder=embedder or AngleEmbedder())


def sample_linked(name, **parameters):
    source = load_sample(name)
    chunker = build_chunker("single_linkage", parameters)
    return chunker, run_and_time_chunker(chunker, Document.from_text(source.text, source.sentences), tools())


def matrix_of(vectors, weight):
    return np.concatenate([block for _, block in compute_joint_distances_in_blocks(vectors, weight)])


# The heatmap


@pytest.mark.parametrize(("count", "block"), [(1, 1), (5, 2), (6, 2), (7, 3), (300, 7)])
def test_a_cell_is_the_mean_of_its_pairs(count, block):
    vectors = HashEmbedder().encode([str(number) for number in range(count)]).astype(np.float64)
    matrix = matrix_of(vectors, 0.3)
    rows = [range(start, min(start + block, count)) for start in range(0, count, block)]
    expected = [[matrix[np.ix_(row, other)].mean() for other in rows] for row in rows]
    assert mean_block_distances(vectors, 0.3, block) == pytest.approx(np.array(expected))


@pytest.mark.parametrize(("count", "block"), [(0, 1), (400, 1), (401, 2), (702, 2), (7000, 18)])
def test_no_more_rows_than_can_be_seen(count, block):
    assert sentences_per_heatmap_row(count) == block


def test_the_browser_gets_sixteen_bits_a_cell():
    vectors = AngleEmbedder().encode(["0", "90", "60"]).astype(np.float64)
    head, body = _distance_matrix_payload(vectors, "three").split(b"\n", 1)
    assert json.loads(head) == {"id": "three", "cells": 3}
    assert np.frombuffer(body, "<u2").reshape(3, 3) / 65535 == pytest.approx(matrix_of(vectors, 0), abs=1e-5)


# The tree


def test_the_tree_of_two_chunks_in_two_places_each():
    _, chunking = linked("0\n90\n1\n92\n180", position_weight=0, max_distance=0.1)
    tree = lay_out_dendrogram(5, chunking.merges, chunking.clusters)
    assert tree.leaves == [0, 2, 1, 3, 4]
    assert [(join.left, join.right, join.low_left) for join in tree.joins] == [(0, 1, 0), (2, 3, 0)]
    assert [join.height for join in tree.joins] == pytest.approx(
        [1 - np.cos(np.radians(angle)) for angle in (1, 2)], abs=1e-6
    )
    assert tree.refused == []


def test_a_refusal_stands_on_the_clusters_of_its_time_and_its_clusters_side_by_side():
    # 0 and 1 join, 5 comes near to both but is too much; 100 stands between in the text.
    _, chunking = linked("0\n100\n1\n5", position_weight=0, max_distance=0.1, target_sentences=2, slack=1)
    tree = lay_out_dendrogram(4, chunking.merges, chunking.clusters)
    assert tree.leaves == [0, 2, 3, 1]
    [join], [refused] = tree.joins, tree.refused
    assert (refused.left, refused.right) == (0.5, 2)
    assert (refused.low_left, refused.low_right) == (join.height, 0)


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize("parameters", [{}, {"chunks": 1, "max_distance": 1}, {"target_sentences": 1, "slack": 1}])
def test_every_sentence_is_a_leaf_and_every_cluster_stands_together(sample, parameters):
    _, chunking = sample_linked(sample, **parameters)
    count = len(chunking.document.sentences)
    tree = lay_out_dendrogram(count, chunking.merges, chunking.clusters)
    assert sorted(tree.leaves) == list(range(count))
    chunk_of = np.array(chunk_numbers_of_sentences(chunking))[tree.leaves]
    assert np.count_nonzero(np.diff(chunk_of)) == len(chunking.chunks) - 1
    # A bracket stands on what is lower than it.
    brackets = tree.joins + tree.refused
    assert all(
        max(bracket.low_left, bracket.low_right) <= bracket.height + 1e-9 and bracket.left < bracket.right
        for bracket in brackets
    )


@given(st.lists(st.integers(0, 359), min_size=1, max_size=12), st.integers(1, 12))
def test_whatever_is_joined_stands_side_by_side(angles, most):
    text = "\n".join(f"{angle} {place}" for place, angle in enumerate(angles))
    _, chunking = linked(text, position_weight=0.3, target_sentences=most, slack=1, max_distance=1)
    tree = lay_out_dendrogram(len(angles), chunking.merges, chunking.clusters)
    groups = DisjointSets(len(angles))
    for merge, bracket in zip(chunking.merges, tree.joins, strict=True):
        groups.join(merge.left.start, merge.right.start)
        stand = sorted(tree.leaves.index(sentence) for sentence in groups.members(merge.left.start))
        assert stand == list(range(stand[0], stand[-1] + 1))
        assert stand[0] <= bracket.left < bracket.right <= stand[-1]


# The steps


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize("parameters", [{}, {"position_weight": 0.1, "max_distance": 0.4, "chunks": 4}])
def test_the_steps_are_the_joins_and_refusals_of_the_result(sample, parameters):
    chunker, chunking = sample_linked(sample, **parameters)
    count = len(chunking.document.sentences)
    clusters, cap = chunking.clusters, chunker.cluster_size_cap(count)
    steps = linkage_explanation_steps(count, chunking.merges, clusters, cap, chunker.max_distance)
    table = cluster_tables.joins_table(chunking.merges, clusters, SentenceColours(chunk_numbers_of_sentences(chunking), []))
    told = [(step["title"].split(":")[0].lower(), step["mark"]["growing"][1], step["mark"]["next"][1]) for step in steps]
    assert told == list(zip(table["decision"], table["sentence"], table["and sentence"], strict=True))
    assert [step["tone"] == "cut" for step in steps] == [decision == "refused" for decision in table["decision"]]
    assert table["joint distance"] == sorted(table["joint distance"])
    joined = [step for step in steps if step["tone"] != "cut"]
    assert len(joined) == count - len(chunking.chunks)
    sizes = [int(dict(step["numbers"])["together"].split(" of ")[0]) for step in steps]
    assert all((size <= cap) == (step["tone"] != "cut") for size, step in zip(sizes, steps, strict=True))


def test_a_join_out_of_order_and_a_refusal_are_told():
    chunker, chunking = linked("0\n100\n1\n5", position_weight=0, max_distance=0.1, target_sentences=2, slack=1)
    first, second = linkage_explanation_steps(
        4, chunking.merges, chunking.clusters, chunker.cluster_size_cap(4), chunker.max_distance
    )
    assert (first["title"], first["tone"]) == ("Joined: sentences 1 and 3", "turn")
    assert first["story"][1] == "Their clusters become one that lies in several places: 1, 3. The text's order is lost."
    assert (second["title"], second["tone"]) == ("Refused: sentences 3 and 4", "cut")
    assert second["story"][1] == "Together their clusters would hold 3 sentences, and the cap is 2: they stay apart."
    assert second["numbers"][1:] == [["cluster of 3", "1, 3"], ["cluster of 4", "4"], ["together", "3 of at most 2"]]


def test_places_in_a_row_are_a_range():
    assert ranges_in_words([0, 1, 2, 5, 7, 8]) == "1–3, 6, 8–9"
    assert ranges_in_words(range(0, 20, 2)) == "1, 3, 5, 7, 9, 11 and 4 more places"


# The words


def test_order_breaks_in_words():
    def words(text, **parameters):
        return order_breaks_in_words(linked(text, position_weight=0, max_distance=0.1, **parameters)[1])

    assert words("0\n1\n90") == "No order breaks: every chunk is one stretch of the text."
    assert words("0\n90\n1") == (
        "1 order break: 1 of 2 chunks is non-contiguous, so reading chunk by chunk jumps over other chunks once."
    )
    assert words("0\n90\n1\n91\n2").startswith("3 order breaks: 2 of 2 chunks are non-contiguous")


def test_refusals_and_roles_in_words():
    _, chunking = linked("0\n1\n3\n6\n10", position_weight=0)
    assert dendrogram_explanation_with_refusals(chunking.clusters, 4).endswith(
        "Dashed: 1 merge that the cap of 4 sentences refused, 4 pairs of sentences in all."
    )
    assert dendrogram_explanation_with_refusals(Clusters(), 4).endswith("The cap of 4 sentences refused nothing.")
    sentence = dbscan_roles_in_words(Clusters(roles=("core", "border", "noise", "noise"), core_size=3), 0.2)
    assert sentence.startswith("1 core: at least 3 sentences, itself included, within ε 0.2. 1 border:")
    assert "2 noise: neither" in sentence


# The figures


def test_the_heatmap_to_keep_has_every_pair_in_its_table():
    distances = np.array([[0, 0.2, 0.1], [0.2, 0, 0.3], [0.1, 0.3, 0]])
    assert cluster_tables.heatmap_table(distances, 2, 5) == {
        "sentence": ["1–2", "1–2", "3–4"],
        "and sentence": ["5", "3–4", "5"],
        "distance": [0.1, 0.2, 0.3],
    }
    figure = cluster_figures.heatmap_figure(distances, 2, SentenceColours([0, 0, 1, 1, 0], [0, 1]), "light")
    assert list(figure.data[0].x) == [1.5, 3.5, 5]
    assert figure.data[0].customdata[0][2] == "1–2 and 5"


def hovered(figure):
    return [text for trace in figure.data for text in (trace.hovertext or ())]


def test_every_join_and_refusal_is_on_the_dendrogram():
    _, chunking = sample_linked("article")
    coloured = SentenceColours(chunk_numbers_of_sentences(chunking), [number % 8 for number in range(len(chunking.chunks))])
    clusters, count = chunking.clusters, len(chunking.document.sentences)
    tree = lay_out_dendrogram(count, chunking.merges, clusters)
    hover_texts = hovered(cluster_figures.dendrogram_figure(tree, chunking.merges, clusters, coloured, 0.5, "light"))
    assert sum(text.startswith("join ") for text in hover_texts) == len(chunking.merges) > 0
    assert sum("refused" in text for text in hover_texts) == len(clusters.refused) > 0
    assert sum(text.startswith("sentence ") for text in hover_texts) == count


def test_every_sentence_has_its_role_and_its_centres():
    clusters = Clusters(roles=("core", "border", "noise"))
    coloured, reach = SentenceColours([0, 0, 1], [3, 4]), np.array([0.1, 0.3, np.inf])
    figure = cluster_figures.core_distance_figure(clusters, reach, coloured, 0.2, 2, "dark")
    assert hovered(figure) == [
        "sentence 1: core, 0.10, chunk 1",
        "sentence 2: border, 0.30, chunk 1",
        "sentence 3: noise, no ε is enough, chunk 2",
    ]
    assert [trace.name for trace in figure.data if trace.name] == ["core 1", "border 1", "noise 1"]
    assert cluster_tables.dbscan_role_table(clusters, reach, coloured)["role"] == ["core", "border", "noise"]
    near = Clusters(own=(0.1, 0.2, 0.3), other=(0.9, 0.8, 0.7), other_chunk=(1, 1, 0))
    assert "sentence 3: 0.70 to the centre of chunk 1, the next" in hovered(
        cluster_figures.centre_distances_figure(near, coloured, "light")
    )
    assert cluster_tables.centre_distances_table(near, coloured)["the next's chunk"] == [2, 2, 1]
    alone = Clusters(own=(0.1, 0.2, 0.3))
    assert [
        trace.name for trace in cluster_figures.centre_distances_figure(alone, coloured, "light").data if trace.name
    ] == ["to its own centre"]
    assert "to the next" not in cluster_tables.centre_distances_table(alone, coloured)
