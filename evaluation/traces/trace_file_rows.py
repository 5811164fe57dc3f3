"""Files of traces in the process that reads files: every format's rows as one row for each question.

OpenInference spans (Phoenix), also as the CSV of their data frame; OpenTelemetry's GenAI spans, events and log records, as
exported objects or as OTLP's JSON; Langfuse's traces, observations and scores, in JSON or CSV; ragas' data sets; and plain
rows with a question and what was retrieved.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from chunkers.files.json_and_table_files import InputCounter, check_bracket_count, decode_file
from chunkers.support import InputError, short_repr
from evaluation.questions import json_line_objects, parse_excerpt_list, raw_rows
from evaluation.traces.trace_spans import (
    ANSWER_FIELDS,
    EXCERPT_FIELDS,
    FEEDBACK_FIELDS,
    QUESTION_FIELDS,
    RANK_LIMIT_FIELDS,
    REFERENCE_ANSWER_FIELDS,
    RETRIEVED_FIELDS,
    UNREADABLE_ROW_ERRORS,
    TraceCollector,
    TraceRow,
    assemble_question_row,
    fault_sentence,
    is_feedback_name,
    is_telemetry_span,
    list_retrieved_items,
    otlp_spans,
    parse_if_json,
    read_input_or_output_text,
    retrieved_text_rows,
    value_of_first_field,
)

_LANGFUSE_COLUMNS = frozenset(
    (
        *("id", "name", "type", "input", "output", "metadata", "scores", "value", "stringValue", "string_value"),
        *("traceId", "trace_id", "parentObservationId", "parent_observation_id", *REFERENCE_ANSWER_FIELDS, *EXCERPT_FIELDS),
    )
)
_PLAIN_ROW_COLUMNS = frozenset(
    (
        *QUESTION_FIELDS,
        *RETRIEVED_FIELDS,
        *ANSWER_FIELDS,
        *REFERENCE_ANSWER_FIELDS,
        *EXCERPT_FIELDS,
        *FEEDBACK_FIELDS,
        *RANK_LIMIT_FIELDS,
        "scores",
    )
)


def parse_traces(file_bytes: bytes, file_name: str) -> Iterator[TraceRow]:
    """Yield a row for each traced question, or ``problem`` with a sentence; run by `run_parser_in_reader_process`.

    A row has ``place``, ``format``, ``question``, ``retrieved``, ``answer``, ``reference``, ``excerpts`` and ``feedback``;
    see `evaluation.traces.trace_files.TracedQuestion`. Rows of a question each are yielded one by one; spans and
    observations, of which a question has several, at the end.
    """
    text = decode_file(file_bytes, file_name)
    if not text.strip():
        raise InputError(f"{file_name}: a file of traces must contain at least one trace; this file is empty.")
    input_counter = InputCounter(file_name, "a file of traces")
    span_trace_collector = TraceCollector()
    for row_place_phrase, row in _rows_of_file(text, file_name):
        try:
            if isinstance(row, InputError):
                raise row
            traced_question_row = _read_question_or_collect_part(row, row_place_phrase, span_trace_collector)
        except UNREADABLE_ROW_ERRORS as error:
            yield {"problem": f"{file_name}, {row_place_phrase}: {fault_sentence(error)}"}
            continue
        if traced_question_row is not None:
            yield _count_against_limits(traced_question_row, input_counter)
    for traced_question_row in span_trace_collector.questions():
        yield (
            _count_against_limits(traced_question_row, input_counter)
            if "problem" not in traced_question_row
            else {"problem": f"{file_name}, {traced_question_row['problem']}"}
        )


def _count_against_limits(row: TraceRow, input_counter: InputCounter) -> TraceRow:
    retrieved_texts = [chunk["text"] for chunk in row["retrieved"]]
    input_counter.count_row(
        *(value for value in (row["question"], row["answer"], *retrieved_texts) if isinstance(value, str))
    )
    input_counter.count_list_items(len(retrieved_texts))
    return row


def _rows_of_file(text: str, file_name: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield every row with its place; an error takes the place of what is no row."""
    check_bracket_count(text, file_name)
    if not text.lstrip().startswith(("{", "[")):
        yield from _csv_file_rows(text, file_name)
        return
    try:
        json_value: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield from json_line_objects(text, lambda value, line: _replace_nonobject_by_error(value))
        return
    if isinstance(json_value, dict):
        row_lists = (json_value[key] for key in ("data", "traces", "spans", "rows") if isinstance(json_value.get(key), list))
        json_value = next(row_lists, [json_value])
    yield from ((f"item {number:,}", _replace_nonobject_by_error(row)) for number, row in enumerate(json_value, start=1))


