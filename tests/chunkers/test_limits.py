"""Products of settings and texts are refused before the work, in a sentence with the limit and the value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Document, InputError, build_chunker
from chunkers.building_blocks import size_limits
from chunkers.methods import double_pass
from chunkers.methods.fixed_sentences import sliding_windows
from chunkers.text import document as documents
from chunkers.text import sentences
from chunkers.text.sentences import split_into_sentence_spans
from tests.support import cut

OVERLAPPING = [
    ("fixed_sentences", {"size": 10, "overlap": 9}),
    ("fixed_words", {"size": 20, "overlap": 19}),
    ("fixed_characters", {"size": 50, "overlap": 49}),
    ("fixed_tokens", {"size": 20, "overlap": 19}),
    ("recursive", {"size": 50, "overlap": 49, "separators": "langchain"}),
]
TEXT = "\n".join(f"line number {number}" for number in range(40))


@pytest.mark.parametrize(("name", "parameters"), OVERLAPPING)
def test_what_all_chunks_repeat_together_is_limited(monkeypatch, name, parameters):
    chunker = build_chunker(name, parameters)
    chunks = cut(chunker, TEXT).chunks
    characters = sum(chunk.end - chunk.start for chunk in chunks)
    assert characters > 2 * len(TEXT)
    # White space at the edges of a window may count.
    monkeypatch.setattr(size_limits, "MOST_TOTAL_CHUNK_CHARACTERS", 2 * characters)
    assert cut(chunker, TEXT).chunks == chunks
    monkeypatch.setattr(size_limits, "MOST_TOTAL_CHUNK_CHARACTERS", characters - 1)
    pattern = rf"{name}: all chunks together may have at most {characters - 1:,} characters, overlaps included; "
    with pytest.raises(InputError, match=pattern + rf"these {len(chunks)} chunks have [\d,]+\. "):
        cut(chunker, TEXT)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("fixed_words", {"size": 1, "overlap": 0}),
        ("fixed_characters", {"size": 3}),
        ("fixed_tokens", {"size": 1}),
        ("recursive", {"size": 3}),
        ("recursive", {"size": 1, "unit": "words"}),
        ("recursive", {"size": 1, "unit": "tokens"}),
        ("optimal", {"piece_size": 1, "max_size": 1}),
        ("breakpoint", {"max_size": 3}),
        ("fixed_sentences", {"max_size": 1, "size_unit": "words", "oversize": "recursive"}),
    ],
)
def test_the_number_of_chunks_is_limited(monkeypatch, name, parameters):
    chunker = build_chunker(name, parameters)
    most = len(cut(chunker, TEXT).chunks)
    # A bound that is known before the cutting may be lower than what is cut, but not higher.
    monkeypatch.setattr(size_limits, "MOST_CHUNKS", most)
    assert len(cut(chunker, TEXT).chunks) == most
    monkeypatch.setattr(size_limits, "MOST_CHUNKS", 100)
    with pytest.raises(InputError, match=r"a text may be cut into at most 100 chunks; "):
        cut(chunker, TEXT)


@given(st.integers(0, 60), st.integers(1, 70), st.integers(0, 69))
def test_windows_follow_each_other_to_the_end(count, size, overlap):
    overlap = min(overlap, size - 1)
    double_pass = []
    for first in range(0, count, size - overlap):
        double_pass.append((first, min(first + size, count)))
        if first + size >= count:
            break
    assert sliding_windows(count, size, overlap).tolist() == np.reshape(double_pass, (-1, 2)).tolist()


def test_a_text_has_a_limited_number_of_sentences(monkeypatch):
    monkeypatch.setattr(documents, "MAX_SENTENCES", 3)
    assert len(Document.from_text("a\nb\nc", "lines").sentences) == 3
    with pytest.raises(InputError, match=r"^notes\.txt: a text may have at most 3 sentences; this text has 4\."):
        Document.from_text("a\nb\nc\nd", "lines", "notes.txt").split()


def test_spacy_is_given_no_more_than_it_takes(monkeypatch):
    # The pipeline is kept with the limit that it was loaded with.
    sentences.preload_splitter("spacy", "")
    monkeypatch.setattr(sentences, "MAX_PARAGRAPH_CHARACTERS", 20)
    assert split_into_sentence_spans("Short. Too.\n\nAnd another one.", "spacy")
    with pytest.raises(InputError, match=r"may have at most 20 characters; this text has 24\."):
        split_into_sentence_spans("Short. Too.\n\nAnd another, longer one.", "spacy")


def test_groups_that_grow_and_grow_are_not_embedded_anew_for_ever(monkeypatch):
    every = {"vector": "re-embed", "initial_threshold": -1, "appending_threshold": -1, "merging_threshold": -1}
    # Pass one leaves mini-chunks of two sentences, as no pair is compared with the third.
    text = "\n".join(f"sentence {number}" for number in range(100))
    monkeypatch.setattr(double_pass, "MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS", 10_000)
    chunker = build_chunker("double_pass", {**every, "appending_threshold": 1})
    with pytest.raises(
        InputError, match=r"at most 10,000 characters in total; the groups up to sentence \d+ of 100 have more\. Set max"
    ):
        cut(chunker, text)
    limited = build_chunker("double_pass", {**every, "appending_threshold": 1, "max_size": 60})
    assert len(cut(limited, text).chunks) > 1
