"""Read questions with excerpts and locate the excerpts in the documents."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from chunkers import Cancelled, InputError, Span
from chunkers.support.limits import MAX_BYTES
from chunkers.text.quotations import How
from evaluation.questions.corpus import Corpus
from evaluation.questions.excerpts import Excerpt, Finder, Located
from evaluation.questions.quoting import short
from evaluation.questions.rows import EXCERPTS, Row, listed, rows_in

MOST = 5000
"""Maximum number of questions of a file that are used: more would take too long for a page and add little."""


@dataclass(frozen=True)
class Question:
    """Question with the excerpts that contain its answer."""

    text: str
    excerpts: tuple[Excerpt, ...]


LabelState = Literal["valid", "found again", "split", "merged", "orphaned"]
"""State of an excerpt after an edit: it stands where it was; elsewhere, or with other typography or small changes; in parts,
with other text between them; in a place that another excerpt of its question has; or nowhere."""


class Label(NamedTuple):
    """An excerpt as its file has it, and what has become of it.

    Attributes
    ----------
    document, spans
        Its places in a document; none if it is orphaned.
    remark
        A sentence if it differs from the text, stands there more than once, or was not found; otherwise empty.
    """

    question: str
    excerpt: str
    state: LabelState
    document: str = ""
    spans: tuple[Span, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Questions:
    """Questions read from a file.

    Attributes
    ----------
    problems
        Sentences on unusable rows.
    changes
        Sentences on excerpts that differ from the text. They are usable: they were found at another position, with other
        typography, with small changes, in parts, or more than once.
    labels
        The excerpts of the usable questions and of those whose excerpts are lost, in the order of the file.
    """

    usable: tuple[Question, ...]
    problems: tuple[str, ...]
    changes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()

    def states(self) -> dict[LabelState, int]:
        """Return the number of excerpts in each state that any of them has, in the order of `LabelState`."""
        counts = Counter(label.state for label in self.labels)
        return {state: counts[state] for state in get_args(LabelState) if counts[state]}

    def needed(self, name: str) -> tuple[Question, ...]:
        """Return the usable questions. Raise InputError if there are none."""
        if not self.usable:
            why = f" {self.problems[0]}" if self.problems else ""
            raise InputError(f"{name}: at least one question must be usable; none is.{why}")
        return self.usable


def read_questions(data: bytes, name: str, corpus: Corpus, cancelled: Callable[[], bool] = bool) -> Questions:
    """Read questions from a file and locate their excerpts in the corpus.

    `Finder.locate` locates the excerpts.

    A file is CSV with commas, semicolons or tabs, JSON lines, or a JSON list. A row has a ``question``, called
    ``user_input`` in ragas, and one of these columns: ``references``, a list of objects with ``content`` and, if known,
    ``start_index``, ``prefix``, ``suffix`` and ``corpus_id``; ``excerpts``, a text or a list of texts, called
    ``reference_contexts`` or ``contexts`` in ragas; or ``documents``, the names of documents that answer the question as a
    whole. ``corpus_id`` is the name of the document, if known.

    Raises
    ------
    InputError
        If the whole file is unusable: empty, too large, in another format, or without a required column.
    Cancelled
        If the user asked to stop.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: a file of questions may have at most {MAX_BYTES:,} bytes; this one has {len(data):,}.")
    if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name}: a file of questions must be text: CSV, JSON or JSON lines; this one is binary.")
    rows = rows_in(data, name, "retrieval", cancelled)
    finder = Finder(corpus)
    usable: list[Question] = []
    problems: list[str] = []
    changes: list[str] = []
    labels: list[Label] = []
    seen: set[tuple[object, ...]] = set()
    for place, row in rows:
        if cancelled():
            raise Cancelled
        if len(usable) == MOST:
            problems.append(f"{name}, from {place} on: a file may have at most {MOST:,} questions; the rest is left out.")
            break
        try:
            if isinstance(row, InputError):
                raise row
            question, lost, changed = _question(row, finder, labels)
            key = (question.text, row.get("corpus_id"), frozenset(excerpt.document for excerpt in question.excerpts))
            if key in seen:
                raise InputError(
                    f"every question must appear only once; {short(question.text)} appears again, and this repetition is "
                    "left out."
                )
        except InputError as error:
            problems.append(f"{name}, {place}: {error}")
            continue
        seen.add(key)
        usable.append(question)
        problems += [f"{name}, {place}: {sentence}" for sentence in lost]
        changes += [f"{name}, {place}: {sentence}" for sentence in changed]
    return Questions(tuple(usable), tuple(problems), tuple(changes), tuple(labels))


def _question(row: Row, finder: Finder, labels: list[Label]) -> tuple[Question, list[str], list[str]]:
    """Return the question of a row, a sentence on every excerpt that is left out, and one on those that are not as given.

    What has become of each excerpt is added to ``labels``.
    """
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"the question must be a string that is not empty; got {short(text)}.")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(
            f"the question must be valid Unicode; {short(text)} contains a lone surrogate. Remove the broken character."
        )
    number = finder.number(row.get("corpus_id"))
    places: list[Located] = []
    lost: list[str] = []
    column = next((name for name in EXCERPTS if row.get(name)), None)
    wanted = [] if column is None else listed(row[column], column)
    excerpts: list[Excerpt] = []
    for item in wanted:
        quoted = str(item.get("content")) if isinstance(item, dict) else str(item)
        try:
            place = finder.whole(item) if column == "documents" else finder.locate(item, number)
        except InputError as error:
            lost.append(str(error))
            labels.append(Label(text, quoted, "orphaned", remark=lost[-1]))
            continue
        places.append(place)
        state = _state(place, excerpts)
        labels.append(Label(text, quoted, state, finder.corpus.names[place.document], place.spans, place.remark))
        excerpts += [excerpt for excerpt in place.excerpts if state != "merged" or excerpt not in excerpts]
    if wanted and not places:
        raise InputError(f"no excerpt of {short(text)} could be located, so the question is left out: {lost[0]}")
    return Question(text, tuple(excerpts)), lost, [place.remark for place in places if place.remark]


def _state(place: Located, earlier: Sequence[Excerpt]) -> LabelState:
    """Return the fate of an excerpt; ``earlier`` are the places of the excerpts before it."""
    overlaps = any(
        document == place.document and part.start < span.end and span.start < part.end
        for document, span in earlier
        for part in place.spans
    )
    return "merged" if overlaps and place.how != "in place" else _STATES[place.how]


_STATES: Mapping[How | Literal["divided"], LabelState] = {
    "in place": "valid",
    "elsewhere": "found again",
    "typography": "found again",
    "altered": "found again",
    "divided": "split",
}
