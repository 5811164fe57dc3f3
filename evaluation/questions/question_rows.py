"""The rows of a file of questions, whichever of the formats it has: CSV, JSON lines, JSON, and ragas' test sets in these."""

import ast
import csv
import json
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from chunkers.files.json_and_table_files import (
    InputCounter,
    check_bracket_count,
    column_positions,
    decode_file,
    numbered_lines,
    read_csv_rows_as_lists,
)
from chunkers.support import InputError, short_repr, unescape_csv_cell
from chunkers.text import find_csv_separator, run_parser_in_reader_process

DOCUMENT_TEXT_SEPARATOR = "\n\n"
"""The separator of documents in the joined text of a corpus; no range crosses it."""


def shorten_text(text: str, most: int = 200) -> str:
    """Return a text of at most ``most`` characters: the text itself, or its beginning and three dots."""
    return text if len(text) <= most else text[: most - 3] + "..."


MOST_ROWS_READ = 20_000
"""Maximum number of rows of a file that are read: four times the questions that are used, for those that are not usable."""

MOST_ITEMS_PER_ROW = 100_000
"""Maximum number of items in the lists of a row; a question of BEIR may name as many documents as a set has, 50,000."""

QuestionRow = Mapping[str, Any]

Purpose = Literal["retrieval", "answers"]
"""Purpose of reading questions."""

EXCERPT_COLUMNS = ("references", "excerpts", "documents")
"""The columns that say where the answer is; the first that is not empty counts."""

_RAGAS_EXCERPT_COLUMNS = ("reference_contexts", "contexts")
"""Names of the excerpts' column in ragas: since version 0.2, and before."""

_SEPARATOR_PHRASES = {",": "a comma", ";": "a semicolon", "\t": "a tab"}

ANSWER_COLUMNS = ("answer", "reference", "ground_truth", "ground_truths")
"""The columns that have a reference answer; the first that is not empty counts."""

KNOWN_COLUMNS = frozenset(
    (
        *EXCERPT_COLUMNS,
        *_RAGAS_EXCERPT_COLUMNS,
        *ANSWER_COLUMNS,
        "question",
        "user_input",
        "corpus_id",
        "response",
        "evolution_type",
        "_id",
        "text",
    )
)
"""The columns that are read."""

LEADING_HOP_MARK_PATTERN = re.compile(r"\A<\d+-hop>\s*")
"""Mark of ragas in front of the excerpts of a question that needs several of them."""


def read_question_rows(
    file_bytes: bytes, file_name: str, purpose: Purpose, cancelled: Callable[[], bool] = bool
) -> Iterator[tuple[str, QuestionRow | InputError]]:
    """Yield the rows of a questions file with their positions; an error takes the place of an unreadable row.

    The file is read in another process; see `chunkers.text.reader_process`. A row has a ``question`` and, if known, one of
    the columns in `EXCERPT_COLUMNS` as a list. With the purpose ``answers``, it also has the columns in `ANSWER_COLUMNS`.

    Raises
    ------
    InputError
        If the whole file is unusable.
    Cancelled
        If the user asked to stop, as ``cancelled`` reports.
    """
    for row_place_phrase, row, row_problem in run_parser_in_reader_process(
        parse_rows_of_question_file, file_bytes, file_name, cancelled, purpose=purpose
    ):
        yield row_place_phrase, InputError(row_problem) if row is None else row


