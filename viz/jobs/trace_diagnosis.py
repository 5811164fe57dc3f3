"""A background job that diagnoses the user's own traces."""

import hashlib
from dataclasses import dataclass, field
from functools import partial

from chunkers import Cancelled, Chunker, Document, Embedder
from chunkers.contract import run_and_time_chunker
from chunkers.found_again import read_given_chunks
from chunkers.methods import ChunkFile, YourChunks
from chunkers.support import pluralize, raise_if_cancelled
from evaluation.traces.answer_loss_stages import Diagnosis, SearchedChunks, TraceDiagnoser
from evaluation.traces.report import TraceReport
from evaluation.traces.trace_files import read_traces
from viz.jobs.background_jobs import ReusableJob
from viz.jobs.retrieval_plan import OwnDocuments


@dataclass(eq=False)
class DiagnosingTraces(ReusableJob):
    """A job that locates the texts of a file of traces and diagnoses its questions; a stopped one keeps those so far.

    Attributes
    ----------
    file
        Name and content of the file of traces.
    chunker
        The chunker that makes the chunks that were searched; None if they are not known or in a file.
    chunk_file
        Name and content of a file of the chunks that were searched; without documents, it has their texts.
    report
        The diagnoses; None until the job is over.
    stopped
        Sentence on a job that was stopped before its end.
    """

    file: tuple[str, bytes]
    documents: OwnDocuments
    splitter: str
    chunker: Chunker | None
    embedder: Embedder | None
    on_disk: bool
    chunk_file: tuple[str, bytes] | None = None
    report: TraceReport | None = field(default=None, init=False)
    stopped: str = field(default="", init=False)
    _file_digests: list[tuple[str, bytes] | None] = field(init=False)
    _status: str = field(default="Reading the traces", init=False)

    def __post_init__(self) -> None:
        """Digest the files, since the page forgets the file of chunks when another is chosen."""
        trace_and_chunk_files = self.file, self.chunk_file
        self._file_digests = [given and (given[0], hashlib.sha256(given[1]).digest()) for given in trace_and_chunk_files]

    @property
    def result_key(self) -> tuple[object, ...]:
        """Key of the job's result; jobs with equal keys have equal results."""
        chunker_key = self.chunker and (self.chunker.name, self.chunker.model_dump_json())
        documents_and_splitter = tuple(self.documents.texts), self.splitter
        return self._file_digests, *documents_and_splitter, chunker_key, self.embedder and self.embedder.name

    def _note_step_progress(self, status: str, done_count: int, total: int) -> None:
        self._status, self._share = f"{done_count:,} of {total:,} {status}", done_count / max(1, total)
        raise_if_cancelled(self.cancelled)

    def _do_work(self) -> None:
        file_name, traces_file_content = self.file
        parsed_traces = read_traces(traces_file_content, file_name, self.cancelled)
        parts_by_document_name, named_texts = dict(self.documents.parts), self.documents.texts
        split_documents = []
        for document_number, (file_name, document_text) in enumerate(named_texts):
            self._note_step_progress("documents split into sentences", document_number, len(named_texts))
            split_documents.append(
                Document.from_text(document_text, self.splitter, file_name, parts_by_document_name.get(file_name))
            )
        searched_chunks = None
        chunk_file = self._read_searched_chunk_file()
        if chunk_file is not None and not split_documents:
            split_documents, searched_chunks = SearchedChunks.rebuild_documents_from_chunks(
                chunk_file.chunks, chunk_file.name, self.splitter
            )
        elif chunk_file is not None:
            searched_chunks = SearchedChunks.from_file(
                split_documents,
                chunk_file.chunks,
                chunk_file.name,
                partial(self._note_step_progress, "chunks of the file located"),
            )
        elif self.chunker is not None:
            searched_chunks = self._cut_documents(self.chunker, split_documents)
        question_count = len(parsed_traces.questions)
        trace_diagnoser = TraceDiagnoser(split_documents, parsed_traces.questions, searched_chunks)
        question_diagnoses: list[Diagnosis] = []
        try:
            trace_diagnoser.locate_retrieved_texts(
                lambda done, total: self._note_step_progress("questions' texts located", done, total)
            )
            for question_diagnosis in trace_diagnoser.question_diagnoses():
                question_diagnoses.append(question_diagnosis)
                self._note_step_progress("answers looked for", len(question_diagnoses), question_count)
        except Cancelled:
            # What is located is diagnosed; that takes a moment.
            question_diagnoses = [*trace_diagnoser.question_diagnoses()]
            if len(question_diagnoses) < question_count:
                self.stopped = f"Stopped: these are {len(question_diagnoses):,} of {pluralize(question_count, 'question')}."
        self.report = TraceReport(
            split_documents, question_diagnoses, trace_diagnoser.documents_and_chunks_remark, parsed_traces.problems
        )

    def _read_searched_chunk_file(self) -> ChunkFile | None:
        """Return the chunks that were searched, if they are in a file."""
        if self.chunk_file is not None:
            chunk_file_name, chunk_file_content = self.chunk_file
            return ChunkFile(chunk_file_name, tuple(read_given_chunks(chunk_file_content, chunk_file_name, self.cancelled)))
        return self.chunker.chunk_file_if_loaded if isinstance(self.chunker, YourChunks) else None

    def _cut_documents(self, chunker: Chunker, documents: list[Document]) -> SearchedChunks:
        chunker = chunker.for_documents([document.name for document in documents])
        if self.embedder is not None:
            self.load_embedding_model(self.embedder)
        tools = self.tools(self.embedder, uses_disk_cache=self.on_disk)
        document_chunkings = []
        for document_number, document in enumerate(documents):
            self._note_step_progress("documents cut", document_number, len(documents))
            document_chunkings.append(run_and_time_chunker(chunker, document, tools))
        return SearchedChunks(tuple(document_chunkings), chunker.name, has_reasons=not chunker.elsewhere)
