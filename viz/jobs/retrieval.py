"""A retrieval run: its chunkers, documents and questions, what they find, and what is measured of it."""

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
"""Chunks that are found for a question: how many of them count is chosen afterwards, without another search."""

assert max(AT) <= DEPTH


@dataclass(frozen=True)
class Material:
    """What is asked of what.

    Attributes
    ----------
    texts
        Name and text of every document.
    questions
        Name and bytes of the file of questions.
    own
        Whether the user gave them.
    """

    texts: tuple[tuple[str, str], ...]
    questions: tuple[str, bytes]
    own: bool


@dataclass(frozen=True)
class Plan:
    """Everything that a new run is needed for; ``embedder`` is its name."""

    material: Material
    chunkers: tuple[Chunker, ...]
    embedder: str
    sentences: str
    tokenizer: str

    @property
    def names(self) -> list[str]:
        """What figures and sentences call the chunkers."""
        return [f"{number}. {type(one).title}" for number, one in enumerate(self.chunkers, start=1)]

    @property
    def titles(self) -> list[str]:
        """The same with their settings."""
        return [f"{name}, {one.describe()}" for name, one in zip(self.names, self.chunkers, strict=True)]

    def changed(self, other: Plan) -> list[str]:
        """Name what is not the same in the other plan."""
        differs = {
            "chunkers": self.chunkers != other.chunkers,
            "documents": self.material.texts != other.material.texts,
            "questions": self.material.questions != other.material.questions,
            "embedder": self.embedder != other.embedder,
            "sentences": self.sentences != other.sentences,
            "tokenizer": self.tokenizer != other.tokenizer,
        }
        return [name for name, one in differs.items() if one]


@dataclass(eq=False)
class Retrieval(Background):
    """Chunkers over documents and questions.

    Attributes
    ----------
    found
        What is done, by place in the plan's chunkers, measured over some of the chunks; it grows while this runs.
    errors
        The sentence of each chunker that failed, likewise.
    """

    plan: Plan
    embedder: Embedder
    on_disk: bool
    questions: Questions = field(default_factory=lambda: Questions((), ()))
    found: dict[int, Evaluation] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    _said: str = "Splitting into sentences"
    _reports: Reports | None = None

    def progress(self) -> tuple[float, str]:
        """Return how many chunkers are done, and what the one at work does."""
        return (len(self.found) + len(self.errors)) / len(self.plan.chunkers), self._said

    def report(self, measure: str, unit: str, top_k: int, baseline: int) -> Report:
        """Return what there is to tell of the chunkers that are done, of which there must be one.

        The first of them stands in for a ``baseline`` that is not done. What was told before is remembered, for all
        sessions that look at this run.
        """
        assert self._reports is not None
        found = dict(self.found)
        return self._reports.of(found, Choice(measure, unit, top_k, baseline if baseline in found else min(found)))

    def _run(self) -> None:
        name, data = self.plan.material.questions
        corpus = Corpus(tuple(self._documents()))
        self._said = "Reading the questions"
        self.questions = read_questions(data, name, corpus, self._cancel.is_set)
        questions = self.questions.needed(name)
        self._said = "Loading the embedding model"
        load_model(self.embedder)
        tokenizer = load_tokenizer(self.plan.tokenizer)
        ruler = Ruler(corpus.whole.text, tokenizer)
        self._reports = Reports(ruler, len(self.plan.chunkers))
        for number, chunker in enumerate(self.plan.chunkers):
            title = self.plan.names[number]
            self._said = f"{title}: chunking"

            def progress(done: int, total: int, title: str = title) -> None:
                self._said = f"{title}: {done:,} of {total:,} texts embedded"

            tools = Tools(
                self.embedder, tokenizer, embedding_cache(self.on_disk), progress=progress, cancelled=self._cancel.is_set
            )
            try:
                searched = search(build_index(corpus, chunker, tools), questions, tools, DEPTH)
            except InputError as error:
                self.errors[number] = str(error)
                continue
            self._said = f"{title}: measuring what was found"
            self.found[number] = measure(searched, ruler)

    def _documents(self) -> Iterator[Document]:
        """Split one document after the other into sentences."""
        texts = self.plan.material.texts
        for number, (name, text) in enumerate(texts, start=1):
            if self._cancel.is_set():
                raise Cancelled
            self._said = f"Splitting into sentences: {number:,} of {len(texts):,} documents"
            yield Document.from_text(text, self.plan.sentences, name)
