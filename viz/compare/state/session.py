"""The session state of Compare; its question is the user's text, so it is not part of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from viz.state import Container, Job, Session, Value

if TYPE_CHECKING:
    from chunkers import Chunking
    from evaluation.questions.question_sets import MarkedQuestion
    from viz.jobs.chunker_comparison import EditStabilityJob, IndexChanges
    from viz.jobs.chunking import ChunkingJob, DecisionTimes, Task
    from viz.jobs.column_jobs import AskJob, Situating
    from viz.jobs.remedy_search import RemedyJob


@dataclass(frozen=True)
class LastChange:
    """The boundaries of a column on Compare, and how the last change of its parameters affected them.

    Attributes
    ----------
    task
        The task that produced the boundaries, without the embedder's revision.
    cuts
        The boundaries, as offsets in code points.
    said, fresh
        The change in words, and the boundaries that are new; empty if nothing has changed yet.
    """

    task: Task
    cuts: tuple[int, ...]
    said: str = ""
    fresh: frozenset[int] = frozenset()


class CompareSession(Session):
    """Session state that only the Compare page uses."""

    repeats: Container[dict[Task, DecisionTimes | None]] = Container("repeats", dict)
    history: Container[dict[int, LastChange]] = Container("history", dict)  # by column of Compare
    # The document and the embedder, while Compare shows the comparison of an approximating embedder with the full one
    compared_embedders: Value[tuple[str, str] | None] = Value("compared_embedders", None)
    full_job: Job[ChunkingJob | None] = Job("full_job", None)  # runs the columns with the full embedder
    full_results: Container[dict[Task, Chunking]] = Container("full_results", dict)
    edits: Job[EditStabilityJob | None] = Job("edits", None)  # measures how inserted sentences change the columns
    # Cuts and searches documents by the columns, to show what a change costs and which questions it wins and loses
    index_changes: Job[IndexChanges | None] = Job("index_changes", None)
    changed_documents = Value("changed_documents", "")  # their name in the list
    # These documents, a tokenizer, and the number of their tokens
    changed_tokens: Value[tuple[tuple[tuple[str, str], ...], str, int] | None] = Value("changed_tokens", None)
    embedding_price = Value("embedding_price", 0.0)  # US dollars per million tokens; 0 if none is given
    # The comparison of a library's own chunker with a column: its identity, the message, and the message's tone
    proof: Value[tuple[str, str, str] | None] = Value("proof", None)
    question = Value("question", "")
    # The browser's timestamp of the last event about it
    question_moment: Value[float | None] = Value("question_moment", None)
    ask_job: Job[AskJob | None] = Job("ask_job", None)
    remedy_job: Job[RemedyJob | None] = Job("remedy_job", None)
    answer: Value[MarkedQuestion | None] = Value("answer", None)  # the passage marked as the answer
    answer_complaint = Value("answer_complaint", "")
    situating: Job[Situating | None] = Job("situating", None)  # writes the context sentences of the columns of Compare


session = CompareSession()
"""The current session, as the page sees it."""
