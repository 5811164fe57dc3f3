"""Questions with their excerpts as a file that survives an edit of the documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chunkers.text.quotations import context_of
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.excerpts import Excerpt
from evaluation.retrieval.questions import Question


def labels(questions: Sequence[Question], corpus: Corpus) -> bytes:
    """Return JSON lines that `read_questions` reads: every excerpt with its document, its place, and what is around it.

    An excerpt that is the whole of a document is named by the document alone, if those of its question all are.
    """
    rows = []
    for question in questions:
        names = [corpus.names[document] for document, _ in question.excerpts]
        row: dict[str, Any] = {"question": question.text}
        if names and all(_is_whole(one, corpus) for one in question.excerpts):
            row["documents"] = names
        else:
            row["references"] = [_reference(one, corpus) for one in question.excerpts]
        rows.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{row}\n" for row in rows).encode()


def _is_whole(excerpt: Excerpt, corpus: Corpus) -> bool:
    start, end = excerpt.span
    text = corpus.documents[excerpt.document].text
    return not text[:start].strip() and not text[end:].strip()


def _reference(excerpt: Excerpt, corpus: Corpus) -> dict[str, Any]:
    start, end = excerpt.span
    text = corpus.documents[excerpt.document].text
    prefix, suffix = context_of(text, excerpt.span)
    return {
        "corpus_id": corpus.names[excerpt.document],
        "content": text[start:end],
        "start_index": start,
        "end_index": end,
        "prefix": prefix,
        "suffix": suffix,
    }
