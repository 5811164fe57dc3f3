"""Background jobs on the chunks of columns: a question, a change of parameters, and context sentences."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers import Chunker, Chunking, Document, Embedder, Tools, load_tokenizer, run_chunker
from chunkers.contract import Estimate
from chunkers.language_models import Asking
from chunkers.recipes import model_written_context
from chunkers.results import EmbeddedAs
from chunkers.support import raise_if_cancelled
from evaluation.questions import TokenRuler
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    AskedQuestion,
    CutChange,
    PosedQuestion,
    SearchSettings,
    build_search_index_of_text,
    retrieve_for_question,
    whole_answer_retrieved_per_question,
)
from evaluation.search import Index, Reranker, SearchMethod
from viz.jobs.background_jobs import BackgroundJob, ReusableJob
from viz.jobs.chunking import ChunkingTask
from viz.jobs.shared_resources import MOST_CACHED_BYTES, cached_while_shown, embedder_part_of_cache_key


class ColumnInquiry(NamedTuple):
    """A question and the retrieval settings that determine its answer; equal inquiries have equal answers.

    Attributes
    ----------
    reranker
        The folder of a cross-encoder; empty for none.
    context_hash
        The hash from `contexts_digest`; empty if the chunks are searched without context sentences.
    """

    question: str
    method: SearchMethod
    limit: Limit
    embedded_as: EmbeddedAs
    tokenizer: str
    reranker: str = ""
    context_hash: str = ""


@dataclass(eq=False)
class QuestionRetrievalJob(ReusableJob):
    """A job that retrieves the chunks for one question from several columns, one after another.

    Attributes
    ----------
    columns
        Each column's number, from 0, its task and its chunks.
    retrieval_by_column
        Retrieval results by column number; grows while the job runs.
    """

    inquiry: ColumnInquiry
    columns: Sequence[tuple[int, ChunkingTask, Chunking]]
    embedder: Embedder | None
    on_disk: bool
    reranker: Reranker | None = None
    retrieval_by_column: dict[int, AskedQuestion] = field(default_factory=dict)
    _status: str = field(default="Looking for the answer", init=False)

    @property
    def result_key(self) -> tuple[object, ...]:
        """Key of the job's answer; jobs with equal keys have equal answers."""
        column_numbers_and_tasks = tuple([(number, task) for number, task, _ in self.columns])
        return self.inquiry, column_numbers_and_tasks, embedder_part_of_cache_key(self.embedder), self.reranker

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and the current step."""
        return min(1.0, (len(self.retrieval_by_column) + self._share) / max(1, len(self.columns))), self._status

    def _do_work(self) -> None:
        embedder = None if self.inquiry.method == "bm25" else self.embedder
        if embedder is not None and self.columns:
            self.load_embedding_model(embedder)
        for column_number, chunking_task, chunking in self.columns:
            self._share = 0.0
            tools = self.tools(
                embedder,
                self.inquiry.tokenizer,
                uses_disk_cache=self.on_disk,
                progress=self._embedded_text_count_reporter(f"Column {column_number + 1}", "chunks"),
                share=self._note_share,
                arrival=self.arrival,
            )
            column_search_index = _search_index_of_column(chunking_task, chunking, self.inquiry, tools)
            self._status, self._share = "Looking for the answer", 1.0
            self.retrieval_by_column[column_number] = retrieve_for_question(
                column_search_index,
                self.inquiry.question,
                tools,
                self.inquiry.limit,
                token_ruler_of_document(chunking.document, self.inquiry.tokenizer),
                self.reranker,
            )


def contexts_digest(chunkings: Iterable[Chunking]) -> str:
    """Return a hash of the context sentences of all chunks."""
    context_sentences_hasher = hashlib.blake2b(digest_size=16)
    for chunk in (chunk for chunking in chunkings for chunk in chunking.chunks):
        context_sentences_hasher.update(repr(chunk.situation).encode("utf-8", "surrogatepass"))
    return context_sentences_hasher.hexdigest()


def _index_byte_count(index: Index) -> int:
    all_vectors_byte_count: int = index.vectors.nbytes
    # A span is a tuple of two numbers, some 180 bytes in all.
    span_byte_count = 180 * sum(map(len, index.chunks))
    # An index by words is about as large as its texts.
    return all_vectors_byte_count + span_byte_count + sum(map(len, index.texts)) * (2 if index.bm25 is not None else 1)


def _search_index_cache_key(
    task: ChunkingTask, chunking: Chunking, question_search_settings: ColumnInquiry, tools: Tools
) -> tuple[object, ...]:
    # The same model may have written different sentences for another session.
    context_sentences_hash = contexts_digest([chunking]) if question_search_settings.embedded_as == "context" else ""
    return (
        task.document,
        task,
        embedder_part_of_cache_key(tools.embedder),
        question_search_settings.method,
        question_search_settings.embedded_as,
        context_sentences_hash,
    )


@cached_while_shown(MOST_CACHED_BYTES, _search_index_cache_key, _index_byte_count)
def _search_index_of_column(
    task: ChunkingTask, chunking: Chunking, question_search_settings: ColumnInquiry, tools: Tools
) -> Index:
    """Return the search index over the chunks of a column."""
    return build_search_index_of_text(chunking, tools, question_search_settings.method, question_search_settings.embedded_as)


@cached_while_shown(4, lambda document, tokenizer: (document.identity, tokenizer))
def token_ruler_of_document(document: Document, tokenizer: str) -> TokenRuler:
    """Return the token counter for a document's text."""
    return TokenRuler(document.text, load_tokenizer(tokenizer))


