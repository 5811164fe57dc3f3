"""Documents, results and the embedding job behind the pages: computed once, off the page's thread."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from chunkers import Cancelled, Chunker, Chunking, Document, Embedder, Tools, load_tokenizer, run
from chunkers.arrays import VectorArray
from viz.jobs.background import Background
from viz.jobs.resources import embedding_cache, load_model


@dataclass(frozen=True)
class Task:
    """A chunker to run on a document; equal tasks have equal results.

    ``revision`` is the embedder's, empty before it is loaded.
    """

    document: str
    embedder: str
    revision: str
    tokenizer: str
    chunker: str

    @classmethod
    def of(cls, document: Document, embedder: Embedder | None, tokenizer: str, chunker: Chunker) -> Task:
        """Name the task by the document's identity and the chunker's every parameter."""
        name, revision = (embedder.name, embedder.revision) if embedder is not None else ("", "")
        return cls(document.identity, name, revision, tokenizer, chunker.name + json.dumps(chunker.model_dump()))

    @property
    def subject(self) -> tuple[str, str]:
        """The document and the chunker's name, whatever its parameters."""
        return self.document, self.chunker.partition("{")[0]


@dataclass(eq=False)
class ChunkingJob(Background):
    """Runs chunkers on a document."""

    source: Document
    embedder: Embedder | None
    tasks: list[tuple[Task, Chunker]]
    on_disk: bool
    done: int = 0
    total: int = 0
    results: dict[Task, Chunking] = field(default_factory=dict)
    embed_ms: float = 0.0
    embedded: int = 0

    def progress(self) -> tuple[float, str]:
        """Return how far the chunker at work is."""
        if not self.total:
            return 0.0, "Loading the embedding model"
        return self.done / self.total, f"Embedding: {self.done:,} of {self.total:,} texts"

    def _embedded(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def _run(self) -> None:
        for task, chunker in self.tasks:
            self.done = self.total = 0
            if chunker.embeds and self.embedder is not None:
                load_model(self.embedder)
                # Loading may be what tells the revision.
                task = replace(task, revision=self.embedder.revision)
            tools = Tools(
                self.embedder,
                load_tokenizer(task.tokenizer),
                embedding_cache(self.on_disk),
                progress=self._embedded,
                cancelled=self._cancel.is_set,
            )
            chunking = run(chunker, self.source, tools)
            self.results[task] = chunking
            if chunking.timing:
                self.embed_ms += chunking.timing.embed_ms if chunking.timing.embedded else 0
                self.embedded += chunking.timing.embedded


def chunk_at_once(
    task: Task, chunker: Chunker, source: Document, embedder: Embedder | None, on_disk: bool
) -> Chunking | None:
    """Run a chunker now if all that it embeds is in the cache; None if something would have to be embedded first."""
    tools = Tools(embedder, load_tokenizer(task.tokenizer), embedding_cache(on_disk), cancelled=lambda: True)
    try:
        return run(chunker, source, tools)
    except Cancelled:
        return None


def sentence_vectors(source: Document, embedder: Embedder, tokenizer: str, on_disk: bool) -> VectorArray:
    """Return the vectors of the sentences, shape (n, dimension).

    Raises
    ------
    Cancelled
        If something would have to be embedded first.
    """
    tools = Tools(embedder.for_document(source), load_tokenizer(tokenizer), embedding_cache(on_disk), cancelled=lambda: True)
    return tools.embed(source.sentence_texts)
