"""Background jobs of the Answers page: retrieving chunks, answering, judging, and taking over questions of Retrieval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np

from chunkers import Chunking, Document, Embedder, InputError, Tools, load_tokenizer
from chunkers.language_models.asking import Asking, together
from chunkers.support.arrays import FloatArray
from chunkers.support.errors import stop_if
from chunkers.text.file_parts import Parts
from chunkers.text.languages import detect_language
from evaluation.answering.answer import Gathered, controls_of, gather, gather_trivial
from evaluation.answering.judging import bert_scores
from evaluation.answering.questions import Items, items_about
from evaluation.answering.report import Report
from evaluation.answering.results import Result, Services, Sizes, answer_all, judge_result
from evaluation.questions.corpus import Corpus
from evaluation.questions.reading import read_questions
from viz.jobs.answering.plan import AnswerPlan, KeptAnswers, Models
from viz.jobs.asking.job import ruler_of
from viz.jobs.background import Background, KeptJob
from viz.jobs.retrieval_plan import Material


@dataclass(eq=False)
class Gathering(Background):
    """A job that retrieves the chunks for every question, one column after another.

    Attributes
    ----------
    found
        Results by column number; trivial baselines follow the columns. Grows while the job runs.
    sizes
        Tokens of what answering and judging send in addition to chunks; None until all columns are complete.
    """

    plan: AnswerPlan
    chunkings: Sequence[Chunking]
    embedder: Embedder
    on_disk: bool
    found: dict[int, Gathered] = field(default_factory=dict)
    sizes: Sizes | None = None
    _status: str = field(default="Embedding the chunks", init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and the current step."""
        return min(1.0, (len(self.found) + self._share) / max(1, len(self.plan.names))), self._status

    def _run(self) -> None:
        self.load(self.embedder)
        plan, questions = self.plan, [item.question for item in self.plan.items]
        document = self.chunkings[0].document
        ruler = ruler_of(document, plan.tokenizer)
        for number, chunking in enumerate(self.chunkings):
            self.found[number] = gather(chunking, questions, plan.budget, self._tools(number), ruler)
        chunks = round(median(len(chunking.chunks) for chunking in self.chunkings))
        for number, name in enumerate(plan.trivial, start=len(self.chunkings)):
            tools = self._tools(number)
            self.found[number] = gather_trivial(name, document, plan.items, plan.budget, chunks, tools, ruler)
        self._status = "Counting tokens"
        self.sizes = Sizes.of(plan.items, load_tokenizer(plan.tokenizer).count)

    def _tools(self, number: int) -> Tools:
        """Return the tools for a column or baseline, which report its progress."""
        self._share = 0.0
        return self.tools(
            self.embedder,
            self.plan.tokenizer,
            on_disk=self.on_disk,
            progress=self._embedding_counter(self.plan.names[number]),
            share=self._shared,
            came=self.came,
        )


@dataclass(eq=False)
class Answering(KeptJob):
    """A job that answers every question from every column's chunks, several in parallel.

    Attributes
    ----------
    gathered
        See `Gathering.found`.
    models
        The models that answer and judge.
    asking, judge
        Access to the models; None for a run that only shows stored answers. ``judge`` is also None without judging.
    bert
        True if BERTScore is computed at the end.
    kept
        Storage for each complete answer on disk; None if the run is not stored.
    results
        Results by column and question, replaced after each step. Earlier results are not requested again.
    finished
        The keys of the complete results.
    """

    plan: AnswerPlan
    document: Document
    gathered: Mapping[int, Gathered]
    models: Models
    asking: Asking | None
    judge: Asking | None
    embedder: Embedder
    on_disk: bool
    bert: bool = False
    kept: KeptAnswers | None = None
    results: dict[tuple[int, int], Result] = field(default_factory=dict)
    finished: set[tuple[int, int]] = field(default_factory=set, init=False)
    _version: int = 0
    _report: tuple[int, Report] | None = None

    def __post_init__(self) -> None:
        """Adopt earlier results."""
        judged = bool(self.models.judge)
        self.finished = {place for place, answered in self.results.items() if answered.whole(judged=judged)}

    @property
    def total(self) -> int:
        """Total number of answers."""
        return len(self.gathered) * len(self.plan.items)

    @property
    def done(self) -> int:
        """The number of complete answers."""
        return len(self.finished)

    @property
    def whole(self) -> bool:
        """True if every requested answer is complete."""
        return self.done == self.total and not self.error

    def progress(self) -> tuple[float, str]:
        """Return the share of answers completed, and a status text."""
        done = len(self.finished)
        kind = "answers judged" if self.models.judge else "answers"
        status = f"Asking {self.models.names[0]}: {done:,} of {self.total:,} {kind}"
        return done / max(1, self.total), self._status or status

    def services(self, asking: Asking, judge: Asking | None, job: Background) -> Services:
        """Return the tools for answering and judging: the models, a similarity function and a token counter.

        Embedding uses the tools of ``job``.
        """
        tokenizer = load_tokenizer(self.plan.tokenizer)
        tokenizer.load()

        def similar(text: str, others: Sequence[str]) -> FloatArray:
            embedder = self.embedder.for_document(self.document)
            vectors = job.tools(embedder, self.plan.tokenizer, on_disk=self.on_disk).embed([text, *others])
            return np.asarray(vectors[1:] @ vectors[0], dtype=float)

        return Services(asking, judge, similar, tokenizer.count)

    def keep(self, place: tuple[int, int], result: Result) -> None:
        """Store the result for one answer; the result may be incomplete."""
        self.results[place] = result
        # After the result, so that a report of this version includes it.
        self._version += 1

    def report(self) -> Report:
        """Return the report on the answers so far, which is recomputed only after a change."""
        version = self._version
        if self._report is None or self._report[0] != version:
            self._report = (
                version,
                Report(
                    self.plan.names,
                    len(self.plan.items),
                    self.results.copy(),
                    controls_of(self.plan.trivial, len(self.plan.names) - len(self.plan.trivial)),
                ),
            )
        return self._report[1]

    def _run(self) -> None:
        if self.asking is None:
            return
        stopped = self._cancel.is_set
        if self.kept is not None:
            self.load(self.embedder)
            self._status = ""
            self.kept.begin()
            self.kept.keeper.check_embedder(self.embedder)
            for place in self.finished:
                self.write(place)
        services = self.services(self.asking, self.judge, self)
        answer_all(self.plan.items, self.gathered, services, self.keep, self._finish, stopped, self.results.copy())
        if self.bert:
            self._score()

    def _finish(self, place: tuple[int, int]) -> None:
        """Add a complete answer, first on disk, so that a shown answer is never lost."""
        self.write(place)
        self.finished.add(place)

    def write(self, place: tuple[int, int]) -> None:
        """Store an answer on disk, if its run is stored there."""
        if self.kept is not None:
            self.kept.add(place, self.results[place])

    def _score(self) -> None:
        self._status = "Computing BERTScore"
        places = [place for place, answered in self.results.items() if answered.answer.text and answered.item.reference]
        if not places:
            return
        results = [self.results[place] for place in places]
        scores = bert_scores(
            [answered.answer.text for answered in results],
            [answered.item.reference for answered in results],
            detect_language(self.document.text),
        )
        for place, score in zip(places, scores, strict=True):
            self.keep(place, replace(self.results[place], bert_score=score))
            self.write(place)


