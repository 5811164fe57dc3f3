"""The paragraphs of a document, separated by blank lines."""

from __future__ import annotations

import re
from itertools import pairwise

from chunkers.text.document import Document
from chunkers.text.sentences import split_sentences

_HEADING = re.compile(r"#{1,6}[ \t][^\r\n]*\Z")


def paragraph_starts(document: Document) -> list[int]:
    """Return the indices of the sentences that begin a paragraph.

    A heading marked with ``#`` belongs to the paragraph below it, and a sentence that continues over a blank line does
    not begin a paragraph. Empty for a text without sentences.
    """
    text = document.text
    spans = split_sentences(text, "paragraphs")
    headed = {after[0] for before, after in pairwise(spans) if _HEADING.match(text, *before)}
    starts = {start for start, _ in spans} - headed
    return [number for number, start in enumerate(document.starts) if number == 0 or start in starts]
