"""Spans of OpenInference and OpenTelemetry and observations of Langfuse, gathered into rows of a question each."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chunkers.files import external_chunks
from chunkers.support import InputError, short_repr
from evaluation.questions import LEADING_HOP_MARK_PATTERN, parse_excerpt_list, parse_python_literal

# Fields of a traced question, under the names that programs give them.


QUESTION_FIELDS = ("question", "query", "user_input", "input")
RETRIEVED_FIELDS = (
    *("retrieved", "retrieved_contexts", "retrieved_chunks", "retrieved_documents", "contexts", "context"),
    *("source_documents", "source_nodes", "chunks", "nodes", "results", "hits", "documents"),
    *("retrieved_ids", "retrieved_context_ids"),
)
ANSWER_FIELDS = ("answer", "response", "output", "result")
REFERENCE_ANSWER_FIELDS = ("reference", "ground_truth", "ground_truths", "expected_output", "expectedOutput")
EXCERPT_FIELDS = ("references", "excerpts", "reference_contexts")
FEEDBACK_FIELDS = ("feedback", "user_feedback", "thumbs", "helpful", "correct")
RETRIEVAL_SCORE_FIELDS = ("score", "relevance_score", "similarity")
RANK_LIMIT_FIELDS = ("top_k", "k")
"""Names of the fields of a question; of each kind the first that is there counts."""

_WRAPPER_FIELDS = ("node", "document", "chunk")
_FEEDBACK_NAME_PARTS = ("feedback", "thumb", "helpful", "correct")

TraceRow = dict[str, Any]


def assemble_question_row(
    row_place_phrase: str,
    format_name: str,
    question: Any,
    retrieved_rows: list[TraceRow],
    value_by_trace_field: Mapping[str, Any],
    feedback_name_value_pairs: list[list[Any]],
) -> TraceRow:
    """Return the row of a question; its answer, reference and excerpts are read from ``value_by_trace_field``."""
    first_reference_answer, excerpts = (
        value_of_first_field(value_by_trace_field, REFERENCE_ANSWER_FIELDS),
        value_of_first_field(value_by_trace_field, EXCERPT_FIELDS),
    )
    if isinstance(first_reference_answer, list):
        first_reference_answer = next(iter(first_reference_answer), None)
    return {
        "place": row_place_phrase,
        "format": format_name,
        "question": question,
        "retrieved": retrieved_rows,
        "answer": read_input_or_output_text(value_of_first_field(value_by_trace_field, ANSWER_FIELDS), ANSWER_FIELDS),
        "reference": read_input_or_output_text(first_reference_answer, (*REFERENCE_ANSWER_FIELDS, *ANSWER_FIELDS)),
        "excerpts": [
            LEADING_HOP_MARK_PATTERN.sub("", excerpt) if isinstance(excerpt, str) else excerpt
            for excerpt in ([] if excerpts is None else parse_excerpt_list(excerpts, "excerpts"))
        ],
        "feedback": [
            [name, value]
            for name, given in feedback_name_value_pairs
            for value in [_feedback_value(given)]
            if value is not None
        ],
    }


def value_of_first_field(value_by_field: Mapping[str, Any], field_names: Iterable[str]) -> Any:
    """Return the first of the named fields that is there and not empty; None if there is none."""
    return next((value_by_field[name] for name in field_names if value_by_field.get(name) not in (None, "", [])), None)


def retrieved_text_rows(items: Sequence[Any]) -> list[TraceRow]:
    """Return a row for each retrieved text, best first. Raise InputError if one has neither a text, a place nor a name."""
    return [_retrieved_row(item, rank) for rank, item in enumerate(items, start=1)]


def _retrieved_row(item: Any, rank: int) -> TraceRow:
    """Return a retrieved text: its chunk, which may be wrapped with its score, and its score."""
    retrieval_score = None
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str | dict):
        item, retrieval_score = item
    if isinstance(item, dict):
        retrieval_score = value_of_first_field(item, RETRIEVAL_SCORE_FIELDS) if retrieval_score is None else retrieval_score
        item = next((item[key] for key in _WRAPPER_FIELDS if isinstance(item.get(key), dict)), item)
        retrieval_score = value_of_first_field(item, RETRIEVAL_SCORE_FIELDS) if retrieval_score is None else retrieval_score
        retrieved_item_metadata = item.get("metadata")
        if isinstance(retrieved_item_metadata, str):
            item = {**item, "metadata": parse_if_json(retrieved_item_metadata)}
    text, text_spans, document_name, identifier = external_chunks.as_given_chunk(
        item, f"retrieved {rank}", allows_id_alone=True
    )
    return {
        "rank": rank,
        "text": text,
        "spans": text_spans,
        "document": document_name,
        "id": identifier,
        "score": retrieval_score,
        "given": True,
    }


def parse_if_json(value: Any) -> Any:
    """Return the value of a text in JSON, or of a list or mapping as Python writes it; anything else as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[", '"')):
        for parse_function in (json.loads, parse_python_literal):
            with suppress(ValueError, RecursionError):
                return parse_function(value)
    return value


def _parse_if_json_objects(value: Any) -> Any:
    """Return the object, or the list of objects, that a text has in JSON; anything else, a text in quotes too, as it is."""
    json_value = parse_if_json(value)
    parsed_json_items = json_value if isinstance(json_value, list) and json_value else [json_value]
    return json_value if all(isinstance(item, dict) for item in parsed_json_items) else value


def read_input_or_output_text(input_or_output: Any, field_names: Sequence[str] = QUESTION_FIELDS) -> Any:
    """Return the text of an input or output: itself, what an object has under one of the names, or the last message."""
    input_or_output = _parse_if_json_objects(input_or_output)
    if isinstance(input_or_output, list):
        user_or_assistant_messages = [
            message
            for message in input_or_output
            if isinstance(message, dict) and message.get("role") in (None, "user", "assistant")
        ]
        input_or_output = user_or_assistant_messages[-1] if user_or_assistant_messages else next(iter(input_or_output), None)
    if isinstance(input_or_output, dict):
        nested_message_content = value_of_first_field(
            input_or_output, (*field_names, "text", "content", "parts", "messages")
        )
        return None if nested_message_content is None else read_input_or_output_text(nested_message_content, field_names)
    return input_or_output


def list_retrieved_items(output_value: Any) -> list[Any] | None:
    """Return the retrieved texts in an output; None if it has none."""
    output_value = parse_if_json(output_value)
    if isinstance(output_value, dict):
        output_value = parse_if_json(value_of_first_field(output_value, (*RETRIEVED_FIELDS, "output")))
    return output_value if isinstance(output_value, list) else None


def _feedback_value(feedback: Any) -> Any:
    """Return the value of a feedback: a truth value, a number or a word."""
    return (
        value_of_first_field(feedback, ("score", "value", "label", "thumbs", "rating"))
        if isinstance(feedback, dict)
        else feedback
    )


def is_feedback_name(name: Any) -> bool:
    """Return whether a score of this name is a verdict on the answer, such as ``user-feedback`` or ``correctness``."""
    score_name = str(name).lower()
    return any(word in score_name for word in _FEEDBACK_NAME_PARTS) and not score_name.startswith(("in", "un"))


# Spans and observations, gathered into traces.


_OBSERVATION_TYPES = {
    "SPAN",
    "EVENT",
    "GENERATION",
    "RETRIEVER",
    "AGENT",
    "TOOL",
    "CHAIN",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
}
_PARENT_FIELDS = ("parent_id", "parent_span_id", "parentSpanId")
_ANNOTATION_FIELDS = ("annotations", "evaluations", "trace.annotations", "trace.evaluations")
_QUERY_FIELDS = ("input.value", "gen_ai.retrieval.query.text")
_LOG_RECORD_FIELDS = ("body", "event_name", "eventName", "severity_number", "severityNumber")
"""Fields that log records have and spans have not."""

_UNREAD_SPAN_PARTS = ("llm", "embedding", "tool", "prompt")
"""Parts of a span that may be long and are not read."""


UNREADABLE_ROW_ERRORS = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""Errors of a row that is not as its format has it, `InputError` among them."""


def fault_sentence(error: Exception) -> str:
    """Return a sentence on the fault of a row."""
    if isinstance(error, InputError):
        return str(error)
    return f"a trace must be nested as its format has it; this one is not ({' '.join(str(error).split())[:100]})."


@dataclass
class _Trace:
    """The parts of a trace, which stand in any order in a file."""

    place: str
    form: str
    root: list[Any] = field(default_factory=list)
    searches: list[tuple[Any, list[Any]]] = field(default_factory=list)
    passed_on: list[Any] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    feedback: list[list[Any]] = field(default_factory=list)

    def assemble_question_row(self) -> TraceRow:
        question_text = next(
            (words for words in map(read_input_or_output_text, self.root) if isinstance(words, str) and words.strip()), None
        )
        if question_text is None:
            question_text = next((read_input_or_output_text(query) for query, _ in self.searches if query is not None), None)
        retrieved_rows = [row for _, items in self.searches for row in retrieved_text_rows(items)]
        # Several searches of one question: the best of each first.
        retrieved_rows.sort(key=lambda row: row["rank"])
        if self.passed_on is not None:
            text_rows_passed_to_model = retrieved_text_rows(self.passed_on)
            texts_for_model, text_ids_for_model = (
                {row["text"] for row in text_rows_passed_to_model} - {None},
                {row["id"] for row in text_rows_passed_to_model} - {None},
            )
            retrieved_rows = [
                {**row, "given": row["text"] in texts_for_model or row["id"] in text_ids_for_model} for row in retrieved_rows
            ] or text_rows_passed_to_model
        return assemble_question_row(self.place, self.form, question_text, retrieved_rows, self.attributes, self.feedback)


class TraceCollector:
    """Traces by their identifiers, in order of first appearance."""

    def __init__(self) -> None:
        self._traces: dict[str, _Trace] = {}

    def questions(self) -> Iterator[TraceRow]:
        """Yield a row for each trace that searched for something; at the end the number of those that did not."""
        searchless_trace_count = 0
        for trace in self._traces.values():
            if not trace.searches and trace.passed_on is None:
                searchless_trace_count += 1
                continue
            try:
                yield trace.assemble_question_row()
            except UNREADABLE_ROW_ERRORS as error:
                yield {"problem": f"{trace.place}: {fault_sentence(error)}"}
        if searchless_trace_count:
            yield {"problem": f"traces that retrieve nothing, which are left out: {searchless_trace_count:,}."}

    def _trace_of(self, trace_id: str, row_place_phrase: str, format_name: str) -> _Trace:
        return self._traces.setdefault(trace_id, _Trace(row_place_phrase, format_name))

    def add_span(self, telemetry_span: Mapping[str, Any], row_place_phrase: str) -> None:
        """Add a span of OpenInference or OpenTelemetry."""
        span_fields = flatten_attributes(
            {key: value for key, value in telemetry_span.items() if key not in ("attributes", "events", "annotations")}
        )
        span_attributes = flatten_attributes(telemetry_span.get("attributes") or {}) | _attributes_below(
            span_fields, "attributes"
        )
        trace_id = value_of_first_field(span_fields, ("context.trace_id", "trace_id", "traceId"))
        if langfuse_observation_attributes := _attributes_below(span_attributes, "langfuse.observation"):
            # Langfuse's SDK writes an observation as a span.
            langfuse_observation_row = {
                **langfuse_observation_attributes,
                "type": str(langfuse_observation_attributes.get("type")).upper(),
                "metadata": _attributes_below(langfuse_observation_attributes, "metadata"),
                "parentObservationId": value_of_first_field(span_fields, _PARENT_FIELDS),
            }
            self.add_langfuse_part(langfuse_observation_row, str(trace_id or row_place_phrase), row_place_phrase)
            return
        parsed_log_body = parse_if_json(telemetry_span.get("body"))
        if isinstance(parsed_log_body, dict) and parsed_log_body.keys() & {"kvlistValue", "stringValue"}:
            parsed_log_body = parse_if_json(_otlp_value(parsed_log_body))
        span_attributes |= flatten_attributes(parsed_log_body) if isinstance(parsed_log_body, dict) else {}
        span_event_objects = [
            event for event in _parse_list_else_empty(telemetry_span.get("events")) if isinstance(event, dict)
        ]
        attributes_per_event = [flatten_attributes(event.get("attributes") or {}) for event in span_event_objects]
        has_genai_attributes = any(
            key.startswith("gen_ai.") for some in (span_attributes, *attributes_per_event) for key in some
        )
        trace = self._trace_of(
            str(trace_id or row_place_phrase), row_place_phrase, "OpenTelemetry" if has_genai_attributes else "OpenInference"
        )
        is_root_span = value_of_first_field(span_fields, _PARENT_FIELDS) is None and not any(
            key in telemetry_span for key in _LOG_RECORD_FIELDS
        )
        span_query_text = self._add_question_and_answer(trace, span_attributes, is_root=is_root_span)
        self._add_searches(trace, span_attributes, attributes_per_event, span_query_text, str(span_fields.get("span_kind")))
        span_metadata = _attributes_below(span_attributes, "metadata")
        trace.attributes |= {
            key: value for key, value in span_metadata.items() if key in (*REFERENCE_ANSWER_FIELDS, *EXCERPT_FIELDS)
        }
        trace.attributes |= {
            column: items for column in EXCERPT_FIELDS if (items := _items_of_list_attribute(span_metadata, column))
        }
        for span_or_event_attributes in (span_attributes, *attributes_per_event):
            self._add_evaluation_as_feedback(trace, span_or_event_attributes)
        for annotation_object in telemetry_span.get("annotations") or telemetry_span.get("span_annotations") or []:
            if isinstance(annotation_object, dict) and is_feedback_name(annotation_object.get("name")):
                trace.feedback.append(
                    [
                        annotation_object["name"],
                        annotation_object["result"]
                        if isinstance(annotation_object.get("result"), dict)
                        else annotation_object,
                    ]
                )
        for annotation in (
            note
            for name in _ANNOTATION_FIELDS
            for note in _items_of_list_attribute(span_attributes, name)
            if isinstance(note, dict)
        ):
            annotation_fields = {key.rpartition(".")[2]: value for key, value in annotation.items()}
            trace.feedback += (
                [[annotation_fields["name"], annotation_fields]] if is_feedback_name(annotation_fields.get("name")) else []
            )
        trace.feedback += [[key, span_attributes[key]] for key in ("feedback", "user_feedback") if key in span_attributes]

    @staticmethod
    def _add_question_and_answer(trace: _Trace, attributes: Mapping[str, Any], *, is_root: bool) -> Any:
        """Add what a span was asked, if it is the root, and what it answered; return what it was asked."""
        span_query_text = value_of_first_field(attributes, _QUERY_FIELDS)
        span_query_text = _last_message(attributes, "gen_ai.input.messages") if span_query_text is None else span_query_text
        span_answer_text = _last_message(attributes, "gen_ai.output.messages")
        if is_root:
            trace.root.append(span_query_text)
            if span_answer_text is None and not _items_of_list_attribute(attributes, "retrieval.documents"):
                span_answer_text = attributes.get("output.value")
        if span_answer_text is not None:
            trace.attributes.setdefault("answer", span_answer_text)
        return span_query_text

    @staticmethod
    def _add_searches(
        trace: _Trace,
        attributes: Mapping[str, Any],
        attributes_per_event: Sequence[Mapping[str, Any]],
        query: Any,
        span_kind: str,
    ) -> None:
        """Add what a span retrieved, as its own attributes say or else those of its events."""
        queries_and_retrieved_items = [(query, _retrieved_documents(attributes))]
        if not queries_and_retrieved_items[0][1]:
            searches_of_all_events = [
                (value_of_first_field(event, _QUERY_FIELDS) or query, _retrieved_documents(event))
                for event in attributes_per_event
            ]
            queries_and_retrieved_items = [
                (asked, items) for asked, items in searches_of_all_events if items
            ] or queries_and_retrieved_items
        is_search_span = "RETRIEVER" in (span_kind.upper(), str(attributes.get("openinference.span.kind")).upper())
        is_search_span = is_search_span or attributes.get("gen_ai.operation.name") == "retrieval"
        for search_query, retrieved_items in queries_and_retrieved_items:
            # A log record may repeat what its span says.
            are_items_already_added = retrieved_items and any(retrieved_items == others for _, others in trace.searches)
            if (retrieved_items or is_search_span) and not are_items_already_added:
                trace.searches.append((search_query, retrieved_items))
        if reranked_items := _items_of_list_attribute(attributes, "reranker.output_documents"):
            trace.passed_on = [_document_fields_without_prefix(document) for document in reranked_items]

    @staticmethod
    def _add_evaluation_as_feedback(trace: _Trace, attributes: Mapping[str, Any]) -> None:
        evaluation_name = attributes.get("gen_ai.evaluation.name")
        evaluation_score = value_of_first_field(
            attributes, ("gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label")
        )
        if evaluation_name is not None and evaluation_score is not None and is_feedback_name(evaluation_name):
            trace.feedback.append([evaluation_name, evaluation_score])

    def add_langfuse(self, row: Mapping[str, Any], row_place_phrase: str) -> None:
        """Add a trace of Langfuse with its observations, as its interface and its API export it."""
        langfuse_trace_row: Mapping[str, Any] = row["trace"] if isinstance(row.get("trace"), dict) else row
        trace_id = str(value_of_first_field(langfuse_trace_row, ("id", "traceId")) or row_place_phrase)
        self.add_langfuse_trace_fields(trace_id, langfuse_trace_row, row_place_phrase)
        for observation in row["observations"]:
            if isinstance(observation, dict):
                self.add_langfuse_part(observation, trace_id, row_place_phrase)
        if row is not langfuse_trace_row:
            self._add_scores(trace_id, row, row_place_phrase)

    def add_langfuse_part(self, row: Mapping[str, Any], trace_id: str, row_place_phrase: str) -> None:
        """Add an observation or a score of Langfuse, as its tables export it."""
        if row.get("type") not in _OBSERVATION_TYPES:
            self._add_score(trace_id, row, row_place_phrase)
            return
        collected_trace = self._trace_of(trace_id, row_place_phrase, "Langfuse")
        if (
            value_of_first_field(row, ("parentObservationId", "parent_observation_id")) is None
            and row["type"] != "RETRIEVER"
        ):
            self.add_langfuse_trace_fields(trace_id, row, row_place_phrase)
        else:
            self._add_scores(trace_id, row, row_place_phrase)
        retrieved_documents = list_retrieved_items(row.get("output"))
        if row["type"] == "RETRIEVER" or (
            row["type"] in ("SPAN", "TOOL") and retrieved_documents and all(map(_is_document, retrieved_documents))
        ):
            collected_trace.searches.append((row.get("input"), retrieved_documents or []))

    def add_langfuse_trace_fields(self, trace_id: str, row: Mapping[str, Any], row_place_phrase: str) -> None:
        """Add the fields of a whole trace of Langfuse: its question, its answer, a reference, and scores."""
        collected_trace = self._trace_of(trace_id, row_place_phrase, "Langfuse")
        collected_trace.root.append(row.get("input"))
        if row.get("output") is not None:
            collected_trace.attributes.setdefault("answer", row["output"])
        langfuse_trace_metadata = parse_if_json(row.get("metadata"))
        for field_source in (row, langfuse_trace_metadata if isinstance(langfuse_trace_metadata, dict) else {}):
            collected_trace.attributes |= {
                key: field_source[key] for key in (*REFERENCE_ANSWER_FIELDS, *EXCERPT_FIELDS) if field_source.get(key)
            }
        self._add_scores(trace_id, row, row_place_phrase)

    def _add_scores(self, trace_id: str, row: Mapping[str, Any], row_place_phrase: str) -> None:
        """Add the scores of a trace or an observation: a list, or, as tables export them, values under each name."""
        parsed_langfuse_scores = parse_if_json(row.get("scores"))
        for score_object in _parse_list_else_empty(parsed_langfuse_scores):
            if isinstance(score_object, dict):
                self._add_score(trace_id, score_object, row_place_phrase)
        row_fields_and_scores = {**row, **(parsed_langfuse_scores if isinstance(parsed_langfuse_scores, dict) else {})}
        feedback_name_value_pairs = self._trace_of(trace_id, row_place_phrase, "Langfuse").feedback
        for feedback_score_name in filter(is_feedback_name, row_fields_and_scores):
            values_of_named_score = parse_if_json(row_fields_and_scores[feedback_score_name])
            feedback_name_value_pairs += [
                [feedback_score_name, value]
                for value in (values_of_named_score if isinstance(values_of_named_score, list) else [values_of_named_score])
            ]

    def _add_score(self, trace_id: str, row: Mapping[str, Any], row_place_phrase: str) -> None:
        langfuse_score_name, score_value = (
            row.get("name"),
            value_of_first_field(row, ("stringValue", "string_value", "value")),
        )
        if langfuse_score_name is None or score_value is None:
            raise InputError(
                "a row of a Langfuse trace must be an observation with a type, or a score with a name and a value; this one "
                f"has only {short_repr(', '.join(map(str, row)))}."
            )
        if is_feedback_name(langfuse_score_name):
            self._trace_of(trace_id, row_place_phrase, "Langfuse").feedback.append([langfuse_score_name, score_value])


def _parse_list_else_empty(value: Any) -> list[Any]:
    """Return a list, parsed if it is given as JSON; any other value gives an empty list."""
    value = parse_if_json(value)
    return value if isinstance(value, list) else []


def _is_document(item: Any) -> bool:
    return isinstance(item, dict) and any(isinstance(item.get(key), str) for key in external_chunks.TEXT_FIELDS)


def is_telemetry_span(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a span, its attributes in one field or each in a column of its own."""
    return "attributes" in row or any(str(key).startswith(("attributes.", "context.trace_id")) for key in row)


def _retrieved_documents(attributes: Mapping[str, Any]) -> list[Any]:
    """Return the retrieved documents that attributes of a span, an event or a log record list."""
    attributes_per_retrieved_document = _items_of_list_attribute(
        attributes, "retrieval.documents"
    ) or _items_of_list_attribute(attributes, "gen_ai.retrieval.documents")
    return [_document_fields_without_prefix(document) for document in attributes_per_retrieved_document]


def _document_fields_without_prefix(item: Any) -> Any:
    """Return a retrieved document of a span under the usual names: ``document.content`` is its ``content``."""
    if not isinstance(item, dict):
        return item
    unprefixed_field_by_name = {key.removeprefix("document."): value for key, value in item.items()}
    return {
        **{key: value for key, value in unprefixed_field_by_name.items() if "." not in key},
        "metadata": _attributes_below(unprefixed_field_by_name, "metadata"),
    }


def _attributes_below(flat_attributes: Mapping[str, Any], name: str) -> TraceRow:
    """Return the attributes below a name, flat or in JSON under it."""
    parsed_attribute_value = parse_if_json(flat_attributes.get(name))
    if isinstance(parsed_attribute_value, dict):
        return flatten_attributes(parsed_attribute_value)
    return {key[len(name) + 1 :]: value for key, value in flat_attributes.items() if key.startswith(f"{name}.")}


def _items_of_list_attribute(flat_attributes: Mapping[str, Any], name: str) -> list[Any]:
    """Return the items of a list in flat attributes, or in JSON under its name."""
    parsed_attribute_list = parse_if_json(flat_attributes.get(name))
    if isinstance(parsed_attribute_list, list):
        return [flatten_attributes(part) if isinstance(part, dict) else part for part in parsed_attribute_list]
    item_by_number: dict[int, Any] = {}
    for key, flat_attribute_value in flat_attributes.items():
        number_text, _, name_after_number = key.removeprefix(f"{name}.").partition(".")
        if key.startswith(f"{name}.") and number_text.isdecimal() and len(number_text) < 7:
            if name_after_number:
                item_by_number.setdefault(int(number_text), {})[name_after_number] = flat_attribute_value
            else:
                item_by_number[int(number_text)] = flat_attribute_value
    return [item_by_number[number] for number in sorted(item_by_number)]


def _last_message(flat_attributes: Mapping[str, Any], name: str) -> Any:
    """Return the last message of a conversation in flat attributes; None if there is none."""
    last_conversation_message = next(reversed(_items_of_list_attribute(flat_attributes, name)), None)
    if isinstance(last_conversation_message, dict):
        return next((value for key, value in last_conversation_message.items() if key.endswith("content")), None)
    return flat_attributes.get(name) if last_conversation_message is None else last_conversation_message


def flatten_attributes(value: Any, name_prefix: str = "") -> TraceRow:
    """Return nested attributes with dots between the names; what is flat already stays."""
    if isinstance(value, list) and not name_prefix and all(isinstance(pair, dict) and "key" in pair for pair in value):
        value = {str(pair["key"]): _otlp_value(pair.get("value")) for pair in value}
    flat_attributes: TraceRow = {}
    key_value_pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner_value in key_value_pairs:
        dotted_attribute_name = f"{name_prefix}{key}"
        if dotted_attribute_name.partition(".")[0] in _UNREAD_SPAN_PARTS:
            continue
        if isinstance(inner_value, dict) or (
            isinstance(inner_value, list) and any(isinstance(item, dict) for item in inner_value)
        ):
            flat_attributes |= flatten_attributes(inner_value, f"{dotted_attribute_name}.")
        elif inner_value is not None:
            flat_attributes[dotted_attribute_name] = inner_value
    return flat_attributes


def otlp_spans(row: Mapping[str, Any]) -> Iterator[TraceRow]:
    """Yield the spans, and the log records as spans, of an export request in OTLP's JSON."""
    for resource in [*(row.get("resourceSpans") or []), *(row.get("resourceLogs") or [])]:
        for scope in [*(resource.get("scopeSpans") or []), *(resource.get("scopeLogs") or [])]:
            yield from scope.get("spans") or []
            for log_record in scope.get("logRecords") or []:
                # A record of a span is no root of its trace.
                yield {**log_record, "parentSpanId": log_record.get("spanId") or "log"}


def _otlp_value(value: Any) -> Any:
    """Return a value of OTLP's JSON as plain JSON."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        return [_otlp_value(inner) for inner in value["arrayValue"].get("values") or []]
    if "kvlistValue" in value:
        return {str(pair.get("key")): _otlp_value(pair.get("value")) for pair in value["kvlistValue"].get("values") or []}
    if "intValue" in value:
        return int(value["intValue"])
    return next((value[key] for key in ("stringValue", "doubleValue", "boolValue") if key in value), None)
