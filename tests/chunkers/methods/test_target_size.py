"""The fitted threshold against the bisection of Chroma's code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, build_chunker
from chunkers.building_blocks.sentence_distances import gap_distances, join_with_neighbours
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import AngleEmbedder, HashEmbedder, cut, sentence_numbers, tools


def bisected(distances, total, size):
    """Return the cuts of Chroma's KamradtModifiedChunker, which bisects the threshold to a millionth.

    It looks between 0 and 1; these vectors are further apart.
    """
    allowed = total // size
    low, high = 0.0, 2.0
    while high - low > 1e-6:
        threshold = (low + high) / 2
        if np.sum(distances > threshold) > allowed:
            low = threshold
        else:
            high = threshold
    return np.flatnonzero(distances > high).tolist()


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize("size", [20, 60, 300])
def test_the_average_is_fitted_as_chromas_code_does(sample, size):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run_and_time_chunker(build_chunker("target_size", {"size": size, "unit": "words"}), document, tools())
    distances = gap_distances(HashEmbedder().encode(join_with_neighbours(document.sentence_texts, 3)))
    total = sum(len(text.split()) for text in document.sentence_texts)
    assert [gap.index for gap in chunking.gaps if gap.verdict.is_cut] == bisected(distances, total, size)


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize("size", [40, 100])
def test_the_largest_fits_and_one_cut_fewer_would_not(sample, size):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run_and_time_chunker(
        build_chunker("target_size", {"size": size, "unit": "words", "fit": "largest"}), document, tools()
    )
    words = [len(chunk.text.split()) for chunk in chunking.chunks]
    longest = max(len(text.split()) for text in document.sentence_texts)
    if longest > size:
        assert len(chunking.chunks) == len(document.sentences)
        return
    assert max(words) <= size
    cuts = sorted((gap.score, gap.index) for gap in chunking.gaps if gap.verdict.is_cut)
    if cuts:
        weakest = cuts[0][1]
        place = [gap.index for gap in chunking.gaps if gap.verdict.is_cut].index(weakest)
        assert words[place] + words[place + 1] > size or len({score for score, _ in cuts}) < len(cuts)


def test_the_greatest_jumps_are_taken_first():
    parameters = {"size": 2, "unit": "words", "buffer": 0}
    chunking = cut(build_chunker("target_size", parameters), "0\n40\n50\n140\n145", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [1, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("fit", ["average", "largest"])
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8), size=st.integers(1, 20), angles=st.randoms())
@settings(max_examples=100, deadline=None)
def test_the_reason_says_that_it_fits_only_where_it_does(fit, sizes, size, angles):
    text = "\n".join(" ".join([str(angles.choice([0, 40, 90]))] + ["word"] * (count - 1)) for count in sizes)
    chunker = build_chunker("target_size", {"size": size, "fit": fit, "unit": "words", "buffer": 0})
    chunking = cut(chunker, text, embedder=AngleEmbedder())
    words = [len(chunk.text.split()) for chunk in chunking]
    reached = max(words) if fit == "largest" else sum(words) / len(words)
    for gap in chunking.gaps:
        assert (f"the level at which the {fit} chunk fits {size} words" in gap.reason) == (reached <= size)
        assert (f"makes the {fit} chunk fit {size} words" in gap.reason) == (reached > size)
    assert len(chunking.notes) == (fit == "largest" and reached > size)
    for note in chunking.notes:
        assert note.startswith(f"The longest sentence has {max(words)} words, more than the size, {size}, so no level")


@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_the_largest_is_measured_with_the_white_space_in_it(unit):
    text = "".join(f"{number % 90} a.\n\n\n\n" for number in range(60))
    chunker = build_chunker("target_size", {"size": 40, "fit": "largest", "unit": unit, "buffer": 0})
    chunking = cut(chunker, text, embedder=AngleEmbedder(), tokenizer="characters")
    assert max(len(chunk.text) for chunk in chunking) <= 40
