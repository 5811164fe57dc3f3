"""The session's stored questions, in the format in which the tab, the disk or a session file keeps them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache

from pydantic import TypeAdapter, ValidationError

from chunkers import Document
from evaluation.asking.answer import Posed, checked_answer
from sample_docs import load_sample, sample_titles
from viz.state.keys import session
from viz.state.text import Source
from viz.state.values import MOST_QUESTIONS, KeptQuestion

_MANY = TypeAdapter(tuple[KeptQuestion, ...])


def written(text: str | None = None) -> tuple[KeptQuestion, ...]:
    """Return the session's questions in stored form, including those whose text is not open.

    If ``text`` is given, only the questions about it are returned.
    """
    # Cached, because pages call this in every run and texts may be long.
    digests = session.question_digests
    for identity, source in session.question_texts.items():
        if identity not in digests:
            digests[identity] = digest_of(source.text)
    open_questions = [
        KeptQuestion(
            **question._asdict() | {"document": question.document[:300]},
            sample=_samples().get(digests[question.identity], ""),
            text=digests[question.identity],
        )
        for question in session.questions
    ]
    wanted = None if text is None else digest_of(text)
    return tuple(question for question in (*open_questions, *session.questions_waiting) if wanted in (None, question.text))


def to_json(questions: Iterable[KeptQuestion]) -> str:
    """Return questions in stored form as JSON."""
    return _MANY.dump_json(tuple(questions)).decode()


def take_back(told: object) -> None:
    """Add to the session the questions that the browser's tab has kept, and ignore invalid questions."""
    try:
        questions = _MANY.validate_json(told) if isinstance(told, str) else ()
    except ValidationError:
        return
    give_back(questions)


def give_back(questions: Iterable[KeptQuestion]) -> None:
    """Add stored questions to the session; questions about an unknown text wait until the text is opened."""
    known = {(question.question, question.text) for question in written()}
    session.questions_waiting = (
        *session.questions_waiting,
        *(question for question in questions if (question.question, question.text) not in known),
    )
    place_waiting()


def place_waiting() -> None:
    """Activate the waiting questions whose text has been opened."""
    waiting = session.questions_waiting
    if not waiting:
        return
    own = session.own
    about_own = digest_of(own.text) if own is not None else ""
    left = []
    for question in waiting:
        source: Source | None = None
        if question.sample in sample_titles():
            sample = load_sample(question.sample)
            source = Source(sample.text, sample.title)
        elif own is not None and question.text == about_own:
            source = Source(own.text, own.name, parts=own.parts)
        if source is None or len(session.questions) >= MOST_QUESTIONS:
            left.append(question)
        elif source.text.startswith(question.answer, question.start):
            session.questions.append(question.marked)
            session.question_texts.setdefault(question.identity, source)
    session.questions_waiting = tuple(left[:MOST_QUESTIONS])


def posed_about(document: Document, besides: str = "") -> tuple[Posed, ...]:
    """Return the stored questions about a text and the spans of their answers, except the question ``besides``."""
    text = document.text
    return tuple(
        Posed(question.question, checked_answer(text, question.start, question.start + len(question.answer)))
        for question in session.questions
        if question.question != besides
        and question.document == document.name
        and text.startswith(question.answer, question.start)
    )


def digest_of(text: str) -> str:
    """Return the digest of a text by which stored questions refer to the text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def _samples() -> dict[str, str]:
    """Return the ids of the bundled documents by the digests of their texts."""
    return {digest_of(load_sample(name).text): name for name in sample_titles()}