def parse_rows_of_question_file(
    file_bytes: bytes, file_name: str, purpose: Purpose
) -> Iterator[tuple[str, QuestionRow | None, str]]:
    """Yield the position of each row of a questions file, and the parsed row or an error message.

    Run by `read_question_rows` in a separate process.
    """
    text = decode_file(file_bytes, file_name)
    if not text.strip():
        raise InputError(f"{file_name}: a file of questions must contain at least one question; this one is empty.")
    input_counter = InputCounter(file_name, "a file of questions")
    for row_index, (row_place_phrase, row) in enumerate(
        raw_rows(
            text,
            file_name,
            _known_columns_after_question_check if purpose == "answers" else _known_columns_after_excerpts_check,
        )
    ):
        if row_index == MOST_ROWS_READ:
            yield (
                row_place_phrase,
                None,
                f"at most {MOST_ROWS_READ:,} rows of a file are read; this one and all after it are left out.",
            )
            return
        if not row_index and purpose == "retrieval" and not isinstance(row, InputError) and _is_beir_row(row):
            raise InputError(
                f"{file_name}: a file of questions must have a question in every row; this file is only a part of a BEIR "
                "set. "
                "Give the whole set: a folder or ZIP file with corpus.jsonl, queries.jsonl and qrels."
            )
        try:
            if isinstance(row, InputError):
                raise row
            yield (
                row_place_phrase,
                _row_of_used_columns(
                    _row_with_standard_columns(row) if purpose == "retrieval" else row, purpose, input_counter
                ),
                "",
            )
        except InputError as error:
            yield row_place_phrase, None, str(error)


def _is_beir_row(row: QuestionRow) -> bool:
    """Return whether a row is that of a document or a query of a BEIR set."""
    return "question" not in row and {"_id", "text"} <= set(row)


def _row_of_used_columns(row: QuestionRow, reading_purpose: Purpose, input_counter: InputCounter) -> QuestionRow:
    """Return the used columns of a row, its excerpts as a list; raises InputError if these are invalid or too many."""
    known_column_values = {column: value for column, value in row.items() if column in KNOWN_COLUMNS}
    if excerpt_column_name := next((name for name in EXCERPT_COLUMNS if known_column_values.get(name)), None):
        try:
            known_column_values[excerpt_column_name] = parse_excerpt_list(
                known_column_values[excerpt_column_name], excerpt_column_name
            )
        except InputError:
            # Where there is an answer, nothing is asked of its excerpts.
            if reading_purpose == "retrieval" or not any(known_column_values.get(name) for name in ANSWER_COLUMNS):
                raise
            del known_column_values[excerpt_column_name]
    total_list_item_count = _count_nested_values(known_column_values)
    if total_list_item_count > MOST_ITEMS_PER_ROW:
        raise InputError(
            f"a row may have at most {MOST_ITEMS_PER_ROW:,} items in its lists; this one has {total_list_item_count:,}."
        )
    input_counter.count_row(*(value for value in known_column_values.values() if isinstance(value, str)))
    input_counter.count_list_items(total_list_item_count)
    return known_column_values


def _count_nested_values(row: QuestionRow) -> int:
    """Count the items and fields in the lists and objects of a row, nested ones included."""
    row_nested_item_count = 0
    unvisited_values: list[Any] = list(row.values())
    while unvisited_values:
        visited_value = unvisited_values.pop()
        if isinstance(visited_value, list | dict):
            row_nested_item_count += len(visited_value)
            unvisited_values += visited_value.values() if isinstance(visited_value, dict) else visited_value
    return row_nested_item_count


def raw_rows(
    text: str, file_name: str, choose_columns_to_read: Callable[[Sequence[str], str], Collection[str]]
) -> Iterator[tuple[str, QuestionRow | InputError]]:
    """Yield each row of a questions file as written, with its position; an error takes the place of a bad row.

    Apostrophes that `chunkers.support.formatting.escape_csv_cell` added to the fields of a CSV file are removed.
    ``choose_columns_to_read`` is called with the columns and the name of a CSV file; it returns the columns to read, and
    raises InputError if one is wrong or missing.
    """
    # In the cells of CSV, lists are written in JSON.
    check_bracket_count(text, file_name)
    return _json_rows(text) if text.lstrip().startswith(("{", "[")) else _csv_rows(text, file_name, choose_columns_to_read)


