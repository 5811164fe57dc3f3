"""Runs of the Answers page: their plan, their storage, and the jobs that retrieve, answer, judge and take over questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np
from pydantic import Field

from chunkers import Chunking, Document, Embedder, InputError, Tools, load_tokenizer
from chunkers.language_models import Asking, run_in_parallel
from chunkers.support import FloatArray, ModelName, raise_if_cancelled
from chunkers.text import TextParts, detect_language
from evaluation.answering import (
    AnswerReport,
    AnswerResult,
    GatheredPassages,
    PromptSizes,
    QuestionItem,
    QuestionItems,
    Services,
    answer_judge_and_store_all,
    answer_result_from_json,
    bert_scores,
    encode_answer_result_json_bytes,
    gather_passages_for_each_question,
    gather_trivial_baseline_passages,
    judge_and_store_result,
    question_items_by_document_text,
    row_number_by_control_baseline,
)
from evaluation.questions import Corpus, read_questions
from viz.jobs.background_jobs import BackgroundJob, ReusableJob, StoredRunJob
from viz.jobs.chunking import ChunkingTask
from viz.jobs.question_preview_context_jobs import token_ruler_of_document
from viz.jobs.retrieval_plan import RunMaterial
from viz.jobs.storage.stored_run import Keeper, StoredPlan, StoredRun

# The plan: the models, and the settings whose change requires another run.


class AnswerModels(NamedTuple):
    """The identities of the answering and the judging model, each a name and a revision.

    Attributes
    ----------
    answering_model
        The model that answers.
    judge
        The model that judges; empty if the answers are not judged.
    """

    answering_model: str
    judge: str

    @property
    def names(self) -> list[str]:
        """The models' names without revision, the answering model first."""
        return [ModelName.without_revision(model).name for model in self if model]

    def model_names_differing_from_other(self, other: AnswerModels) -> list[str]:
        """Return the names of the models that differ from ``other``; a missing judge does not count."""
        differs_by_setting = {
            "the language model": self.answering_model != other.answering_model,
            "the judging model": bool(other.judge) and self.judge != other.judge,
        }
        return [name for name, different in differs_by_setting.items() if different]


@dataclass(frozen=True)
class AnswerPlan:
    """The settings that determine the chunks retrieved for each question; equal plans yield equal chunks.

    Attributes
    ----------
    tasks
        One task per column, without the embedder's revision.
    names
        The names of the columns, followed by those of the trivial baselines.
    budget
        Token budget for the chunks given to a question.
    embedder, embedder_identity
        The embedder's name, and the identity that distinguishes models of the same name.
    trivial
        The trivial baselines, by their names in `evaluation.answering.questions_and_answers.TRIVIAL_BASELINE_TITLES`.
    """

    tasks: tuple[ChunkingTask, ...]
    names: tuple[str, ...]
    items: tuple[QuestionItem, ...]
    budget: int
    embedder: str
    embedder_identity: str
    tokenizer: str
    trivial: tuple[str, ...] = ()

    def has_same_embedder(self, other: AnswerPlan) -> bool:
        """Return whether both plans embed with the same model."""
        return (self.embedder, self.embedder_identity) == (other.embedder, other.embedder_identity)

    def differing_setting_names(self, other: AnswerPlan) -> list[str]:
        """Return the names of the settings in which the other plan differs."""
        differs_by_setting = {
            "the text": [task.document for task in self.tasks[:1]] != [task.document for task in other.tasks[:1]],
            "chunkers": [task.chunker for task in self.tasks] != [task.chunker for task in other.tasks],
            "trivial rows": self.trivial != other.trivial,
            "questions": self.items != other.items,
            "budget": self.budget != other.budget,
            "embedder": not self.has_same_embedder(other),
            "tokenizer": self.tokenizer != other.tokenizer,
        }
        return [name for name, different in differs_by_setting.items() if different]


# The stored run, which has no text: its plan, and the measures of each answer.


