"""An index of a corpus's chunks, and exact search in it by the cosine with the question's embedding.

All chunks of all documents are searched together: as they are, or with their heading paths or contexts in front.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from chunkers import Cancelled, Chunker, Chunking, Span, Tools, run
from chunkers.arrays import IntArray, VectorArray
from chunkers.embedded import EmbeddedAs, embedded_text
from chunkers.tools import Meter
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.questions import Question
from evaluation.retrieval.ranges import Covered

BLOCK = 8192
"""How many chunks are compared at once."""

QUERIES = 512
"""How many questions are compared at once with a block of chunks."""

REPEATS = 5
"""How many searches are timed; the fastest counts, as the others are slowed by other work of the machine."""


def nearest(queries: VectorArray, vectors: VectorArray, count: int, block: int = BLOCK) -> IntArray:
    """Return the indices of the rows with the greatest products, best first, shape (queries, min(count, rows)).

    The result is exact; of equals the earlier row comes first. ``vectors`` are compared ``block`` rows at a time.
    """
    count = min(count, len(vectors))
    scores = np.zeros((len(queries), 0), np.float32)
    rows = np.zeros((len(queries), 0), np.intp)
    for start in range(0, len(vectors), block):
        part = queries @ vectors[start : start + block].T
        scores = np.hstack([scores, part])
        rows = np.hstack([rows, np.broadcast_to(np.arange(start, start + part.shape[1]), part.shape)])
        keep = min(count, scores.shape[1])
        limit = -np.partition(-scores, keep - 1, axis=1)[:, keep - 1]
        chosen = np.empty((len(queries), keep), np.intp)
        for query, line in enumerate(scores):
            candidates = np.flatnonzero(line >= limit[query])
            chosen[query] = candidates[np.argsort(-line[candidates], kind="stable")][:keep]
        scores, rows = np.take_along_axis(scores, chosen, axis=1), np.take_along_axis(rows, chosen, axis=1)
    return rows


@dataclass(frozen=True)
class Indexed:
    """The chunks of a corpus with their costs: what measures and reports need of an index.

    Attributes
    ----------
    chunks
        Their spans on the corpus's axis.
    chunk_s
        Seconds for chunking, as if nothing had been embedded before; without splitting into sentences, done once for all.
        None of chunks that were made elsewhere.
    decide_s
        Seconds of these for decisions, that is, without embedding.
    embed_s
        Seconds for embedding the chunks; cached embeddings count with their original time.
    embedded, cached
        Distinct texts, of chunking and of chunks, that were computed and that were found in the cache.
    returns
        What is returned for each chunk, see `returned`; None where that is the chunk.
    caveat
        What must be known beside the measures, see `Chunker.caveat`.
    """

    corpus: Corpus
    chunks: tuple[tuple[Span, ...], ...]
    chunk_s: float | None
    decide_s: float | None
    embed_s: float
    embedded: int
    cached: int
    returns: tuple[tuple[Span, ...], ...] | None = field(default=None, kw_only=True)
    caveat: str = field(default="", kw_only=True)

    @cached_property
    def edges(self) -> IntArray:
        """Where every chunk begins and ends on the axis, shape (chunks, 2)."""
        return np.array([(spans[0].start, spans[-1].end) for spans in self.chunks], dtype=np.intp).reshape(-1, 2)

    @cached_property
    def returned_edges(self) -> IntArray:
        """Where what every chunk returns begins and ends, as `edges`."""
        if self.returns is None:
            return self.edges
        return np.array([(spans[0].start, spans[-1].end) for spans in self.returns], dtype=np.intp).reshape(-1, 2)

    def given(self, ranked: Iterable[int]) -> Iterator[tuple[Span, ...]]:
        """Yield what each of the chunks, best first, gives: its spans, or what it returns that was not given before."""
        if self.returns is None:
            yield from (self.chunks[number] for number in ranked)
            return
        known = Covered()
        for number in ranked:
            yield tuple(known.add(self.returns[number]))

    def near(self, excerpts: Sequence[Span]) -> list[tuple[Span, ...]]:
        """Return what the chunks return between whose first and last character part of an excerpt lies."""
        inside = np.zeros(len(self.chunks), dtype=bool)
        for start, end in excerpts:
            inside |= (self.edges[:, 0] < end) & (self.edges[:, 1] > start)
        returns = self.chunks if self.returns is None else self.returns
        return [returns[number] for number in np.flatnonzero(inside)]


@dataclass(frozen=True)
class Index(Indexed):
    """All chunks of a corpus, ready to be searched.

    Attributes
    ----------
    texts
        What was embedded.
    vectors
        Unit vectors, shape (chunks, dimension).
    reasons
        Why the text was cut at a place of the axis, where a chunker says so: by the place at which the later chunk begins.
    unsituated
        Of chunks that are embedded with a context sentence, the number of those of which there is none.
    """

    texts: tuple[str, ...]
    vectors: VectorArray
    reasons: Mapping[int, str] = field(default_factory=dict)
    unsituated: int = 0


def build_index(corpus: Corpus, chunker: Chunker, tools: Tools, embedded_as: EmbeddedAs = "plain") -> Index:
    """Cut every document and embed the chunks as they are, or with headings or a language model's words in front.

    Raises
    ------
    InputError
        If the chunker refuses a document, or these documents together.
    Cancelled
        If the user asked to stop.
    """
    chunker = chunker.for_documents([document.name for document in corpus.documents if document.sentences])
    chunkings = []
    for document in corpus.documents:
        if tools.cancelled():
            raise Cancelled
        chunkings.append(run(chunker, document, tools, embedded_as))
    timings = [chunking.timing for chunking in chunkings if chunking.timing is not None]
    decide_ms = sum(timing.decide_ms + timing.merge_ms for timing in timings)
    texts = [embedded_text(one.document, chunk, embedded_as) for one in chunkings for chunk in one.chunks]
    meter = Meter()
    vectors = embed_together(corpus, texts, replace(tools, meter=meter))
    chunks = [corpus.chunk_on_axis(number, chunk) for number, chunking in enumerate(chunkings) for chunk in chunking.chunks]
    return Index(
        corpus=corpus,
        chunks=tuple(chunks),
        chunk_s=None if chunker.elsewhere else (decide_ms + sum(timing.cold_ms for timing in timings)) / 1000,
        decide_s=None if chunker.elsewhere else decide_ms / 1000,
        embed_s=meter.cold_s,
        embedded=meter.embedded + sum(timing.embedded for timing in timings),
        cached=meter.cached + sum(timing.cached for timing in timings),
        texts=tuple(texts),
        vectors=vectors,
        reasons={
            corpus.offsets[number] + place: reason
            for number, chunking in enumerate(chunkings)
            for place, reason in _reasons(chunking)
        },
        unsituated=sum(not chunk.situation for one in chunkings for chunk in one.chunks) if embedded_as == "context" else 0,
        caveat=chunker.caveat(),
    )


def _reasons(chunking: Chunking) -> Iterator[tuple[int, str]]:
    """Yield where every cut of a document is, and the reason for it."""
    starts = chunking.document.starts
    for gap in chunking.gaps:
        if gap.verdict.is_cut:
            yield starts[gap.index + 1] if gap.offset is None else gap.offset, gap.reason


def embed_together(corpus: Corpus, texts: Sequence[str], tools: Tools) -> VectorArray:
    """Embed the chunks with one embedder for all documents: one that is fitted on text is fitted on all of them."""
    embedder = tools.embedder.for_document(corpus.whole) if tools.embedder is not None else None
    return replace(tools, embedder=embedder).embed(texts)


@dataclass(frozen=True)
class Search:
    """The chunks that every question finds.

    Attributes
    ----------
    ranked
        Numbers of the chunks nearest to each question, best first, shape (questions, min(depth, chunks)).
    embed_s
        Seconds for embedding all questions; cached embeddings count with their original time.
    search_s
        Seconds for searching for all questions: the fastest of `REPEATS` times.
    """

    index: Indexed
    questions: tuple[Question, ...]
    ranked: IntArray
    embed_s: float
    search_s: float


def search(index: Index, questions: Sequence[Question], tools: Tools, depth: int) -> Search:
    """Find the ``depth`` chunks nearest to every question; raises as `Tools.embed` does."""
    meter = Meter()
    queries = embed_together(index.corpus, [question.text for question in questions], replace(tools, meter=meter))
    ranked = np.zeros((len(questions), 0), np.intp)
    seconds = [0.0]
    if index.chunks and questions:
        seconds = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            parts = [nearest(queries[at : at + QUERIES], index.vectors, depth) for at in range(0, len(queries), QUERIES)]
            ranked = np.vstack(parts)
            seconds.append(time.perf_counter() - began)
    return Search(index, tuple(questions), ranked, meter.cold_s, min(seconds))
