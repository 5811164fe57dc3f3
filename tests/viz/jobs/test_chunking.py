"""Tasks that run immediately, and tasks that need a job."""

import threading
from uuid import uuid4

import pytest

from chunkers import Cancelled, Document, build_chunker
from chunkers.methods import change_point
from evaluation.segmentation.settings_sweep import SweptSetting
from evaluation.segmentation.texts_with_known_boundaries import MarkedDocument
from tests.support import LIMIT, HashEmbedder, ended
from viz.jobs.chunking import ChunkingJob, ChunkingTask, chunk_if_quick, time_left_in_words
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.sweep import Sweep

SOURCE = Document.from_text("\n".join(f"line {number}" for number in range(300)), "lines")


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def task(embedder):
    chunker = build_chunker("change_point", {"penalty": 5.0})
    return ChunkingTask.of(SOURCE, embedder, "words", chunker), chunker


def finished(embedder, task):
    job = ChunkingJob(SOURCE, embedder, [task], on_disk=False)
    job.start()
    assert ended(job).error == ""
    return job


def test_what_is_embedded_and_quick_runs_at_once(embedder, task):
    made = finished(embedder, task).results[task[0]]
    assert chunk_if_quick(*task, SOURCE, embedder, uses_disk_cache=False).chunks == made.chunks


def test_a_server_that_is_waited_for_is_named(embedder, task, monkeypatch):
    job = ChunkingJob(SOURCE, embedder, [task], on_disk=False)
    assert job.progress() == (0.0, "Loading the embedding model")
    monkeypatch.setattr(HashEmbedder, "destination", "models.example")
    assert job.progress() == (0.0, "Waiting for models.example")
    job.total = 4
    assert job.progress() == (0.0, "Embedding by models.example: 0 of 4 texts")


def test_a_long_search_takes_a_job_which_tells_how_far_it_is(embedder, task, monkeypatch):
    monkeypatch.setattr(change_point, "PRODUCTS_BETWEEN_REPORTS", 0)
    job = finished(embedder, task)
    assert job.progress() == (1.0, "Deciding: 100% done")
    assert job.results[task[0]].chunks
    assert chunk_if_quick(*task, SOURCE, embedder, uses_disk_cache=False) is None


class Made(HashEmbedder):
    """An embedder that is made first, which waits at each third until it may go on."""

    name = "made"
    preparation = "Making made, once"

    def __init__(self):
        super().__init__()
        self.revision = ""
        self.reached, self.may_go_on = threading.Event(), threading.Event()

    def ensure_model_built_and_loaded(self, progress, cancelled):
        if self.revision:
            return
        for share in (0, 1 / 3, 2 / 3, 1):
            if cancelled():
                raise Cancelled
            progress(share)
            if share == 1 / 3:
                self.reached.set()
                assert self.may_go_on.wait(LIMIT)
        # The cache is that of all tests, and outlives this object, whose id another may get.
        self.revision = uuid4().hex


def making(kind):
    embedder = Made()
    chunker = build_chunker("change_point", {"penalty": 5.0})
    if kind is ChunkingJob:
        job = ChunkingJob(SOURCE, embedder, [(ChunkingTask.of(SOURCE, embedder, "words", chunker), chunker)], on_disk=False)
    elif kind is Sweep:
        marked = MarkedDocument(SOURCE, (SOURCE.sentences[100].start,))
        job = Sweep(["lines"], lambda: [marked], [SweptSetting("change_point")], embedder, "words", False)
    else:
        excerpt = SOURCE.sentence_texts[7]
        questions = f"question,excerpts\nWhich line?,{excerpt}\n".encode()
        material = RunMaterial((("lines", SOURCE.text),), ("questions.csv", questions), True)
        job = Retrieval(Plan(material, (chunker,), "made", "lines", "words"), embedder, False)
    job.start()
    assert embedder.reached.wait(LIMIT), job.error
    return job, embedder


@pytest.mark.parametrize("kind", [ChunkingJob, Sweep, Retrieval])
def test_a_job_says_how_far_the_making_of_its_embedder_is_and_then_goes_on(kind):
    job, embedder = making(kind)
    assert job.progress()[1] == "Making made, once: 33% done"
    embedder.may_go_on.set()
    assert ended(job).error == ""
    assert embedder.batches
    assert "Making" not in job.progress()[1]


@pytest.mark.parametrize("kind", [ChunkingJob, Sweep, Retrieval])
def test_a_job_is_stopped_while_its_embedder_is_made(kind):
    job, embedder = making(kind)
    job.cancel()
    embedder.may_go_on.set()
    assert ended(job).error == ""
    assert embedder.revision == ""
    assert embedder.batches == []


def test_the_time_left_is_that_of_the_speed_so_far(embedder, task, monkeypatch):
    job = ChunkingJob(SOURCE, embedder, [task], on_disk=False)
    moments = iter([100.0, 103.0, 109.0])
    monkeypatch.setattr("viz.jobs.chunking.time.monotonic", lambda: next(moments))
    job._note_embedded(10, 100)
    # One batch tells no speed: it may have begun at any time.
    job._note_share(0.1)
    assert job.seconds_left is None
    assert job.progress() == (0.1, "Embedding: 10 of 100 texts")
    job._note_share(0.2)
    assert job.seconds_left == pytest.approx(3 * 8)
    assert job.progress() == (0.2, "Embedding: 10 of 100 texts, about 25 s left")
    job._note_share(1.0)
    assert job.seconds_left == 0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *((0, "some seconds left"), (9.9, "some seconds left"), (12, "about 10 s left"), (99, "about 100 s left")),
        *((101, "about 2 minutes left"), (3_600, "about 60 minutes left")),
    ],
)
def test_the_time_left_is_said_no_more_exactly_than_it_is_known(seconds, said):
    assert time_left_in_words(seconds) == said
