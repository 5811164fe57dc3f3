"""The measures against known boundaries: NLTK's and segeval's on random segmentations, and by hand."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from chunkers import Chunk, Chunking, Document, Span, build_chunker
from chunkers.contract.base import run_and_time_chunker
from evaluation.segmentation.boundary_measures import (
    Segmentation,
    boundary_precision_recall,
    boundary_similarity,
    chunk_number_per_sentence,
    count_crossing_chunks,
    count_matching_boundaries,
    cut_offsets,
    find_misassigned_units,
    pk,
    segment_numbers,
    segmentation_in_sentences,
    window_diff,
    window_size_for_pk,
)
from tests.support import tools

RANDOM = random.Random(5)


def some(units):
    chosen = RANDOM.sample(range(1, units), RANDOM.randint(1, max(1, (units - 1) // 2)))
    return Segmentation(units, tuple(sorted(chosen)))


PAIRS = [(some(units), some(units)) for units in (RANDOM.randint(4, 80) for _ in range(1000))]


def as_string(segmentation):
    """Return a mark for every gap, as NLTK wants them."""
    return "".join("1" if place in segmentation.boundaries else "0" for place in range(1, segmentation.units))


def as_masses(segmentation):
    return [int(mass) for mass in np.diff([0, *segmentation.boundaries, segmentation.units])]


def test_pk_and_window_diff_are_nltks():
    from nltk.metrics import segmentation as nltk_measures

    for reference, proposed in PAIRS:
        k, texts = window_size_for_pk(reference), (as_string(reference), as_string(proposed))
        assert pk(reference, proposed).value == pytest.approx(nltk_measures.pk(*texts, k=k))
        assert window_diff(reference, proposed).value == pytest.approx(nltk_measures.windowdiff(*texts, k=k))


@pytest.mark.slow
@pytest.mark.parametrize("reach", [2, 3])
def test_boundary_similarity_is_segevals(reach):
    import segeval

    for reference, proposed in PAIRS:
        expected = float(segeval.boundary_similarity(as_masses(reference), as_masses(proposed), n_t=reach))
        assert boundary_similarity(reference, proposed, reach).value == pytest.approx(expected), (reference, proposed)


@pytest.mark.parametrize("tolerance", [0, 1, 3])
def test_the_matching_is_a_largest_one(tolerance):
    for reference, proposed in PAIRS[:300]:
        near = [[abs(a - b) <= tolerance for b in proposed.boundaries] for a in reference.boundaries]
        largest = int((maximum_bipartite_matching(csr_matrix(near)) >= 0).sum())
        assert count_matching_boundaries(reference.boundaries, proposed.boundaries, tolerance) == largest


def test_precision_recall_and_f1_by_hand():
    result = boundary_precision_recall(Segmentation(20, (5, 10, 15)), Segmentation(20, (5, 11)))
    assert (result.precision.value, result.recall.value, result.f1.value) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    near = boundary_precision_recall(Segmentation(20, (5, 10, 15)), Segmentation(20, (5, 11)), tolerance=1)
    assert (near.precision.value, near.recall.value, near.f1.value) == pytest.approx((1, 2 / 3, 4 / 5))


def test_perfect_is_perfect():
    perfect = Segmentation(12, (4, 8))
    assert pk(perfect, perfect).value == window_diff(perfect, perfect).value == 0
    assert boundary_similarity(perfect, perfect).value == boundary_precision_recall(perfect, perfect).f1.value == 1


@pytest.mark.parametrize("measure", [pk, window_diff])
def test_without_a_known_boundary_there_is_no_score(measure):
    assert str(measure(Segmentation(9, ()), Segmentation(9, (3,)))) == "undefined: no boundary is known"


def test_degenerate_cases_say_why():
    nothing, single, every = Segmentation(9, ()), Segmentation(1, ()), Segmentation(9, tuple(range(1, 9)))
    assert boundary_precision_recall(nothing, nothing).f1.undefined == "there is no boundary in either"
    assert boundary_precision_recall(every, nothing).precision.undefined == "no boundary was found"
    assert boundary_precision_recall(every, nothing).recall.value == 0
    assert boundary_similarity(single, single).undefined == "there is no boundary in either"
    assert pk(single, single).undefined == "no boundary is known"
    assert pk(every, every).value == 0


def test_refused():
    with pytest.raises(ValueError, match="must lie between 1 and 4; got"):
        Segmentation(5, (5,))
    with pytest.raises(ValueError, match="ascending order"):
        Segmentation(5, (3, 2))
    with pytest.raises(ValueError, match="the same number of units; got 5 and 6"):
        pk(Segmentation(5, (1,)), Segmentation(6, (1,)))


def test_misassigned_sentences_by_hand():
    # Section 0 has sentences 0 to 3, section 1 has 4 to 6; the first chunk takes one too few, the last is left over.
    result = find_misassigned_units([0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2])
    assert result.chunk_by_section == {0: 0, 1: 1}
    assert result.units == (3, 6)


def test_one_chunk_can_be_the_match_of_one_section_alone():
    assert find_misassigned_units([0, 0, 1, 1, 1], [0, 0, 0, 0, 0]).units == (0, 1)


def test_chunks_of_several_places_are_matched_too():
    assert find_misassigned_units([0, 0, 1, 1], [0, 1, 0, 1]).units in ((1, 2), (0, 3))


TEXT = "One two.\nThree four.\nFive six.\nSeven."


def test_cuts_inside_a_sentence_count_at_its_nearer_end():
    document = Document.from_text(TEXT, "lines")
    assert segmentation_in_sentences(document, [9, 12, 19]).boundaries == (1, 2)
    assert segmentation_in_sentences(document, [2, 36]).boundaries == ()


def test_crossings_by_hand():
    document = Document.from_text(TEXT, "lines")
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 3}), document, tools())
    assert cut_offsets(chunking) == [31]
    crossed = count_crossing_chunks([9], chunking)
    assert (crossed.count, crossed.share.value) == (1, 0.5)
    assert count_crossing_chunks([31], chunking).count == 0
    assert count_crossing_chunks([], chunking).share.undefined == "no boundary is known"


def test_the_chunk_of_every_sentence():
    document = Document.from_text(TEXT, "lines")
    assert chunk_number_per_sentence(
        run_and_time_chunker(build_chunker("fixed_sentences", {"size": 3}), document, tools())
    ) == [0, 0, 0, 1]
    assert chunk_number_per_sentence(
        run_and_time_chunker(build_chunker("fixed_sentences", {"size": 2, "overlap": 1}), document, tools())
    ) == [
        0,
        0,
        1,
        2,
    ]
    assert segment_numbers(Segmentation(4, (1, 3))) == [0, 1, 1, 2]


def first_that_holds(chunking):
    """Return the result of `chunk_number_per_sentence`, computed in the plainest way."""
    spans = sorted((span.start, span.end, number) for number, chunk in enumerate(chunking.chunks) for span in chunk.spans)
    return [
        next(
            (number for first, last, number in spans if first <= start < last),
            next((number for first, last, number in spans if start < first < end), None),
        )
        for start, end in chunking.document.sentences
    ]


@given(
    count=st.integers(1, 40),
    ranges=st.lists(st.tuples(st.integers(0, 120), st.integers(1, 120)), min_size=1, max_size=30),
)
def test_a_sentence_is_in_the_first_chunk_over_it_however_deep_they_overlap(count, ranges):
    document = Document.from_text("\n".join(f"s{number}" for number in range(count)), "lines")
    length = len(document.text)
    spans = sorted({Span(min(start, length - 1), min(start + size, length)) for start, size in ranges})
    chunking = Chunking(document, tuple(Chunk.of(document, span) for span in spans), ())
    assert chunk_number_per_sentence(chunking) == first_that_holds(chunking)


def test_a_sentence_in_no_chunk_is_misassigned():
    assert find_misassigned_units([0, 0, 1, 1], [0, None, 1, 1]).units == (1,)
    assert find_misassigned_units([0, 0], [None, None]).units == (0, 1)
