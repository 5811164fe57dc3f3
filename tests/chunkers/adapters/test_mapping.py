"""Other libraries' chunks are found again in the text, whatever they lose, repeat or invent."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, Span
from chunkers.adapters.piece_location import chunking_of_pieces, find_span_of_each_piece
from tests.chunkers.adapters.checks import SPACES, WORDS, check


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        ("", [], []),
        ("", ["a"], [None]),
        (" \n", [" "], [None]),
        ("One. Two.", ["One.", "Two."], ["One.", "Two."]),
        (" One.\n\nTwo. ", ["One. Two."], ["One.\n\nTwo."]),
        ("One.\n\nTwo.", ["One.Two."], ["One.\n\nTwo."]),
        ("A\u00a0b\u2028c", ["A b c"], ["A\u00a0b\u2028c"]),
        ("🌊 e\u0301 🌊🌊 x", ["🌊e\u0301", "🌊", "🌊 x"], ["🌊 e\u0301", "🌊", "🌊 x"]),
        # cut inside a word, and inside a letter with its accent
        ("abcdef e\u0301", ["abc", "def e", "\u0301"], ["abc", "def e", "\u0301"]),
        # an exact copy further on is taken before one that differs in white space
        ("x. a b. ab.", ["ab."], ["ab."]),
        ("x. a b. c.", ["ab."], ["a b."]),
        # what goes on where the last chunk ended is taken before an exact copy further on
        ("a  b c a b", ["a b", "c", "a b"], ["a  b", "c", "a b"]),
        ("One. Two. Three.", ["One. Two.", "Two. Three."], ["One. Two.", "Two. Three."]),
        ("One. Two. Three.", ["One.", "Four.", "Two. Three."], ["One.", None, "Two. Three."]),
        ("One. Two. Three.", ["One.", "\n", "Two. Three."], ["One.", None, "Two. Three."]),
        ("One. Two. Three.", ["Three.", "One."], [None, "One."]),
        # invented, though the same words stand further on
        ("One. Two. Three.", ["One.", "Three.", "Two.", "Three."], ["One.", None, "Two.", "Three."]),
    ],
)
def test_found_by_hand(text, pieces, expected):
    spans = find_span_of_each_piece(text, pieces)
    assert [None if span is None else text[slice(*span)] for span in spans] == expected
    starts = [span.start for span in spans if span is not None]
    assert starts == sorted(set(starts))


def test_repeated_passages_are_told_apart():
    assert find_span_of_each_piece("Same. Same. Same.", ["Same."] * 3) == [Span(0, 5), Span(6, 11), Span(12, 17)]
    assert find_span_of_each_piece("Same. Same. Same.", ["Same. Same.", "Same. Same."]) == [Span(0, 11), Span(6, 17)]


TEXTS = st.lists(st.tuples(WORDS, SPACES), min_size=1, max_size=30).map(lambda pairs: "".join(map("".join, pairs)))


def trimmed(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def pieces_of(text, places):
    """Return the parts between the places, those without a character left out."""
    edges = sorted({0, len(text), *(place % len(text) for place in places)})
    spans = [trimmed(text, *pair) for pair in pairwise(edges)]
    return [span for span in spans if span.start < span.end]


@given(text=TEXTS, places=st.lists(st.integers(0, 10**6), max_size=12), space=st.sampled_from(["", " ", "\n\t", None]))
@settings(max_examples=300, deadline=None)
def test_chunks_that_lose_nothing_are_found_whatever_their_white_space(text, places, space):
    spans = pieces_of(text, places)
    originals = [text[slice(*span)] for span in spans]
    pieces = [piece if space is None else re.sub(r"\s+", space, piece) for piece in originals]
    assert find_span_of_each_piece(text, pieces) == spans
    chunking = chunking_of_pieces(Document.from_text(text, "regex"), pieces, "They")
    assert [chunk.text for chunk in chunking.chunks] == originals
    altered = sum(piece != original for piece, original in zip(pieces, originals, strict=True))
    assert chunking.notes == ((f"They altered the white space of {altered} chunk{'s' * (altered > 1)}.",) if altered else ())
    check(chunking)


@given(
    sizes=st.lists(st.integers(2, 5), min_size=1, max_size=12),
    kept=st.lists(st.booleans(), min_size=12, max_size=12),
    overlap=st.integers(0, 1),
    invented=st.integers(0, 12),
)
@settings(max_examples=200, deadline=None)
def test_lost_invented_and_overlapping_chunks(sizes, kept, overlap, invented):
    edges = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
    # Every word is another, so that there is one right answer.
    words = [f"w{number}🌊\n\n" for number in range(edges[-1])]
    starts = [len("".join(words[:number])) for number in range(len(words) + 1)]
    text = "".join(words)
    spans = [
        trimmed(text, starts[max(first - overlap, 0)], starts[last])
        for keep, first, last in zip(kept, edges, edges[1:], strict=False)
        if keep
    ]
    pieces = [" ".join(text[slice(*span)].split()) for span in spans]
    invented = min(invented, len(pieces))
    pieces.insert(invented, "An invented one")
    assert find_span_of_each_piece(text, pieces) == [*spans[:invented], None, *spans[invented:]]
    chunking = chunking_of_pieces(Document.from_text(text, "lines"), pieces, "They")
    held = {place for span in spans for place in range(*span)}
    lost = sum(place not in held and not text[place].isspace() for place in range(len(text)))
    assert f"Chunk {invented + 1} of They, “An invented one”, is not found in the text; it is left out." in chunking.notes
    notes = [note for note in chunking.notes if note.startswith("Lost")]
    assert notes == ([f"Lost characters, which lie in no chunk, white space not counted: {lost:,}."] if lost else [])
    check(chunking)


def test_notes_and_reasons_by_hand():
    text = "One is here.\nTwo is here, after it. Three."
    chunking = chunking_of_pieces(
        Document.from_text(text, "regex"), ["One is here. Two is", "No " * 40, " ", "Three."], "They"
    )
    assert [chunk.text for chunk in chunking.chunks] == ["One is here.\nTwo is", "Three."]
    assert chunking.notes == (
        f"Chunk 2 of They, “{'No ' * 13}…”, is not found in the text; it is left out.",
        "Chunk 3 of They is empty; it is left out.",
        "Lost characters, which lie in no chunk, white space not counted: 13.",
        "They altered the white space of 1 chunk.",
    )
    reasons = [(gap.index, str(gap.verdict), gap.reason) for gap in chunking.gaps]
    assert reasons == [(0, "kept", "They begins no chunk here"), (1, "cut", "They begins a chunk here")]


def test_a_cut_inside_a_sentence_is_a_gap_of_its_own():
    chunking = chunking_of_pieces(Document.from_text("One two three. Four.", "regex"), ["One two", "three. Four."], "They")
    assert [(gap.index, gap.offset, gap.reason) for gap in chunking.gaps] == [
        (0, 8, "inside sentence 1: They begins a chunk here"),
        (0, None, "They begins no chunk here"),
    ]


def test_many_chunks_that_are_left_out_are_counted():
    chunking = chunking_of_pieces(Document.from_text("One.", "lines"), ["One.", *(f"no {n}" for n in range(1_200))], "They")
    assert len(chunking.notes) == 9
    assert chunking.notes[-1] == "Further chunks of They that are left out, empty or not found: 1,192."
