"""Work for the first screen, done before a browser asks for it."""

from __future__ import annotations

import importlib

from chunkers import Document, build_chunker, discover, load_embedder
from sample_docs import load_sample
from viz.jobs.chunking import ChunkingJob, Task
from viz.state.compared import default_choices

SLOWEST_S = 30.0
"""Seconds after which the job is left alone; it takes less than one."""


def compute() -> None:
    """Load the bundled model, and run the chunkers of the first screen on its document: their vectors are kept for all."""
    choices = default_choices()
    embedder = load_embedder(choices.embedder)
    document = Document.from_text(load_sample(choices.document).text, choices.sentences).split()
    built = [build_chunker(column.chunker, column.parameters, embedder) for column in choices.columns]
    tasks = [(Task.of(document, embedder, choices.tokenizer, chunker), chunker) for chunker in built]
    job = ChunkingJob(document, embedder, tasks, on_disk=False)
    # A page that needs the model says what is wrong with it.
    job.start()
    # The first run of any page would do both: Streamlit reads the page's icon by Pillow.
    importlib.import_module("PIL.ImageFile")
    discover()
    job.join(SLOWEST_S)
