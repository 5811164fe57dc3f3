"""The fitted threshold against the bisection of Chroma's code."""

import numpy as np
import pytest

from chunkers import Document, build_chunker
from chunkers.base import run
from chunkers.building_blocks.distances import buffered, gap_distances
from sample_docs import load_sample, sample_titles
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


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize("size", [20, 60, 300])
def test_the_average_is_fitted_as_chromas_code_does(sample, size):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run(build_chunker("target_size", {"size": size, "unit": "words"}), document, tools())
    distances = gap_distances(HashEmbedder().encode(buffered(document.sentence_texts, 3)))
    total = sum(len(text.split()) for text in document.sentence_texts)
    assert [gap.index for gap in chunking.gaps if gap.verdict.is_cut] == bisected(distances, total, size)


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize("size", [40, 100])
def test_the_largest_fits_and_one_cut_fewer_would_not(sample, size):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run(build_chunker("target_size", {"size": size, "unit": "words", "fit": "largest"}), document, tools())
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
