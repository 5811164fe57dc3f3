"""A question is answered in the background: what is embedded once is not embedded again, and it can be stopped."""

import threading
from dataclasses import replace

import pytest

from chunkers import Document, build_chunker
from chunkers.contract.base import run_and_time_chunker
from evaluation.retrieval import Limit
from tests.support import LIMIT, HashEmbedder, ended, tools
from viz.jobs.chunking import ChunkingTask
from viz.jobs.question_preview_context_jobs import ColumnInquiry, QuestionRetrievalJob, contexts_digest
from viz.jobs.shared_resources import ShownTextMarker, drop_values_of_gone_texts

TEXT = "\n".join(f"line {number} of what is asked here" for number in range(40))


class Counted(HashEmbedder):
    """Vectors that no other test has in the shared cache."""

    name = "counted for asking"
    batch = 4

    def __init__(self):
        super().__init__()
        self.wait, self.reached = threading.Event(), threading.Event()
        self.wait.set()

    def encode(self, texts):
        self.reached.set()
        assert self.wait.wait(LIMIT)
        return super().encode(texts)


def job_of(embedder, question, method="hybrid", revision="1", sizes=(2, 5)):
    embedder.revision = revision
    document = Document.from_text(TEXT, "lines")
    columns = []
    for number, size in enumerate(sizes):
        chunker = build_chunker("fixed_sentences", {"size": size})
        columns.append(
            (
                number,
                ChunkingTask.of(document, embedder, "words", chunker),
                run_and_time_chunker(chunker, document, tools(embedder)),
            )
        )
    inquiry = ColumnInquiry(question, method, Limit(top=3), "plain", "words")
    return QuestionRetrievalJob(inquiry, columns, embedder, on_disk=False)


def done(job):
    job.start()
    assert ended(job).error == ""
    return job


def test_a_session_is_answered_from_its_own_context_sentences():
    document = Document.from_text(TEXT, "lines")
    chunker = build_chunker("fixed_sentences", {"size": 20})
    plain = run_and_time_chunker(chunker, document, tools())

    def hits(question, *written):
        chunks = [chunk._replace(situation=words) for chunk, words in zip(plain.chunks, written, strict=True)]
        chunking = replace(plain, chunks=tuple(chunks))
        inquiry = ColumnInquiry(question, "bm25", Limit(top=3), "context", "words", context_hash=contexts_digest([chunking]))
        job = QuestionRetrievalJob(
            inquiry, [(0, ChunkingTask.of(document, None, "words", chunker), chunking)], None, on_disk=False
        )
        return [hit.number for hit in done(job).retrieval_by_column[0].hits if hit.score]

    # The same text, chunker and model: only what it wrote in either session is another.
    assert hits("quokka", "On a quokka.", "On a heron.") == [0]
    assert hits("quokka", "On a heron.", "On a quokka.") == [1]


def test_a_second_question_embeds_nothing_but_itself():
    embedder = Counted()
    first = done(job_of(embedder, "what is line 7"))
    assert {number: len(ranking.hits) for number, ranking in first.retrieval_by_column.items()} == {0: 3, 1: 3}
    assert sum(map(len, embedder.batches)) == 20 + 8 + 1
    embedder.batches.clear()
    second = done(job_of(embedder, "what is line 9"))
    assert embedder.batches == [["what is line 9"]]
    assert second.retrieval_by_column[0].index is first.retrieval_by_column[0].index
    assert second.progress()[0] == 1.0
    # By words alone nothing is embedded at all.
    embedder.batches.clear()
    done(job_of(embedder, "line 11", "bm25"))
    assert embedder.batches == []


def test_a_question_that_is_stopped_keeps_the_columns_that_are_done():
    embedder = Counted()
    embedder.wait.clear()
    job = job_of(embedder, "stopped", revision="2")
    job.start()
    assert embedder.reached.wait(LIMIT)
    share, label = job.progress()
    assert 0 <= share < 1
    assert label
    job.cancel()
    embedder.wait.set()
    assert ended(job).error == ""
    assert job.retrieval_by_column == {}


@pytest.mark.parametrize("method", ["hybrid", "bm25"])
def test_what_is_kept_of_a_text_is_forgotten_with_its_last_session(method):
    embedder = Counted()
    first = job_of(embedder, "gone", method, revision="3")
    showing = ShownTextMarker(first.columns[0][2].document.identity)
    kept = done(first).retrieval_by_column[0].index
    assert done(job_of(embedder, "gone", method, revision="3")).retrieval_by_column[0].index is kept
    del showing
    drop_values_of_gone_texts()
    assert done(job_of(embedder, "gone", method, revision="3")).retrieval_by_column[0].index is not kept


def test_equal_questions_about_equal_columns_are_one_subject():
    embedder = Counted()
    assert job_of(embedder, "one").result_key == job_of(embedder, "one").result_key
    assert job_of(embedder, "one").result_key != job_of(embedder, "other").result_key
    assert job_of(embedder, "one").result_key != job_of(embedder, "one", sizes=(2,)).result_key
