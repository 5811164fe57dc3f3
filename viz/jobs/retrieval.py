"""A retrieval run: search documents for questions with the chunks of several chunkers, and measure the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from chunkers import Cancelled, Chunker, Document, Embedder, InputError, Tools, load_tokenizer
from evaluation.retrieval.corpus import Corpus, Ruler
from evaluation.retrieval.found_documents import AT
from evaluation.retrieval.index import build_index, search
from evaluation.retrieval.measures import Evaluation, measure
from evaluation.retrieval.questions import Questions, read_questions
from evaluation.retrieval.report import Choice, Report, Reports
from viz.jobs.background import Background
from viz.jobs.resources import embedding_cache, load_model

DEPTH = 20
"""Chunks retrieved per question; the user chooses the top k among them afterwards, without another search."""

assert max(AT) <= DEPTH


@dataclass(frozen=True)
class Material:
    """The documents and questions of a run.

    Attributes
    ----------
    texts
        Name and text of each document.
    questions
        Name and content of the file of questions.
    own
        Whether they are the user's own rather than the bundled ones.
    """

    texts: tuple[tuple[str, str], ...]
    questions: tuple[str, bytes]
    own: bool


@dataclass(frozen=True)
class Plan:
    """The settings whose change requires a new run; ``embedder`` is the embedder's name."""

    material: Material
    chunkers: tuple[Chunker, ...]
    embedder: str
    sentences: str
    tokenizer: str

    @property
    def names(self) -> list[str]:
        """The chunkers' names in figures and sentences, numbered from 1."""
        return [f"{number}. {type(chunker).title}" for number, chunker in enumerate(self.chunkers, start=1)]

    @property
    def titles(self) -> list[str]:
        """The chunkers' names with their settings."""
        return [f"{name}, {chunker.describe()}" for name, chunker in zip(self.names, self.chunkers, strict=True)]

    def changed(self, other: Plan) -> list[str]:
        """Return the names of the settings in which the other plan differs."""
        differs = {
            "chunkers": self.chunkers != other.chunkers,
            "documents": self.material.texts != other.material.texts,
            "questions": self.material.questions != other.material.questions,
            "embedder": self.embedder != other.embedder,
            "sentences": self.sentences != other.sentences,
            "tokenizer": self.tokenizer != other.tokenizer,
        }
        return [name for name, different in differs.items() if different]


@dataclass(eq=False)
class Retrieval(Background):
    """Run chunkers over documents and questions in the background.

    Attributes
    ----------
    found
        The finished evaluations, by index into the plan's chunkers; grows while the job runs.
    errors
        The messages of the chunkers that failed, by the same index.
    """

    plan: Plan
    embedder: Embedder
    on_disk: bool
    questions: Questions = field(default_factory=lambda: Questions((), ()))
    found: dict[int, Evaluation] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    _status: str = "Splitting into sentences"
    _reports: Reports | None = None

    def progress(self) -> tuple[float, str]:
        """Return the share of chunkers that are done, and what the job is doing."""
        return (len(self.found) + len(self.errors)) / len(self.plan.chunkers), self._status

    def report(self, measure: str, unit: str, top_k: int, baseline: int) -> Report:
        """Return the report on the chunkers that are done; at least one must be.

        If the ``baseline`` is not done, the first finished chunker takes its place. Reports are cached, for all sessions
        that show this run.
        """
        assert self._reports is not None
        found = dict(self.found)
        return self._reports.of(found, Choice(measure, unit, top_k, baseline if baseline in found else min(found)))

    def _run(self) -> None:
        name, data = self.plan.material.questions
        corpus = Corpus(tuple(self._documents()))
        self._status = "Reading the questions"
        self.questions = read_questions(data, name, corpus, self._cancel.is_set)
        questions = self.questions.needed(name)
        self._status = "Loading the embedding model"
        load_model(self.embedder, self._prepares, self._cancel.is_set)
        tokenizer = load_tokenizer(self.plan.tokenizer)
        ruler = Ruler(corpus.whole.text, tokenizer)
        self._reports = Reports(ruler, len(self.plan.chunkers))
        for number, chunker in enumerate(self.plan.chunkers):
            title = self.plan.names[number]
            self._status = f"{title}: chunking"

            def progress(done: int, total: int, title: str = title) -> None:
                self._status = f"{title}: {done:,} of {total:,} texts embedded"

            tools = Tools(
                self.embedder, tokenizer, embedding_cache(self.on_disk), progress=progress, cancelled=self._cancel.is_set
            )
            try:
                searched = search(build_index(corpus, chunker, tools), questions, tools, DEPTH)
            except InputError as error:
                self.errors[number] = str(error)
                continue
            self._status = f"{title}: measuring what was found"
            self.found[number] = measure(searched, ruler)

    def _prepares(self, share: float) -> None:
        self._status = self.embedder.prepared_said(share)

    def _documents(self) -> Iterator[Document]:
        """Split the documents into sentences, one by one."""
        texts = self.plan.material.texts
        for number, (name, text) in enumerate(texts, start=1):
            if self._cancel.is_set():
                raise Cancelled
            self._status = f"Splitting into sentences: {number:,} of {len(texts):,} documents"
            yield Document.from_text(text, self.plan.sentences, name)
