"""The session state of Compare; its question is the user's text, so it is not part of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from viz.state import MutableSessionValue, Session, SessionJob, SessionValue

if TYPE_CHECKING:
    from chunkers import Chunking
    from evaluation.questions import MarkedQuestion
    from viz.jobs import ChunkingJob, ChunkingTask, ContextSentencesJob, DecisionTimes, QuestionRetrievalJob
    from viz.jobs.index_changes_and_stability import EditStabilityJob, IndexChanges
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
    description, new_cuts
        The change in words, and the boundaries that are new; empty if nothing has changed yet.
    """

    task: ChunkingTask
    cuts: tuple[int, ...]
    description: str = ""
    new_cuts: frozenset[int] = frozenset()


class CompareSession(Session):
    """Session state that only the Compare page uses."""

    repeats: MutableSessionValue[dict[ChunkingTask, DecisionTimes | None]] = MutableSessionValue("repeats", dict)
    history: MutableSessionValue[dict[int, LastChange]] = MutableSessionValue("history", dict)  # by column of Compare
    # The document and the embedder, while Compare shows the comparison of an approximating embedder with the full one
    compared_embedders: SessionValue[tuple[str, str] | None] = SessionValue("compared_embedders", None)
    full_job: SessionJob[ChunkingJob | None] = SessionJob("full_job", None)  # runs the columns with the full embedder
    full_results: MutableSessionValue[dict[ChunkingTask, Chunking]] = MutableSessionValue("full_results", dict)
    edit_stability_job: SessionJob[EditStabilityJob | None] = SessionJob(
        "edit_stability_job", None
    )  # measures how inserted sentences change the columns
    # Cuts and searches documents by the columns, to show what a change costs and which questions it wins and loses
    index_changes: SessionJob[IndexChanges | None] = SessionJob("index_changes", None)
    index_documents_name = SessionValue("index_documents_name", "")  # their name in the list
    # These documents, a tokenizer, and the number of their tokens
    index_token_count: SessionValue[tuple[tuple[tuple[str, str], ...], str, int] | None] = SessionValue(
        "index_token_count", None
    )
    embedding_price = SessionValue("embedding_price", 0.0)  # US dollars per million tokens; 0 if none is given
    # The comparison of a library's own chunker with a column: its identity, the message, and the message's tone
    original_comparison: SessionValue[tuple[str, str, str] | None] = SessionValue("original_comparison", None)
    # Document whose columns are folded, and the purpose
    folded_document_and_purpose: SessionValue[tuple[str, str]] = SessionValue("folded_document_and_purpose", ("", ""))
    question = SessionValue("question", "")
    # The browser's timestamp of the last event about it
    question_moment: SessionValue[float | None] = SessionValue("question_moment", None)
    ask_job: SessionJob[QuestionRetrievalJob | None] = SessionJob("ask_job", None)
    remedy_job: SessionJob[RemedyJob | None] = SessionJob("remedy_job", None)
    marked_answer: SessionValue[MarkedQuestion | None] = SessionValue(
        "marked_answer", None
    )  # the passage marked as the answer
    answer_complaint = SessionValue("answer_complaint", "")
    context_sentences_job: SessionJob[ContextSentencesJob | None] = SessionJob(
        "context_sentences_job", None
    )  # writes the context sentences of the columns of Compare


session = CompareSession()
"""The current session, as the page sees it."""