def parse_excerpt_list(cell_value: object, column_name: str) -> list[Any]:
    """Return a cell's excerpts as a list; the cell may hold a list, a text, or a list in JSON or Python syntax.

    Raises
    ------
    InputError
        If the cell holds anything else.
    """
    if isinstance(cell_value, str):
        stripped_cell_text = cell_value.strip()
        if not stripped_cell_text.startswith("["):
            return [cell_value] if stripped_cell_text else []
        try:
            cell_value = json.loads(stripped_cell_text)
        except (ValueError, RecursionError) as error:
            with suppress(ValueError, RecursionError):
                return list(parse_python_literal(stripped_cell_text))
            if column_name == "excerpts":
                # A plain excerpt may also begin with a bracket.
                return [cell_value]
            raise InputError(
                f"the value of {column_name} must be a valid JSON list; got {short_repr(cell_value)} ({error})."
            ) from error
    if not isinstance(cell_value, list):
        raise InputError(f"the value of {column_name} must be a list; got {short_repr(cell_value)}.")
    return cell_value


def _row_with_standard_columns(row: QuestionRow) -> QuestionRow:
    """Return a row of ragas with the names that the others have.

    Raises
    ------
    InputError
        If its question is a conversation, or what it has are no excerpts that answer the question.
    """
    if "question" not in row and "user_input" in row:
        if isinstance(row["user_input"], list):
            raise InputError("user_input must be a single question as a string; this one is a conversation.")
        row = {**row, "question": row["user_input"]}
    if any(row.get(column) for column in EXCERPT_COLUMNS):
        return row
    filled_context_column_name = next((name for name in _RAGAS_EXCERPT_COLUMNS if row.get(name)), None)
    if filled_context_column_name is None:
        return row
    if filled_context_column_name == "contexts" and ("answer" in row or "response" in row) and "evolution_type" not in row:
        raise InputError(
            "the passages that contain the answer must be in the column reference_contexts; in a row with an answer, the "
            "column contexts is read as what a pipeline retrieved."
        )
    passages_without_hop_marks = [
        LEADING_HOP_MARK_PATTERN.sub("", passage) if isinstance(passage, str) else passage
        for passage in parse_excerpt_list(row[filled_context_column_name], filled_context_column_name)
    ]
    return {**row, "excerpts": passages_without_hop_marks}


def _csv_rows(
    text: str, file_name: str, choose_columns_to_read: Callable[[Sequence[str], str], Collection[str]]
) -> Iterator[tuple[str, QuestionRow | InputError]]:
    csv_field_separator = find_csv_separator(text)
    question_number = 0
    try:
        parsed_csv_rows = read_csv_rows_as_lists(text, file_name)
        csv_header_columns = next(parsed_csv_rows, [])
        used_column_positions = column_positions(csv_header_columns, choose_columns_to_read(csv_header_columns, file_name))
        for question_number, row in enumerate(parsed_csv_rows, start=1):
            yield (
                f"question {question_number:,}",
                _known_fields_of_row(csv_header_columns, row, csv_field_separator, used_column_positions),
            )
    except csv.Error as error:
        yield (
            f"question {question_number + 1:,}",
            InputError(f"the file must be valid CSV; from here on it is not ({error})."),
        )


def _known_columns_after_excerpts_check(columns: Sequence[str], file_name: str) -> Collection[str]:
    header_column_names = set(columns)
    if header_column_names & {"question", "user_input"} and header_column_names & {
        *EXCERPT_COLUMNS,
        *_RAGAS_EXCERPT_COLUMNS,
    }:
        return KNOWN_COLUMNS
    missing_columns_message = (
        f"{file_name}: the columns must include question, and references or excerpts; got "
        f"{shorten_text(', '.join(columns))}."
    )
    if answer_column_names := [
        column for column in ("ground_truth", "ground_truths", "reference") if column in header_column_names
    ]:
        missing_columns_message += (
            f" {answer_column_names[0]} is an answer in words of its own; ragas keeps excerpts in "
            f"{' or '.join(_RAGAS_EXCERPT_COLUMNS)}."
        )
    elif "retrieved_contexts" in header_column_names:
        missing_columns_message += (
            " retrieved_contexts is what a pipeline retrieved; ragas keeps excerpts in reference_contexts."
        )
    raise InputError(missing_columns_message)


