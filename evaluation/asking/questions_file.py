"""Questions with their marked answers, as a file that `evaluation.retrieval.questions` reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import NamedTuple

from chunkers.spreadsheet import as_cell


class Marked(NamedTuple):
    """A question whose answer is marked.

    Attributes
    ----------
    document
        The name of the text.
    identity
        That of its document, so that it is known again.
    start
        Where the answer begins in the text, in code points.
    answer
        The text of it.
    """

    question: str
    document: str
    identity: str
    start: int
    answer: str


def questions_to_csv(marked: Iterable[Marked]) -> str:
    """Return the file: ``question``, ``references`` as JSON, and the document's name as ``corpus_id``.

    What a spreadsheet would take for a formula gets an apostrophe before it.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(["question", "references", "corpus_id"])
    for one in marked:
        reference = {"content": one.answer, "start_index": one.start, "end_index": one.start + len(one.answer)}
        writer.writerow(map(as_cell, (one.question, json.dumps([reference], ensure_ascii=False), one.document)))
    return written.getvalue()
