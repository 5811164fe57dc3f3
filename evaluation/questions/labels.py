"""Questions with their excerpts as a file that survives an edit of the documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chunkers import Span
from chunkers.text.quotations import context_of
from evaluation.questions.corpus import Corpus
from evaluation.questions.excerpts import Excerpt
from evaluation.questions.reading import Question


def labels(questions: Sequence[Question], corpus: Corpus) -> bytes:
    """Return questions as JSON lines for `read_questions`, with each excerpt's document, position and context.

    If all excerpts of a question are whole documents, only the documents' names are written.
    """
    rows = []
    for question in questions:
        names = [corpus.names[document] for document, _ in question.excerpts]
        row: dict[str, Any] = {"question": question.text}
        if names and all(_is_whole(excerpt, corpus) for excerpt in question.excerpts):
            row["documents"] = names
        else:
            row["references"] = [
                reference(name, corpus.documents[document].text, span)
                for name, (document, span) in zip(names, question.excerpts, strict=True)
            ]
        rows.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{row}\n" for row in rows).encode()


def _is_whole(excerpt: Excerpt, corpus: Corpus) -> bool:
    start, end = excerpt.span
    text = corpus.documents[excerpt.document].text
    return not text[:start].strip() and not text[end:].strip()


def reference(name: str, text: str, span: Span) -> dict[str, Any]:
    """Return an excerpt as a JSON-compatible mapping with its document, position and context."""
    prefix, suffix = context_of(text, span)
    return {
        "corpus_id": name,
        "content": text[span.start : span.end],
        "start_index": span.start,
        "end_index": span.end,
        "prefix": prefix,
        "suffix": suffix,
    }
