"""The share of chunks within the requested sizes."""

import pytest

from chunkers import InputError, build_chunker, chunk, load_tokenizer
from evaluation.segmentation.chunk_statistics import (
    SizeBounds,
    chunk_sizes,
    count_fitting_short_long_chunks,
    find_chunker_else_embedder_bounds,
)


class Reads:
    """Stands for an embedder that reads 256 tokens, of which each text has two of its own."""

    max_tokens = 256

    def lengths(self, texts):
        return [len(text.split()) + 2 for text in texts]


def test_sizes_within_bounds_are_counted_both_ends_included():
    counts = count_fitting_short_long_chunks([9, 10, 15, 20, 21, 400], SizeBounds(10, 20, "tokens"))
    assert (counts.within, counts.short, counts.long, counts.share) == (3, 1, 2, 0.5)
    assert counts.bounds_and_violations_in_words() == "10 to 20 tokens: 1 too small, 2 too large"


@pytest.mark.parametrize(
    ("bounds", "share", "said"),
    [
        (SizeBounds(None, 15, "words"), 0.5, "at most 15 words: 1 too large"),
        (SizeBounds(15, None, "words"), 0.5, "at least 15 words: 1 too small"),
        (SizeBounds(1, 99, "words"), 1.0, "1 to 99 words: all are"),
    ],
)
def test_a_bound_may_be_missing(bounds, share, said):
    counts = count_fitting_short_long_chunks([10, 20], bounds)
    assert counts.share == share
    assert counts.bounds_and_violations_in_words() == said


def test_without_chunks_there_is_no_share():
    assert count_fitting_short_long_chunks([], SizeBounds(None, 5, "words")).share is None


@pytest.mark.parametrize("bounds", [(None, None), (20, 10), (-1, None), (None, -5), (-3, 4)])
def test_bounds_that_are_none_are_a_sentence(bounds):
    with pytest.raises(InputError, match=r"^(Size compliance needs|The minimum size must be).*; got .*\.$"):
        count_fitting_short_long_chunks([1], SizeBounds(*bounds, "words"))


@pytest.mark.parametrize(
    ("name", "parameters", "bounds"),
    [
        ("recursive", {"size": 300}, SizeBounds(None, 300, "characters")),
        ("recursive", {"size": 512, "unit": "tokens"}, SizeBounds(None, 512, "tokens")),
        ("recursive", {"size": 300, "parent_size": 900}, SizeBounds(None, 900, "characters")),
        ("fixed_words", {"size": 150}, SizeBounds(None, 150, "words")),
        ("fixed_tokens", {"size": 80}, SizeBounds(None, 80, "tokens")),
        ("optimal", {"max_size": 400}, SizeBounds(None, 400, "tokens")),
        ("double_pass", {"max_size": 900, "min_size": 80}, SizeBounds(80, 900, "characters")),
        ("breakpoint", {"min_size": 3, "size_unit": "sentences"}, SizeBounds(3, None, "sentences")),
        ("target_size", {"size": 200, "fit": "largest"}, SizeBounds(None, 200, "tokens")),
    ],
)
def test_a_chunker_asks_for_what_its_parameters_name(name, parameters, bounds):
    assert find_chunker_else_embedder_bounds(build_chunker(name, parameters), Reads()) == bounds


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("breakpoint", {}), ("fixed_sentences", {"size": 4}), ("target_size", {"size": 200}), ("dbscan", {})],
)
def test_where_no_size_is_asked_for_the_embedder_does(name, parameters):
    chunker = build_chunker(name, parameters)
    assert find_chunker_else_embedder_bounds(chunker, Reads()) == SizeBounds(None, 256, "tokens read")
    assert find_chunker_else_embedder_bounds(chunker, None) is None


def test_sizes_are_counted_in_the_unit():
    made = chunk("One two. Three four five.\nSix.", "fixed_sentences", size=2, tokenizer="words")
    words = load_tokenizer("words")
    assert chunk_sizes("characters", made, words) == [25, 4]
    assert chunk_sizes("words", made, words) == chunk_sizes("tokens", made, words) == [5, 1]
    assert chunk_sizes("sentences", made, words) == [2, 1]
    assert chunk_sizes("tokens read", made, words, Reads()) == [7, 3]
    with pytest.raises(InputError, match="unit must be one of characters, words, tokens, sentences; got 'bytes'"):
        chunk_sizes("bytes", made, words)
