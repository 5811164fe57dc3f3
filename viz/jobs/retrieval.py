"""A retrieval run as a background job: its storage, the measures of each chunker's chunks on questions, and the report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from chunkers import Document, Embedder, InputError, build_chunker, load_tokenizer, run_chunker
from chunkers.contract import Estimate
from chunkers.language_models import Asking, Ledger
from chunkers.recipes import model_written_context
from chunkers.results import EmbeddedAs
from chunkers.support import raise_if_cancelled
from evaluation.questions import Corpus, Question, Questions, TokenRuler, read_questions
from evaluation.retrieval import (
    TOP_KS,
    BudgetLadder,
    Evaluation,
    MeasuredChunker,
    MissedExcerptsByChunker,
    Report,
    ReportChoice,
    Reports,
    encode_evaluation_as_json_bytes,
    evaluation_from_json,
    measure_at_standard_budgets,
    score_search,
)
from evaluation.search import (
    RETURN_CHUNK_ITSELF,
    ReturnedText,
    SearchMethod,
    copy_index_with_returned_text,
    cut_and_index_corpus,
    search_for_all_questions,
    sectionless_documents_note,
)
from viz.jobs.background_jobs import BackgroundJob, StoredRunJob, estimate_llm_requests
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.storage.stored_run import Keeper, StoredPlan, StoredRun

# The stored run, which has no text: its plan, and the evaluation of each finished chunker.


class _Chunker(BaseModel, extra="forbid", frozen=True, strict=True):
    name: str
    parameters: dict[str, Any]


class _Plan(StoredPlan):
    """A run's plan with hashes in place of its material: one for each document's name and text, one for the questions."""

    own: bool
    documents: tuple[str, ...] = Field(min_length=1)
    questions: str
    chunkers: tuple[_Chunker, ...] = Field(min_length=1)
    sentences: str
    embedded_as: EmbeddedAs = "plain"
    returned: str = str(RETURN_CHUNK_ITSELF)
    each: tuple[EmbeddedAs, ...] = ()
    searched_by: SearchMethod = "embedding"

    @property
    def part_count(self) -> int:
        """The number of chunkers in the run."""
        return len(self.chunkers)

    def check_chunkers(self) -> None:
        """Raise InputError if a chunker cannot be constructed or its parameters have changed since the run."""
        ReturnedText.parse(self.returned)
        for chunker in self.chunkers:
            chunker_parameters = build_chunker(chunker.name, chunker.parameters).model_dump(mode="json")
            # A parameter that was added since and is not set changes nothing.
            parameter_names_added_since = {
                name for name in chunker_parameters.keys() - chunker.parameters.keys() if chunker_parameters[name] is None
            }
            if {
                name: value for name, value in chunker_parameters.items() if name not in parameter_names_added_since
            } != chunker.parameters:
                raise InputError(f"The parameters of {chunker.name} have changed since the run was measured.")


class StoredRetrieval(StoredRun[_Plan]):
    """A stored retrieval run, whose parts are the evaluations of its chunkers."""

    kind = "retrieval"
    part = "chunker"
    plan_type = _Plan

    @classmethod
    def build_for_plan(cls, keeper: Keeper, plan: Plan) -> "StoredRetrieval":
        """Return the storage for a retrieval run, without writing anything yet."""
        plan_to_store = _Plan(
            own=plan.material.own,
            documents=tuple(keeper.hash_texts_with_token(*named_text) for named_text in plan.material.texts),
            questions=keeper.hash_texts_with_token(plan.material.questions[1]),
            chunkers=tuple(
                _Chunker(name=chunker.name, parameters=chunker.model_dump(mode="json")) for chunker in plan.chunkers
            ),
            embedder=plan.embedder,
            sentences=plan.sentences,
            tokenizer=plan.tokenizer,
            embedded_as=plan.embedded_as,
            returned=str(plan.returned),
            language_model=plan.language_model,
            each=plan.embedding_modes,
            searched_by=plan.searched_by,
        )
        return cls(keeper, plan_to_store)

    def add(self, chunker_number: int, evaluation: Evaluation, results_at_budgets: BudgetLadder) -> None:
        """Store the measures of a chunker with the run, and return only after they are written."""
        self.keeper.add_part(chunker_number, encode_evaluation_as_json_bytes(evaluation, results_at_budgets))

    def stored_results_by_chunker(
        self, corpus: Corpus, questions: Sequence[Question]
    ) -> dict[int, tuple[Evaluation, BudgetLadder | None]]:
        """Return the stored results by the chunker's number; raises InputError as `results` does.

        Runs stored by an earlier version have no ladders.
        """

        def decode_evaluation(_: int, evaluation_json: bytes) -> tuple[Evaluation, BudgetLadder | None]:
            # The returned passages are derived from the corpus, not stored.
            evaluation, results_at_budgets = evaluation_from_json(evaluation_json, corpus, questions)
            index_with_returned_text = copy_index_with_returned_text(
                evaluation.searched_index, ReturnedText.parse(self.plan.returned)
            )
            return replace(evaluation, search=replace(evaluation.search, index=index_with_returned_text)), results_at_budgets

        return self.results(decode_evaluation)

    def missing_documents_and_questions_phrase(self, documents_and_questions: RunMaterial | None) -> str:
        """Describe the documents and questions that the run lacks; empty if nothing is missing."""
        available_named_texts, available_question_file = self._available_documents_and_questions(documents_and_questions)
        missing_phrases = []
        run_document_count = len(self.plan.documents)
        if missing_document_count := run_document_count - len(available_named_texts):
            missing_phrases.append(
                f"{missing_document_count:,} of {run_document_count:,} documents"
                if run_document_count > 1
                else "the document"
            )
        if available_question_file is None:
            missing_phrases.append("the questions")
        return " and ".join(missing_phrases)

    def rebuild_plan(self, documents_and_questions: RunMaterial) -> Plan:
        """Rebuild the run's plan from ``documents_and_questions``, which must contain all of its documents and questions."""
        named_texts, question_file = self._available_documents_and_questions(documents_and_questions)
        assert question_file is not None
        chunkers = tuple(build_chunker(chunker.name, chunker.parameters) for chunker in self.plan.chunkers)
        document_names = {name for name, _ in named_texts}
        run_documents_and_questions = RunMaterial(
            named_texts,
            question_file,
            self.plan.own,
            tuple(named_parts for named_parts in documents_and_questions.parts if named_parts[0] in document_names),
        )
        return Plan(
            run_documents_and_questions,
            chunkers,
            embedder=self.plan.embedder,
            sentences=self.plan.sentences,
            tokenizer=self.plan.tokenizer,
            embedded_as=self.plan.embedded_as,
            returned=ReturnedText.parse(self.plan.returned),
            language_model=self.plan.language_model,
            embedding_modes=self.plan.each,
            searched_by=self.plan.searched_by,
        )

    def _available_documents_and_questions(
        self, documents_and_questions: RunMaterial | None
    ) -> tuple[tuple[tuple[str, str], ...], tuple[str, bytes] | None]:
        """Return the run's documents and questions that are in ``documents_and_questions``."""
        if documents_and_questions is None:
            return (), None
        named_text_by_digest = {
            self.keeper.hash_texts_with_token(*named_text): named_text for named_text in documents_and_questions.texts
        }
        texts_matching_plan_digests = tuple(
            named_text_by_digest[digest] for digest in self.plan.documents if digest in named_text_by_digest
        )
        has_same_questions = self.keeper.hash_texts_with_token(documents_and_questions.questions[1]) == self.plan.questions
        return texts_matching_plan_digests, documents_and_questions.questions if has_same_questions else None


