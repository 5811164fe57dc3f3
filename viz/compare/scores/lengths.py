"""Token counts of the chunks of Compare's columns."""

from __future__ import annotations

from chunkers import Chunking, Embedder, InputError, load_tokenizer
from viz.jobs.chunking import Task
from viz.jobs.texts import kept


@kept(32, lambda task, chunking, embedder=None: (task.document, task, embedder is None))
def token_counts(task: Task, chunking: Chunking, embedder: Embedder | None = None) -> list[int] | None:
    """Return each chunk's token count, by the tokenizer of ``embedder`` or by the chosen tokenizer; None if unavailable."""
    texts = [chunk.text for chunk in chunking.chunks]
    try:
        return [*(load_tokenizer(task.tokenizer).count(texts) if embedder is None else embedder.lengths(texts))]
    except InputError:
        return None
