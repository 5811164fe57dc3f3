"""Clustering against scikit-learn and SciPy, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, build_chunker
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.building_blocks.clustering import compute_joint_distances_in_blocks as blocks
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods import kmeans
from chunkers.methods.dbscan import core_distances
from chunkers.methods.single_linkage import join_closest_pairs
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import AngleEmbedder, HashEmbedder, cut, tools


def compute_joint_distances_in_blocks(texts, weight, embedder=None):
    """Return the matrix of joint distances, as Qu et al. write them down."""
    vectors = (embedder or HashEmbedder()).encode(texts).astype(np.float64)
    places = np.arange(len(texts))
    matrix = weight * np.abs(places[:, None] - places) / len(texts)
    # Of equal sentences the cosine may be a hair above 1.
    matrix = matrix + (1 - weight) * (1 - np.clip(vectors @ vectors.T, 0, 1))
    np.fill_diagonal(matrix, 0)
    return matrix


def groups(chunking):
    """Return the sentences of every chunk."""
    starts = chunking.document.starts
    return [
        [number for number, start in enumerate(starts) if any(span.start <= start < span.end for span in chunk.spans)]
        for chunk in chunking.chunks
    ]


def same_groups(labels):
    by_label = {}
    for sentence, label in enumerate(labels):
        by_label.setdefault(label, []).append(sentence)
    return list(by_label.values())


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize(("weight", "most"), [(0.0, 0.35), (0.25, 0.3), (0.5, 0.2), (0.9, 0.1)])
def test_single_linkage_without_a_cap_is_scipys(sample, weight, most):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    parameters = {"position_weight": weight, "max_distance": most, "chunks": 1}
    chunking = run_and_time_chunker(build_chunker("single_linkage", parameters), document, tools())
    matrix = compute_joint_distances_in_blocks(document.sentence_texts, weight)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    tree = linkage(squareform((matrix + matrix.T) / 2, checks=False), "single")
    assert groups(chunking) == same_groups(fcluster(tree, most, "distance"))


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize(
    ("weight", "eps", "least"), [(0.0, 0.3, 3), (0.25, 0.25, 2), (0.5, 0.18, 4), (0.5, 0.3, 1), (0.8, 0.1, 5)]
)
def test_dbscan_has_scikit_learns_labels(sample, weight, eps, least):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    parameters = {"position_weight": weight, "eps": eps, "min_samples": least}
    chunking = run_and_time_chunker(build_chunker("dbscan", parameters), document, tools())
    matrix = compute_joint_distances_in_blocks(document.sentence_texts, weight)
    from sklearn.cluster import DBSCAN

    labels = DBSCAN(eps=eps, min_samples=least, metric="precomputed").fit_predict(matrix)
    alone = iter(range(-1, -len(labels) - 1, -1))
    assert groups(chunking) == same_groups([label if label >= 0 else next(alone) for label in labels])
    noise = [gap.reason for gap in chunking.gaps if "noise" in gap.reason]
    assert bool(noise) == bool(len(labels) > 1 and (labels < 0).any())


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("single_linkage", {"target_sentences": 3}),
        ("single_linkage", {"chunks": 4, "max_distance": 1}),
        ("dbscan", {"eps": 0.01}),
    ],
)
def test_place_alone_gives_consecutive_chunks(sample, name, parameters):
    source = load_sample(sample)
    chunker = build_chunker(name, {"position_weight": 1, **parameters})
    chunking = run_and_time_chunker(chunker, Document.from_text(source.text, source.sentences), tools())
    assert all(len(chunk.spans) == 1 for chunk in chunking.chunks)


def test_place_alone_fills_the_cap_from_the_start():
    text = "\n".join(str(number) for number in range(10))
    chunking = cut(
        build_chunker("single_linkage", {"position_weight": 1, "max_distance": 1}), text, embedder=AngleEmbedder()
    )
    assert [len(group) for group in groups(chunking)] == [4, 4, 2]


def test_sentences_that_belong_together_are_one_chunk_though_apart():
    parameters = {"position_weight": 0, "max_distance": 0.1}
    chunking = cut(build_chunker("single_linkage", parameters), "0\n90\n1\n91\n180", embedder=AngleEmbedder())
    assert groups(chunking) == [[0, 2], [1, 3], [4]]
    assert [chunk.text for chunk in chunking.chunks] == ["0\n1", "90\n91", "180"]
    assert [(merge.left.start, merge.right.start) for merge in chunking.merges] == [(0, 2), (1, 3)]
    assert chunking.gaps[0].reason == "chunk 1, then chunk 2; joint distance 1.00"


def test_the_cap_refuses_the_fifth_and_the_result_says_so():
    parameters = {"position_weight": 0, "max_distance": 0.5}
    chunking = cut(build_chunker("single_linkage", parameters), "0\n1\n3\n6\n10", embedder=AngleEmbedder())
    assert [len(group) for group in groups(chunking)] == [4, 1]
    assert [(merge.left.start, merge.right.start) for merge in chunking.merges] == [(0, 1), (1, 2), (2, 3)]
    [refusal] = chunking.clusters.refused
    assert (refusal.left, refusal.right, refusal.joins, refusal.size) == (3, 4, 3, 5)
    assert refusal.distance == pytest.approx(1 - np.cos(np.radians(4)), abs=1e-6)
    # Every one of the four is near enough to the fifth.
    assert chunking.clusters.refusals == 4


@given(st.permutations(range(28)), st.integers(1, 8))
def test_joins_and_refusals_are_those_of_a_plain_search(order, cap):
    every = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    pairs = [every[place] for place in order]
    clusters, chains = {item: {item} for item in range(8)}, {item: {item} for item in range(8)}
    joins, refused, refusals = [], [], 0

    def unite(sets, a, b):
        both = sets[a] | sets[b]
        sets.update(dict.fromkeys(both, both))

    for place, (a, b) in enumerate(pairs):
        if b in clusters[a]:
            continue
        size = len(clusters[a] | clusters[b])
        if size <= cap:
            joins.append(place)
            unite(clusters, a, b)
        else:
            refusals += 1
            if b not in chains[a]:
                refused.append((place, len(joins), size))
        unite(chains, a, b)
    made = join_closest_pairs(np.array([a * 8 + b for a, b in pairs]), 8, cap)
    assert made[1:] == (joins, refused, refusals)
    assert same_groups(made.labels) == same_groups([min(clusters[item]) for item in range(8)])


@pytest.mark.parametrize("cap", [1, 4, 5000])
def test_many_pairs_in_blocks_are_refused_once_each(cap):
    count = 120
    pairs = np.array([a * count + b for a in range(count) for b in range(a + 1, count)])
    np.random.default_rng(1).shuffle(pairs)
    made = join_closest_pairs(pairs, count, cap)
    # Without a cap joins and refusals together would link all; each is in one chain with the rest once.
    assert len(made.refused) + len(made.joins) >= count - 1
    assert len(made.refused) <= count - 1
    inside = sum(size * (size - 1) // 2 for size in map(len, same_groups(made.labels)))
    if cap == 1:
        assert (made.joins, made.refusals) == ([], len(pairs))
    if cap == 5000:
        assert (len(made.joins), made.refused, made.refusals) == (count - 1, [], 0)
    assert len(pairs) - inside <= made.refusals or cap == 5000


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0, 0.3, 1])
def test_joint_distances_in_blocks_are_the_matrix(weight):
    texts = [str(number) for number in range(300)]
    vectors = HashEmbedder().encode(texts).astype(np.float64)
    matrix = np.concatenate([block for _, block in blocks(vectors, weight)])
    expected = compute_joint_distances_in_blocks(texts, weight)
    np.fill_diagonal(matrix, 0)
    assert matrix == pytest.approx(expected)


@pytest.mark.parametrize("noise", [-2e-7, 0, 2e-7])
def test_rounding_does_not_decide_whether_equal_sentences_are_within_reach(noise):
    # The second and the last of five have the same tokens: half of 3 / 5 is exactly the line.
    vectors = np.eye(5)
    vectors[4] = [0, 1 + noise, 0, 0, 0]
    matrix = np.concatenate([block for _, block in blocks(vectors, 0.5)])
    assert matrix[1, 4] == 0.3
    assert core_distances(vectors, 0.5, 2)[1] == 0.3


@pytest.mark.parametrize(("eps", "least"), [(0.2, 3), (0.3, 4), (0.3, 1)])
def test_dbscan_tells_core_border_and_noise(eps, least):
    document = Document.from_text(load_sample("report").text, "spacy")
    parameters = {"position_weight": 0.5, "eps": eps, "min_samples": least}
    roles = np.array(run_and_time_chunker(build_chunker("dbscan", parameters), document, tools()).clusters.roles)
    matrix = compute_joint_distances_in_blocks(document.sentence_texts, 0.5)
    core = (matrix <= eps).sum(axis=1) >= least
    reached = ((matrix <= eps) & core).any(axis=1)
    assert ((roles == "core") == core).all()
    assert ((roles == "noise") == ~reached).all()
    reach = core_distances(HashEmbedder().encode(document.sentence_texts).astype(np.float64), 0.5, least)
    assert ((reach <= eps) == core).all()


def test_no_distance_makes_a_core_of_too_few():
    assert np.isinf(core_distances(np.eye(2), 0.5, 3)).all()


def test_k_means_tells_its_own_and_the_next_centre():
    chunking = cut(build_chunker("kmeans", {"clusters": 2}), "0\n90\n10\n80\n40", embedder=AngleEmbedder())
    assert groups(chunking) == [[0, 2, 4], [1, 3]]
    angles = np.radians([0, 90, 10, 80, 40])
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    centres = np.stack([points[[0, 2, 4]].mean(axis=0), points[[1, 3]].mean(axis=0)])
    distances = np.linalg.norm(points[:, None] - centres, axis=2)
    assert chunking.clusters.own == pytest.approx(distances.min(axis=1), abs=1e-6)
    assert chunking.clusters.other == pytest.approx(distances.max(axis=1), abs=1e-6)
    assert chunking.clusters.other_chunk == (1, 0, 1, 0, 1)


def test_one_centre_has_no_next():
    clusters = cut(build_chunker("kmeans", {"clusters": 3}), "0\n0\n0", embedder=AngleEmbedder()).clusters
    assert clusters.own == pytest.approx([0, 0, 0], abs=1e-6)
    assert (clusters.other, clusters.other_chunk) == ((), ())


@pytest.mark.parametrize(("target", "slack", "cap"), [(3, 1.2, 4), (5, 1.2, 6), (10, 1.1, 11), (1, 1, 1)])
def test_the_cap_of_kreileder(target, slack, cap):
    assert build_chunker("single_linkage", {"target_sentences": target, "slack": slack}).cluster_size_cap(99) == cap


@pytest.mark.parametrize("name", ["single_linkage", "dbscan"])
def test_too_many_sentences_are_refused_before_anything_is_embedded(name):
    embedder = HashEmbedder()
    text = "\n".join("a" * (MOST_SENTENCES + 1))
    with pytest.raises(InputError, match=rf"^{name}: a text may have at most 7,000 sentences, .*; this text has 7,001\."):
        cut(build_chunker(name, {}), text, embedder=embedder)
    assert embedder.batches == []


def test_k_means_finds_what_lies_together():
    chunking = cut(build_chunker("kmeans", {"clusters": 2}), "0\n90\n1\n91\n2", embedder=AngleEmbedder())
    assert groups(chunking) == [[0, 2, 4], [1, 3]]
    assert len(cut(build_chunker("kmeans", {"clusters": 9}), "0\n0\n5", embedder=AngleEmbedder()).chunks) == 2


@pytest.mark.parametrize(("clusters", "seed"), [(2, 0), (5, 3), (20, 1), (40, 7)])
def test_kmeans_is_that_of_scikit_learn_with_as_many_starts(clusters, seed):
    from sklearn.cluster import KMeans

    text = "\n".join(f"line {number}" for number in range(60))
    chunking = cut(build_chunker("kmeans", {"clusters": clusters, "seed": seed}), text)
    points = HashEmbedder().encode(text.splitlines()).astype(np.float64)
    labels = KMeans(clusters, n_init=10, random_state=seed).fit_predict(points)
    assert groups(chunking) == [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]


def test_kmeans_refuses_too_much_work_before_it_embeds_more_than_one_sentence(monkeypatch):
    monkeypatch.setattr(kmeans, "MOST_CLUSTERING_WORK", 8 * 28 * 60)
    assert cut(build_chunker("kmeans", {}), "\n".join(map(str, range(60)))).chunks
    embedder = HashEmbedder()
    pattern = (
        r"sentences × \(clusters \+ 25\) × dimensions must be at most 13,440; this text has 61 sentences, 3 clusters and"
    )
    with pytest.raises(InputError, match=pattern):
        cut(build_chunker("kmeans", {}), "\n".join(map(str, range(61))), embedder=embedder)
    assert sum(map(len, embedder.batches)) == 1


def test_a_long_kmeans_can_be_stopped_between_two_starts(monkeypatch):
    monkeypatch.setattr(kmeans, "REPORTED_WORK_SHARE", 0)
    told = []
    with pytest.raises(Cancelled):
        cut(
            build_chunker("kmeans", {}),
            "\n".join(map(str, range(60))),
            deciding=lambda *done: told.append(done),
            cancelled=lambda: len(told) == 4,
        )
    assert told == [(start, 10) for start in range(4)]
