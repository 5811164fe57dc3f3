"""The best partition against all partitions, and what the ledger says of each cut."""

import itertools

import numpy as np
import pytest

from chunkers import Document, InputError, Verdict, build_chunker, chunk
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods import optimal
from chunkers.methods.optimal import PartitionTable, mean_similarity, rewards_of_runs
from sample_docs import load_sample
from tests.lanes import mostly_full
from tests.support import HashEmbedder, cut, sentence_numbers, tools


def unit_vectors(count, seed, width=4):
    vectors = np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def all_partitions(count, longest):
    """Return the cuts of every partition into runs of at most ``longest``."""
    for cuts in itertools.product([False, True], repeat=count - 1):
        places = [place for place, is_cut in enumerate(cuts, start=1) if is_cut]
        if max(np.diff([0, *places, count])) <= longest:
            yield places


def total(similarities, cuts):
    """Return the reward of a partition from the matrix of all pairs."""
    count = len(similarities)
    mean = similarities[np.triu_indices(count, 1)].mean()
    edges = [0, *cuts, count]
    runs = [similarities[first:last, first:last] for first, last in itertools.pairwise(edges)]
    return sum((run - mean).sum() - np.trace(run - mean) for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize("longest", [1, 2, 3, 5, 8, 12])
@pytest.mark.parametrize("seed", mostly_full(range(4), [0]))
def test_of_all_partitions_of_twelve_pieces_it_is_the_best(seed, longest):
    vectors = unit_vectors(12, seed)
    similarities = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    scored = {tuple(cuts): total(similarities, cuts) for cuts in all_partitions(12, longest)}
    table = PartitionTable.from_rewards(rewards_of_runs(vectors, longest))
    best = max(scored, key=scored.get)
    assert tuple(table.cuts().tolist()) == best
    assert table.best_totals[-1] == pytest.approx(scored[best], abs=1e-4)
    gains = table.cut_gain_before_each_piece()
    for place in range(1, 12):
        with_cut = max(value for cuts, value in scored.items() if place in cuts)
        without = max((value for cuts, value in scored.items() if place not in cuts), default=-np.inf)
        assert gains[place - 1] == pytest.approx(with_cut - without, abs=1e-4)


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_fewer_pieces_than_a_run_may_have(count):
    table = PartitionTable.from_rewards(
        rewards_of_runs(unit_vectors(count, 5) if count else np.zeros((0, 4), np.float32), 12)
    )
    assert table.rewards.shape == (count, 12)
    assert len(table.cut_gain_before_each_piece()) == max(0, count - 1)
    assert all(0 < cut < count for cut in table.cuts())


def test_the_mean_needs_no_matrix():
    vectors = unit_vectors(50, 2)
    assert mean_similarity(vectors) == pytest.approx((vectors @ vectors.T)[np.triu_indices(50, 1)].mean(), abs=1e-6)


@pytest.mark.parametrize("count", [2, 3, 40])
def test_a_tie_keeps_every_piece_alone(count):
    vectors = np.repeat(unit_vectors(1, 3, width=50), count, axis=0)
    assert PartitionTable.from_rewards(rewards_of_runs(vectors, 8)).cuts().tolist() == list(range(1, count))


@pytest.mark.parametrize("longest", [1, 3, 9])
@pytest.mark.parametrize("seed", range(3))
def test_every_entry_of_the_table_is_the_best_of_all_partitions_of_its_pieces(seed, longest):
    vectors = unit_vectors(9, seed)
    table = PartitionTable.from_rewards(rewards_of_runs(vectors, longest))
    above = vectors.astype(np.float64) @ vectors.T.astype(np.float64) - mean_similarity(vectors)
    np.fill_diagonal(above, 0)
    for end in range(1, 10):
        scored = {}
        for cuts in all_partitions(end, longest):
            edges = [0, *cuts, end]
            value = sum(above[first:last, first:last].sum() for first, last in itertools.pairwise(edges))
            scored[edges[-2]] = max(value, scored.get(edges[-2], -np.inf))
        runs = table.ranked_last_runs(end)
        assert dict(runs) == pytest.approx(scored, abs=1e-4)
        assert runs[0] == (table.last_run_starts[end], table.best_totals[end])
        assert [value for _, value in runs] == sorted((value for _, value in runs), reverse=True)


def test_the_cut_is_where_the_subject_changes():
    class Topics(HashEmbedder):
        def encode(self, texts):
            return np.array([[1, 0] if "cat" in text else [0, 1] for text in texts], dtype=np.float32)

    text = "cat cat cat\n" * 5 + "dog dog dog\n" * 4
    chunking = cut(build_chunker("optimal", {"max_size": 60, "piece_size": 3}), text, embedder=Topics())
    assert sentence_numbers(chunking) == [5, 4]
    assert chunking.gaps[4].score > 0 > max(gap.score for gap in chunking.gaps if gap.index != 4)


def test_every_score_agrees_with_its_verdict():
    document = Document.from_text(load_sample("article").text, "spacy")
    chunking = run_and_time_chunker(build_chunker("optimal", {"max_size": 90, "piece_size": 15}), document, tools())
    scored = [gap for gap in chunking.gaps if gap.score is not None]
    assert {gap.verdict for gap in scored} == {Verdict.CUT, Verdict.KEPT}
    assert all((gap.score >= 0) == gap.verdict.is_cut for gap in scored if abs(gap.score) > 1e-9)


def test_a_piece_must_fit_into_a_chunk():
    with pytest.raises(ValueError, match=r"optimal: piece_size must be at most max_size \(40\); got 50\."):
        build_chunker("optimal", {"max_size": 40})


def test_no_memory_is_taken_for_longer_runs_than_there_are_pieces(monkeypatch):
    asked = []
    monkeypatch.setattr(
        optimal,
        "rewards_of_runs",
        lambda vectors, longest: asked.append((len(vectors), longest)) or rewards_of_runs(vectors, longest),
    )
    cut(build_chunker("optimal", {"piece_size": 1, "max_size": 1_000_000}), "a " * 25)
    assert asked == [(25, 25)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [("a " * 26, "at least 26"), ("word " * 20, "80")],
    ids=["known by the words", "known by the pieces, which are letters"],
)
def test_too_many_pieces_in_too_long_chunks_are_refused_before_they_are_embedded(monkeypatch, text, pieces):
    monkeypatch.setattr(optimal, "MOST_OPTIMAL_PIECE_RUNS", 100)
    embedder = HashEmbedder()
    pattern = (
        rf"pieces in the largest chunk must be at most 100; this text has {pieces} pieces, and its largest chunk up to 4\."
    )
    with pytest.raises(InputError, match=pattern):
        cut(build_chunker("optimal", {"piece_size": 1, "max_size": 4}), text, embedder=embedder)
    assert not embedder.batches


def test_as_many_pieces_as_allowed_are_cut(monkeypatch):
    monkeypatch.setattr(optimal, "MOST_OPTIMAL_PIECE_RUNS", 100)
    assert cut(build_chunker("optimal", {"piece_size": 1, "max_size": 4}), "a " * 25).chunks


def by_sentence(text, most):
    return cut(build_chunker("optimal", {"pieces": "sentences", "max_size": most}), text)


def test_of_all_partitions_into_whole_sentences_within_the_size_it_is_the_best():
    sizes = [3, 5, 2, 9, 4, 1, 6, 3, 2]
    chunking = by_sentence("\n".join(" ".join([f"word{number}"] * size) for number, size in enumerate(sizes)), 9)
    vectors = HashEmbedder().encode(list(chunking.document.sentence_texts)).astype(np.float64)

    def fits(cuts):
        return all(sum(sizes[first:last]) <= 9 for first, last in itertools.pairwise([0, *cuts, len(sizes)]))

    fitting = filter(fits, all_partitions(len(sizes), len(sizes)))
    best = max(fitting, key=lambda cuts: total(vectors @ vectors.T, cuts))
    assert [gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut] == best
    forced = [gap.reason for gap in chunking.gaps if gap.score is None]
    # No other sentence fits beside the one of nine words.
    assert len(forced) >= 2
    assert all("a chunk may hold 9 tokens" in reason for reason in forced)


def test_a_sentence_that_is_longer_than_the_size_is_a_chunk_of_its_own():
    assert sentence_numbers(by_sentence("one two three four five six\nseven\neight", 3))[0] == 1
    assert not by_sentence("", 3).chunks


@pytest.mark.model
def test_whole_sentences_find_the_boundaries_of_short_topics():
    for name in ("stubs", "three_topics"):
        sample = load_sample(name)
        chunking = chunk(sample.text, "optimal", pieces="sentences", sentences=sample.sentences)
        assert tuple(piece.start for piece in chunking.chunks[1:]) == sample.known