def _known_columns_after_question_check(columns: Sequence[str], file_name: str) -> Collection[str]:
    if not {"question", "user_input"} & set(columns):
        raise InputError(
            f"{file_name}: the file must have a column named question; its columns are {short_repr(', '.join(columns))}."
        )
    return KNOWN_COLUMNS


def _known_fields_of_row(
    header_columns: Sequence[str], row: Sequence[str], csv_field_separator: str, position_by_column: Mapping[str, int]
) -> QuestionRow | InputError:
    """Return the known fields of a row, or what is wrong with it if it has too few or too many fields."""
    if len(row) == len(header_columns):
        return {column: unescape_csv_cell(row[place]) for column, place in position_by_column.items()}
    field_count_message = (
        f"a row must have as many fields as there are columns, {len(header_columns)}; this one has {len(row)}."
    )
    if len(row) > len(header_columns):
        field_count_message += f" A text with {_SEPARATOR_PHRASES[csv_field_separator]} in it must stand in quotation marks."
    return InputError(field_count_message)


def _json_rows(text: str) -> Iterator[tuple[str, QuestionRow | InputError]]:
    if (rows_of_whole_file := _parse_rows_of_single_json(text)) is None:
        return json_line_objects(text)
    return (
        (f"item {number:,}", _checked_object_or_error(item, "item"))
        for number, item in enumerate(rows_of_whole_file, start=1)
    )


def _parse_rows_of_single_json(text: str) -> list[Any] | None:
    """Return the rows of a file that is one JSON value, None if it is not, or is a single row.

    It may be a list of rows, also as ``data`` of an object; or an object of columns, each a list or, as pandas writes it, an
    object with the values by number.
    """
    text_without_leading_space = text.lstrip()
    if text_without_leading_space.startswith("{") and "\n" in text_without_leading_space.rstrip():
        with suppress(ValueError, RecursionError):
            # JSON lines: the first line is a value by itself.
            json.loads(text_without_leading_space.partition("\n")[0])
            return None
    try:
        parsed_json_value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(parsed_json_value, dict) and isinstance(parsed_json_value.get("data"), list):
        parsed_json_value = parsed_json_value["data"]
    if isinstance(parsed_json_value, list):
        return parsed_json_value
    values_by_column = {
        name: list(column.values()) if isinstance(column, dict) else column for name, column in parsed_json_value.items()
    }
    values_in_question_column = values_by_column.get("question", values_by_column.get("user_input"))
    if not isinstance(values_in_question_column, list):
        return None
    return [
        {
            name: column[number]
            for name, column in values_by_column.items()
            if isinstance(column, list) and number < len(column)
        }
        for number in range(len(values_in_question_column))
    ]


def json_line_objects(
    text: str,
    check_line_value: Callable[[object, str], QuestionRow | InputError] = lambda value, line: _checked_object_or_error(
        value, "line", line
    ),
) -> Iterator[tuple[str, QuestionRow | InputError]]:
    """Yield the objects in JSON lines with their positions; an error takes the place of an invalid line.

    ``check_line_value`` is called with the value of a line and the line itself.
    """
    for line_number, line in numbered_lines(text):
        try:
            line_object_or_error = check_line_value(json.loads(line), line)
        except (ValueError, RecursionError) as error:
            line_object_or_error = InputError(f"every line must be a JSON object; this one is not ({error}).")
        yield f"line {line_number:,}", line_object_or_error


def _checked_object_or_error(value: object, noun: str, shown_value: object = None) -> QuestionRow | InputError:
    if isinstance(value, dict):
        return value
    return InputError(
        f"every {noun} must be a JSON object; this one is {short_repr(value if shown_value is None else shown_value)}."
    )


# Lists and mappings in Python's syntax, as csv and pandas write them into the cells of a CSV file.


