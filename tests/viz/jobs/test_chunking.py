"""What is run at once, and what takes a job."""

import pytest

from chunkers import Document, build_chunker
from chunkers.methods import change_point
from tests.support import HashEmbedder, ended
from viz.jobs.chunking import ChunkingJob, Task, chunk_at_once

SOURCE = Document.from_text("\n".join(f"line {number}" for number in range(300)), "lines")


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def task(embedder):
    chunker = build_chunker("change_point", {"penalty": 5.0})
    return Task.of(SOURCE, embedder, "words", chunker), chunker


def finished(embedder, task):
    job = ChunkingJob(SOURCE, embedder, [task], on_disk=False)
    job.start()
    assert ended(job).error == ""
    return job


def test_what_is_embedded_and_quick_runs_at_once(embedder, task):
    made = finished(embedder, task).results[task[0]]
    assert chunk_at_once(*task, SOURCE, embedder, on_disk=False).chunks == made.chunks


def test_a_long_search_takes_a_job_which_tells_how_far_it_is(embedder, task, monkeypatch):
    monkeypatch.setattr(change_point, "REPORT", 0)
    job = finished(embedder, task)
    assert job.progress() == (1.0, "Deciding: 100% done")
    assert job.results[task[0]].chunks
    assert chunk_at_once(*task, SOURCE, embedder, on_disk=False) is None
