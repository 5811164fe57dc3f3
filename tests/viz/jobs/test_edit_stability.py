"""Edit stability in the background."""

from chunkers import Document, build_chunker
from tests.support import HashEmbedder, ended
from viz.jobs.chunking import ChunkingTask
from viz.jobs.index_changes_and_stability import EditStabilityJob

SOURCE = Document.from_text("One is here. Two is here. Three is here. Four is here.", "sentencex:en")


def named(*names, embedder=None, **parameters):
    chunkers = [build_chunker(name, parameters) for name in names]
    return [(chunker.name, ChunkingTask.of(SOURCE, embedder, "words", chunker), chunker) for chunker in chunkers]


def test_every_chunker_is_measured_at_no_more_places_than_there_are():
    embedder = HashEmbedder()
    job = EditStabilityJob(SOURCE, embedder, named("fixed_sentences", "breakpoint", embedder=embedder), on_disk=False)
    assert job.progress() == (0.0, "fixed_sentences: 0 of 20 edits")
    job.start()
    assert ended(job).error == ""
    assert [len(stability.edits) for stability in job.results.values()] == [4, 4]
    assert job.progress() == (1.0, "breakpoint: 20 of 20 edits")


def test_what_cannot_be_measured_has_its_reason_and_the_others_follow():
    job = EditStabilityJob(SOURCE, None, named("breakpoint", "recursive"), on_disk=False, edit_count=2)
    job.start()
    assert ended(job).error == ""
    (refused,), (measured,) = job.refusal_by_task, job.results
    assert (refused.chunker.partition("{")[0], measured.chunker.partition("{")[0]) == ("breakpoint", "recursive")
    assert (
        job.refusal_by_task[refused]
        == "This chunker needs an embedder; none was given. Pass the name of an embedder, or an embedder object."
    )


def test_it_stops_between_edits():
    job = EditStabilityJob(SOURCE, None, named("fixed_sentences", "recursive"), on_disk=False)
    job.cancel()
    job.start()
    assert ended(job).error == ""
    assert not job.results
    assert not job.refusal_by_task
