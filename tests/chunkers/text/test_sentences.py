"""Sentences: what holds for every splitter, and what each does."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import SPLITTERS, Document

WORDS = ["Dr.", "Sec.", "3", "1.", "One", "two", "end.", "What?", "No!", '"Yes."', "「はい。」", "¿Qué", "«Où", "»", "🌊", "e\u0301."]
PIECES = st.sampled_from([*WORDS, " ", " ", "\n", "\n", "\n\n", "\t", "| a | b |", "- item", "。", "\u00a0"])
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def sentences(text, splitter):
    return [text[start:end] for start, end in Document.from_text(text, splitter).sentences]


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
@given(text=TEXTS)
@example(text="This sentence is wrapped\nover two lines. Second.\n\nThird.")
@settings(deadline=None)
def test_how_lines_end_makes_no_difference(splitter, line_end, text):
    other = [re.sub("\r\n?", "\n", sentence) for sentence in sentences(text.replace("\n", line_end), splitter)]
    assert other == sentences(text, splitter)
