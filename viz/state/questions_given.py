"""Questions that Retrieval is given by another page or by a part of its own, with the documents that they are about."""

from __future__ import annotations

from collections.abc import Iterable

from chunkers.text.parts import Parts
from evaluation.retrieval.question_sets import QuestionSet
from viz.jobs.plan import Material
from viz.state.choices import ColumnChoice
from viz.state.keys import session
from viz.state.values import GivenQuestions
from viz.theme.numbers import counted


def give_to_retrieval(
    found: QuestionSet,
    questions: int,
    origin: str,
    parts: tuple[tuple[str, Parts], ...] = (),
    columns: Iterable[ColumnChoice] = (),
) -> None:
    """Make a set what Retrieval measures on, until the user chooses other documents there; for callbacks.

    Parameters
    ----------
    found
        The questions with their documents.
    questions
        How many they are.
    origin
        Where they are from, as ``kept on Compare``.
    parts
        Name and pages, or chapters, of each document that has some.
    columns
        Those that are to be measured; none to leave Retrieval's.
    """
    said = f"{counted(questions, 'question')} about {counted(len(found.texts), 'document')}, {origin}."
    material = Material(found.texts, found.questions, True, parts)
    session.retrieval_given = GivenQuestions(material, said, found.notes, tuple(column.copy() for column in columns))
    session.retrieval_arrived = True
