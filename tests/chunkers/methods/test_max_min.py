"""Max–Min on similarities worked out by hand, and beside a plain rendering of its published code."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, Verdict, Watcher, build_chunker
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods import max_min
from chunkers.methods.max_min import MaxMin
from sample_docs import load_sample
from tests.support import AngleEmbedder, HashEmbedder, cut, sentence_numbers, tools


def cosine(degrees):
    return math.cos(math.radians(degrees))


def test_a_second_sentence_joins_by_the_initial_factor():
    # cos 60° is 0.5: 0.75 with the factor, 0.5 without.
    assert sentence_numbers(cut(MaxMin(), "0\n60", embedder=AngleEmbedder())) == [2]
    assert sentence_numbers(cut(MaxMin(initial_factor=1), "0\n60", embedder=AngleEmbedder())) == [1, 1]
    (gap,) = cut(MaxMin(), "0\n70", embedder=AngleEmbedder()).gaps
    assert gap.reason == "similarity 0.51 ≤ hard 0.60, 1.5 × 0.34, as the chunk has one sentence"


def test_the_threshold_follows_the_chunks_least_similarity_and_size():
    chunking = cut(MaxMin(), "0\n10\n20\n70", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [3, 1]
    second, third = chunking.gaps[1:]
    # Of two sentences: 0.9 × σ(1) × cos 10°; of three, whose least similar are 20° apart: 0.9 × σ(2) × cos 20°.
    assert second.threshold == pytest.approx(0.9 / (1 + math.exp(-1)) * cosine(10))
    assert third.threshold == pytest.approx(0.9 / (1 + math.exp(-2)) * cosine(20))
    # The last is nearest to the one before it, at 50°.
    assert third.score == pytest.approx(cosine(50))
    assert third.verdict is Verdict.CUT
    assert third.reason == "greatest similarity 0.64 ≤ adaptive 0.74, which follows the least of the 3 sentences, 0.94"


def test_no_threshold_is_below_the_hard_one():
    chunking = cut(MaxMin(relaxation=0), "0\n10\n20\n80", embedder=AngleEmbedder())
    assert [gap.threshold for gap in chunking.gaps] == [0.6] * 3
    assert chunking.gaps[2].reason == "greatest similarity 0.50 ≤ hard 0.60"


def test_one_like_sentence_of_the_chunk_is_enough():
    """Its greatest similarity counts, so it joins a sentence far back, over what differs."""
    settings = {"hard_threshold": 0.1, "relaxation": 1}
    chunking = cut(MaxMin(**settings), "0\n40\n80\n0", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [4]
    assert chunking.gaps[2].score == pytest.approx(1)


def test_a_new_chunk_knows_nothing_of_the_one_before():
    chunking = cut(MaxMin(), "0\n5\n90\n140", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [2, 2]
    assert chunking.gaps[2].score == pytest.approx(1.5 * cosine(50))


def published(vectors, hard, c, initial):
    """Return the sentences that begin chunks, sentence by sentence and without any block."""
    starts, start, least = [0], 0, -math.inf
    for number in range(1, len(vectors)):
        similarities = vectors[start:number] @ vectors[number]
        if number - start > 1:
            threshold = least * c / (1 + math.exp(-(number - start - 1)))
            similarity, least = max(similarities), min(min(similarities), least)
        else:
            threshold, least = 0, similarities[0]
            similarity = initial * least
        if not similarity > max(threshold, hard):
            starts.append(number)
            start, least = number, -math.inf
    return starts


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 60),
    # A negative one would be lost in the published code, whose threshold is 0 at least for a chunk of one sentence.
    hard=st.floats(0, 0.9),
    c=st.floats(0, 1.5),
    initial=st.floats(0.5, 2),
    block=st.integers(1, 9),
)
def test_the_cuts_are_those_of_the_published_code_whatever_the_blocks(seed, count, hard, c, initial, block):
    numbers = np.random.default_rng(seed)
    vectors = np.cumsum(numbers.normal(size=(count, 4)), axis=0)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    chunker = MaxMin(hard_threshold=hard, relaxation=c, initial_factor=initial)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(max_min, "SENTENCES_PER_BLOCK", block)
        steps = list(chunker.decide_gaps(vectors, tools()))
    assert [0, *(number for number, step in enumerate(steps, 1) if not step.joins)] == published(vectors, hard, c, initial)


def test_a_chunk_too_long_for_its_comparisons_is_refused_with_what_helps(monkeypatch):
    monkeypatch.setattr(max_min, "MOST_MAX_MIN_PRODUCTS", 50_000)
    monkeypatch.setattr(max_min, "SENTENCES_PER_BLOCK", 16)
    text = "\n".join("0" for _ in range(400))
    with pytest.raises(InputError, match=r"at most 50,000 .* of 400 sentences, in a chunk of .* Raise the hard"):
        cut(MaxMin(), text, embedder=AngleEmbedder())
    assert len(cut(MaxMin(initial_factor=0.5), text, embedder=AngleEmbedder()).chunks) == 400


@pytest.mark.parametrize(("sentences", "at_once"), [(257, True), (258, False)])
def test_a_text_of_one_block_is_cut_without_asking_whether_to_stop(sentences, at_once):
    document = Document.from_text("\n".join(map(str, range(sentences))), "lines")
    bench = tools(HashEmbedder())
    expected = run_and_time_chunker(MaxMin(), document, bench)
    hasty = replace(bench, watcher=Watcher(cancelled=lambda: True))
    if at_once:
        assert run_and_time_chunker(MaxMin(), document, hasty) == expected
    else:
        with pytest.raises(Cancelled):
            run_and_time_chunker(MaxMin(), document, hasty)


def test_the_search_can_be_stopped():
    asked = iter([False] * 8)
    with pytest.raises(Cancelled):
        cut(MaxMin(), "\n".join(map(str, range(600))), embedder=HashEmbedder(), cancelled=lambda: next(asked, True))


@pytest.mark.parametrize("hard", [0.1, 0.2, 0.3])
def test_what_would_change_a_verdict_does(hard):
    sample = load_sample("three_topics")
    document = Document.from_text(sample.text, sample.sentences)
    chunker, made = MaxMin(hard_threshold=hard), tools(HashEmbedder())
    chunking = run_and_time_chunker(chunker, document, made)
    tippings = [(gap, chunker.tipping(chunking, gap, made)) for gap in chunking.gaps]
    assert any(tipping for _, tipping in tippings)
    for gap, tipping in tippings:
        if tipping:
            other = run_and_time_chunker(build_chunker("max_min", {"hard_threshold": tipping.value}), document, made)
            assert other.gaps[gap.index].verdict.is_cut == tipping.cuts != gap.verdict.is_cut
