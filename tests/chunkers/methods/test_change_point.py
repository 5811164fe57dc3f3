"""Change points against all partitions, and the gains that the ledger gives."""

import itertools

import numpy as np
import pytest

from chunkers import Document, InputError, build_chunker
from chunkers.base import run
from sample_docs import load_sample
from tests.support import HashEmbedder, cut, sentence_numbers, tools


def cost(vectors, cuts):
    """Return the sum of squared distances to the mean of each part."""
    parts = np.split(vectors, cuts)
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


def partitions(count):
    return itertools.chain.from_iterable(itertools.combinations(range(1, count), cuts) for cuts in range(count))


def cuts_of(chunking):
    return tuple(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut)


TEXT = "\n".join(f"line {number}" for number in range(9))
VECTORS = HashEmbedder().encode(TEXT.splitlines()).astype(np.float64)


@pytest.mark.parametrize("penalty", [0.05, 0.2, 0.5, 1, 3])
def test_of_all_partitions_it_costs_least(penalty):
    best = min(partitions(9), key=lambda cuts: cost(VECTORS, cuts) + penalty * len(cuts))
    assert cuts_of(cut(build_chunker("change_point", {"penalty": penalty}), TEXT)) == best


@pytest.mark.parametrize("chunks", [1, 2, 4, 9, 20])
def test_so_many_chunks_at_the_least_cost(chunks):
    wanted = min(chunks, 9)
    best = min((cuts for cuts in partitions(9) if len(cuts) == wanted - 1), key=lambda cuts: cost(VECTORS, cuts))
    assert cuts_of(cut(build_chunker("change_point", {"chunks": chunks}), TEXT)) == best


def test_a_gain_is_what_the_cut_saves():
    chunking = cut(build_chunker("change_point", {"penalty": 0.3}), TEXT)
    cuts = set(cuts_of(chunking))
    for gap in chunking.gaps:
        place = gap.index + 1
        saved = cost(VECTORS, sorted(cuts - {place})) - cost(VECTORS, sorted(cuts | {place}))
        assert gap.score == pytest.approx(saved, abs=1e-6)
        assert gap.verdict.is_cut == (gap.score > gap.threshold)


def test_sentences_per_chunk_give_their_number():
    chunking = cut(build_chunker("change_point", {"target_sentences": 3}), TEXT)
    assert len(sentence_numbers(chunking)) == 3


def test_one_target_at_a_time():
    with pytest.raises(ValueError, match="target_sentences must be left out where chunks is set; got 4"):
        build_chunker("change_point", {"chunks": 3, "target_sentences": 4})


def test_too_long_a_search_is_refused():
    text = "\n".join("a" * 5000)
    with pytest.raises(InputError, match=r"this text has 5,000 sentences for 1,000 chunks\. A penalty has no such limit\."):
        cut(build_chunker("change_point", {"chunks": 1000}), text)


@pytest.mark.parametrize("sample", ["three_topics", "stubs", "formulas"])
def test_the_known_boundaries_are_found_with_the_real_model(real_tools, sample):
    source = load_sample(sample)
    chunking = run(build_chunker("change_point", {}), Document.from_text(source.text, source.sentences), real_tools)
    assert [chunk.start for chunk in chunking.chunks[1:]] == list(source.known)


def test_the_same_sentence_over_and_over_is_one_chunk():
    chunking = run(build_chunker("change_point", {}), Document.from_text("Same.\n" * 50, "lines"), tools())
    assert len(chunking.chunks) == 1
