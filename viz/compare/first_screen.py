"""Work for the first screen, done before the first browser connects."""

from __future__ import annotations

import importlib

from chunkers import Document, build_chunker, discover, load_embedder
from sample_docs import load_sample
from viz.jobs.chunking import ChunkingJob, Task
from viz.state.compared import default_choices

MAX_WAIT_S = 30.0
"""Seconds to wait for the job, which normally takes less than one."""


def compute() -> None:
    """Load the bundled model and run Compare's default chunkers on the default sample, to fill the caches."""
    choices = default_choices()
    embedder = load_embedder(choices.embedder)
    document = Document.from_text(load_sample(choices.document).text, choices.sentences).split()
    built = [build_chunker(column.chunker, column.parameters, embedder) for column in choices.columns]
    tasks = [(Task.of(document, embedder, choices.tokenizer, chunker), chunker) for chunker in built]
    job = ChunkingJob(document, embedder, tasks, on_disk=False)
    # If the model cannot be loaded, the page that needs it reports the error.
    job.start()
    # The first run of any page would do both: Streamlit reads the page's icon with Pillow.
    importlib.import_module("PIL.ImageFile")
    discover()
    job.join(MAX_WAIT_S)
