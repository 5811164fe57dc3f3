"""Every form in which a program writes its traces is read, and what cannot be read is said in a sentence."""

import csv
import io
import json

import numpy as np
import pandas
import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.load import dumpd
from llama_index.core.schema import NodeWithScore, TextNode

from chunkers import Cancelled, InputError
from evaluation.questions.question_files import MOST_QUESTIONS
from evaluation.traces.trace_files import read_traces
from tests.fixtures.trace_generator import lines

TEXT = "The tide goes out."
ASKED = {"query": "When?", "retrieved": [TEXT]}


def read_one(*rows):
    (question,) = read_traces(lines(rows), "a.jsonl").questions
    return question


NODE = NodeWithScore(node=TextNode(text=TEXT, id_="n1", metadata={"file_name": "tides.md"}), score=0.5)
LANGCHAIN = LangChainDocument(id="n1", page_content=TEXT, metadata={"source": "tides.md"})
ROWS = {
    "LlamaIndex's response": {"query": "When?", "source_nodes": [NODE.to_dict()]},
    "LangChain's chain": {"input": "When?", "context": [[dumpd(LANGCHAIN), 0.5]], "answer": "Twice."},
    "LangChain's documents": {
        "question": "When?",
        "source_documents": [{"document": LANGCHAIN.model_dump(), "score": 0.5}],
        "result": "Twice.",
    },
    "Haystack's documents": {
        "query": "When?",
        "documents": [{"id": "n1", "content": TEXT, "meta": {"file_name": "tides.md"}, "score": 0.5}],
    },
    "parallel lists": {"query": "When?", "results": [{"text": TEXT, "id": "n1", "document": "tides.md"}], "scores": [0.5]},
    "a span with structured documents": {
        "attributes": {
            "gen_ai.retrieval.query.text": "When?",
            "gen_ai.retrieval.documents": [{"id": "n1", "score": 0.5, "text": TEXT, "source": "tides.md"}],
        }
    },
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_libraries_return_is_read(row):
    question = read_one(row)
    assert question.question == "When?"
    (text,) = question.retrieved
    assert (text.rank, text.text, text.id, text.document, text.score) == (1, TEXT, "n1", "tides.md", 0.5)


def test_the_parts_of_a_trace_stand_in_any_order_and_apart():
    """As Langfuse's tables export them: each observation, each trace and each score is a row."""
    search = {"id": "o", "trace_id": "t", "type": "RETRIEVER", "input": '{"query": "tide"}', "output": json.dumps([TEXT])}
    question = read_one(
        search,
        {"id": "s", "trace_id": "t", "name": "user-feedback", "value": 0},
        {"id": "s", "trace_id": "t", "name": "toxicity", "value": 0},
        {"id": "t", "input": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "When?"}]},
    )
    assert (question.question, question.format) == ("When?", "Langfuse")
    assert [text.text for text in question.retrieved] == [TEXT]
    assert question.feedback == (("user-feedback", 0),)


@pytest.mark.parametrize("text", ['"Only twice."', "[1]", "[1, 2]", "3"])
def test_a_text_that_looks_like_json_stays_as_it_is_in_a_langfuse_trace(text):
    """Only the cells of a table are parsed, since Langfuse writes each text there as JSON."""
    search = {"id": "o", "traceId": "t", "type": "RETRIEVER", "input": text, "output": [TEXT], "level": 1}
    question = read_one({"id": "t", "input": text, "output": text, "version": 2}, search)
    assert (question.question, question.answer) == (text, text)
    cells = [{key: json.dumps(value) if key in ("input", "output") else str(value) for key, value in row.items()}
             for row in ({"id": "t", "input": text, "output": text}, search)]  # fmt: skip
    question = read_one(*cells)
    assert (question.question, question.answer) == (text, text)


@pytest.mark.parametrize("events", [3, "none", {"name": "e"}, '{"name": "e"}'])
def test_events_that_are_no_list_are_none(events):
    assert read_one(*({**span, "events": events} for span in SPANS)).question == "When?"


SPANS = [
    {"context.trace_id": "t", "parent_id": None, "span_kind": "CHAIN", "attributes.input.value": '{"query": "When?"}',
     "attributes.output.value": "Twice.", "attributes.metadata": {"excerpts": [TEXT]},
     "attributes.retrieval.documents": None},
    {"context.trace_id": "t", "parent_id": "p", "span_kind": "RETRIEVER", "attributes.input.value": "When?",
     "attributes.retrieval.documents": [{"document.id": "n1", "document.content": TEXT, "document.score": 0.5,
                                         "document.metadata": {"source": "tides.md", "page": None, "is_new": True}}]},
]  # fmt: skip


