"""The session's questions and own text, in the format in which the tab, the disk or a session file keeps them."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from chunkers import Document
from chunkers.text.extracted_text import Omission, Parts
from evaluation.asking.ask import PosedQuestion, checked_answer
from sample_docs import load_sample, sample_titles
from viz.state.own_text import store_own_text, with_dashes_as_boundaries
from viz.state.session_file import MOST_QUESTIONS, KeptParts, KeptQuestion
from viz.state.session_state import session
from viz.state.text import Source, are_boundaries

_QUESTIONS_ADAPTER = TypeAdapter(tuple[KeptQuestion, ...])


def stored_questions(text: str | None = None) -> tuple[KeptQuestion, ...]:
    """Return the session's questions in stored form, including those whose text is not open.

    If ``text`` is given, only the questions about it are returned.
    """
    # Cached, because pages call this in every run and texts may be long.
    digests = session.question_digests
    for identity, source in session.question_texts.items():
        if identity not in digests:
            digests[identity] = text_digest(source.text)
    open_questions = [
        KeptQuestion(
            **question._asdict() | {"document": question.document[:300]},
            sample=_samples().get(digests[question.identity], ""),
            text=digests[question.identity],
        )
        for question in session.questions
    ]
    wanted = None if text is None else text_digest(text)
    return tuple(question for question in (*open_questions, *session.questions_waiting) if wanted in (None, question.text))


def questions_to_json(questions: Iterable[KeptQuestion]) -> str:
    """Return questions in stored form as JSON."""
    return _QUESTIONS_ADAPTER.dump_json(tuple(questions)).decode()


def take_questions_of_tab(told: object) -> None:
    """Add to the session the questions that the browser's tab has kept, and ignore invalid questions."""
    try:
        questions = _QUESTIONS_ADAPTER.validate_json(told) if isinstance(told, str) else ()
    except ValidationError:
        return
    restore_questions(questions)


def restore_questions(questions: Iterable[KeptQuestion]) -> None:
    """Add stored questions to the session; questions about an unknown text wait until the text is opened."""
    known = {(question.question, question.text) for question in stored_questions()}
    session.questions_waiting = (
        *session.questions_waiting,
        *(question for question in questions if (question.question, question.text) not in known),
    )
    activate_waiting_questions()


def activate_waiting_questions() -> None:
    """Activate the waiting questions whose text has been opened."""
    waiting = session.questions_waiting
    if not waiting:
        return
    own = session.own
    about_own = text_digest(own.text) if own is not None else ""
    still_waiting = []
    for question in waiting:
        source: Source | None = None
        if question.sample in sample_titles():
            sample = load_sample(question.sample)
            source = Source(sample.text, sample.title)
        elif own is not None and question.text == about_own:
            source = Source(own.text, own.name, parts=own.parts)
        if source is None or len(session.questions) >= MOST_QUESTIONS:
            still_waiting.append(question)
        elif source.text.startswith(question.answer, question.start):
            session.questions.append(question.marked)
            session.question_texts.setdefault(question.identity, source)
    session.questions_waiting = tuple(still_waiting[:MOST_QUESTIONS])


def kept_questions_about(document: Document, besides: str = "") -> tuple[PosedQuestion, ...]:
    """Return the stored questions about a text and the spans of their answers, except the question ``besides``."""
    text = document.text
    return tuple(
        PosedQuestion(question.question, checked_answer(text, question.start, question.start + len(question.answer)))
        for question in session.questions
        if question.question != besides
        and question.document == document.name
        and text.startswith(question.answer, question.start)
    )


def text_digest(text: str) -> str:
    """Return the digest of a text by which stored questions refer to the text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def _samples() -> dict[str, str]:
    """Return the ids of the bundled documents by the digests of their texts."""
    return {text_digest(load_sample(name).text): name for name in sample_titles()}


# The user's own text.

MOST_OF_FILE = 200_000
"""Most characters of the stored properties of a text's file (pages and omitted content), enough for 10,000 pages."""


class KeptText(BaseModel, frozen=True, extra="ignore"):
    """The stored metadata of a text: its name, boundaries and origin.

    Attributes
    ----------
    known
        The known boundaries as offsets in code points, in the text without lines of dashes; None if none are known.
    dashes
        True if the text's lines of dashes are boundaries; None if it has no such lines.
    file
        JSON with the properties of the file that the text was read from; empty if it was not read from a file.
    """

    name: str = Field(max_length=300)
    known: tuple[int, ...] | None
    dashes: bool | None
    teaches: str = Field(max_length=1_000)
    file: str = Field("", max_length=MOST_OF_FILE)


class _File(BaseModel, frozen=True, extra="ignore"):
    """Details of a text's source file."""

    parts: KeptParts | None = None
    left_out: tuple[Omission, ...] = ()


def text_in_stored_form(own: Source, given: Source | None) -> tuple[KeptText, str]:
    """Return the user's text in stored form: its metadata and the text.

    ``given`` is the text before its lines of dashes were removed.
    """
    source = given or own
    about = KeptText(
        name=own.name[:300],
        known=own.known,
        dashes=session.dashes is not False if given is not None else None,
        teaches=own.teaches[:1_000],
        file=_file_of(source),
    )
    return about, source.text


def restore_text(about: KeptText, text: str) -> None:
    """Restore a stored text as the user's own."""
    base = Source(text, about.name, None, about.teaches, *_of_file(about, text))
    own = with_dashes_as_boundaries(base) if about.dashes else base
    # Stored boundaries take precedence over those from dashes, since clicks may have changed them.
    if are_boundaries(about.known, own.text):
        own = replace(own, known=about.known)
    store_own_text(own, base if about.dashes is not None else None)
    session.dashes = about.dashes is not False


def _file_of(source: Source) -> str:
    """Return the pages of a text's file and its omitted content as JSON, as far as there is room."""
    if source.parts is None and not source.left_out:
        return ""
    parts = None if source.parts is None else KeptParts.of(source.parts)
    for file in (_File(parts=parts, left_out=source.left_out), _File(parts=parts)):
        content = file.model_dump_json()
        if len(content) <= MOST_OF_FILE:
            return content
    return ""


def _of_file(about: KeptText, text: str) -> tuple[Parts | None, tuple[Omission, ...]]:
    """Return the stored pages and omitted content; nothing if they cannot belong to the text."""
    if not about.file:
        return None, ()
    try:
        file = _File.model_validate_json(about.file)
        return None if file.parts is None else file.parts.of_text(text), file.left_out
    except ValueError:
        return None, ()
