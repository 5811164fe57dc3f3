"""A hundred questions in the traces of the real client libraries, which `tests.fixtures.traces.make` wrote."""

import json
from collections import Counter

import pytest

from chunkers.found_again.inspected import read_chunks
from evaluation.traces.reading import read_traces
from evaluation.traces.stages import Searched, Tracing
from tests.evaluation.traces.generator import documents
from tests.fixtures.traces import FOLDER, unpacked

FORMATS = {
    "openinference.jsonl": "OpenInference",
    "phoenix.csv": "OpenInference",
    "opentelemetry.jsonl": "OpenTelemetry",
    "opentelemetry_otlp.jsonl": "OpenTelemetry",
    "opentelemetry_events.jsonl": "OpenTelemetry",
    "opentelemetry_logs.jsonl": "OpenTelemetry",
    "langfuse.jsonl": "Langfuse",
    "langfuse.csv": "Langfuse",
    "langfuse_spans.jsonl": "Langfuse",
    "ragas.jsonl": "ragas",
    "ragas.csv": "ragas",
    "ragas_records.json": "ragas",
}
WITHOUT_FEEDBACK = ("ragas", "langfuse_spans")
"""Files that have no feedback: Langfuse's SDK sends a score by itself."""


@pytest.fixture(scope="module")
def index():
    return Searched.of_file(documents(), read_chunks(unpacked("chunks.jsonl"), "chunks.jsonl"), "chunks.jsonl")


def test_every_file_is_tested_and_they_are_small():
    files = {path.name.removesuffix(".xz"): path.stat().st_size for path in FOLDER.glob("*.xz")}
    assert {*files} == {*FORMATS, "chunks.jsonl", "expected.json"}
    assert sum(files.values()) < 1_000_000
    versions = json.loads((FOLDER / "versions.json").read_text(encoding="utf-8"))
    clients = {"langfuse", "ragas", "opentelemetry-sdk", "openinference-instrumentation-langchain", "arize-phoenix-client"}
    assert clients <= {*versions}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_hundred_questions_of_a_client_are_diagnosed_as_they_were_made(name, index):
    expected = json.loads(unpacked("expected.json"))
    traces = read_traces(unpacked(name), name)
    assert not traces.problems
    assert [question.question for question in traces.questions] == [wanted["question"] for wanted in expected]
    assert len(expected) == 100
    assert {question.answer for question in traces.questions} == {"It depends."}
    assert {question.format for question in traces.questions} == {FORMATS[name]}
    whole = documents()
    present, located = Counter(), Counter()
    tracing = Tracing(whole, traces.questions, index).locate()
    for wanted, diagnosis in zip(expected, tracing.diagnoses(), strict=True):
        has_feedback = wanted["feedback"] and not name.startswith(WITHOUT_FEEDBACK)
        assert diagnosis.stage == (wanted["stage"] if has_feedback or not wanted["feedback"] else None), diagnosis
        # What a limit left out is in OpenInference's traces alone.
        assert len(diagnosis.placements) in (len(wanted["places"]), 5)
        for change, true, placement in zip(wanted["changes"], wanted["places"], diagnosis.placements, strict=False):
            if true is None:
                assert not placement.places
                assert placement.said
                continue
            place = placement.place and [whole[placement.place.document].name, *placement.place.span]
            assert place in (None, true), (change, placement)
            present[change] += 1
            located[change] += place is not None
    assert located.total() >= 0.9 * present.total()
    assert present.total() > 500
    assert all(present[change] > 25 for change in ("spaces", "context", "cut short"))
    print(name, {change or "as it is": f"{located[change]} of {present[change]}" for change in present})  # noqa: T201 - for `pytest -s`