def table(rows):
    """Return rows as Langfuse's interface exports them: see `tests.fixtures.traces.make.langfuse_table`."""
    file = io.StringIO()
    writer = csv.DictWriter(file, [*rows[0]], quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def test_phoenixs_data_frame_is_read_from_a_csv_file_as_pandas_writes_it():
    traces = read_traces(pandas.DataFrame(SPANS).to_csv().encode(), "a.csv")
    (question,) = traces.questions
    assert (question.question, question.answer, question.format) == ("When?", "Twice.", "OpenInference")
    assert [excerpt.content for excerpt in question.excerpts] == [TEXT]
    (text,) = question.retrieved
    assert (text.text, text.id, text.document, text.score) == (TEXT, "n1", "tides.md", 0.5)
    assert not traces.problems
    # From Parquet, lists come as arrays, which have no commas.
    frame = pandas.DataFrame(SPANS)
    two = [
        *SPANS[1]["attributes.retrieval.documents"],
        {"document.content": "It's “in”.", "document.score": np.float64(0.25)},
    ]
    frame.at[1, "attributes.retrieval.documents"] = np.array(two, dtype=object)
    (question,) = read_traces(frame.to_csv().encode(), "a.csv").questions
    assert [(text.text, text.score) for text in question.retrieved] == [(TEXT, 0.5), ("It's “in”.", 0.25)]


def test_a_row_of_a_table_of_spans_that_cannot_be_read_is_named():
    spans = [*SPANS, {**SPANS[1], "context.trace_id": "u", "attributes.retrieval.documents": [{"document.score": 1}]}]
    traces = read_traces(pandas.DataFrame(spans).to_csv().encode(), "a.csv")
    assert len(traces.questions) == 1
    assert traces.problems[0].startswith("a.csv, row 3: retrieved 1: a chunk must have a text")


@pytest.mark.parametrize("encoded", [str, json.dumps], ids=["texts as they are", "texts in JSON"])
def test_langfuses_table_of_observations_is_read(encoded):
    """Older versions of the interface wrote texts in JSON."""
    root = {"id": encoded("a"), "traceId": encoded("t"), "type": encoded("SPAN"), "parentObservationId": "",
            "input": encoded('{"question": "When?"}'), "output": encoded("Twice."), "level": "DEFAULT",
            "user-feedback": '["thumbs_down"]', "toxicity": "[0.5]"}  # fmt: skip
    search = root | {"type": encoded("RETRIEVER"), "parentObservationId": encoded("a"), "user-feedback": ""}
    search |= {"output": encoded(json.dumps([LANGCHAIN.model_dump()])), "input": encoded("tide")}
    traces = read_traces(table([root, search]), "a.csv")
    (question,) = traces.questions
    assert (question.question, question.answer, question.format) == ("When?", "Twice.", "Langfuse")
    assert question.feedback == (("user-feedback", "thumbs_down"),)
    assert question.retrieved[0].document == "tides.md"
    assert not traces.problems


def test_langfuses_table_of_traces_alone_is_said_to_retrieve_nothing():
    data = table([{"id": "t", "name": "rag", "input": "When?", "output": "Twice.", "metadata": "{}", "tags": "[]"}])
    with pytest.raises(InputError, match=r"^a\.csv, traces that retrieve nothing, which are left out: 1\.$"):
        read_traces(data, "a.csv")


RETRIEVAL = {"gen_ai.retrieval.query.text": "tide", "gen_ai.retrieval.documents": [{"id": "n1", "score": 0.5, "text": TEXT}]}
ROOT = {"traceId": "t", "spanId": "a", "attributes": {"gen_ai.operation.name": "invoke_agent", "input.value": "When?"}}
EVENTS = {
    "an event of the search": [
        {"traceId": "t", "spanId": "b", "parentSpanId": "a", "attributes": {"gen_ai.operation.name": "retrieval"},
         "events": [{"name": "gen_ai.retrieval", "attributes": RETRIEVAL}]},
    ],
    "an event with documents in JSON": [
        {"traceId": "t", "spanId": "b", "parentSpanId": "a", "attributes": {},
         "events": [{"name": "e", "attributes": {key: value if isinstance(value, str) else json.dumps(value)
                                                 for key, value in RETRIEVAL.items()}}]},
    ],
    "the attributes of a log record": [{"traceId": "t", "spanId": "b", "eventName": "e", "attributes": RETRIEVAL}],
    "the body of a log record": [{"trace_id": "t", "span_id": "b", "body": RETRIEVAL, "attributes": {}}],
    "the body in OTLP's JSON": [
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"traceId": "t", "spanId": "b", "body": {"stringValue": json.dumps(RETRIEVAL)}, "attributes": []}]}]}]},
    ],
    "a span and a log record": [
        {"traceId": "t", "spanId": "b", "parentSpanId": "a", "attributes": RETRIEVAL},
        {"traceId": "t", "spanId": "b", "eventName": "e", "attributes": RETRIEVAL},
    ],
}  # fmt: skip


