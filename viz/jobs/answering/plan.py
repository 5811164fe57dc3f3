"""The plan of a run of answers, in memory and stored: the models, and the settings whose change requires another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import Field

from chunkers import Chunking
from evaluation.answering.answer import Gathered
from evaluation.answering.questions import Item
from evaluation.answering.results import Result, result_from_json, result_to_json
from viz.jobs.chunking import Task
from viz.jobs.keeping.kept_run import Keeper, KeptPlan, KeptRun


class Models(NamedTuple):
    """The identities of the answering and the judging model, each a name and a revision.

    Attributes
    ----------
    answers
        The model that answers.
    judge
        The model that judges; empty if the answers are not judged.
    """

    answers: str
    judge: str

    @property
    def names(self) -> list[str]:
        """The models' names without revision, the answering model first."""
        return [model.rpartition(" ")[0].removeprefix("openai:") for model in self if model]

    def changed(self, other: Models) -> list[str]:
        """Return the names of the models that differ from ``other``; a missing judge does not count."""
        differs = {
            "the language model": self.answers != other.answers,
            "the judging model": bool(other.judge) and self.judge != other.judge,
        }
        return [name for name, different in differs.items() if different]


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
    embedder, vectors
        The embedder's name, and the identity that distinguishes models of the same name.
    trivial
        The trivial baselines, by their names in `evaluation.answering.answer.TRIVIAL_TITLES`.
    """

    tasks: tuple[Task, ...]
    names: tuple[str, ...]
    items: tuple[Item, ...]
    budget: int
    embedder: str
    vectors: str
    tokenizer: str
    trivial: tuple[str, ...] = ()

    def same_embedder(self, other: AnswerPlan) -> bool:
        """Return whether both plans embed with the same model."""
        return (self.embedder, self.vectors) == (other.embedder, other.vectors)

    def changed(self, other: AnswerPlan) -> list[str]:
        """Return the names of the settings in which the other plan differs."""
        differs = {
            "the text": [task.document for task in self.tasks[:1]] != [task.document for task in other.tasks[:1]],
            "chunkers": [task.chunker for task in self.tasks] != [task.chunker for task in other.tasks],
            "trivial rows": self.trivial != other.trivial,
            "questions": self.items != other.items,
            "budget": self.budget != other.budget,
            "embedder": not self.same_embedder(other),
            "tokenizer": self.tokenizer != other.tokenizer,
        }
        return [name for name, different in differs.items() if different]


# The stored run, which has no text: its plan, and the measures of each answer.


class _Plan(KeptPlan):
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
    def total(self) -> int:
        """The number of answers in the run."""
        return len(self.questions) * (len(self.chunkers) + len(self.trivial))


class KeptAnswers(KeptRun[_Plan]):
    """A stored run of answers, with one part per chunker and question, in the order of the chunkers."""

    kind = "answers"
    part = "answer"
    plan_type = _Plan

    @classmethod
    def of(cls, keeper: Keeper, plan: AnswerPlan, chunkings: Sequence[Chunking], models: Models) -> KeptAnswers:
        """Return the storage for a run of answers, without writing anything yet."""
        stored_plan = _Plan(
            document=keeper.digest(plan.tasks[0].document),
            questions=tuple(keeper.digest(*item) for item in plan.items),
            # The cache of a model's answers belongs to one session, so its identity is left out.
            chunkers=tuple((task.chunker, task.model.rpartition(" ")[0]) for task in plan.tasks),
            cuts=tuple(
                keeper.digest(*(f"{chunk.spans} {chunk.text}" for chunk in chunking.chunks)) if task.model else ""
                for task, chunking in zip(plan.tasks, chunkings, strict=True)
            ),
            budget=plan.budget,
            embedder=plan.embedder,
            tokenizer=plan.tokenizer,
            trivial=plan.trivial,
            answers=models.answers,
            judge=models.judge,
        )
        return cls(keeper, stored_plan)

    @property
    def models(self) -> Models:
        """The identities of the models that answer and judge."""
        return Models(self.plan.answers, self.plan.judge)

    def add(self, place: tuple[int, int], result: Result) -> None:
        """Store the measures of an answer on disk before returning."""
        column_number, question_number = place
        self.keeper.add(column_number * len(self.plan.questions) + question_number, result_to_json(result))

    def missing(self, plan: AnswerPlan | None, chunkings: Sequence[Chunking] = ()) -> list[str]:
        """Return the names of the settings in which the page's ``plan`` differs from the stored run's plan."""
        if plan is None:
            return ["the text", "the questions"]
        other = KeptAnswers.of(self.keeper, plan, chunkings, self.models).plan
        names = {
            "document": "the text",
            "questions": "the questions",
            "chunkers": "the chunkers",
            "trivial": "the trivial rows",
            "budget": "the budget",
            "embedder": "the embedder",
            "tokenizer": "what counts tokens",
        }
        missing = [label for name, label in names.items() if getattr(self.plan, name) != getattr(other, name)]
        return missing or ["where the language model cuts"] * (any(other.cuts) and self.plan.cuts != other.cuts)

    def found(self, gathered: Mapping[int, Gathered], items: tuple[Item, ...]) -> dict[tuple[int, int], Result]:
        """Return the stored results by column and question, without the texts of the answers.

        Raises InputError as `results` does.
        """

        def decode(number: int, part: bytes) -> Result:
            column, question = divmod(number, len(items))
            return result_from_json(part, items[question], gathered[column].contexts[question])

        return {divmod(number, len(items)): result for number, result in self.results(decode).items()}
