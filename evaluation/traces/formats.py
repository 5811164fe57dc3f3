"""Files of traces in the process that reads files: every format's rows as one row for each question.

OpenInference spans (Phoenix), also as the CSV of their data frame; OpenTelemetry's GenAI spans, events and log records, as
exported objects or as OTLP's JSON; Langfuse's traces, observations and scores, in JSON or CSV; ragas' data sets; and plain
rows with a question and what was retrieved.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from chunkers.files.tables import Counted, check_brackets, text_of
from chunkers.support.errors import InputError, shown
from evaluation.questions.rows import as_list, objects_of, plain_rows
from evaluation.traces.spans import (
    ANSWERS,
    EXCERPTS,
    FEEDBACK,
    LIMITS,
    QUESTIONS,
    REFERENCES,
    RETRIEVED,
    UNREADABLE,
    Row,
    TraceCollector,
    documents_in,
    first_of,
    is_feedback,
    is_span,
    otlp_spans,
    parse,
    question_row,
    ranked_rows,
    sentence,
    text_in,
)

_LANGFUSE = frozenset(
    (
        *("id", "name", "type", "input", "output", "metadata", "scores", "value", "stringValue", "string_value"),
        *("traceId", "trace_id", "parentObservationId", "parent_observation_id", *REFERENCES, *EXCERPTS),
    )
)
_COLUMNS = frozenset((*QUESTIONS, *RETRIEVED, *ANSWERS, *REFERENCES, *EXCERPTS, *FEEDBACK, *LIMITS, "scores"))


def read(data: bytes, name: str) -> Iterator[Row]:
    """Yield a row for each traced question of a file, or ``problem`` with a sentence; run by `parsed_apart`.

    A row has ``place``, ``format``, ``question``, ``retrieved``, ``answer``, ``reference``, ``excerpts`` and ``feedback``;
    see `evaluation.traces.reading.TracedQuestion`. Rows of a question each are yielded one by one; spans and observations,
    of which a question has several, at the end.
    """
    text = text_of(data, name)
    if not text.strip():
        raise InputError(f"{name}: a file of traces must contain at least one trace; this file is empty.")
    counted = Counted(name, "a file of traces")
    traces = TraceCollector()
    for place, row in _rows(text, name):
        try:
            if isinstance(row, InputError):
                raise row
            question = _question(row, place, traces)
        except UNREADABLE as error:
            yield {"problem": f"{name}, {place}: {sentence(error)}"}
            continue
        if question is not None:
            yield _counted(question, counted)
    for question in traces.questions():
        yield _counted(question, counted) if "problem" not in question else {"problem": f"{name}, {question['problem']}"}


def _counted(row: Row, counted: Counted) -> Row:
    texts = [chunk["text"] for chunk in row["retrieved"]]
    counted.row(*(value for value in (row["question"], row["answer"], *texts) if isinstance(value, str)))
    counted.items(len(texts))
    return row


def _rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield every row with its place; an error takes the place of what is no row."""
    check_brackets(text, name)
    if not text.lstrip().startswith(("{", "[")):
        yield from _table_rows(text, name)
        return
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield from objects_of(text, lambda value, line: _object(value))
        return
    if isinstance(whole, dict):
        lists = (whole[key] for key in ("data", "traces", "spans", "rows") if isinstance(whole.get(key), list))
        whole = next(lists, [whole])
    yield from ((f"item {number:,}", _object(row)) for number, row in enumerate(whole, start=1))