@pytest.mark.parametrize("parts", EVENTS.values(), ids=EVENTS)
@pytest.mark.parametrize("order", [1, -1])
def test_what_was_retrieved_is_told_by_events_and_log_records(parts, order):
    question = read_one(*[ROOT, *parts][::order])
    assert (question.question, question.format) == ("When?", "OpenTelemetry")
    (text,) = question.retrieved
    assert (text.text, text.id, text.score) == (TEXT, "n1", 0.5)


def test_two_events_of_a_span_are_two_searches():
    events = [{"attributes": RETRIEVAL | {"gen_ai.retrieval.documents": [{"text": text}]}} for text in ("a", "b")]
    question = read_one({**ROOT, "events": events})
    assert [(text.rank, text.text) for text in question.retrieved] == [(1, "a"), (1, "b")]


def test_of_several_searches_the_best_of_each_come_first():
    def span(*texts):
        retrieved = {f"retrieval.documents.{rank}.document.content": text for rank, text in enumerate(texts)}
        return {"context": {"trace_id": "t"}, "parent_id": "p", "attributes": {"input.value": "tide", **retrieved}}

    question = read_one(span("a", "b"), span("c"))
    assert [(text.rank, text.text) for text in question.retrieved] == [(1, "a"), (1, "c"), (2, "b")]
    assert question.question == "tide"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": TEXT}, "a row must be a span, a Langfuse trace or observation, or have a question (question, query, "),
        (
            {"query": "When?", "answer": "x"},
            "a row with a question must say what was retrieved, in a field such as retrieved",
        ),
        ({**ASKED, "retrieved": 7}, "what was retrieved must be a list; got 7."),
        ({**ASKED, "retrieved": [{"score": 1}]}, "retrieved 1: a chunk must have a text (text or page_content or "),
        ({**ASKED, "retrieved": [[TEXT, "high"]]}, "retrieved.1.score must be a number; got 'high'."),
        ({**ASKED, "query": " "}, "question must be a string that is not empty; got ' '."),
        ({**ASKED, "query": 7}, "question must be a string; got 7."),
        ({**ASKED, "excerpts": [7]}, "excerpts.1 must be a string or an object with content; got 7."),
        ({**ASKED, "excerpts": [{"content": "\ud800"}]}, "excerpts.1.content must be valid Unicode; got '\\ud800'."),
        ({"resourceSpans": [7]}, "a trace must be nested as its format has it; this one is not ("),
        ({"trace_id": "t", "span": 1}, "a row of a Langfuse trace must be an observation with a type, or a score with "),
        ({"attributes": {"input.value": "Hello"}}, "traces that retrieve nothing, which are left out: 1."),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(row, said):
    traces = read_traces(lines([ASKED, row]), "a.jsonl")
    assert len(traces.questions) == 1
    (problem,) = traces.problems
    place = "a.jsonl, " if "left out" in said else "a.jsonl, line 2: "
    assert problem.startswith(place + said)
    with pytest.raises(InputError) as raised:
        read_traces(lines([row]), "a.jsonl")
    assert str(raised.value) == problem.replace("line 2", "item 1")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b" ", "a: a file of traces must contain at least one trace; this file is empty."),
        (
            b"x,y\n1,2\n",
            "a: a table of traces must have a column with the question (question, query, user_input, input) and one with "
            "what was retrieved, such as retrieved_contexts, or be Phoenix's table of spans or one of Langfuse's tables; "
            "its columns are 'x, y'.",
        ),
        (b"[7]", "a, item 1: every trace must be a JSON object; got 7."),
        (b'{"query": "a"}\n{', "a, line 1: a row with a question must say what was retrieved"),
        (b"[" * 4_000_000, "a: JSON may have at most 3,000,000 opening brackets; this file has 4,000,000."),
    ],
)
def test_a_file_without_a_usable_trace_is_refused(data, said):
    with pytest.raises(InputError) as raised:
        read_traces(data, "a")
    assert str(raised.value).startswith(said)


@pytest.mark.slow
def test_a_file_has_no_more_questions_than_are_used_elsewhere():
    traces = read_traces(lines([ASKED] * (MOST_QUESTIONS + 2)), "a")
    assert len(traces.questions) == MOST_QUESTIONS
    assert traces.problems == ("a, from line 5,001 on: a file may have at most 5,000 questions; the rest is left out.",)


def test_reading_can_be_cancelled():
    with pytest.raises(Cancelled):
        read_traces(lines([ASKED]), "a", lambda: True)


@pytest.mark.parametrize("own", [None, "a"])
def test_plain_rows_may_name_their_trace(own):
    rows = [{"trace_id": own, "question": f"Question {number}?", "retrieved": ["A text."]} for number in range(2)]
    read = read_traces("".join(f"{json.dumps(row)}\n" for row in rows).encode(), "rows.jsonl")
    assert [question.question for question in read.questions] == ["Question 0?", "Question 1?"]
    assert {question.format for question in read.questions} == {"plain rows"}
