"""Fields of a traced question, under the names that programs give them; imported by the process that reads files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from chunkers.files import chunk_rows
from evaluation.questions.literals import literal
from evaluation.questions.rows import HOP, listed

QUESTIONS = ("question", "query", "user_input", "input")
RETRIEVED = (
    *("retrieved", "retrieved_contexts", "retrieved_chunks", "retrieved_documents", "contexts", "context"),
    *("source_documents", "source_nodes", "chunks", "nodes", "results", "hits", "documents"),
    *("retrieved_ids", "retrieved_context_ids"),
)
ANSWERS = ("answer", "response", "output", "result")
REFERENCES = ("reference", "ground_truth", "ground_truths", "expected_output", "expectedOutput")
EXCERPTS = ("references", "excerpts", "reference_contexts")
FEEDBACK = ("feedback", "user_feedback", "thumbs", "helpful", "correct")
SCORES = ("score", "relevance_score", "similarity")
LIMITS = ("top_k", "k")
"""Names of the fields of a question; of each kind the first that is there counts."""

_WRAPPED = ("node", "document", "chunk")
_FEEDBACK_WORDS = ("feedback", "thumb", "helpful", "correct")

Row = dict[str, Any]


def question_row(
    place: str, form: str, question: Any, retrieved: list[Row], held: Mapping[str, Any], feedback: list[list[Any]]
) -> Row:
    """Return the row of a question; answer, reference and excerpts are fields of ``held``."""
    reference, excerpts = first_of(held, REFERENCES), first_of(held, EXCERPTS)
    if isinstance(reference, list):
        reference = next(iter(reference), None)
    return {
        "place": place,
        "format": form,
        "question": question,
        "retrieved": retrieved,
        "answer": text_in(first_of(held, ANSWERS), ANSWERS),
        "reference": text_in(reference, (*REFERENCES, *ANSWERS)),
        "excerpts": [
            HOP.sub("", excerpt) if isinstance(excerpt, str) else excerpt
            for excerpt in ([] if excerpts is None else listed(excerpts, "excerpts"))
        ],
        "feedback": [[name, value] for name, given in feedback for value in [_verdict(given)] if value is not None],
    }


def first_of(held: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first of the named fields that is there and not empty; None if there is none."""
    return next((held[name] for name in names if held.get(name) not in (None, "", [])), None)


def ranked_rows(items: Sequence[Any]) -> list[Row]:
    """Return a row for each retrieved text, best first. Raise InputError if one has neither a text, a place nor a name."""
    return [_retrieved(item, rank) for rank, item in enumerate(items, start=1)]


def _retrieved(item: Any, rank: int) -> Row:
    """Return a retrieved text: its chunk, which may be wrapped with its score, and its score."""
    score = None
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str | dict):
        item, score = item
    if isinstance(item, dict):
        score = first_of(item, SCORES) if score is None else score
        item = next((item[key] for key in _WRAPPED if isinstance(item.get(key), dict)), item)
        score = first_of(item, SCORES) if score is None else score
        metadata = item.get("metadata")
        if isinstance(metadata, str):
            item = {**item, "metadata": parse(metadata)}
    text, spans, document, identifier = chunk_rows.given(item, f"retrieved {rank}", by_id=True)
    return {
        "rank": rank,
        "text": text,
        "spans": spans,
        "document": document,
        "id": identifier,
        "score": score,
        "given": True,
    }


def parse(value: Any) -> Any:
    """Return the value of a text in JSON, or of a list or mapping as Python writes it; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[", '"')):
        for read in (json.loads, literal):
            with suppress(ValueError, RecursionError):
                return read(value)
    return value


def _structure(value: Any) -> Any:
    """Return the object, or the list of objects, that a text has in JSON; anything else, a text in quotes too, as it is."""
    parsed = parse(value)
    objects = parsed if isinstance(parsed, list) and parsed else [parsed]
    return parsed if all(isinstance(item, dict) for item in objects) else value


def text_in(value: Any, names: Sequence[str] = QUESTIONS) -> Any:
    """Return the text of an input or output: itself, what an object has under one of the names, or the last message."""
    value = _structure(value)
    if isinstance(value, list):
        messages = [
            message for message in value if isinstance(message, dict) and message.get("role") in (None, "user", "assistant")
        ]
        value = messages[-1] if messages else next(iter(value), None)
    if isinstance(value, dict):
        inner = first_of(value, (*names, "text", "content", "parts", "messages"))
        return None if inner is None else text_in(inner, names)
    return value


def documents_in(value: Any) -> list[Any] | None:
    """Return the retrieved texts in an output; None if it has none."""
    value = parse(value)
    if isinstance(value, dict):
        value = parse(first_of(value, (*RETRIEVED, "output")))
    return value if isinstance(value, list) else None


def _verdict(given: Any) -> Any:
    """Return the value of a feedback: a truth value, a number or a word."""
    return first_of(given, ("score", "value", "label", "thumbs", "rating")) if isinstance(given, dict) else given


def is_feedback(name: Any) -> bool:
    """Return whether a score of this name is a verdict on the answer, such as ``user-feedback`` or ``correctness``."""
    words = str(name).lower()
    return any(word in words for word in _FEEDBACK_WORDS) and not words.startswith(("in", "un"))
