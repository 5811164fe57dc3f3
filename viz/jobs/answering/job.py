"""Gather the chunks for a list of questions, have a language model answer from them, and have the answers judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from chunkers import Chunking, Document, Embedder, Tools, load_tokenizer
from chunkers.arrays import FloatArray
from chunkers.language_models.asking import Asking, together
from chunkers.text.languages import detect_language
from chunkers.turns import arrival
from evaluation.answering.answer import Gathered, gather
from evaluation.answering.bert_score import bert_scores
from evaluation.answering.estimate import Estimates, estimates
from evaluation.answering.questions import Item
from evaluation.answering.report import Report
from evaluation.answering.work import Means, Result, answer_all, judge_result
from viz.jobs.asking.job import ruler_of
from viz.jobs.background import Background
from viz.jobs.chunking import Task
from viz.jobs.resources import embedding_cache, load_model


@dataclass(frozen=True)
class AnswerPlan:
    """What the chunks that questions are given depend on; equal plans give the same.

    Attributes
    ----------
    tasks
        One for each column, without the embedder's revision.
    names
        The columns' names.
    budget
        Tokens of the chunks.
    """

    tasks: tuple[Task, ...]
    names: tuple[str, ...]
    items: tuple[Item, ...]
    budget: int
    embedder: str
    tokenizer: str

    def changed(self, other: AnswerPlan) -> list[str]:
        """Return the names of the settings in which the other plan differs."""
        differs = {
            "the text": [one.document for one in self.tasks[:1]] != [one.document for one in other.tasks[:1]],
            "chunkers": [one.chunker for one in self.tasks] != [one.chunker for one in other.tasks],
            "questions": self.items != other.items,
            "budget": self.budget != other.budget,
            "embedder": self.embedder != other.embedder,
            "tokenizer": self.tokenizer != other.tokenizer,
        }
        return [name for name, different in differs.items() if different]


@dataclass(eq=False)
class Gathering(Background):
    """Retrieve the chunks for every question, column by column.

    Attributes
    ----------
    found
        By the column's number; grows while the job runs.
    estimates
        About what answering and judging will take; None until all columns are there.
    """

    plan: AnswerPlan
    chunkings: Sequence[Chunking]
    embedder: Embedder
    on_disk: bool
    found: dict[int, Gathered] = field(default_factory=dict)
    estimates: Estimates | None = None
    came: int = field(default_factory=arrival, init=False)
    _status: str = "Embedding the chunks"
    _share: float = 0.0

    def progress(self) -> tuple[float, str]:
        """Return the share of the columns that are done, and what is done for the next."""
        return min(1.0, (len(self.found) + self._share) / max(1, len(self.chunkings))), self._status

    def _run(self) -> None:
        load_model(self.embedder, self._prepares, self._cancel.is_set)
        questions = [item.question for item in self.plan.items]
        for number, chunking in enumerate(self.chunkings):
            self._share = 0.0

            def embedded(done: int, total: int, number: int = number) -> None:
                self._status = f"Column {number + 1}: {done:,} of {total:,} texts embedded"

            tools = _tools(self.embedder, self.plan, self.on_disk, self._cancel.is_set)
            tools = replace(tools, progress=embedded, share=self._shared, came=self.came)
            ruler = ruler_of(chunking.document, self.plan.tokenizer)
            self.found[number] = gather(chunking, questions, self.plan.budget, tools, ruler)
        self._status = "Counting tokens"
        tokenizer = load_tokenizer(self.plan.tokenizer)
        self.estimates = estimates(self.plan.items, self.found, tokenizer.count)

    def _prepares(self, share: float) -> None:
        self._status, self._share = self.embedder.prepared_said(share), share

    def _shared(self, share: float) -> None:
        self._share = share


@dataclass(eq=False)
class Answering(Background):
    """Answer every question from every column's chunks, several at once; what is there stays, however it ends.

    Attributes
    ----------
    gathered
        See `Gathering.found`.
    judge
        None where the answers are not judged.
    bert
        Whether BERTScore is computed at the end.
    results
        By the number of the column and of the question; replaced after each step of each.
    """

    plan: AnswerPlan
    document: Document
    gathered: Mapping[int, Gathered]
    asking: Asking
    judge: Asking | None
    embedder: Embedder
    on_disk: bool
    bert: bool = False
    results: dict[tuple[int, int], Result] = field(default_factory=dict)
    finished: set[tuple[int, int]] = field(default_factory=set)
    _status: str = ""
    _version: int = 0
    _report: tuple[int, Report] | None = None

    @property
    def total(self) -> int:
        """How many answers there will be."""
        return len(self.gathered) * len(self.plan.items)

    def progress(self) -> tuple[float, str]:
        """Return the share of the answers that are there, and how many that is."""
        done = len(self.finished)
        kind = "answers" if self.judge is None else "answers judged"
        return done / max(
            1, self.total
        ), self._status or f"Asking {self.asking.model.title}: {done:,} of {self.total:,} {kind}"

    def means(self, cancelled: Callable[[], bool]) -> Means:
        """Return what answering and judging take."""
        tokenizer = load_tokenizer(self.plan.tokenizer)
        tokenizer.load()

        def similar(text: str, others: Sequence[str]) -> FloatArray:
            tools = _tools(self.embedder.for_document(self.document), self.plan, self.on_disk, cancelled)
            vectors = tools.embed([text, *others])
            return np.asarray(vectors[1:] @ vectors[0], dtype=float)

        return Means(self.asking, self.judge, similar, tokenizer.count)

    def keep(self, place: tuple[int, int], result: Result) -> None:
        """Take what there is of an answer."""
        self.results[place] = result
        # After the result, so that a report of this version has it.
        self._version += 1

    def report(self) -> Report:
        """Return what the answers so far come to, which is worked out once."""
        version = self._version
        if self._report is None or self._report[0] != version:
            self._report = version, Report(self.plan.names, len(self.plan.items), self.results.copy())
        return self._report[1]

    def _run(self) -> None:
        stopped = self._cancel.is_set
        answer_all(self.plan.items, self.gathered, self.means(stopped), self.keep, self.finished.add, stopped)
        if self.bert:
            self._score()

    def _score(self) -> None:
        self._status = "Computing BERTScore"
        places = [place for place, one in self.results.items() if one.answer.text and one.item.reference]
        if not places:
            return
        some = [self.results[place] for place in places]
        scores = bert_scores(
            [one.answer.text for one in some],
            [one.item.reference for one in some],
            detect_language(self.document.text),
        )
        for place, score in zip(places, scores, strict=True):
            self.keep(place, replace(self.results[place], bert_score=score))


@dataclass(eq=False)
class Judging(Background):
    """Have the answers to one question judged afresh; the run has what comes of it, beside what was said before."""

    run: Answering
    question: int
    finished: int = 0

    @property
    def places(self) -> list[tuple[int, int]]:
        """Which answers are judged."""
        return [place for place, one in self.run.results.items() if place[1] == self.question and one.answer.text]

    def progress(self) -> tuple[float, str]:
        """Return the share of the answers that are judged, and how many that is."""
        total = len(self.places)
        return self.finished / max(1, total), f"Judging again: {self.finished:,} of {total:,} answers"

    def _run(self) -> None:
        means = self.run.means(self._cancel.is_set)

        def one(place: tuple[int, int]) -> Callable[[Callable[[], bool]], None]:
            result = self.run.results[place]
            repeat = 1 + max((said.repeat for times in result.judgements.values() for said in times), default=-1)

            def work(stopped: Callable[[], bool]) -> None:
                judge_result(result, means, partial(self.run.keep, place), stopped, repeat)
                self.finished += 1

            return work

        together([one(place) for place in self.places], self._cancel.is_set)


def _tools(embedder: Embedder, plan: AnswerPlan, on_disk: bool, cancelled: Callable[[], bool]) -> Tools:
    return Tools(embedder, load_tokenizer(plan.tokenizer), embedding_cache(on_disk), cancelled=cancelled)
