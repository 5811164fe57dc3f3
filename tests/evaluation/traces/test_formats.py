"""Every form in which a program writes its traces is read, and what cannot be read is said in a sentence."""

import json

import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.load import dumpd
from llama_index.core.schema import NodeWithScore, TextNode

from chunkers import Cancelled, InputError
from evaluation.traces.reading import MOST, read_traces
from tests.evaluation.traces.generator import lines

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
            "a: a table of traces must have a column with the question (question, query, user_input, input) and",
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
    traces = read_traces(lines([ASKED] * (MOST + 2)), "a")
    assert len(traces.questions) == MOST
    assert traces.problems == ("a, from line 5,001 on: a file may have at most 5,000 questions; the rest is left out.",)


def test_reading_can_be_cancelled():
    with pytest.raises(Cancelled):
        read_traces(lines([ASKED]), "a", lambda: True)
