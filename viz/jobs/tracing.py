"""A background job that diagnoses the user's own traces."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkers import Cancelled, Chunker, Document, Embedder
from chunkers.contract.base import run
from chunkers.support.numbers import counted
from evaluation.traces.reading import read_traces
from evaluation.traces.report import TraceReport
from evaluation.traces.stages import Diagnosis, Searched, Tracing
from viz.jobs.background import Background
from viz.jobs.plan import OwnDocuments


@dataclass(eq=False)
class DiagnosingTraces(Background):
    """A job that locates the texts of a file of traces and diagnoses its questions; a stopped one keeps those so far.

    Attributes
    ----------
    subject
        Key of the result; a job with an equal key need not run again.
    file
        Name and content of the file of traces.
    chunker
        The chunker that makes the chunks that were searched; None if they are not known.
    report
        The diagnoses; None until the job is over.
    stopped
        Sentence on a job that was stopped before its end.
    """

    subject: object
    file: tuple[str, bytes]
    documents: OwnDocuments
    splitter: str
    chunker: Chunker | None
    embedder: Embedder | None
    on_disk: bool
    report: TraceReport | None = field(default=None, init=False)
    stopped: str = field(default="", init=False)
    _status: str = field(default="Reading the traces", init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of the current step that is done, and its name."""
        return self._share, self._status

    def _tell(self, status: str, done: int, total: int) -> None:
        self._status, self._share = f"{done:,} of {total:,} {status}", done / max(1, total)
        if self.cancelled:
            raise Cancelled

    def _run(self) -> None:
        name, data = self.file
        traces = read_traces(data, name, self._cancel.is_set)
        parts, texts = dict(self.documents.parts), self.documents.texts
        documents = []
        for number, (name, text) in enumerate(texts):
            self._tell("documents split into sentences", number, len(texts))
            documents.append(Document.from_text(text, self.splitter, name, parts.get(name)))
        searched = None
        if self.chunker is not None:
            chunker = self.chunker.for_documents([name for name, _ in texts])
            if self.embedder is not None:
                self.load(self.embedder)
            tools = self.tools(self.embedder, on_disk=self.on_disk)
            chunkings = []
            for number, document in enumerate(documents):
                self._tell("documents cut", number, len(documents))
                chunkings.append(run(chunker, document, tools))
            searched = Searched(tuple(chunkings), chunker.name, has_reasons=not chunker.elsewhere)
        count = len(traces.questions)
        tracing = Tracing(documents, traces.questions, searched)
        diagnoses: list[Diagnosis] = []
        try:
            tracing.locate(lambda done, total: self._tell("questions' texts located", done, total))
            for diagnosis in tracing.diagnoses():
                diagnoses.append(diagnosis)
                self._tell("answers looked for", len(diagnoses), count)
        except Cancelled:
            # What is located is diagnosed; that takes a moment.
            diagnoses = [*tracing.diagnoses()]
            if len(diagnoses) < count:
                self.stopped = f"Stopped: these are {len(diagnoses):,} of {counted(count, 'question')}."
        self.report = TraceReport(documents, diagnoses, tracing.remark, traces.problems)