class _Plan(StoredPlan):
    """A run's plan with hashes in place of texts: one for the document, and one for each question with its reference.

    The chunks of a chunker that calls a language model are hashed too, since its answers may differ between runs.
    """

    document: str
    questions: tuple[str, ...] = Field(min_length=1)
    chunkers: tuple[tuple[str, str], ...] = Field(min_length=1)
    cuts: tuple[str, ...] = ()
    budget: int
    trivial: tuple[str, ...]
    answers: str
    judge: str

    @property
    def part_count(self) -> int:
        """The number of answers in the run."""
        return len(self.questions) * (len(self.chunkers) + len(self.trivial))


class StoredAnswers(StoredRun[_Plan]):
    """A stored run of answers, with one part per chunker and question, in the order of the chunkers."""

    kind = "answers"
    part = "answer"
    plan_type = _Plan

    @classmethod
    def build_for_plan(
        cls, keeper: Keeper, plan: AnswerPlan, chunkings: Sequence[Chunking], models: AnswerModels
    ) -> StoredAnswers:
        """Return the storage for a run of answers, without writing anything yet."""
        plan_to_store = _Plan(
            document=keeper.hash_texts_with_token(plan.tasks[0].document),
            questions=tuple(keeper.hash_texts_with_token(*item) for item in plan.items),
            # The cache of a model's answers belongs to one session, so its identity is left out.
            chunkers=tuple((task.chunker, task.model) for task in plan.tasks),
            cuts=tuple(
                keeper.hash_texts_with_token(*(f"{chunk.spans} {chunk.text}" for chunk in chunking.chunks))
                if task.model
                else ""
                for task, chunking in zip(plan.tasks, chunkings, strict=True)
            ),
            budget=plan.budget,
            embedder=plan.embedder,
            tokenizer=plan.tokenizer,
            trivial=plan.trivial,
            answers=models.answering_model,
            judge=models.judge,
        )
        return cls(keeper, plan_to_store)

    @property
    def models(self) -> AnswerModels:
        """The identities of the models that answer and judge."""
        return AnswerModels(self.plan.answers, self.plan.judge)

    def add(self, column_and_question_number: tuple[int, int], result: AnswerResult) -> None:
        """Store the measures of an answer on disk before returning."""
        column_number, question_number = column_and_question_number
        self.keeper.add_part(
            column_number * len(self.plan.questions) + question_number, encode_answer_result_json_bytes(result)
        )

    def differing_settings(self, plan: AnswerPlan | None, chunkings: Sequence[Chunking] = ()) -> list[str]:
        """Return the names of the settings in which the page's ``plan`` differs from the stored run's plan."""
        if plan is None:
            return ["the text", "the questions"]
        page_plan = StoredAnswers.build_for_plan(self.keeper, plan, chunkings, self.models).plan
        label_by_setting = {
            "document": "the text",
            "questions": "the questions",
            "chunkers": "the chunkers",
            "trivial": "the trivial rows",
            "budget": "the budget",
            "embedder": "the embedder",
            "tokenizer": "what counts tokens",
        }
        differing_setting_labels = [
            label for name, label in label_by_setting.items() if getattr(self.plan, name) != getattr(page_plan, name)
        ]
        return differing_setting_labels or ["where the language model cuts"] * (
            any(page_plan.cuts) and self.plan.cuts != page_plan.cuts
        )

    def stored_results(
        self, passages_by_column: Mapping[int, GatheredPassages], question_items: tuple[QuestionItem, ...]
    ) -> dict[tuple[int, int], AnswerResult]:
        """Return the stored results by column and question, without the texts of the answers.

        Raises InputError as `results` does.
        """

        def decode_answer(answer_number: int, answer_json: bytes) -> AnswerResult:
            column_number, question_number = divmod(answer_number, len(question_items))
            return answer_result_from_json(
                answer_json, question_items[question_number], passages_by_column[column_number].contexts[question_number]
            )

        return {divmod(number, len(question_items)): result for number, result in self.results(decode_answer).items()}


