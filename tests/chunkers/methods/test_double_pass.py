"""Both passes of double-pass merging on similarities worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, DoublePass, Span, Verdict
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import AngleEmbedder, cut, sentence_numbers, tools


def double(text, **parameters):
    settings = {"initial_threshold": 0.9, "appending_threshold": 0.9, "merging_threshold": 0.8} | parameters
    return cut(DoublePass.build(**settings), text, embedder=AngleEmbedder())


def test_pass_one_opens_and_grows_while_similar():
    chunking = double("0\n5\n10\n90\n95", merging_threshold=1)
    assert sentence_numbers(chunking) == [3, 2]
    assert [merge.kind for merge in chunking.merges] == ["initial", "appending", "initial"]
    assert chunking.merges[0].similarity == pytest.approx(np.cos(np.radians(5)), abs=1e-6)
    # The open chunk compares its last two sentences, whose mean points to 2.5 degrees, with the third.
    assert chunking.merges[1].similarity == pytest.approx(np.cos(np.radians(7.5)), abs=1e-6)
    assert chunking.merges[1].left == Span(0, 2)
    assert chunking.merges[1].right == Span(2, 3)


def test_the_chunk_grows_by_its_last_two_sentences_not_by_all():
    chunking = double("0\n20\n40\n60\n80\n100", initial_threshold=0.8, appending_threshold=0.8, merging_threshold=1)
    assert sentence_numbers(chunking) == [6]


def test_pass_two_merges_neighbours():
    chunking = double("0\n5\n32\n37", merging_threshold=0.8)
    assert sentence_numbers(chunking) == [4]
    assert chunking.gaps[1].verdict is Verdict.MERGED
    assert chunking.gaps[1].reason.startswith(
        "pass one: similarity 0.87 ≤ appending 0.90; merged in pass two: similarity 0.85"
    )


def test_pass_two_merges_over_a_snippet():
    chunking = double("0\n5\n90 code here\n3\n6")
    assert sentence_numbers(chunking) == [5]
    merge = chunking.merges[-1]
    assert (merge.kind, merge.left, merge.right) == ("over a snippet", Span(0, 2), Span(3, 5))
    assert [chunking.gaps[place].verdict for place in (1, 2)] == [Verdict.MERGED] * 2
    assert "over the snippet “90 code here”" in chunking.gaps[1].reason


@pytest.mark.parametrize(("look_ahead", "sizes"), [(1, [2, 1, 1, 2]), (2, [6])])
def test_look_ahead_reaches_over_two(look_ahead, sizes):
    chunking = double("0\n5\n90\n180\n3\n6", look_ahead=look_ahead)
    assert sentence_numbers(chunking) == sizes
    assert ("over two snippets" in [merge.kind for merge in chunking.merges]) == (look_ahead == 2)


def test_a_merge_too_long_is_refused_and_says_so():
    chunking = double("0 aaaa\n5 aaaa\n32 aaa\n37 aaa", max_size=20)
    assert sentence_numbers(chunking) == [2, 2]
    assert "merged above maximum size 20" in chunking.gaps[1].reason


def test_pass_one_refuses_to_grow_too_long():
    chunking = double("0 aaaa\n1 aaaa\n2 aaaa", max_size=14)
    assert sentence_numbers(chunking) == [2, 1]
    assert "joined above maximum size 14" in chunking.gaps[1].reason


def test_a_closed_chunk_names_all_that_it_was_compared_with():
    chunking = double("0\n5\n90\n180")
    assert chunking.gaps[1].reason.endswith("similarity 0.04 next, −1.00 after; both ≤ merging 0.8")


def test_means_weigh_by_tokens():
    chunking = cut(
        DoublePass.build(initial_threshold=0.1, appending_threshold=0.99, merging_threshold=1),
        "0 one two three\n80\n20",
        embedder=AngleEmbedder(),
    )
    left = 4 * np.exp(0j) + np.exp(1j * np.radians(80))
    angle = np.degrees(np.angle(left))
    assert chunking.curves[0].scores[1] == pytest.approx(np.cos(np.radians(20 - angle)), abs=1e-6)


def test_re_embedding_compares_the_joined_text():
    embedder = AngleEmbedder()
    cut(DoublePass.build(vector="re-embed"), "1\n2\n3\n4", embedder=embedder)
    assert {"1 2", "2 3"} <= {text for batch in embedder.batches for text in batch}


def test_re_embedding_joins_only_sentences_that_a_chunk_can_end_in():
    embedder = AngleEmbedder()
    cut(DoublePass.build(vector="re-embed"), "0\n90\n91\n180\n270", embedder=embedder)
    assert [text for batch in embedder.batches for text in batch if " " in text] == ["90 91"]


def test_a_minimum_size_comes_after_both_passes():
    chunking = double("0 aaaa\n5 aaaa\n90\n180 aaaaaa", min_size=5)
    assert sentence_numbers(chunking) == [3, 1]
    assert chunking.gaps[1].verdict is Verdict.REJECTED


def test_comparisons_are_told_in_the_order_in_which_they_are_made():
    chunking = double("0\n5\n90 code here\n3\n6")
    told = [
        (comparison.kind, *comparison.left, *comparison.right, comparison.outcome) for comparison in chunking.comparisons
    ]
    assert told == [
        ("initial", 0, 1, 1, 2, "joined"),
        ("appending", 0, 2, 2, 3, "not above"),
        ("initial", 2, 3, 3, 4, "not above"),
        ("initial", 3, 4, 4, 5, "joined"),
        ("merging", 0, 2, 2, 3, "not above"),
        ("over a snippet", 0, 2, 3, 5, "joined"),
    ]
    assert chunking.comparisons[4].reason == ""


def test_what_is_refused_for_its_length_is_told_with_the_length():
    chunking = double("0 aaaa\n5 aaaa\n32 aaa\n37 aaa", max_size=20)
    refused = chunking.comparisons[-1]
    assert (refused.kind, refused.outcome, refused.length) == ("merging", "too long", 27)
    apart = double("0 aaaa\n90 aaaa", max_size=10)
    assert apart.comparisons[0].outcome == "not above"
    assert "maximum" not in apart.gaps[0].reason


VECTORS = ["mean", "re-embed"]
SETTINGS = [{}, {"look_ahead": 2, "merging_threshold": 0.6}, {"max_size": 300}, {"vector": "re-embed", "max_size": 400}]


@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize("sample", samples())
def test_the_comparisons_replayed_give_the_ledger_and_the_chunks(sample, parameters):
    source = load_sample(sample)
    chunker = DoublePass.build(
        **{"initial_threshold": 0.5, "appending_threshold": 0.5, "merging_threshold": 0.5} | parameters
    )
    document = Document.from_text(source.text, source.sentences)
    chunking = run_and_time_chunker(chunker, document, tools())
    reasons = [[] for _ in chunking.gaps]
    starts = list(range(len(document.sentences)))
    for comparison in chunking.comparisons:
        assert (comparison.similarity > comparison.threshold) == (comparison.outcome != "not above")
        assert starts[starts.index(comparison.left.start) + 1] == comparison.left.end
        if comparison.outcome == "joined":
            joined = [start for start in starts if comparison.left.start < start <= comparison.right.start]
            starts = [start for start in starts if start not in joined]
        else:
            joined = [comparison.left.end]
        for start in joined if comparison.reason else ():
            reasons[start - 1].append(comparison.reason)
    assert ["; ".join(parts) for parts in reasons] == [gap.reason for gap in chunking.gaps]
    assert [document.sentences[start].start for start in starts] == [chunk.start for chunk in chunking.chunks]


@given(spaces=st.lists(st.integers(1, 60), min_size=1, max_size=6), most=st.integers(5, 80), vector=st.sampled_from(VECTORS))
@settings(max_examples=100, deadline=None)
def test_a_chunk_above_maximum_size_is_said(spaces, most, vector):
    text = "0 a." + "".join("\n" * count + "0 a." for count in spaces)
    always = dict.fromkeys(["initial_threshold", "appending_threshold", "merging_threshold"], -1)
    chunking = cut(DoublePass.build(vector=vector, max_size=most, **always), text, embedder=AngleEmbedder())
    longer = [chunk for chunk in chunking if len(chunk.text) > max(most, len("0 a."))]
    assert vector == "re-embed" or not longer
    notes = [note for note in chunking.notes if "longer than the maximum size" in note]
    assert len(notes) == bool(longer)
    if longer:
        assert f" {max(len(chunk.text) for chunk in longer)}: with re-embed, white space" in notes[0]
        assert notes[0].startswith("A chunk is" if len(longer) == 1 else f"{len(longer)} chunks are")