# A column with changed parameters, and the answers that it gains and loses.


@dataclass(eq=False)
class ChangedCuts(ReusableJob):
    """A job that finds which cuts and answers of a column change when parameters are changed.

    Attributes
    ----------
    task, chunking_before
        The column before the change, and its chunks.
    chunker
        The same chunker with the changed values.
    questions
        Questions asked of the chunks before and after the change.
    change
        The cuts that change; None until the chunker has run.
    answers_whole
        For each question, whether its answer is whole before and after the change; None until all are asked.
    """

    task: ChunkingTask
    chunking_before: Chunking
    chunker: Chunker
    questions: tuple[PosedQuestion, ...]
    search: SearchSettings
    known: tuple[int, ...]
    embedder: Embedder | None
    on_disk: bool
    change: CutChange | None = None
    answers_whole: Sequence[tuple[bool, bool]] | None = None

    @property
    def result_key(self) -> tuple[object, ...]:
        """Key of the job's result; jobs with equal keys have equal results."""
        return self.task, self.chunker.model_dump_json(), self.questions, self.search, self.known

    def progress(self) -> tuple[float, str]:
        """Return the share of the job's steps done, and the current step."""
        return (0.0, "Cutting the text") if self.change is None else (0.5, "Asking the kept questions")

    def _do_work(self) -> None:
        tools = self.tools(
            self.embedder,
            self.task.tokenizer,
            uses_disk_cache=self.on_disk,
            arrival=self.arrival,
            cached_only=self.embedder is not None and self.embedder.remote,
        )
        chunking_after = run_chunker(self.chunker, self.chunking_before.document, tools)
        self.change = CutChange.between(self.chunking_before, chunking_after, self.known)
        if not self.questions:
            # Without questions, the text's tokens need not be counted.
            self.answers_whole = []
            return
        document_token_ruler = token_ruler_of_document(self.chunking_before.document, self.task.tokenizer)
        are_answers_whole_before, are_answers_whole_after = (
            whole_answer_retrieved_per_question(chunking, self.questions, self.search, tools, document_token_ruler)
            for chunking in (self.chunking_before, chunking_after)
        )
        self.answers_whole = [*zip(are_answers_whole_before, are_answers_whole_after, strict=True)]


# Context sentences of chunks.


@dataclass(eq=False)
class ContextSentencesJob(BackgroundJob):
    """A job in which a language model writes context sentences for the chunks of one column after another.

    The user must have consented to the requests.

    Attributes
    ----------
    chunkings
        The chunks without context sentences, by their tasks.
    chunkings_with_contexts
        The chunks with their context sentences, by their tasks; grows while the job runs.
    """

    asking: Asking
    tokenizer: str
    chunkings: Mapping[ChunkingTask, Chunking]
    chunkings_with_contexts: dict[ChunkingTask, Chunking] = field(default_factory=dict)
    _done: int = 0

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and a status text."""
        return min(1.0, (self._done + self._share) / max(1, len(self.chunkings))), f"Asking {self.asking.model.name}"

    def _do_work(self) -> None:
        tools = self.tools(None, self.tokenizer, deciding=self._note_parts_done, asking=self.asking)
        for chunking_task, chunking in self.chunkings.items():
            self.chunkings_with_contexts[chunking_task] = model_written_context.add_context_sentences(chunking, tools)
            self._done, self._share = self._done + 1, 0.0


def estimate_context_sentence_requests(
    chunkings: Mapping[ChunkingTask, Chunking], tokenizer: str, job: BackgroundJob
) -> Estimate:
    """Estimate the requests for the context sentences, sending none; raise Cancelled if the user stops ``job``."""
    tools, request_estimate_per_chunking = job.tools(None, tokenizer), [Estimate(0, 0)]
    for chunking in chunkings.values():
        raise_if_cancelled(job.cancelled)
        request_estimate_per_chunking.append(model_written_context.estimate_context_requests(chunking, tools))
    return Estimate(*map(sum, zip(*request_estimate_per_chunking, strict=True)))