def _table_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the rows of a CSV file; an empty cell is None."""
    for place, row in plain_rows(text, name, _columns_read):
        if isinstance(row, InputError):
            yield place, row
            continue
        is_part = is_span(row) or _is_langfuse(row)
        yield place.replace("question", "row") if is_part else place, {column: row[column] or None for column in row}


def _columns_read(columns: Sequence[str], name: str) -> Collection[str]:
    """Return the columns of a CSV file that are read: of spans, of plain rows, or of a table of Langfuse."""
    row = dict.fromkeys(columns)
    if is_span(row):
        return columns
    if row.keys() & set(QUESTIONS) and row.keys() & set(RETRIEVED):
        return _COLUMNS
    if _is_langfuse(row):
        return [column for column in columns if column in _LANGFUSE or is_feedback(column)]
    raise InputError(
        f"{name}: a table of traces must have a column with the question ({', '.join(QUESTIONS)}) and one with what was "
        "retrieved, such as retrieved_contexts, or be Phoenix's table of spans or one of Langfuse's tables; its columns are "
        f"{shown(', '.join(columns))}."
    )


def _is_langfuse(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a Langfuse trace, observation or score; plain rows may have a trace id, too."""
    if "type" not in row and first_of(row, QUESTIONS) is not None and first_of(row, RETRIEVED) is not None:
        return False
    return "traceId" in row or "trace_id" in row or ("id" in row and "input" in row and first_of(row, RETRIEVED) is None)


def _object(value: object) -> Mapping[str, Any] | InputError:
    if isinstance(value, dict):
        return value
    return InputError(f"every trace must be a JSON object; got {shown(value)}.")


def _question(row: Mapping[str, Any], place: str, traces: TraceCollector) -> Row | None:
    """Return the question of a row; None for a part of a trace, which is added to the traces."""
    if "resourceSpans" in row or "resourceLogs" in row:
        for span in otlp_spans(row):
            traces.add_span(span, place)
    elif is_span(row):
        traces.add_span(row, place)
    elif isinstance(row.get("observations"), list):
        traces.add_langfuse(row, place)
    elif _is_langfuse(row):
        # In a table's cells, which are all texts, Langfuse writes texts in JSON too.
        if all(value is None or isinstance(value, str) for value in row.values()):
            row = {name: parse(value) for name, value in row.items()}
        own = first_of(row, ("traceId", "trace_id"))
        if own is not None:
            traces.add_langfuse_part(row, str(own), place)
        else:
            traces.add_root(str(row.get("id")), row, place)
    else:
        return _plain(row, place)
    return None


def _plain(row: Mapping[str, Any], place: str) -> Row:
    asked, listing = first_of(row, QUESTIONS), first_of(row, RETRIEVED)
    if asked is None:
        raise InputError(
            f"a row must be a span, a Langfuse trace or observation, or have a question ({', '.join(QUESTIONS)}); this one "
            f"has only {shown(', '.join(map(str, row)))}."
        )
    if listing is None:
        raise InputError(
            "a row with a question must say what was retrieved, in a field such as retrieved or retrieved_contexts; this "
            f"one has only {shown(', '.join(map(str, row)))}."
        )
    items = documents_in(listing)
    if items is None and isinstance(listing, str):
        items = as_list(listing, "retrieved")
    if items is None:
        raise InputError(f"what was retrieved must be a list; got {shown(listing)}.")
    scores = parse(row.get("scores"))
    if isinstance(scores, list) and len(scores) == len(items):
        items = [[item, score] for item, score in zip(items, scores, strict=True)]
    by_id = listing in (row.get("retrieved_ids"), row.get("retrieved_context_ids"))
    limit = parse(first_of(row, LIMITS))
    limit = int(limit) if isinstance(limit, str) and limit.isdecimal() else limit
    retrieved = ranked_rows([{"id": item} if by_id and isinstance(item, str | int) else item for item in items])
    if isinstance(limit, int) and not isinstance(limit, bool):
        retrieved = [{**chunk, "given": chunk["rank"] <= limit} for chunk in retrieved]
    is_ragas = "user_input" in row or "retrieved_contexts" in row
    feedback = [[key, row[key]] for key in FEEDBACK if row.get(key) is not None]
    return question_row(place, "ragas" if is_ragas else "plain rows", text_in(asked), retrieved, row, feedback)
