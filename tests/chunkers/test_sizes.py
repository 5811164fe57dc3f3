"""Minimum and maximum size: what is merged, what is cut again, and that both are said and cost little."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import SPLITTER_DESCRIPTIONS, Document, Gap, Reason, Verdict, build_chunker, load_tokenizer
from chunkers.building_blocks.size_limits import SizeLimits, enforce_size_limits_on_gaps, span_size_function
from chunkers.contract.base import run_and_time_chunker
from chunkers.contract.tools import Tools
from chunkers.results.result import Chunking
from chunkers.text.document import Span
from sample_docs import load_sample
from tests.support import AngleEmbedder, HashEmbedder, cut, sentence_numbers, tools

UNITS = ["characters", "words", "tokens", "sentences"]
WORDS = ["a", "bb.", "ccc", "d e", "Dr.", "🌊", "e\u0301", "漢字。", "\n", "\n\n", " ", ". ", "! ", "word" * 20, "x-y"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).flatmap(
    lambda words: st.sampled_from([" ".join(words), "".join(words)])
)


def size_of(chunk, document, unit):
    """Return the size of a chunk, counted from its text alone; tokens are words here."""
    if unit == "characters":
        return len(chunk.text)
    if unit == "sentences":
        return sum(span.start < chunk.end and chunk.start < span.end for span in document.sentences)
    return len(chunk.text.split())


def beside(chunking, number):
    """Return the reasons of the cuts before and after the chunk of that number."""
    cuts = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    return " ".join(gap.reason for gap in cuts[max(0, number - 1) : number + 1])


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("oversize", ["weakest_gap", "recursive"])
@given(
    text=TEXTS,
    sentences=st.sampled_from(["spacy", "regex", "lines"]),
    sizes=st.tuples(st.integers(1, 12), st.integers(0, 20)),
    amount=st.integers(1, 100),
)
@settings(max_examples=60, deadline=None)
def test_limits_hold_or_the_reason_says_why(unit, oversize, text, sentences, sizes, amount):
    least, most = sizes[0], sum(sizes)
    parameters = {"amount": amount, "min_size": least, "max_size": most, "size_unit": unit, "oversize": oversize}
    chunking = run_and_time_chunker(build_chunker("breakpoint", parameters), Document.from_text(text, sentences), tools())
    for number, chunk in enumerate(chunking.chunks):
        size = size_of(chunk, chunking.document, unit)
        assert size <= most
        assert size >= least or len(chunking.chunks) == 1 or f"below minimum size {least}" in beside(chunking, number)
    for gap in chunking.gaps:
        if gap.verdict is Verdict.FORCED:
            assert f"above maximum size {most}" in gap.reason
        if gap.verdict is Verdict.REJECTED:
            assert f"below minimum size {least}" in gap.reason


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("oversize", ["weakest_gap", "recursive"])
def test_fixed_groups_keep_them_too(unit, oversize):
    text = load_sample("article").text
    least, most = {"characters": (80, 300), "sentences": (2, 3)}.get(unit, (15, 60))
    parameters = {"size": 5, "min_size": least, "max_size": most, "size_unit": unit, "oversize": oversize}
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", parameters), Document.from_text(text), tools())
    sizes = [size_of(chunk, chunking.document, unit) for chunk in chunking.chunks]
    assert max(sizes) <= most
    assert all(size >= least or "below minimum" in beside(chunking, number) for number, size in enumerate(sizes))
    assert Verdict.FORCED in [gap.verdict for gap in chunking.gaps]


@pytest.mark.slow
@given(text=TEXTS, sentences=st.sampled_from([*SPLITTER_DESCRIPTIONS]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_running_totals_are_what_counting_the_slice_gives(text, sentences, data):
    document = Document.from_text(text, sentences)
    bench = Tools(None, load_tokenizer())
    if not document.sentences:
        return
    first = data.draw(st.integers(0, len(document.sentences) - 1))
    start, end = document.slice(first, data.draw(st.integers(first + 1, len(document.sentences))))
    part = text[start:end]
    assert span_size_function(document, "characters", bench)(start, end) == len(part)
    assert span_size_function(document, "words", bench)(start, end) == len(part.split())
    assert span_size_function(document, "tokens", bench)(start, end) == bench.count_tokens([part])[0]


def test_a_part_of_a_sentence_is_counted_by_itself():
    document = Document.from_text("unbelievable things here. Next.", "regex")
    bench = Tools(None, load_tokenizer())
    assert span_size_function(document, "tokens", bench)(13, 24) == bench.count_tokens(["things here"])[0]
    assert span_size_function(document, "words", bench)(2, 24) == 3


def test_the_first_chunk_is_not_merged_above_the_maximum():
    chunking = cut(
        build_chunker("breakpoint", {"threshold": "distance", "amount": 0.5, "min_size": 5, "max_size": 13}),
        "0\n90 aaaaaaaaa\n180 aaa",
        embedder=AngleEmbedder(),
    )
    assert [chunk.text for chunk in chunking.chunks] == ["0", "90 aaaaaaaaa", "180 aaa"]
    assert chunking.gaps[0].verdict is Verdict.CUT
    assert chunking.gaps[0].reason.endswith("below minimum size 5, but with its neighbour above maximum size 13")


def test_double_passs_minimum_never_passes_its_maximum():
    parameters = {"initial_threshold": 0.9, "merging_threshold": 0.9, "min_size": 5, "max_size": 13}
    chunking = cut(build_chunker("double_pass", parameters), "0\n90 aaaaaaaaa\n180 aaa", embedder=AngleEmbedder())
    assert [len(chunk.text) for chunk in chunking.chunks] == [1, 12, 7]


def test_recursive_sentences_are_cut_after_every_so_many():
    text = "\n".join(str(number) for number in range(7))
    parameters = {"threshold": "distance", "amount": 2, "max_size": 3, "size_unit": "sentences", "oversize": "recursive"}
    chunking = cut(build_chunker("breakpoint", {**parameters, "min_size": 2}), text, embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [3, 3, 1]
    assert chunking.gaps[2].reason.endswith(
        "a chunk of 7 sentences, above maximum size 3; cut after every 3, which leaves 1, below minimum size 2"
    )


def test_the_weakest_gap_leaves_no_side_too_small_where_it_can():
    # The largest distance is after the first sentence; a chunk of one would be too small, so the next largest is cut.
    text = "0\n60\n61\n91\n92"
    parameters = {"threshold": "distance", "amount": 2, "max_size": 4, "size_unit": "sentences"}
    free = cut(build_chunker("breakpoint", parameters), text, embedder=AngleEmbedder())
    held = cut(build_chunker("breakpoint", {**parameters, "min_size": 2}), text, embedder=AngleEmbedder())
    assert (sentence_numbers(free), sentence_numbers(held)) == ([1, 4], [3, 2])


def test_the_weakest_gap_is_cut_all_the_same_where_every_side_is_too_small():
    parameters = {"threshold": "distance", "amount": 2, "max_size": 3, "min_size": 3, "size_unit": "sentences"}
    chunking = cut(build_chunker("breakpoint", parameters), "0\n60\n61\n62", embedder=AngleEmbedder())
    assert sentence_numbers(chunking) == [1, 3]
    assert chunking.gaps[0].reason.endswith("is here; a side below minimum size 3 is left")


def test_cuts_inside_sentences_are_kept_apart_and_in_order():
    document = Document.from_text("one two three four. five", "regex")
    gaps = [Gap(0, None, None, Verdict.CUT, Reason(), 8), Gap(0, None, None, Verdict.CUT, Reason())]
    limited = enforce_size_limits_on_gaps(
        document, gaps, SizeLimits(None, 6, "characters", "recursive"), tools(), lambda: ()
    )
    assert [chunk.text for chunk in Chunking.from_gaps(document, limited).chunks] == [
        "one",
        "two",
        "three",
        "four",
        ".",
        "five",
    ]


class CountingTokenizer:
    """Counts words, and the characters that it was asked to look at."""

    name = "counting"

    def __init__(self):
        self.looked_at = 0

    def ensure_loaded(self):
        pass

    def count(self, texts):
        self.looked_at += sum(map(len, texts))
        return [len(text.split()) for text in texts]


@pytest.mark.parametrize("oversize", ["weakest_gap", "recursive"])
def test_no_text_is_counted_over_and_over(oversize):
    text = " ".join(f"Sentence {number} ends." for number in range(2000))
    counting = CountingTokenizer()
    bench = Tools(HashEmbedder(), counting)
    parameters = {"amount": 30, "min_size": 4000, "max_size": 5000, "size_unit": "tokens", "oversize": oversize}
    run_and_time_chunker(build_chunker("breakpoint", parameters), Document.from_text(text, "regex"), bench)
    assert counting.looked_at < 8 * len(text)


def test_distances_are_asked_for_once():
    document = Document.from_text("\n".join("abcdefghijklmnop"), "lines")
    gaps = [Gap(index, None, None, Verdict.KEPT, Reason()) for index in range(15)]
    asked = []

    def distances():
        asked.append(1)
        return [0.5] * 15

    limited = enforce_size_limits_on_gaps(
        document, gaps, SizeLimits(None, 2, "sentences", "weakest_gap"), tools(), distances
    )
    assert len(asked) == 1
    assert [gap.verdict for gap in limited] == [Verdict.FORCED] * 14 + [Verdict.KEPT]


def test_no_distance_is_asked_for_where_none_is_wanted():
    embedder = HashEmbedder()
    parameters = {"size": 3, "max_size": 1000}
    cut(build_chunker("fixed_sentences", parameters), "a\nb\nc\nd", embedder=embedder)
    assert embedder.batches == []


def test_sentences_at_offsets():
    document = Document.from_text(" One. Two.", "regex")
    assert document.sentences == (Span(1, 5), Span(6, 10))
    assert [document.sentence_at(offset) for offset in range(11)] == [-1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
