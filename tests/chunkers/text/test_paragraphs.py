"""Sentences that begin a paragraph."""

import pytest

from chunkers import Document
from chunkers.text.document import paragraph_first_sentence_indices


@pytest.mark.parametrize(
    ("text", "splitter", "starts"),
    [
        ("", "lines", []),
        ("One. Two.", "regex", [0]),
        ("One. Two.\n\nThree. Four.\n \n\nFive.", "regex", [0, 2, 4]),
        ("One. Two.\r\n\r\nThree.", "regex", [0, 2]),
        ("One.\nTwo.\nThree.", "lines", [0]),
        # A sentence that runs over a blank line begins no paragraph, and nothing does inside it.
        ("One\n\ntwo. Three.\n\nFour.", "regex", [0, 2]),
        # A heading stays with what is below it, also where there are several.
        ("# A title\n\nOne.\n\n## Another\n\n### And one\n\nTwo.", "lines", [0, 2]),
        ("#no heading\n\nOne.", "lines", [0, 1]),
        ("# Code or a title\nand a second line\n\nOne.", "lines", [0, 2]),
    ],
)
def test_a_blank_line_is_before_it_and_no_heading(text, splitter, starts):
    assert paragraph_first_sentence_indices(Document.from_text(text, splitter)) == starts