# The job.

RETRIEVED_CHUNKS_PER_QUESTION = 20
"""Chunks retrieved per question; the user chooses the top k among them without another search."""

assert max(TOP_KS) <= RETRIEVED_CHUNKS_PER_QUESTION

PATIENCE_S = 0.2
"""Seconds to wait for a report before the page shows a notice; a few hundred questions take less."""


LLM_CHUNKER_STAND_IN = build_chunker("recursive", {"size": 200, "unit": "tokens"})
"""Substitute for a chunker that calls a language model, to estimate its number of chunks."""

RetrievalResults = Mapping[int, tuple[Evaluation, BudgetLadder | None]]
"""Evaluation and ladder of budgets, by the chunker's number."""


class ReportAndFailures(NamedTuple):
    """The report of a run, and the causes of its failed questions."""

    report: Report
    failures: MissedExcerptsByChunker


@dataclass(eq=False)
class ReportJob(BackgroundJob):
    """A job that computes a run's report; with thousands of questions, resampling takes seconds.

    Attributes
    ----------
    report_and_failures
        The report; None until the job is done.
    """

    reports: Reports
    measured_chunkers: Mapping[int, MeasuredChunker]
    choice: ReportChoice
    report_and_failures: ReportAndFailures | None = field(default=None, init=False)
    _status: str = field(default="Comparing the chunkers", init=False)

    def _do_work(self) -> None:
        self.report_and_failures = ReportAndFailures(
            self.reports.report_comparing_chunkers(self.measured_chunkers, self.choice),
            self.reports.missed_excerpts_by_chunker(self.measured_chunkers, self.choice.limit),
        )


