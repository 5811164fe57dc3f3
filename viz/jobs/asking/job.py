"""A background job that asks the chunks of several columns one question: embed, rank, and apply the limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers import Chunking, Document, Embedder, Tools, load_tokenizer
from chunkers.results.embedded import EmbeddedAs
from chunkers.storage.turn_taking import arrival
from chunkers.support.arrays import VectorArray
from evaluation.asking.ask import Asked, Limit, Passages, ask, embed_question, prepare
from evaluation.questions.corpus import Ruler
from evaluation.search.ranking import Method
from evaluation.search.reranker import Reranker
from viz.jobs.background import Background
from viz.jobs.chunking import Task
from viz.jobs.texts import CACHED_BYTES, kept


class Inquiry(NamedTuple):
    """A question and the retrieval settings that determine its answer; equal inquiries have equal answers.

    Attributes
    ----------
    reranker
        The folder of a cross-encoder; empty for none.
    contexts
        The hash from `contexts_of`; empty if the chunks are searched without context sentences.
    """

    question: str
    method: Method
    limit: Limit
    embedded_as: EmbeddedAs
    tokenizer: str
    reranker: str = ""
    contexts: str = ""


@dataclass(eq=False)
class AskJob(Background):
    """A job that retrieves the chunks for one question from several columns, one after another.

    Attributes
    ----------
    columns
        Each column's number, from 0, its task and its chunks.
    found
        Retrieval results by column number; grows while the job runs.
    """

    inquiry: Inquiry
    columns: Sequence[tuple[int, Task, Chunking]]
    embedder: Embedder | None
    on_disk: bool
    reranker: Reranker | None = None
    found: dict[int, Asked] = field(default_factory=dict)
    came: int = field(default_factory=arrival, init=False)
    _status: str = field(default="Looking for the answer", init=False)

    @property
    def subject(self) -> tuple[object, ...]:
        """Key of the job's answer; jobs with equal keys have equal answers."""
        embedder = None if self.embedder is None else (self.embedder.name, self.embedder.identity)
        return self.inquiry, tuple([(number, task) for number, task, _ in self.columns]), embedder

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and the current step."""
        return min(1.0, (len(self.found) + self._share) / max(1, len(self.columns))), self._status

    def _run(self) -> None:
        embedder = None if self.inquiry.method == "bm25" else self.embedder
        if embedder is not None and self.columns:
            self.load(embedder)
        for number, task, chunking in self.columns:
            self._share = 0.0

            def embedded(done: int, total: int, number: int = number) -> None:
                self._status = f"Column {number + 1}: {done:,} of {total:,} chunks embedded"

            def shared(share: float) -> None:
                self._share = share

            watching = {"progress": embedded, "share": shared, "came": self.came}
            tools = self.tools(embedder, self.inquiry.tokenizer, on_disk=self.on_disk, **watching)
            passages = _passages(task, chunking, self.inquiry, tools)
            self._status, self._share = "Looking for the answer", 1.0
            vector: VectorArray | None = None
            if embedder is not None and chunking.chunks:
                vector = embed_question(chunking, tools, self.inquiry.question)
            ruler = ruler_of(chunking.document, self.inquiry.tokenizer)
            self.found[number] = ask(
                passages, self.inquiry.question, vector, self.inquiry.method, self.inquiry.limit, ruler, self.reranker
            )


def contexts_of(chunkings: Iterable[Chunking]) -> str:
    """Return a hash of the context sentences of all chunks."""
    digest = hashlib.blake2b(digest_size=16)
    for chunk in (chunk for chunking in chunkings for chunk in chunking.chunks):
        digest.update(repr(chunk.situation).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _size(passages: Passages) -> int:
    vectors = 0 if passages.vectors is None else passages.vectors.nbytes
    # An index by words is about as large as its texts.
    return vectors + sum(map(len, passages.texts)) * (2 if passages.bm25 is not None else 1)


def _key(task: Task, chunking: Chunking, inquiry: Inquiry, tools: Tools) -> tuple[object, ...]:
    embedder = None if tools.embedder is None else (tools.embedder.name, tools.embedder.identity)
    # The same model may have written different sentences for another session.
    contexts = contexts_of([chunking]) if inquiry.embedded_as == "context" else ""
    return task.document, task, embedder, inquiry.method, inquiry.embedded_as, contexts


@kept(CACHED_BYTES, _key, _size)
def _passages(task: Task, chunking: Chunking, inquiry: Inquiry, tools: Tools) -> Passages:
    """Return the chunks of a column, ready to be searched."""
    return prepare(chunking, tools, inquiry.method, inquiry.embedded_as)


@kept(4, lambda document, tokenizer: (document.identity, tokenizer))
def ruler_of(document: Document, tokenizer: str) -> Ruler:
    """Return the token counter for a document's text."""
    return Ruler(document.text, load_tokenizer(tokenizer))
