"""The questions that are to be answered, with reference answers where there are some."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from chunkers import InputError
from evaluation.asking.ask import checked_question
from evaluation.questions.corpus import Corpus
from evaluation.questions.reading import Question
from evaluation.questions.rows import ANSWER_COLUMNS, Row, as_list, rows_in, short

MOST_QUESTIONS = 500
"""Maximum number of questions of a run: a model is asked up to four times for each of them and each chunker."""

LONGEST_REFERENCE = 10_000
"""Maximum number of characters of a reference answer."""

BAR = "|"
"""Separator of a question and its reference answer on one line."""

EXCERPTS = ("references", "excerpts")
"""The columns of Retrieval's questions: where there is no answer, their excerpts are the reference."""


class Item(NamedTuple):
    """A question, with its reference answer if there is one."""

    question: str
    reference: str = ""


@dataclass(frozen=True)
class Items:
    """Usable questions, and a sentence on each unusable question."""

    usable: tuple[Item, ...]
    problems: tuple[str, ...] = ()


def questions_of_lines(text: str) -> Items:
    """Parse text with one question per line and an optional reference answer after a vertical bar.

    Empty lines are skipped.
    """
    lines = ((f"line {number:,}", line) for number, line in enumerate(text.splitlines(), start=1) if line.strip())
    return _items((place, *_halves(line)) for place, line in lines)


def _halves(line: str) -> tuple[str, str]:
    question, _, reference = line.partition(BAR)
    return question, reference


def questions_of_file(data: bytes, name: str, cancelled: Callable[[], bool] = bool) -> Items:
    """Read questions and their reference answers from a CSV, JSON or JSON lines file.

    The reference answer is in one of the columns in `ANSWER_COLUMNS`. The question files of the Retrieval page work too: if
    a row has no answer, its excerpts serve as the reference answer.

    Raises
    ------
    InputError
        If the whole file is unusable: empty, too large, in another format, or without the column ``question``.
    Cancelled
        If the user asked to stop, as ``cancelled`` reports.
    """
    rows: list[tuple[str, Any, Any]] = []
    for place, row in rows_in(data, name, "answers", cancelled):
        try:
            if isinstance(row, InputError):
                raise row
            rows.append((place, row.get("question", row.get("user_input")), _reference(row)))
        except InputError as error:
            rows.append((place, error, ""))
        if len(rows) > MOST_QUESTIONS:
            break
    items = _items(rows)
    return Items(items.usable, tuple(f"{name}, {problem}" for problem in items.problems))


def items_about(questions: Iterable[Question], corpus: Corpus) -> dict[str, Items]:
    """Group retrieval questions by the text that answers them, with their excerpts as reference answers.

    A question with excerpts in several documents is left out, since the chunks of a single text cannot answer it. An excerpt
    that is a whole document, as in BEIR's question sets, does not become a reference answer.
    """
    # Not by document: two may have the same text, and the chunks of it answer what is asked of either.
    by_text: dict[str, list[tuple[str, Any, str]]] = {}
    for question in questions:
        documents = {excerpt.document for excerpt in question.excerpts}
        if len(documents) != 1:
            continue
        (number,) = documents
        text = corpus.documents[number].text
        parts = [text[start:end] for _, (start, end) in question.excerpts if (start, end) != (0, len(text))]
        rows = by_text.setdefault(text, [])
        if len(rows) <= MOST_QUESTIONS:
            rows.append((short(question.text), question.text, " ".join(parts)))
    return {text: _items(rows) for text, rows in by_text.items()}


def _reference(row: Row) -> str:
    """Return the reference answer of a row; empty if it has none."""
    for column in ANSWER_COLUMNS:
        value = row.get(column)
        if isinstance(value, list):
            value = " ".join(filter(None, (answer for answer in value if isinstance(answer, str))))
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        if not isinstance(value, str):
            raise InputError(f"the value of {column} must be a string; got {short(value)}.")
        return value
    for column in EXCERPTS:
        if row.get(column):
            return " ".join(_excerpt(excerpt, column) for excerpt in as_list(row[column], column))
    return ""


def _excerpt(value: object, column: str) -> str:
    content = value.get("content") if isinstance(value, dict) else value
    if not isinstance(content, str):
        raise InputError(f"every excerpt in the column {column} must be a string; got {short(value)}.")
    return content


def _items(rows: Iterable[tuple[str, Any, str]]) -> Items:
    """Return the questions that can be used, each once."""
    usable: list[Item] = []
    problems: list[str] = []
    for place, question, reference in rows:
        try:
            if isinstance(question, InputError):
                raise question
            if not isinstance(question, str):
                raise InputError(f"the question must be a string; got {short(question)}.")
            item = Item(checked_question(question), reference.strip())
            if len(item.reference) > LONGEST_REFERENCE:
                raise InputError(
                    f"A reference answer may have at most {LONGEST_REFERENCE:,} characters; this one has "
                    f"{len(item.reference):,}."
                )
            if any("\ud800" <= character <= "\udfff" for character in item.reference):
                raise InputError(
                    "A reference answer must be valid Unicode; it contains a lone surrogate. Remove the broken character."
                )
            if any(item.question == other.question for other in usable):
                raise InputError(
                    f"every question must appear only once; {short(item.question)} appears again, and this repetition is "
                    "left out."
                )
        except InputError as error:
            problems.append(f"{place}: {error}")
            continue
        if len(usable) == MOST_QUESTIONS:
            problems.append(f"{place} and on: at most {MOST_QUESTIONS:,} questions can be answered; the rest is left out.")
            break
        usable.append(item)
    return Items(tuple(usable), tuple(problems))