@dataclass(eq=False)
class Retrieval(StoredRunJob):
    """A job that runs chunkers over documents and measures their chunks on questions.

    Attributes
    ----------
    embedder
        None for a run that only shows stored results.
    stored_run
        Storage for each evaluation, written before the evaluation is shown, and the source of earlier results; None if the
        run is not stored.
    asking
        The language model that chunkers call; None if none does. The caller must have the user's consent.
    ledger
        The tokens and cost of calling it.
    evaluation_by_chunker
        The finished evaluations, by index into the plan's chunkers; grows while the job runs.
    ladders
        The results at a ladder of budgets, by the same index; missing for results stored by an earlier version.
    errors
        The messages of the chunkers that failed, by the same index.
    missing_passages_note
        A note on documents without the passages to return, such as sections; empty if all have them.
    left_out
        Notes on chunks without a usable context sentence from the language model, by the same index.
    """

    stored_run_type = StoredRetrieval
    plan: Plan
    embedder: Embedder | None
    on_disk: bool
    stored_run: StoredRetrieval | None = None
    asking: Asking | None = None
    ledger: Ledger = field(default_factory=Ledger)
    questions: Questions = field(default_factory=lambda: Questions((), ()))
    evaluation_by_chunker: dict[int, Evaluation] = field(default_factory=dict)
    ladders: dict[int, BudgetLadder] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    missing_passages_note: str = ""
    left_out: dict[int, str] = field(default_factory=dict)
    _status: str = field(default="Splitting into sentences", init=False)
    _reports: Reports | None = None
    _report_job: ReportJob | None = field(default=None, init=False)

    @property
    def part_count(self) -> int:
        """The number of chunkers in the run."""
        return len(self.plan.chunkers)

    @property
    def finished_part_count(self) -> int:
        """The number of chunkers in the run that were measured or failed."""
        return len(self.evaluation_by_chunker) + len(self.errors)

    def progress(self) -> tuple[float, str]:
        """Return the share of chunkers done, and the current step."""
        return self.finished_part_count / self.part_count, self._status

    @property
    def all_measured_at_budgets(self) -> bool:
        """True if all finished chunkers were measured at several budgets, which earlier versions did not do."""
        return all(number in self.ladders for number in self.evaluation_by_chunker)

    @property
    def budgets_by_unit(self) -> Mapping[str, Sequence[int]]:
        """The budgets, by unit, at which all finished chunkers were measured; empty if a chunker has none."""
        return next(iter(self.ladders.values())).budgets_by_unit if self.all_measured_at_budgets and self.ladders else {}

    def report_job(self, report_settings: ReportChoice) -> ReportJob:
        """Return the job that computes the report on the finished chunkers, at least one of which must exist.

        If the baseline is unfinished, the first finished chunker takes its place; without budgets, the top k are reported.
        A new job is given `PATIENCE_S` to finish. The latest job is returned again for the same report; other reports come
        from the cache of `Reports`, which all sessions that show this run share.
        """
        assert self._reports is not None
        measured_chunker_by_number = {
            number: MeasuredChunker(evaluation, self.ladders.get(number))
            for number, evaluation in dict(self.evaluation_by_chunker).items()
        }
        report_settings = report_settings._replace(
            baseline=report_settings.baseline
            if report_settings.baseline in measured_chunker_by_number
            else min(measured_chunker_by_number)
        )
        if not report_settings.budget or any(
            measurement.ladder is None for measurement in measured_chunker_by_number.values()
        ):
            report_settings = report_settings._replace(budget=0, last="cut")

        job = self._report_job
        if job is None or (job.choice, job.measured_chunkers.keys()) != (report_settings, measured_chunker_by_number.keys()):
            self._report_job = job = ReportJob(self._reports, measured_chunker_by_number, report_settings)
            job.start(PATIENCE_S)
        return job

    def _do_work(self) -> None:
        if self.stored_run is not None and self.embedder is not None:
            self.stored_run.begin()
        questions_file_name, questions_csv = self.plan.material.questions
        corpus = Corpus(tuple(self._yield_sentence_split_documents()))
        self._status = "Reading the questions"
        self.questions = read_questions(questions_csv, questions_file_name, corpus, self.cancelled)
        usable_questions = self.questions.get_usable_questions_or_raise(questions_file_name)
        self.missing_passages_note = sectionless_documents_note(corpus, self.plan.returned)
        if self.embedder is not None and self.plan.embeds_anything:
            self.load_embedding_model(self.embedder)
        corpus_token_ruler = TokenRuler(corpus.joined_document.text, load_tokenizer(self.plan.tokenizer))
        self._reports = Reports(corpus_token_ruler, self.plan.numbered_chunker_titles)
        if self.stored_run is not None:
            self._status = "Reading what is kept on disk"
            self._adopt_results(self.stored_run.stored_results_by_chunker(corpus, usable_questions))
        if self.embedder is not None:
            self._measure_unfinished_chunkers(self.embedder, corpus, usable_questions, corpus_token_ruler)

    def _measure_unfinished_chunkers(
        self, embedder: Embedder, corpus: Corpus, questions: Sequence[Question], token_ruler: TokenRuler
    ) -> None:
        """Measure the unfinished chunkers, one by one."""
        for chunker_number, chunker in enumerate(self.plan.chunkers):
            if chunker_number in self.evaluation_by_chunker:
                continue
            chunker_title = self.plan.numbered_chunker_titles[chunker_number]
            self._status = f"{chunker_title}: chunking"
            embedding_mode = self.plan.embedding_mode_of_chunker(chunker_number)

            def note_deciding_progress(
                done_count: int,
                total: int,
                title: str = chunker_title,
                calls_language_model: bool = chunker.asks or embedding_mode == "context",
            ) -> None:
                if calls_language_model and self.asking is not None:
                    self._status = (
                        f"{title}: asking {self.asking.model.title}, {done_count / max(1, total):.0%} of a document done"
                    )

            tools = self.tools(
                embedder,
                self.plan.tokenizer,
                uses_disk_cache=self.on_disk,
                progress=self._embedded_text_count_reporter(chunker_title),
                deciding=note_deciding_progress,
                asking=self.asking,
                ledger=self.ledger,
            )
            returned_text_kind = self.plan.returned
            try:
                chunk_search_index = copy_index_with_returned_text(
                    cut_and_index_corpus(
                        corpus,
                        chunker,
                        tools,
                        embedding_mode,
                        self.plan.searched_by,
                        returned_text_kind.searches_only_children,
                    ),
                    returned_text_kind,
                )
                retrieved_chunks = search_for_all_questions(
                    chunk_search_index, questions, tools, RETRIEVED_CHUNKS_PER_QUESTION
                )
            except InputError as error:
                self.errors[chunker_number] = str(error)
                continue
            if chunk_search_index.missing_context_count:
                self.left_out[chunker_number] = (
                    f"{chunker_title}: the model gave no usable context of {chunk_search_index.missing_context_count:,} of "
                    f"{len(chunk_search_index.chunks):,} chunks; "
                    "those are searched without."
                )
            self._status = f"{chunker_title}: measuring what was found"
            self._add_result(
                chunker_number,
                score_search(retrieved_chunks, token_ruler),
                measure_at_standard_budgets(
                    chunk_search_index, questions, tools, token_ruler, RETRIEVED_CHUNKS_PER_QUESTION
                ),
            )

    def _add_result(self, chunker_number: int, evaluation: Evaluation, results_at_budgets: BudgetLadder) -> None:
        """Add a chunker's results, first on disk, so that a shown result is never lost."""
        if self.stored_run is not None:
            self.stored_run.add(chunker_number, evaluation, results_at_budgets)
        self.ladders[chunker_number] = results_at_budgets
        self.evaluation_by_chunker[chunker_number] = evaluation

    def _adopt_results(self, results: RetrievalResults) -> None:
        """Adopt earlier results, the ladders first, because results are shown as soon as they are added."""
        self.ladders.update({number: ladder for number, (_, ladder) in results.items() if ladder is not None})
        self.evaluation_by_chunker.update({number: evaluation for number, (evaluation, _) in results.items()})

    def _yield_sentence_split_documents(self) -> Iterator[Document]:
        """Split the documents into sentences, one by one."""
        # A run that only shows results needs no sentences, since positions do not depend on them.
        splitter_name = "lines" if self.embedder is None else self.plan.sentences
        document_count = len(self.plan.material.texts)
        self._status = f"Splitting into sentences: 1 of {document_count:,} documents"
        for document_number, document in enumerate(self.plan.material.documents(splitter_name, self.cancelled), start=1):
            self._status = (
                f"Splitting into sentences: {min(document_number + 1, document_count):,} of {document_count:,} documents"
            )
            yield document