def _csv_file_rows(text: str, file_name: str) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the rows of a CSV file; an empty cell is None."""
    for row_place_phrase, row in raw_rows(text, file_name, _columns_to_read):
        if isinstance(row, InputError):
            yield row_place_phrase, row
            continue
        is_trace_part = is_telemetry_span(row) or _is_langfuse_row(row)
        yield (
            row_place_phrase.replace("question", "row") if is_trace_part else row_place_phrase,
            {column: row[column] or None for column in row},
        )


def _columns_to_read(columns: Sequence[str], file_name: str) -> Collection[str]:
    """Return the columns of a CSV file that are read: of spans, of plain rows, or of a table of Langfuse."""
    empty_row_with_columns = dict.fromkeys(columns)
    if is_telemetry_span(empty_row_with_columns):
        return columns
    if empty_row_with_columns.keys() & set(QUESTION_FIELDS) and empty_row_with_columns.keys() & set(RETRIEVED_FIELDS):
        return _PLAIN_ROW_COLUMNS
    if _is_langfuse_row(empty_row_with_columns):
        return [column for column in columns if column in _LANGFUSE_COLUMNS or is_feedback_name(column)]
    raise InputError(
        f"{file_name}: a table of traces must have a column with the question ({', '.join(QUESTION_FIELDS)}) and one with "
        "what "
        "was "
        "retrieved, such as retrieved_contexts, or be Phoenix's table of spans or one of Langfuse's tables; its columns are "
        f"{short_repr(', '.join(columns))}."
    )


def _is_langfuse_row(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a Langfuse trace, observation or score; plain rows may have a trace id, too."""
    if (
        "type" not in row
        and value_of_first_field(row, QUESTION_FIELDS) is not None
        and value_of_first_field(row, RETRIEVED_FIELDS) is not None
    ):
        return False
    return (
        "traceId" in row
        or "trace_id" in row
        or ("id" in row and "input" in row and value_of_first_field(row, RETRIEVED_FIELDS) is None)
    )


def _replace_nonobject_by_error(parsed_json_value: object) -> Mapping[str, Any] | InputError:
    return (
        parsed_json_value
        if isinstance(parsed_json_value, dict)
        else InputError(f"every trace must be a JSON object; got {short_repr(parsed_json_value)}.")
    )


def _read_question_or_collect_part(
    row: Mapping[str, Any], row_place_phrase: str, trace_collector: TraceCollector
) -> TraceRow | None:
    """Return the question of a row; None for a part of a trace, which is added to the traces."""
    if "resourceSpans" in row or "resourceLogs" in row:
        for span_of_otlp_row in otlp_spans(row):
            trace_collector.add_span(span_of_otlp_row, row_place_phrase)
    elif is_telemetry_span(row):
        trace_collector.add_span(row, row_place_phrase)
    elif isinstance(row.get("observations"), list):
        trace_collector.add_langfuse(row, row_place_phrase)
    elif _is_langfuse_row(row):
        # In a table's cells, which are all texts, Langfuse writes texts in JSON too.
        if all(value is None or isinstance(value, str) for value in row.values()):
            row = {name: parse_if_json(value) for name, value in row.items()}
        trace_id = value_of_first_field(row, ("traceId", "trace_id"))
        if trace_id is not None:
            trace_collector.add_langfuse_part(row, str(trace_id), row_place_phrase)
        else:
            trace_collector.add_langfuse_trace_fields(str(row.get("id")), row, row_place_phrase)
    else:
        return _traced_question_from_plain_row(row, row_place_phrase)
    return None


def _traced_question_from_plain_row(row: Mapping[str, Any], row_place_phrase: str) -> TraceRow:
    question_value, retrieved_value = value_of_first_field(row, QUESTION_FIELDS), value_of_first_field(row, RETRIEVED_FIELDS)
    if question_value is None:
        raise InputError(
            f"a row must be a span, a Langfuse trace or observation, or have a question ({', '.join(QUESTION_FIELDS)}); "
            "this one "
            f"has only {short_repr(', '.join(map(str, row)))}."
        )
    if retrieved_value is None:
        raise InputError(
            "a row with a question must say what was retrieved, in a field such as retrieved or retrieved_contexts; this "
            f"one has only {short_repr(', '.join(map(str, row)))}."
        )
    retrieved_items = list_retrieved_items(retrieved_value)
    if retrieved_items is None and isinstance(retrieved_value, str):
        retrieved_items = parse_excerpt_list(retrieved_value, "retrieved")
    if retrieved_items is None:
        raise InputError(f"what was retrieved must be a list; got {short_repr(retrieved_value)}.")
    retrieval_scores = parse_if_json(row.get("scores"))
    if isinstance(retrieval_scores, list) and len(retrieval_scores) == len(retrieved_items):
        retrieved_items = [[item, score] for item, score in zip(retrieved_items, retrieval_scores, strict=True)]
    is_id_list = retrieved_value in (row.get("retrieved_ids"), row.get("retrieved_context_ids"))
    last_rank_given_to_model = parse_if_json(value_of_first_field(row, RANK_LIMIT_FIELDS))
    last_rank_given_to_model = (
        int(last_rank_given_to_model)
        if isinstance(last_rank_given_to_model, str) and last_rank_given_to_model.isdecimal()
        else last_rank_given_to_model
    )
    ranked_retrieved_texts = retrieved_text_rows(
        [{"id": item} if is_id_list and isinstance(item, str | int) else item for item in retrieved_items]
    )
    if isinstance(last_rank_given_to_model, int) and not isinstance(last_rank_given_to_model, bool):
        ranked_retrieved_texts = [
            {**chunk, "given": chunk["rank"] <= last_rank_given_to_model} for chunk in ranked_retrieved_texts
        ]
    is_ragas_row = "user_input" in row or "retrieved_contexts" in row
    feedback_name_value_pairs = [[key, row[key]] for key in FEEDBACK_FIELDS if row.get(key) is not None]
    return assemble_question_row(
        row_place_phrase,
        "ragas" if is_ragas_row else "plain rows",
        read_input_or_output_text(question_value),
        ranked_retrieved_texts,
        row,
        feedback_name_value_pairs,
    )
