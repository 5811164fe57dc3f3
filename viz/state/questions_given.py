"""Questions that Retrieval is given by another page or by a part of its own, with the documents that they are about."""

from __future__ import annotations

from chunkers.text.parts import Parts
from evaluation.retrieval.question_sets import QuestionSet
from viz.jobs.plan import Material
from viz.state.keys import session
from viz.state.values import GivenQuestions
from viz.theme.numbers import counted


def give_to_retrieval(found: QuestionSet, questions: int, origin: str, parts: tuple[tuple[str, Parts], ...] = ()) -> None:
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
    """
    said = f"{counted(questions, 'question')} about {counted(len(found.texts), 'document')}, {origin}."
    session.retrieval_given = GivenQuestions(Material(found.texts, found.questions, True, parts), said, found.notes)
    session.retrieval_arrived = True