def estimate_run_llm_requests(plan: Plan, embedder: Embedder | None, uses_disk_cache: bool, job: BackgroundJob) -> Estimate:
    """Estimate a run's requests to a language model without sending any, as part of ``job``.

    Chunks that get a context sentence are counted by cutting the documents, which may embed texts with ``embedder``. For
    chunkers that call the model themselves, chunks of `LLM_CHUNKER_STAND_IN` are counted instead.

    Raises
    ------
    InputError
        If a chunker cannot cut a document.
    Cancelled
        If the user stops.
    """
    split_documents = list(plan.material.documents(plan.sentences, job.cancelled))
    document_names = [document.name for document in split_documents if document.sentences]
    # Answers for one column are cached for the others.
    model_calling_chunkers = list(dict.fromkeys(chunker for chunker in plan.chunkers if chunker.asks))
    request_estimates = [estimate_llm_requests(split_documents, model_calling_chunkers, plan.tokenizer, job)]
    context_chunker_numbers = [
        number for number in range(len(plan.chunkers)) if plan.embedding_mode_of_chunker(number) == "context"
    ]
    if embedder is not None and any(plan.chunkers[number].embeds for number in context_chunker_numbers):
        job.load_embedding_model(embedder)
    tools = job.tools(embedder, plan.tokenizer, uses_disk_cache=uses_disk_cache)
    for chunker in dict.fromkeys(plan.chunkers[number] for number in context_chunker_numbers):
        try:
            chunker_or_stand_in = LLM_CHUNKER_STAND_IN if chunker.asks else chunker.for_documents(document_names)
            for document in split_documents:
                raise_if_cancelled(job.cancelled)
                request_estimates.append(
                    model_written_context.estimate_context_requests(run_chunker(chunker_or_stand_in, document, tools), tools)
                )
        except InputError:
            # A run skips a column whose file lacks chunks.
            if not chunker.elsewhere:
                raise
    return Estimate(*map(sum, zip(*request_estimates, strict=True)))
