"""Evaluations as JSON without any text: ranges, numbers of chunks, scores and times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from chunkers import InputError, Span
from chunkers.arrays import FloatArray
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.found_documents import AT, SET_SCORES
from evaluation.retrieval.index import Indexed, Search
from evaluation.retrieval.measures import MEASURES, UNITS, Evaluation
from evaluation.retrieval.questions import Question


class _Stored(BaseModel):
    """An evaluation without its corpus and its questions."""

    model_config = ConfigDict(extra="forbid", strict=True)

    chunks: tuple[tuple[tuple[int, int], ...], ...]
    chunk_s: float
    decide_s: float
    embed_s: float
    embedded: int
    cached: int
    ranked: list[list[int]]
    ask_s: float
    search_s: float
    top_k: int
    scores: list[list[list[float | None]]]
    documents: list[list[list[float | None]]]
    evidence: list[list[list[float | None]]]


def to_json(found: Evaluation) -> bytes:
    """Return an evaluation as JSON, in which what is undefined is null."""
    index, search = found.index, found.search
    stored = _Stored(
        chunks=tuple(tuple((start, end) for start, end in spans) for spans in index.chunks),
        chunk_s=index.chunk_s,
        decide_s=index.decide_s,
        embed_s=index.embed_s,
        embedded=index.embedded,
        cached=index.cached,
        ranked=search.ranked.tolist(),
        ask_s=search.embed_s,
        search_s=search.search_s,
        top_k=found.top_k,
        scores=found.scores.tolist(),
        documents=found.documents.tolist(),
        evidence=found.evidence.tolist(),
    )
    return stored.model_dump_json().encode()


def from_json(data: bytes, corpus: Corpus, questions: Sequence[Question]) -> Evaluation:
    """Return the evaluation that `to_json` wrote, of this corpus and these questions.

    Raises
    ------
    InputError
        If it is not such JSON, or does not fit the corpus or the questions.
    """
    try:
        stored = _Stored.model_validate_json(data)
    except ValidationError as error:
        place = ".".join(str(key) for key in error.errors(include_url=False)[0]["loc"]) or "the whole"
        raise InputError(f"stored evaluation: {place} must be as it was written; it is not.") from error
    length = len(corpus.whole.text)
    fits = all(0 <= start <= end <= length for spans in stored.chunks for start, end in spans)
    if not fits or not all(stored.chunks):
        raise InputError(f"stored evaluation: chunks must be ranges of the corpus, of {length:,} characters; these are not.")
    ranked = _array(stored.ranked, (len(questions), -1), "ranked").astype(np.intp)
    if ranked.size and not 0 <= ranked.min() <= ranked.max() < len(stored.chunks):
        raise InputError(f"stored evaluation: ranked must number the {len(stored.chunks):,} chunks; it does not.")
    index = Indexed(
        corpus=corpus,
        chunks=tuple(tuple(Span(start, end) for start, end in spans) for spans in stored.chunks),
        chunk_s=stored.chunk_s,
        decide_s=stored.decide_s,
        embed_s=stored.embed_s,
        embedded=stored.embedded,
        cached=stored.cached,
    )
    at_k = (len(AT), len(SET_SCORES), len(questions))
    return Evaluation(
        Search(index, tuple(questions), ranked, stored.ask_s, stored.search_s),
        stored.top_k,
        _array(stored.scores, (len(UNITS), len(MEASURES), len(questions)), "scores"),
        _array(stored.documents, at_k, "documents"),
        _array(stored.evidence, at_k, "evidence"),
    )


def _array(values: Sequence[object], shape: tuple[int, ...], name: str) -> FloatArray:
    """Return nested lists as an array, null as NaN; -1 in the ``shape`` is any length.

    Raises
    ------
    InputError
        If they have another shape.
    """
    try:
        found = np.array(values, dtype=np.float64)
    except ValueError:
        found = np.empty(0)
    if found.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, found.shape, strict=True)):
        wanted = " × ".join("any" if one < 0 else f"{one:,}" for one in shape)
        raise InputError(f"stored evaluation: {name} must have the shape {wanted}; it has not.")
    return found