@dataclass(eq=False)
class PassageGatheringJob(ReusableJob):
    """A job that retrieves the chunks for every question, one column after another.

    Attributes
    ----------
    passages_by_column
        Results by column number; trivial baselines follow the columns. Grows while the job runs.
    sizes
        Tokens of what answering and judging send in addition to chunks; None until all columns are complete.
    """

    plan: AnswerPlan
    chunkings: Sequence[Chunking]
    embedder: Embedder
    on_disk: bool
    passages_by_column: dict[int, GatheredPassages] = field(default_factory=dict)
    sizes: PromptSizes | None = None
    _status: str = field(default="Embedding the chunks", init=False)

    @property
    def result_key(self) -> tuple[object, ...]:
        """Key of the job's result; jobs with equal keys have equal results."""
        return self.plan, self.embedder

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and the current step."""
        return min(1.0, (len(self.passages_by_column) + self._share) / max(1, len(self.plan.names))), self._status

    def _do_work(self) -> None:
        self.load_embedding_model(self.embedder)
        plan, questions = self.plan, [item.question for item in self.plan.items]
        document = self.chunkings[0].document
        document_token_ruler = token_ruler_of_document(document, plan.tokenizer)
        for column_number, chunking in enumerate(self.chunkings):
            self.passages_by_column[column_number] = gather_passages_for_each_question(
                chunking, questions, plan.budget, self._build_tools_for_column(column_number), document_token_ruler
            )
        median_chunk_count_per_column = round(median(len(chunking.chunks) for chunking in self.chunkings))
        for column_number, baseline_name in enumerate(plan.trivial, start=len(self.chunkings)):
            self.passages_by_column[column_number] = gather_trivial_baseline_passages(
                baseline_name,
                document,
                plan.items,
                plan.budget,
                median_chunk_count_per_column,
                self._build_tools_for_column(column_number),
                document_token_ruler,
            )
        self._status = "Counting tokens"
        self.sizes = PromptSizes.count_tokens_for_questions(plan.items, load_tokenizer(plan.tokenizer).count)

    def _build_tools_for_column(self, column_number: int) -> Tools:
        """Return the tools for a column or baseline, which report its progress."""
        self._share = 0.0
        return self.tools(
            self.embedder,
            self.plan.tokenizer,
            uses_disk_cache=self.on_disk,
            progress=self._embedded_text_count_reporter(self.plan.names[column_number]),
            share=self._note_share,
            arrival=self.arrival,
        )


@dataclass(eq=False)
class Answering(StoredRunJob):
    """A job that answers every question from every column's chunks, several in parallel.

    Attributes
    ----------
    passages_by_column
        See `PassageGatheringJob.passages_by_column`.
    models
        The models that answer and judge.
    asking, judge
        Access to the models; None for a run that only shows stored answers. ``judge`` is also None without judging.
    bert
        True if BERTScore is computed at the end.
    stored_run
        Storage for each complete answer on disk; None if the run is not stored.
    results
        Results by column and question, replaced after each step. Earlier results are not requested again.
    finished
        The keys of the complete results.
    """

    stored_run_type = StoredAnswers
    plan: AnswerPlan
    document: Document
    passages_by_column: Mapping[int, GatheredPassages]
    models: AnswerModels
    asking: Asking | None
    judge: Asking | None
    embedder: Embedder
    on_disk: bool
    bert: bool = False
    stored_run: StoredAnswers | None = None
    results: dict[tuple[int, int], AnswerResult] = field(default_factory=dict)
    finished: set[tuple[int, int]] = field(default_factory=set, init=False)
    _version: int = 0
    _report: tuple[int, AnswerReport] | None = None

    def __post_init__(self) -> None:
        """Adopt earlier results."""
        has_judge_model = bool(self.models.judge)
        self.finished = {
            place
            for place, answered in self.results.items()
            if answered.has_all_measures(requires_judgements=has_judge_model)
        }

    @property
    def part_count(self) -> int:
        """Total number of answers."""
        return len(self.passages_by_column) * len(self.plan.items)

    @property
    def finished_part_count(self) -> int:
        """The number of complete answers."""
        return len(self.finished)

    @property
    def is_complete(self) -> bool:
        """True if every requested answer is complete."""
        return self.finished_part_count == self.part_count and not self.error

    def progress(self) -> tuple[float, str]:
        """Return the share of answers completed, and a status text."""
        progress_unit_phrase = "answers judged" if self.models.judge else "answers"
        asking_status = (
            f"Asking {self.models.names[0]}: {self.finished_part_count:,} of {self.part_count:,} {progress_unit_phrase}"
        )
        return self.finished_part_count / max(1, self.part_count), self._status or asking_status

    def tools_for_answering_and_judging(
        self, model_access: Asking, judge: Asking | None, embedding_job: BackgroundJob
    ) -> Services:
        """Return the tools for answering and judging: the models, a similarity function and a token counter.

        Embedding uses the tools of ``embedding_job``.
        """
        tokenizer = load_tokenizer(self.plan.tokenizer)
        tokenizer.ensure_loaded()

        def compute_similarities_to_other_texts(text: str, other_texts: Sequence[str]) -> FloatArray:
            compared_text_vectors = embedding_job.tools(
                self.embedder, self.plan.tokenizer, fitted_on=self.document, uses_disk_cache=self.on_disk
            ).embed([text, *other_texts])
            return np.asarray(compared_text_vectors[1:] @ compared_text_vectors[0], dtype=float)

        return Services(model_access, judge, compute_similarities_to_other_texts, tokenizer.count)

    def record_result_in_memory(self, column_and_question_numbers: tuple[int, int], result: AnswerResult) -> None:
        """Store the result for one answer; the result may be incomplete."""
        self.results[column_and_question_numbers] = result
        # After the result, so that a report of this version includes it.
        self._version += 1

    def report(self) -> AnswerReport:
        """Return the report on the answers so far, which is recomputed only after a change."""
        results_version = self._version
        if self._report is None or self._report[0] != results_version:
            self._report = (
                results_version,
                AnswerReport(
                    self.plan.names,
                    len(self.plan.items),
                    self.results.copy(),
                    row_number_by_control_baseline(self.plan.trivial, len(self.plan.names) - len(self.plan.trivial)),
                ),
            )
        return self._report[1]

    def _do_work(self) -> None:
        if self.asking is None:
            return
        if self.stored_run is not None:
            self.stored_run.begin()
            self.load_embedding_model(self.embedder)
            self._status = ""
            for column_and_question_number in self.finished:
                self.write_answer_to_disk(column_and_question_number)
        answer_and_judge_services = self.tools_for_answering_and_judging(self.asking, self.judge, self)
        answer_judge_and_store_all(
            self.plan.items,
            self.passages_by_column,
            answer_and_judge_services,
            self.record_result_in_memory,
            self._store_complete_answer,
            self.cancelled,
            self.results.copy(),
        )
        if self.bert:
            self._compute_bert_scores()

    def _store_complete_answer(self, column_and_question_numbers: tuple[int, int]) -> None:
        """Add a complete answer, first on disk, so that a shown answer is never lost."""
        self.write_answer_to_disk(column_and_question_numbers)
        self.finished.add(column_and_question_numbers)

    def write_answer_to_disk(self, column_and_question_number: tuple[int, int]) -> None:
        """Store an answer on disk, if its run is stored there."""
        if self.stored_run is not None:
            self.stored_run.add(column_and_question_number, self.results[column_and_question_number])

    def _compute_bert_scores(self) -> None:
        self._status = "Computing BERTScore"
        scorable_column_question_pairs = [
            place for place, answered in self.results.items() if answered.answer.text and answered.item.reference
        ]
        if not scorable_column_question_pairs:
            return
        scorable_results = [self.results[place] for place in scorable_column_question_pairs]
        answer_bert_scores = bert_scores(
            [answered.answer.text for answered in scorable_results],
            [answered.item.reference for answered in scorable_results],
            detect_language(self.document.text),
        )
        for column_and_question_number, bert_score in zip(scorable_column_question_pairs, answer_bert_scores, strict=True):
            self.record_result_in_memory(
                column_and_question_number, replace(self.results[column_and_question_number], bert_score=bert_score)
            )
            self.write_answer_to_disk(column_and_question_number)


@dataclass(eq=False)
class Judging(BackgroundJob):
    """A job that has the answers to one question judged again, in addition to their earlier judgements.

    Attributes
    ----------
    judge
        Access to the judging model, from this session, since the run may belong to another one.
    """

    run: Answering
    question_index: int
    judge: Asking
    finished: int = 0

    @property
    def column_question_numbers_to_judge(self) -> list[tuple[int, int]]:
        """The column and question numbers of the answers to judge."""
        return [
            place for place, answered in self.run.results.items() if place[1] == self.question_index and answered.answer.text
        ]

    def progress(self) -> tuple[float, str]:
        """Return the share of answers judged, and a status text."""
        total_answer_count = len(self.column_question_numbers_to_judge)
        return self.finished / max(
            1, total_answer_count
        ), f"Judging again: {self.finished:,} of {total_answer_count:,} answers"

    def _do_work(self) -> None:
        answer_and_judge_services = self.run.tools_for_answering_and_judging(self.judge, self.judge, self)

        def judging_task_of(column_and_question_numbers: tuple[int, int]) -> Callable[[Callable[[], bool]], None]:
            answer_result = self.run.results[column_and_question_numbers]
            judging_round_number = 1 + max(
                (judgement.repeat for times in answer_result.judgements.values() for judgement in times), default=-1
            )

            def judge_and_store_answer(cancelled: Callable[[], bool]) -> None:
                judge_and_store_result(
                    answer_result,
                    answer_and_judge_services,
                    partial(self.run.record_result_in_memory, column_and_question_numbers),
                    cancelled,
                    judging_round_number,
                )
                self.run.write_answer_to_disk(column_and_question_numbers)
                self.finished += 1

            return judge_and_store_answer

        run_in_parallel([judging_task_of(place) for place in self.column_question_numbers_to_judge], self.cancelled)


# Questions of the Retrieval page, grouped by the text that answers them.


class SharedText(NamedTuple):
    """A text of the Retrieval page, with its questions and their origin."""

    name: str
    text: str
    parts: TextParts | None
    items: QuestionItems
    origin: str

    def with_added_questions_of(self, other: SharedText) -> SharedText:
        """Return this text with its own questions and those of the same text in ``other``, without duplicates."""
        item_by_question = {item.question: item for item in (*self.items.usable, *other.items.usable)}
        merged_question_problems = (*self.items.problems, *other.items.problems)
        return self._replace(
            items=QuestionItems((*item_by_question.values(),), merged_question_problems),
            origin=f"{self.origin} and {other.origin}",
        )


@dataclass(eq=False)
class QuestionAssignmentJob(ReusableJob):
    """A job that assigns Retrieval's questions to the texts that answer them.

    Attributes
    ----------
    question_sets
        The origin of each set of questions, and the questions with their documents.
    shared_texts
        Questions by text, without those that no document or several documents answer.
    """

    question_sets: tuple[tuple[str, RunMaterial], ...]
    shared_texts: dict[str, SharedText] = field(default_factory=dict)
    _status: str = field(default="Looking up Retrieval's questions", init=False)

    @property
    def result_key(self) -> tuple[tuple[str, RunMaterial], ...]:
        """Key of the job's result: the sets of questions."""
        return self.question_sets

    def _do_work(self) -> None:
        error_messages = []
        for question_origin, documents_and_questions in self.question_sets:
            try:
                self._assign_questions_to_texts(question_origin, documents_and_questions)
            except InputError as error:
                error_messages.append(str(error))
        if error_messages:
            raise InputError(" ".join(error_messages))

    def _assign_questions_to_texts(self, question_origin: str, documents_and_questions: RunMaterial) -> None:
        question_corpus_documents = []
        for document_name, text in documents_and_questions.texts:
            raise_if_cancelled(self.cancelled)
            # Excerpts do not depend on sentences: the document is not split.
            question_corpus_documents.append(Document.from_text(text, "lines", document_name))
        corpus = Corpus(tuple(question_corpus_documents))
        document_name, question_file_content = documents_and_questions.questions
        questions_from_file = read_questions(question_file_content, document_name, corpus, self.cancelled)
        document_name_by_text, parts_by_document_name = (
            {text: called for called, text in documents_and_questions.texts},
            dict(documents_and_questions.parts),
        )
        for text, question_items in question_items_by_document_text(questions_from_file.usable, corpus).items():
            text_with_questions = SharedText(
                document_name_by_text[text],
                text,
                parts_by_document_name.get(document_name_by_text[text]),
                question_items,
                question_origin,
            )
            same_text_with_earlier_questions = self.shared_texts.get(text)
            self.shared_texts[text] = (
                text_with_questions
                if same_text_with_earlier_questions is None
                else same_text_with_earlier_questions.with_added_questions_of(text_with_questions)
            )
