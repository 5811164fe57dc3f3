"""The bundled documents hold what the manifest says, and show what they are there to show."""

from itertools import pairwise

import pytest

from chunkers import Document, InputError, chunk
from sample_docs import load_sample, sample_titles


@pytest.mark.parametrize("name", sample_titles())
def test_known_boundaries_are_sentence_starts_in_order(name):
    sample = load_sample(name)
    document = Document.from_text(sample.text, sample.sentences)
    starts = {span.start for span in document.sentences}
    assert set(sample.known) <= starts
    assert list(sample.known) == sorted(set(sample.known))
    assert sample.teaches


def sections(sample):
    edges = [0, *sample.known, len(sample.text)]
    document = Document.from_text(sample.text, sample.sentences)
    starts = [span.start for span in document.sentences]
    return [sum(low <= start < high for start in starts) for low, high in pairwise(edges)]


def test_sizes():
    assert sections(load_sample("stubs")) == [4, 3, 4, 5]
    assert len(sections(load_sample("three_topics"))) == 3
    assert len(set(sections(load_sample("three_topics")))) == 3
    assert sections(load_sample("algorithm")) == [14]
    assert len(sections(load_sample("article"))) == 4
    assert len(sections(load_sample("report"))) == 5
    assert sum(sections(load_sample("report"))) >= 300
    assert 74_500 <= len(load_sample("essay").text) <= 75_999


def test_an_unknown_sample_is_named():
    with pytest.raises(InputError, match="'nothing'"):
        load_sample("nothing")


def boundaries(chunking):
    return tuple(piece.start for piece in chunking.chunks[1:])


@pytest.mark.model
def test_the_default_double_pass_finds_the_three_topics_and_no_fixed_size_does():
    sample = load_sample("three_topics")
    assert boundaries(chunk(sample.text, "double_pass", sentences=sample.sentences)) == sample.known
    for size in range(1, 15):
        assert boundaries(chunk(sample.text, "fixed_sentences", sentences=sample.sentences, size=size)) != sample.known


@pytest.mark.model
def test_double_pass_keeps_the_algorithm_whole_over_a_snippet_where_breakpoint_cuts_inside():
    sample = load_sample("algorithm")
    whole = chunk(sample.text, "double_pass", sentences=sample.sentences)
    assert len(whole.chunks) == 1
    assert any(merge.kind == "over a snippet" for merge in whole.merges)
    cut = chunk(sample.text, "breakpoint", sentences=sample.sentences, threshold="percentile", amount=60)
    code = sample.text.index("1. Divide"), sample.text.index("For 48 and 18")
    assert any(code[0] < offset < code[1] for offset in boundaries(cut))


@pytest.mark.model
def test_breakpoint_finds_the_stubs_and_cuts_more():
    sample = load_sample("stubs")
    cut = chunk(sample.text, "breakpoint", sentences=sample.sentences, amount=70)
    assert set(sample.known) < set(boundaries(cut))
