"""The rows of a file of questions, whichever of the formats it has: CSV, JSON lines, JSON, and ragas' test sets in these."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from chunkers import InputError
from chunkers.spreadsheet import from_cell
from evaluation.retrieval.excerpts import cut, short

FIELD_LIMIT = 1_000_000
"""The most characters in one field of a CSV file."""

Row = Mapping[str, Any]

EXCERPTS = ("references", "excerpts", "documents")
"""The columns that say where the answer is; the first that is not empty counts."""

_CONTEXTS = ("reference_contexts", "contexts")
"""What ragas calls the excerpts from which it made a question: since version 0.2, and before."""

_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab"}

# ragas marks the excerpts of a question that needs several of them.
_HOP = re.compile(r"\A<\d+-hop>\s*")

_LITERAL = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PYTHON_LIST = re.compile(rf"\[(?:[\s,]*(?:{_LITERAL}))*[\s,]*\]", re.DOTALL)


def rows_of(text: str, name: str) -> Iterator[tuple[str, Row | InputError]]:
    """Yield the place of every row of the file called ``name``, and the row or what is wrong with it.

    A row has a ``question`` and, where they are known, one of `EXCERPTS`; what ragas calls these is renamed.

    Raises
    ------
    InputError
        If the whole file is unusable.
    """
    for number, (place, row) in enumerate(plain_rows(text, name, _check_columns)):
        if isinstance(row, InputError):
            yield place, row
            continue
        if not number and "question" not in row and {"_id", "text"} <= set(row):
            raise InputError(
                f"{name}: a file of questions must have a question in every row; this is part of a BEIR set, which must be "
                "given whole: a folder, or a ZIP file, with corpus.jsonl, queries.jsonl and qrels."
            )
        try:
            yield place, _renamed(row)
        except InputError as error:
            yield place, error


def plain_rows(text: str, name: str, check: Callable[[Sequence[str], str], None]) -> Iterator[tuple[str, Row | InputError]]:
    """Yield the place of every row, and the row as it is or what is wrong with it.

    From the fields of a CSV file, what `chunkers.spreadsheet.as_cell` has added is taken away. ``check`` is called with the
    columns of such a file and its name, and raises InputError if they are not right.
    """
    return _json_rows(text) if text.lstrip().startswith(("{", "[")) else _csv_rows(text, name, check)


def listed(value: object, column: str) -> list[Any]:
    """Return the excerpts of a row's column: a list, a text, or a list written as text in JSON or in Python.

    Raises
    ------
    InputError
        If it is none of these.
    """
    if isinstance(value, str):
        written = value.strip()
        if not written.startswith("["):
            return [value] if written else []
        try:
            value = json.loads(written)
        except (ValueError, RecursionError) as error:
            if _PYTHON_LIST.fullmatch(written):
                # As csv and pandas write a list. Every literal is a text by itself: nothing else is evaluated.
                return [ast.literal_eval(literal) for literal in re.findall(_LITERAL, written, re.DOTALL)]
            if column == "excerpts":
                # A plain excerpt may also begin with a bracket.
                return [value]
            raise InputError(f"the {column} must be a JSON list; {short(value)} is not ({error}).") from error
    if not isinstance(value, list):
        raise InputError(f"the {column} must be a list; got {short(value)}.")
    return value


def _renamed(row: Row) -> Row:
    """Return a row of ragas with the names that the others have.

    Raises
    ------
    InputError
        If its question is a conversation, or what it has are no excerpts that answer the question.
    """
    if "question" not in row and "user_input" in row:
        if isinstance(row["user_input"], list):
            raise InputError("user_input must be a text; this one is a conversation, which cannot be searched for.")
        row = {**row, "question": row["user_input"]}
    if any(row.get(column) for column in EXCERPTS):
        return row
    column = next((one for one in _CONTEXTS if row.get(one)), None)
    if column is None:
        return row
    if column == "contexts" and ("answer" in row or "response" in row) and "evolution_type" not in row:
        raise InputError(
            "contexts beside an answer are what a pipeline retrieved, not where the answer is; those that hold it must be "
            "called reference_contexts."
        )
    found = [_HOP.sub("", one) if isinstance(one, str) else one for one in listed(row[column], column)]
    return {**row, "excerpts": found}


def _csv_rows(text: str, name: str, check: Callable[[Sequence[str], str], None]) -> Iterator[tuple[str, Row | InputError]]:
    csv.field_size_limit(FIELD_LIMIT)
    head = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    try:
        columns = [column or "" for column in reader.fieldnames or ()]
        check(columns, name)
        for number, row in enumerate(reader, start=1):
            yield f"question {number:,}", _as_wide_as(columns, row, separator)
    except csv.Error as error:
        yield f"question {number + 1:,}", InputError(f"the file must be CSV, and from here on it is not ({error}).")


def _check_columns(columns: Sequence[str], name: str) -> None:
    known = set(columns)
    if known & {"question", "user_input"} and known & {*EXCERPTS, *_CONTEXTS}:
        return
    said = f"{name}: the columns must include question, and references or excerpts; got {cut(', '.join(columns))}."
    if answers := [column for column in ("ground_truth", "ground_truths", "reference") if column in known]:
        said += f" {answers[0]} is an answer in words of its own; ragas keeps excerpts in {' or '.join(_CONTEXTS)}."
    elif "retrieved_contexts" in known:
        said += " retrieved_contexts is what a pipeline retrieved; ragas keeps excerpts in reference_contexts."
    raise InputError(said)


def _as_wide_as(columns: Sequence[str], row: dict[Any, Any], separator: str) -> Row | InputError:
    """Return the row, or what is wrong with it if it has too few or too many fields."""
    fields = len(columns) - list(row.values()).count(None) + len(row.pop(None, ()))
    if fields == len(columns):
        return {column: from_cell(value) for column, value in row.items()}
    said = f"a row must have as many fields as there are columns, {len(columns)}; this one has {fields}."
    if fields > len(columns):
        said += f" A text with {_SEPARATORS[separator]} in it must stand in quotation marks."
    return InputError(said)


def _json_rows(text: str) -> Iterator[tuple[str, Row | InputError]]:
    whole = _whole(text)
    if whole is None:
        return lines_of(text)
    return ((f"item {number:,}", _object(item, "item")) for number, item in enumerate(whole, start=1))


def _whole(text: str) -> list[Any] | None:
    """Return the rows of a file that is one JSON value, None if it is not, or is a single row.

    It may be a list of rows, also as ``data`` of an object; or an object of columns, each a list or, as pandas writes it, an
    object with the values by number.
    """
    beginning = text.lstrip()
    if beginning.startswith("{") and _is_json(beginning.partition("\n")[0]) and beginning.rstrip().count("\n"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if isinstance(value, list):
        return value
    columns = {name: list(one.values()) if isinstance(one, dict) else one for name, one in value.items()}
    asked = columns.get("question", columns.get("user_input"))
    if not isinstance(asked, list):
        return None
    return [
        {name: one[number] for name, one in columns.items() if isinstance(one, list) and number < len(one)}
        for number in range(len(asked))
    ]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def lines_of(text: str) -> Iterator[tuple[str, Row | InputError]]:
    """Yield the place of every line of JSON lines that is not empty, and its object or what is wrong with it."""
    # Not splitlines, which also splits at characters that JSON allows inside strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        row: Row | InputError
        try:
            row = _object(json.loads(line), "line", line)
        except (ValueError, RecursionError) as error:
            row = InputError(f"every line must be a JSON object; this one is not ({error}).")
        yield f"line {number:,}", row


def _object(value: object, what: str, written: object = None) -> Row | InputError:
    if isinstance(value, dict):
        return value
    return InputError(f"every {what} must be a JSON object; this one is {short(value if written is None else written)}.")
