"""The plan of a run of answers: the models, and the settings whose change requires another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from evaluation.answering.questions import Item
from viz.jobs.chunking import Task


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
        The trivial baselines, by their names in `evaluation.answering.trivial.TITLES`.
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
