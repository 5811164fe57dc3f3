"""Read questions with excerpts from CSV or JSON lines and locate the excerpts in the documents."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkers import Cancelled, InputError
from chunkers.limits import MAX_BYTES
from chunkers.text.reading import decode
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.excerpts import Excerpt, Finder, cut, short

FIELD_LIMIT = 1_000_000
"""The most characters in one field of a CSV file."""

MOST = 5000
"""The most questions of a file that are used: more would take too long for a page and add little."""


@dataclass(frozen=True)
class Question:
    """A question and the excerpts that hold its answer."""

    text: str
    excerpts: tuple[Excerpt, ...]


@dataclass(frozen=True)
class Questions:
    """The usable questions, and a sentence on everything that is not usable."""

    usable: tuple[Question, ...]
    problems: tuple[str, ...]

    def needed(self, name: str) -> tuple[Question, ...]:
        """Return the usable questions; raises InputError, naming the file ``name``, if there are none."""
        if not self.usable:
            why = f" {self.problems[0]}" if self.problems else ""
            raise InputError(f"{name}: at least one question must be usable; none is.{why}")
        return self.usable


def read_questions(data: bytes, name: str, corpus: Corpus, cancelled: Callable[[], bool] = bool) -> Questions:
    """Read the questions in the file called ``name`` and locate their excerpts.

    A CSV's columns are separated by commas, semicolons or tabs. A row has a ``question``; ``references``, a list of objects
    with ``content`` and ``start_index``, or ``excerpts``, a list of texts or one text; and in ``corpus_id``, where it is
    known, the name of the document.

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
        raise InputError(f"{name}: a file of questions must be text, CSV or JSON lines; this one is binary.")
    text = decode(data, name, cancelled=cancelled).text
    if not text.strip():
        raise InputError(f"{name}: a file of questions must have at least one; it is empty.")
    rows = _json_rows(text) if text.lstrip().startswith(("{", "[")) else _csv_rows(text, name)
    finder = Finder(corpus)
    usable: list[Question] = []
    problems: list[str] = []
    seen: set[tuple[str, object]] = set()
    for place, row in rows:
        if cancelled():
            raise Cancelled
        if len(usable) == MOST:
            problems.append(f"{name}, from {place} on: a file may have at most {MOST:,} questions; the rest is left out.")
            break
        try:
            if isinstance(row, InputError):
                raise row
            question, lost = _question(row, finder)
            key = (question.text, row.get("corpus_id"))
            if key in seen:
                raise InputError(f"the question must be there once; {short(question.text)} is a repetition and left out.")
        except InputError as error:
            problems.append(f"{name}, {place}: {error}")
            continue
        seen.add(key)
        usable.append(question)
        problems += [f"{name}, {place}: {sentence}" for sentence in lost]
    return Questions(tuple(usable), tuple(problems))


def _csv_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the place of every row, and the row or what is wrong with it."""
    csv.field_size_limit(FIELD_LIMIT)
    head = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    try:
        columns = [column or "" for column in reader.fieldnames or ()]
        if "question" not in columns or not {"references", "excerpts"} & set(columns):
            raise InputError(
                f"{name}: the columns must include question, and references or excerpts; got {cut(', '.join(columns))}."
            )
        for number, row in enumerate(reader, start=1):
            yield f"question {number:,}", _as_wide_as(columns, row, separator)
    except csv.Error as error:
        yield f"question {number + 1:,}", InputError(f"the file must be CSV, and from here on it is not ({error}).")


_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab"}


def _as_wide_as(columns: Sequence[str], row: dict[Any, Any], separator: str) -> Mapping[str, Any] | InputError:
    """Return the row, or what is wrong with it if it has too few or too many fields."""
    fields = len(columns) - list(row.values()).count(None) + len(row.pop(None, ()))
    if fields == len(columns):
        return row
    said = f"a row must have as many fields as there are columns, {len(columns)}; this one has {fields}."
    if fields > len(columns):
        said += f" A text with {_SEPARATORS[separator]} in it must stand in quotation marks."
    return InputError(said)


def _json_rows(text: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the place of every object, and the object or what is wrong with it."""
    # Not splitlines, which also splits at characters that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            row = InputError(f"every line must be a JSON object; this one is not ({error}).")
        else:
            if not isinstance(row, dict):
                row = InputError(f"every line must be a JSON object; this one is {short(line)}.")
        yield f"line {number:,}", row


def _question(row: Mapping[str, Any], finder: Finder) -> tuple[Question, list[str]]:
    """Return the question of a row, and a sentence on every excerpt that is left out."""
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"the question must be a text; got {short(text)}.")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(f"the question must be valid Unicode; {short(text)} holds half of a surrogate pair.")
    number = finder.number(row.get("corpus_id"))
    excerpts: list[Excerpt] = []
    lost: list[str] = []
    wanted = _list(row)
    for item in wanted:
        try:
            excerpts.append(finder.locate(item, number))
        except InputError as error:
            lost.append(str(error))
    if wanted and not excerpts:
        raise InputError(f"no excerpt of {short(text)} could be located, so the question is left out: {lost[0]}")
    return Question(text, tuple(excerpts)), lost


def _list(row: Mapping[str, Any]) -> list[Any]:
    value = row.get("references") or row.get("excerpts") or []
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return [value] if value.strip() else []
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            if "references" not in row:
                # A plain excerpt may also begin with a bracket.
                return [value]
            raise InputError(f"the references must be a JSON list; {short(value)} is not ({error}).") from error
    if not isinstance(value, list):
        raise InputError(f"the excerpts must be a list; got {short(value)}.")
    return value
