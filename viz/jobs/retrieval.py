"""A retrieval run: search documents for questions with the chunks of several chunkers, and measure the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers import Cancelled, Document, Embedder, InputError, Tools, build_chunker, load_tokenizer, run
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.language_models.spending import Ledger
from chunkers.recipes import situating
from evaluation.questions.corpus import Corpus, Ruler
from evaluation.questions.reading import Question, Questions, read_questions
from evaluation.retrieval.failed import Measured
from evaluation.retrieval.found_documents import AT
from evaluation.retrieval.ladder import Ladder, climb
from evaluation.retrieval.measures import Evaluation, measure
from evaluation.retrieval.report import REPORTS_KEPT, Choice, Failures, Report, Reports
from evaluation.retrieval.shared_cache import SharedCache
from evaluation.search.index import build_index, search
from evaluation.search.returned import lacking, returning
from viz.jobs.background import Background
from viz.jobs.estimating import estimate
from viz.jobs.kept_job import KeptJob
from viz.jobs.kept_retrieval import KeptRetrieval
from viz.jobs.plan import Plan
from viz.jobs.resources import embedding_cache, load_model

DEPTH = 20
"""Chunks retrieved per question; the user chooses the top k among them afterwards, without another search."""

assert max(AT) <= DEPTH

PATIENCE_S = 0.2
"""Seconds that a page waits for a report before it says that it is being made; of a few hundred questions it takes less."""


STAND_IN = build_chunker("recursive", {"size": 200, "unit": "tokens"})
"""Substitute for a chunker that asks a language model, to estimate its number of chunks."""

Results = Mapping[int, tuple[Evaluation, Ladder | None]]
"""Evaluation and ladder of budgets by number of the chunker."""


class Told(NamedTuple):
    """Report of a run, and the causes of its failed questions."""

    report: Report
    failures: Failures


@dataclass(eq=False)
class Reporting(Background):
    """Make a report: with thousands of questions its resamples take seconds.

    Attributes
    ----------
    made
        None until it is done.
    """

    reports: Reports
    found: Mapping[int, Measured]
    choice: Choice
    made: Told | None = field(default=None, init=False)

    def wait(self) -> Told | None:
        """Return the report if it is ready within `PATIENCE_S`; None if it takes longer."""
        if self.made is None:
            self.join(PATIENCE_S)
        return self.made

    def progress(self) -> tuple[float, str]:
        """Return the current step; its progress is unknown."""
        return 0.0, "Comparing the chunkers"

    def _run(self) -> None:
        report = self.reports.of(self.found, self.choice)
        self.made = Told(report, self.reports.failures(self.found, self.choice.limit))


@dataclass(eq=False)
class Retrieval(KeptJob):
    """Run chunkers over documents and questions in the background.

    Attributes
    ----------
    embedder
        None to show only what is kept.
    kept
        Where every evaluation is kept on disk before it is among those found, and from where those of an earlier run are
        taken; None if the run is not kept.
    asking
        The language model that chunkers ask; None if none of them asks one. Whoever starts the run has the user's consent.
    asked
        What asking it has taken.
    found
        The finished evaluations, by index into the plan's chunkers; grows while the job runs.
    ladders
        What they found at a ladder of budgets, by the same index; not of those that an earlier version kept.
    errors
        The messages of the chunkers that failed, by the same index.
    lacking
        A sentence on the documents that have not got what is to be returned; empty if all have.
    left_out
        Sentences on the chunks of which the language model gave no usable context, by the same index.
    """

    plan: Plan
    embedder: Embedder | None
    on_disk: bool
    kept: KeptRetrieval | None = None
    asking: Asking | None = None
    asked: Ledger = field(default_factory=Ledger)
    questions: Questions = field(default_factory=lambda: Questions((), ()))
    found: dict[int, Evaluation] = field(default_factory=dict)
    ladders: dict[int, Ladder] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    lacking: str = ""
    left_out: dict[int, str] = field(default_factory=dict)
    _status: str = field(default="Splitting into sentences", init=False)
    _reports: Reports | None = None
    _reporting: SharedCache[tuple[tuple[int, ...], Choice], Reporting] = field(
        default_factory=lambda: SharedCache(REPORTS_KEPT)
    )

    @property
    def total(self) -> int:
        """The number of chunkers."""
        return len(self.plan.chunkers)

    @property
    def done(self) -> int:
        """The number of chunkers that were measured or failed."""
        return len(self.found) + len(self.errors)

    def progress(self) -> tuple[float, str]:
        """Return the share of chunkers done, and the current step."""
        return self.done / self.total, self._status

    @property
    def has_budgets(self) -> bool:
        """True if all finished chunkers were measured at budgets, which an earlier version did not do."""
        return all(number in self.ladders for number in self.found)

    @property
    def rungs(self) -> Mapping[str, Sequence[int]]:
        """The budgets by unit at which all finished chunkers were measured; none if an earlier version measured some."""
        return next(iter(self.ladders.values())).rungs if self.has_budgets and self.ladders else {}

    def report(self, choice: Choice) -> Reporting:
        """Return the job that makes the report on the chunkers that are done, of which there must be at least one.

        If the baseline is not done, the first finished chunker takes its place; without budgets the top k count. Reports are
        cached, for all sessions that show this run, and a job that is at work is shared.
        """
        reports = self._reports
        assert reports is not None
        found = {number: Measured(one, self.ladders.get(number)) for number, one in dict(self.found).items()}
        choice = choice._replace(baseline=choice.baseline if choice.baseline in found else min(found))
        if not choice.budget or any(one.ladder is None for one in found.values()):
            choice = choice._replace(budget=0, last="cut")

        def start() -> Reporting:
            job = Reporting(reports, found, choice)
            job.start()
            return job

        return self._reporting.get((tuple(sorted(found)), choice), start)

    def _run(self) -> None:
        if self.kept is not None and self.embedder is not None:
            self.kept.begin()
        name, data = self.plan.material.questions
        corpus = Corpus(tuple(self._documents()))
        self._status = "Reading the questions"
        self.questions = read_questions(data, name, corpus, self._cancel.is_set)
        questions = self.questions.needed(name)
        self.lacking = lacking(corpus, self.plan.returned)
        if self.embedder is not None and self.plan.embeds_anything:
            self.load(self.embedder)
            if self.kept is not None:
                self.kept.keeper.check_embedder(self.embedder)
        ruler = Ruler(corpus.whole.text, load_tokenizer(self.plan.tokenizer))
        self._reports = Reports(ruler, self.plan.names)
        if self.kept is not None:
            self._status = "Reading what is kept on disk"
            self._take(self.kept.found(corpus, questions))
        if self.embedder is not None:
            self._measure(self.embedder, corpus, questions, ruler)

    def _measure(self, embedder: Embedder, corpus: Corpus, questions: Sequence[Question], ruler: Ruler) -> None:
        """Measure the chunkers that are not done, one by one."""
        for number, chunker in enumerate(self.plan.chunkers):
            if number in self.found:
                continue
            title = self.plan.names[number]
            self._status = f"{title}: chunking"

            def progress(done: int, total: int, title: str = title) -> None:
                self._status = f"{title}: {done:,} of {total:,} texts embedded"

            way = self.plan.embeds(number)

            def deciding(done: int, total: int, title: str = title, asks: bool = chunker.asks or way == "context") -> None:
                if asks and self.asking is not None:
                    self._status = (
                        f"{title}: asking {self.asking.model.title}, {done / max(1, total):.0%} of a document done"
                    )

            watching = {"progress": progress, "deciding": deciding, "asking": self.asking, "ledger": self.asked}
            tools = self.tools(embedder, self.plan.tokenizer, on_disk=self.on_disk, **watching)
            try:
                index = returning(build_index(corpus, chunker, tools, way, self.plan.searched_by), self.plan.returned)
                searched = search(index, questions, tools, DEPTH)
            except InputError as error:
                self.errors[number] = str(error)
                continue
            if index.unsituated:
                every = f"{index.unsituated:,} of {len(index.chunks):,} chunks"
                self.left_out[number] = f"{title}: the model gave no usable context of {every}; those are searched without."
            self._status = f"{title}: measuring what was found"
            self._add(number, measure(searched, ruler), climb(index, questions, tools, ruler))

    def _add(self, number: int, found: Evaluation, ladder: Ladder) -> None:
        """Add the results of a chunker: first to the disk, so that a shown result is never lost."""
        if self.kept is not None:
            self.kept.add(number, found, ladder)
        self.ladders[number] = ladder
        self.found[number] = found

    def _take(self, results: Results) -> None:
        """Adopt earlier results, the ladders first, because results are shown as soon as they are there."""
        self.ladders.update({number: ladder for number, (_, ladder) in results.items() if ladder is not None})
        self.found.update({number: found for number, (found, _) in results.items()})

    def _documents(self) -> Iterator[Document]:
        """Split the documents into sentences, one by one."""
        # What only shows measured results needs no sentences: their places are not those of sentences.
        splitter = "lines" if self.embedder is None else self.plan.sentences
        count = len(self.plan.material.texts)
        self._status = f"Splitting into sentences: 1 of {count:,} documents"
        for number, document in enumerate(self.plan.documents(splitter, self._cancel.is_set), start=1):
            self._status = f"Splitting into sentences: {min(number + 1, count):,} of {count:,} documents"
            yield document


def estimate_of_plan(
    plan: Plan, embedder: Embedder | None = None, on_disk: bool = False, cancelled: Callable[[], bool] = bool
) -> Estimate:
    """Estimate the requests of a run to a language model; nothing is sent.

    Chunks that get a context sentence are counted by cutting the documents, for which texts may be embedded with
    ``embedder``. For chunkers that ask themselves, chunks of `STAND_IN` take their place.

    Raises
    ------
    InputError
        If a chunker cannot cut a document.
    Cancelled
        If the user stops.
    """
    documents = list(plan.documents(plan.sentences, cancelled))
    names = [document.name for document in documents if document.sentences]
    # What is asked for one column is remembered for the others.
    asking = list(dict.fromkeys(chunker for chunker in plan.chunkers if chunker.asks))
    found = [estimate(documents, asking, plan.tokenizer, cancelled)]
    numbers = [number for number in range(len(plan.chunkers)) if plan.embeds(number) == "context"]
    if embedder is not None and any(plan.chunkers[number].embeds for number in numbers):
        load_model(embedder, lambda share: None, cancelled)
    tools = Tools(embedder, load_tokenizer(plan.tokenizer), embedding_cache(on_disk), cancelled=cancelled)
    for chunker in dict.fromkeys(plan.chunkers[number] for number in numbers):
        try:
            cutting = STAND_IN if chunker.asks else chunker.for_documents(names)
            for document in documents:
                if cancelled():
                    raise Cancelled
                found.append(situating.estimate(run(cutting, document, tools), tools))
        except InputError:
            # A run leaves out a file that lacks chunks.
            if not chunker.elsewhere:
                raise
    return Estimate(*map(sum, zip(*found, strict=True)))
