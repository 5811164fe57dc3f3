"""Questions with their marked answers: a file that `evaluation.questions.reading` reads, or a set with their texts."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count
from typing import NamedTuple

from chunkers.support.formatting import as_cell
from evaluation.questions.sets import QuestionSet, json_lines


class MarkedQuestion(NamedTuple):
    """A question whose answer the user has marked in a text.

    Attributes
    ----------
    document
        The name of the text.
    identity
        Identity of the document, by which it is recognised later.
    start
        Offset of the answer in the text, in code points.
    answer
        Text of the answer.
    """

    question: str
    document: str
    identity: str
    start: int
    answer: str


def questions_to_csv(marked: Iterable[MarkedQuestion]) -> str:
    """Return the questions as CSV, with each answer as JSON in ``references`` and its document in ``corpus_id``.

    Text that a spreadsheet would read as a formula gets an apostrophe before it.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(["question", "references", "corpus_id"])
    for question in marked:
        references = json.dumps([_reference(question)], ensure_ascii=False)
        writer.writerow(map(as_cell, (question.question, references, question.document)))
    return written.getvalue()


def questions_with_texts(marked: Iterable[MarkedQuestion], texts: Mapping[str, str]) -> QuestionSet:
    """Return a question set of the questions and the texts in which their answers are marked.

    Texts with the same name, such as pasted texts, are numbered. ``texts`` has the texts by the identities of their
    documents.
    """
    names: dict[str, str] = {}
    rows = []
    for question in marked:
        text = texts[question.identity]
        if text not in names:
            names[text] = _unused_name(question.document, names.values())
        rows.append({"question": question.question, "corpus_id": names[text], "references": [_reference(question)]})
    return QuestionSet(tuple((name, text) for text, name in names.items()), json_lines(rows, "kept-questions.jsonl"), ())


def _reference(marked: MarkedQuestion) -> dict[str, str | int]:
    return {"content": marked.answer, "start_index": marked.start, "end_index": marked.start + len(marked.answer)}


def _unused_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number behind it if others have it."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)
