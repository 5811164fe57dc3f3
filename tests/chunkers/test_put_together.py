"""Texts are put together from their chunks: by the places that these state, or else one after the other."""

import random
from itertools import pairwise

import pytest

from chunkers.files.external_chunks import LONGEST_WHITESPACE_GAP, GivenChunk, rebuild_text
from chunkers.text.document import Span
from sample_docs import load_sample

TEXT = load_sample("article").text[:3000]


def placed(start, end):
    return GivenChunk(TEXT[start:end], (Span(start, end),))


@pytest.mark.parametrize("seed", range(20))
def test_chunks_that_cover_a_text_give_it_back_in_any_order_and_with_overlaps(seed):
    draw = random.Random(seed)
    edges = [0, *sorted(draw.sample(range(1, len(TEXT)), 9)), len(TEXT)]
    chunks = [placed(max(0, start - draw.randrange(80)), end) for start, end in pairwise(edges)]
    chunks.append(placed(edges[3] + 1, edges[4] - 1) if edges[4] - edges[3] > 2 else chunks[0])
    draw.shuffle(chunks)
    whole = rebuild_text(chunks)
    assert (whole.text, whole.is_whole) == (TEXT, True)
    assert sorted(chunk.spans for chunk in chunks) == [chunk.spans for chunk in whole.chunks]


def test_lost_text_is_a_break_and_places_are_those_in_the_text():
    chunks = [placed(500, 700), placed(10, 200), placed(150, 300), placed(300 + LONGEST_WHITESPACE_GAP, 400)]
    whole = rebuild_text(chunks)
    assert not whole.is_whole
    gap = "\n" * LONGEST_WHITESPACE_GAP
    assert whole.text == f"{TEXT[10:300]}{gap}{TEXT[300 + LONGEST_WHITESPACE_GAP : 400]}\n\n{TEXT[500:700]}"
    for chunk in whole.chunks:
        (span,) = chunk.spans
        assert whole.text[span.start : span.end] == chunk.text


def test_without_places_chunks_follow_each_other():
    whole = rebuild_text([GivenChunk("The tide"), GivenChunk("turns.", (Span(0, 99),)), GivenChunk("")])
    assert (whole.text, whole.is_whole) == ("The tide\n\nturns.\n\n", False)
    assert [chunk.spans[0] for chunk in whole.chunks] == [(0, 8), (10, 16), (18, 18)]


@pytest.mark.parametrize("chunks", [[], [GivenChunk(" ")], [GivenChunk("a"), GivenChunk(None, (Span(0, 3),))]])
def test_nothing_is_put_together_without_texts(chunks):
    assert rebuild_text(chunks) is None
