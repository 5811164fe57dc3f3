"""Questions that pages give each other, with the documents that they are about."""

from __future__ import annotations

from collections.abc import Iterable

from chunkers.text.parts import Parts
from evaluation.questions.marked_file import questions_with_texts
from evaluation.questions.sets import QuestionSet
from viz.jobs.plan import Material
from viz.state.choices import ColumnChoice
from viz.state.keys import session
from viz.state.values import GivenQuestions
from viz.theme.numbers import counted

RETRIEVAL, GENERATED = "retrieval", "generated"
"""Sets of questions that Retrieval shares: the ones it measures with, and the ones a language model wrote there."""


KEPT = "kept on Compare"
"""Origin of questions whose answers were marked on Compare."""


def give_to_retrieval(
    found: QuestionSet,
    questions: int,
    origin: str,
    parts: tuple[tuple[str, Parts], ...] = (),
    columns: Iterable[ColumnChoice] = (),
) -> None:
    """Have Retrieval measure on a set of questions until the user chooses other documents there; for callbacks.

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
    session.retrieval_given = GivenQuestions(material, said, found.notes, origin, tuple(column.copy() for column in columns))
    session.retrieval_arrived, session.retrieval_files = True, False


def give_kept_to_retrieval(columns: Iterable[ColumnChoice] = ()) -> None:
    """Have Retrieval measure on the questions that are kept on Compare, see `give_to_retrieval`."""
    sources = session.question_texts
    found = questions_with_texts(session.questions, {identity: one.text for identity, one in sources.items()})
    parts = {one.text: one.parts for one in sources.values() if one.parts is not None}
    paged = tuple((name, parts[text]) for name, text in found.texts if text in parts)
    give_to_retrieval(found, len(session.questions), KEPT, paged, columns)


def refresh_kept() -> None:
    """Have Retrieval measure on the questions kept on Compare as they are now, if it was given them before."""
    given = session.retrieval_given
    if given is not None and given.origin == KEPT and session.questions:
        arrived = session.retrieval_arrived
        give_kept_to_retrieval(given.columns)
        session.retrieval_arrived = arrived
        if (new := session.retrieval_given) is not None and new.material == given.material:
            session.retrieval_given = given


def share(material: Material) -> None:
    """Share Retrieval's own material with Answers."""
    given = session.retrieval_given
    origin = f"from {material.questions[0]}" if given is None or given.material is not material else given.origin
    session.shared_questions = {**session.shared_questions, RETRIEVAL: (origin, material)}


def given_before() -> Material | None:
    """Return the user's own material on which Retrieval measured last in this session; None if there is none."""
    found = session.shared_questions.get(RETRIEVAL)
    return None if found is None else found[1]


def share_generated(found: QuestionSet, model: str, parts: tuple[tuple[str, Parts], ...]) -> None:
    """Share the questions that a language model wrote on Retrieval with Answers, whether they are measured or not."""
    material = Material(found.texts, found.questions, True, parts)
    session.shared_questions = {**session.shared_questions, GENERATED: (f"asked by {model}", material)}


def shared() -> tuple[tuple[str, Material], ...]:
    """Return the sources of Retrieval's questions with the questions, each set only once."""
    found = session.shared_questions.values()
    return tuple({material: (origin, material) for origin, material in found}.values())
