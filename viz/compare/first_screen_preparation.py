"""Work for the first screen, begun before the first browser connects."""

import importlib

from chunkers import Document, build_chunker, load_embedder, register_installed_chunkers
from sample_docs import load_sample
from viz.compare.choices_and_session.choices import default_choices
from viz.jobs import ChunkingJob, ChunkingTask

MAX_JOB_WAIT_S = 30.0
"""Seconds to wait for the job, which normally takes less than one."""

PAGE_WAIT_S = 1.0
"""Maximum number of seconds that the page waits for the job before it draws the columns without results."""

_started_chunking_jobs: list[ChunkingJob] = []
"""The job, once it has started."""


def start() -> None:
    """Start a job that loads the bundled model and runs Compare's default chunkers on the default sample.

    Its embeddings are in the server's cache afterwards.
    """
    compare_page_defaults = default_choices()
    embedder = load_embedder(compare_page_defaults.embedder)
    document = Document.from_text(load_sample(compare_page_defaults.document).text, compare_page_defaults.sentences).split()
    default_chunkers = [
        build_chunker(column.chunker, column.parameters, embedder) for column in compare_page_defaults.columns
    ]
    default_tasks_and_chunkers = [
        (ChunkingTask.of(document, embedder, compare_page_defaults.tokenizer, chunker), chunker)
        for chunker in default_chunkers
    ]
    first_screen_chunking_job = ChunkingJob(document, embedder, default_tasks_and_chunkers, on_disk=False)
    _started_chunking_jobs[:] = [first_screen_chunking_job]
    # If the model cannot be loaded, the page that needs it reports the error.
    first_screen_chunking_job.start()


def finish_imports_and_await_job() -> None:
    """Import what the first run of any page needs, and wait for the job."""
    # Streamlit reads the page's icon with Pillow.
    importlib.import_module("PIL.ImageFile")
    register_installed_chunkers()
    for started_job in _started_chunking_jobs:
        started_job.join(MAX_JOB_WAIT_S)


def wait_for_first_screen(document: Document) -> None:
    """Wait for the job if it chunks this document, so that the page is drawn once, with its results."""
    for started_job in _started_chunking_jobs:
        if started_job.running and started_job.source.identity == document.identity:
            started_job.join(PAGE_WAIT_S)