_PYTHON_TOKEN_PATTERN = re.compile(
    r"""\s*(?:
        (?P<text>'[^'\\]*(?:\\.[^'\\]*)*' | "[^"\\]*(?:\\.[^"\\]*)*")
        | (?P<word>[\w.+-]+)
        | (?P<sign>[\[\](){}:,])
    )""",
    re.DOTALL | re.VERBOSE,
)
_WRAPPING_CALL = re.compile(r"(?:np|numpy|datetime|zoneinfo)\.\w+|array|Timestamp|UUID|Decimal")
_KEYWORD_ARGUMENT_NAME_PATTERN = re.compile(r"\s*\w+=")
_PYTHON_CONSTANT_BY_WORD = {"None": None, "nan": None, "NaN": None, "NaT": None, "True": True, "False": False}
_CLOSING_BRACKET_BY_OPENING = {"[": "]", "(": ")", "{": "}"}


def parse_python_literal(text: str) -> Any:
    """Return the value of a list, tuple, mapping or string in Python's syntax, tuples as lists; nothing is evaluated.

    NumPy's forms are read too: arrays, which have no commas, and of ``array(...)``, ``np.float64(...)`` and the like the
    first argument.

    Raises
    ------
    ValueError
        If the text has another form.
    RecursionError
        If it is nested too deeply.
    """
    return _LiteralParser(text).parse()


class _LiteralParser:
    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._offset = 0

    def parse(self) -> Any:
        parsed_python_value = self._parse_value()
        if self._offset < len(self._text):
            raise ValueError(f"more follows at character {self._offset + 1:,}")
        return parsed_python_value

    def _next_token(self) -> re.Match[str]:
        next_token_match = _PYTHON_TOKEN_PATTERN.match(self._text, self._offset)
        if next_token_match is None:
            raise ValueError(f"unexpected sign or end at character {self._offset + 1:,}")
        self._offset = next_token_match.end()
        return next_token_match

    def _try_skip_punctuation(self, punctuation_mark: str) -> bool:
        upcoming_token_match = _PYTHON_TOKEN_PATTERN.match(self._text, self._offset)
        if upcoming_token_match is None or upcoming_token_match["sign"] != punctuation_mark:
            return False
        self._offset = upcoming_token_match.end()
        return True

    def _parse_value(self, *, keeps_word_as_text: bool = False) -> Any:
        value_token_match = self._next_token()
        if value_token_match["text"] is not None:
            return _parse_string_literal(value_token_match["text"])
        if value_token_match["sign"] is not None:
            return self._parse_bracketed_items(value_token_match["sign"])
        if _WRAPPING_CALL.fullmatch(value_token_match["word"]) and self._try_skip_punctuation("("):
            return next(iter(self._parse_bracketed_items("(")), None)
        return (
            value_token_match["word"] if keeps_word_as_text else _parse_python_number_or_constant(value_token_match["word"])
        )

    def _parse_bracketed_items(self, opening: str) -> Any:
        if opening not in _CLOSING_BRACKET_BY_OPENING:
            raise ValueError(f"unexpected {opening} before character {self._offset + 1:,}")
        list_or_set_items: list[Any] = []
        value_by_key: dict[str, Any] = {}
        while not self._try_skip_punctuation(_CLOSING_BRACKET_BY_OPENING[opening]):
            if keyword_argument_match := _KEYWORD_ARGUMENT_NAME_PATTERN.match(self._text, self._offset):
                # Such as dtype=object of an array.
                self._offset = keyword_argument_match.end()
                self._parse_value(keeps_word_as_text=True)
            else:
                parsed_item_or_key = self._parse_value()
                if opening == "{" and self._try_skip_punctuation(":"):
                    value_by_key[str(parsed_item_or_key)] = self._parse_value()
                else:
                    list_or_set_items.append(parsed_item_or_key)
            self._try_skip_punctuation(",")
        return value_by_key if opening == "{" and not list_or_set_items else list_or_set_items


def _parse_string_literal(text: str) -> str:
    try:
        with warnings.catch_warnings(action="ignore"):
            return str(ast.literal_eval(text))
    except SyntaxError as error:
        raise ValueError(str(error)) from error


def _parse_python_number_or_constant(word: str) -> Any:
    if word in _PYTHON_CONSTANT_BY_WORD:
        return _PYTHON_CONSTANT_BY_WORD[word]
    return int(word) if word.lstrip("+-").isdecimal() else float(word)
