"""The staircase, against really running the chunker at every amount."""

import math
import statistics

import pytest

from chunkers import Breakpoint, Document
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.contract.base import run_and_time_chunker
from evaluation.segmentation.threshold_staircase import MIN_FLAT_STRETCH_AMOUNTS, chunk_sizes_by_threshold, score_histogram
from sample_docs import load_sample
from tests.support import AngleEmbedder, cut, tools


def made(sample, **parameters):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    common = tools()
    chunker = Breakpoint.build(**parameters)

    def chunk(other):
        return run_and_time_chunker(other, document, common)

    return chunk_sizes_by_threshold(document, chunker, chunk(chunker).curves[0].scores, chunk), chunker, chunk


@pytest.mark.slow
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize(
    "sizes",
    [{}, {"min_size": 120, "max_size": 600}, {"max_size": 12, "size_unit": "words", "oversize": "recursive"}],
    ids=["free", "between", "recursive"],
)
def test_every_step_is_what_the_chunker_makes(threshold, sizes):
    stairs, chunker, chunk = made("stubs", threshold=threshold, **sizes)
    cuts = []
    for place, amount in enumerate(stairs.amounts):
        chunks = chunk(chunker.model_copy(update={"amount": amount})).chunks
        lengths = [piece.end - piece.start for piece in chunks]
        assert stairs.chunks[place] == len(chunks)
        assert stairs.median[place] == statistics.median(lengths)
        assert stairs.largest[place] == max(lengths)
        cuts.append(tuple(piece.spans for piece in chunks))
    spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == "amount")
    assert (stairs.amounts[0], stairs.amounts[-1]) == spec.offered
    # Each flat stretch makes the same chunks at all its amounts, and other chunks just outside.
    for stretch in stairs.flat_stretches:
        first, last = stairs.amounts.index(stretch.low), stairs.amounts.index(stretch.high)
        assert last - first + 1 >= MIN_FLAT_STRETCH_AMOUNTS
        assert len(set(cuts[first : last + 1])) == 1
        assert len(cuts[first]) == stretch.chunks
        assert first == 0 or cuts[first - 1] != cuts[first]
        assert last == len(cuts) - 1 or cuts[last + 1] != cuts[last]
        assert stairs.flat_stretch_containing((stretch.low + stretch.high) / 2) == stretch
    assert stairs.flat_stretches


def test_a_percentile_between_two_gaps_changes_nothing():
    # Distances of 0, 1/2 and 1, so percentiles from 50 up leave the one gap above, and below 50 two.
    text = "0 a\n0 b\n60 c\n150 d"
    result = cut(Breakpoint.build(), text, embedder=AngleEmbedder())
    stairs = chunk_sizes_by_threshold(result.document, Breakpoint.build(), result.curves[0].scores, lambda _: result)
    assert [(stretch.low, stretch.high, stretch.chunks) for stretch in stairs.flat_stretches] == [(10, 49.5, 3), (50, 99, 2)]
    assert stairs.flat_stretches[1].in_words() == "between 50 and 99 nothing changes: 2 chunks"
    assert stairs.flat_stretch_containing(49.75) is None


def test_the_histogram_counts_every_defined_score_once_on_its_side():
    counted = score_histogram([0.1, 0.2, math.nan, 0.5, 0.5, 0.9], 0.5, is_cutting_high_scores=True)
    assert sum(counted.uncut_counts) == 4
    assert sum(counted.candidate_counts) == 1
    below = score_histogram([0.1, 0.2, 0.5, 0.5, 0.9], 0.5, is_cutting_high_scores=False)
    assert (sum(below.uncut_counts), sum(below.candidate_counts)) == (3, 2)
    assert len(counted.edges) == len(counted.uncut_counts) + 1


@pytest.mark.parametrize("other", [5e-324, 1e-300, math.nextafter(1, 2), 1 + 5e-16])
def test_the_histogram_of_scores_that_are_equal_but_for_rounding_is_that_of_equal_ones(other):
    score = float(round(other))
    counted = score_histogram([score] * 30 + [other] * 20, score, is_cutting_high_scores=True)
    assert counted == score_histogram([score] * 50, score, is_cutting_high_scores=True)


def test_the_histogram_of_many_scores_has_bins_that_one_can_see():
    counted = score_histogram([*[0.5] * 5000, 0.500001, 1.0], 0.6, is_cutting_high_scores=True)
    assert len(counted.uncut_counts) <= 60
    assert (sum(counted.uncut_counts), sum(counted.candidate_counts)) == (5001, 1)