@dataclass(eq=False)
class Judging(Background):
    """A job that has the answers to one question judged again, in addition to their earlier judgements.

    Attributes
    ----------
    judge
        Access to the judging model, from this session, since the run may belong to another one.
    """

    run: Answering
    question: int
    judge: Asking
    finished: int = 0

    @property
    def places(self) -> list[tuple[int, int]]:
        """The column and question numbers of the answers to judge."""
        return [place for place, answered in self.run.results.items() if place[1] == self.question and answered.answer.text]

    def progress(self) -> tuple[float, str]:
        """Return the share of answers judged, and a status text."""
        total = len(self.places)
        return self.finished / max(1, total), f"Judging again: {self.finished:,} of {total:,} answers"

    def _run(self) -> None:
        services = self.run.services(self.judge, self.judge, self)

        def task_of(place: tuple[int, int]) -> Callable[[Callable[[], bool]], None]:
            result = self.run.results[place]
            repeat = 1 + max((judgement.repeat for times in result.judgements.values() for judgement in times), default=-1)

            def work(stopped: Callable[[], bool]) -> None:
                judge_result(result, services, partial(self.run.keep, place), stopped, repeat)
                self.run.write(place)
                self.finished += 1

            return work

        together([task_of(place) for place in self.places], self._cancel.is_set)


# Questions of the Retrieval page, grouped by the text that answers them.


class Shared(NamedTuple):
    """A text of the Retrieval page, with its questions and their origin."""

    name: str
    text: str
    parts: Parts | None
    items: Items
    origin: str

    def merged_with(self, other: "Shared") -> "Shared":
        """Return this text with its own questions and those of the same text in ``other``, without duplicates."""
        items = {item.question: item for item in (*self.items.usable, *other.items.usable)}
        problems = (*self.items.problems, *other.items.problems)
        return self._replace(items=Items((*items.values(),), problems), origin=f"{self.origin} and {other.origin}")


@dataclass(eq=False)
class Sharing(Background):
    """A job that assigns Retrieval's questions to the texts that answer them.

    Attributes
    ----------
    given
        The origin of each set of questions, and the questions with their documents.
    found
        Questions by text, without those that no document or several documents answer.
    """

    given: tuple[tuple[str, Material], ...]
    found: dict[str, Shared] = field(default_factory=dict)
    _status: str = field(default="Looking up Retrieval's questions", init=False)

    def _run(self) -> None:
        errors = []
        for origin, material in self.given:
            try:
                self._take(origin, material)
            except InputError as error:
                errors.append(str(error))
        if errors:
            raise InputError(" ".join(errors))

    def _take(self, origin: str, material: Material) -> None:
        documents = []
        for name, text in material.texts:
            stop_if(self._cancel.is_set)
            # Excerpts do not depend on sentences: the document is not split.
            documents.append(Document.from_text(text, "lines", name))
        corpus = Corpus(tuple(documents))
        name, data = material.questions
        questions = read_questions(data, name, corpus, self._cancel.is_set)
        names, parts = {text: called for called, text in material.texts}, dict(material.parts)
        for text, items in items_about(questions.usable, corpus).items():
            shared = Shared(names[text], text, parts.get(names[text]), items, origin)
            before = self.found.get(text)
            self.found[text] = shared if before is None else before.merged_with(shared)
