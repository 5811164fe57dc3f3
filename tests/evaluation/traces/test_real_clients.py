"""Traces of the real client libraries are read: samples made by `tests.fixtures.traces.make`, with the versions it names."""

import json

import pytest

from chunkers.found_again.inspected import read_chunks
from evaluation.traces.reading import read_traces
from evaluation.traces.stages import Searched, Tracing
from tests import ROOT
from tests.evaluation.traces.generator import chunk_file, documents

FOLDER = ROOT / "tests" / "fixtures" / "traces"
SAMPLES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".jsonl", ".csv") or "_records" in path.name)
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
WITHOUT_FEEDBACK = ("ragas", "langfuse_spans")
"""Files that have no feedback: Langfuse's SDK sends a score by itself."""


@pytest.fixture(scope="module")
def index():
    return Searched.of_file(documents(), read_chunks(chunk_file(), "chunks.jsonl"), "chunks.jsonl")


def test_every_client_has_a_sample():
    versions = json.loads((FOLDER / "versions.json").read_text(encoding="utf-8"))
    assert {"langfuse", "ragas", "opentelemetry-sdk", "openinference-instrumentation-langchain"} <= {*versions}
    assert len(SAMPLES) == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_client_writes_is_diagnosed(name, index):
    traces = read_traces((FOLDER / name).read_bytes(), name)
    assert not traces.problems
    assert [question.question for question in traces.questions] == [wanted["question"] for wanted in EXPECTED]
    assert {question.answer for question in traces.questions} == {"It depends."}
    whole = documents()
    for wanted, diagnosis in zip(EXPECTED, Tracing(whole, traces.questions, index).locate().diagnoses(), strict=True):
        has_feedback = wanted["feedback"] and not name.startswith(WITHOUT_FEEDBACK)
        assert diagnosis.stage == (wanted["stage"] if has_feedback or not wanted["feedback"] else None)
        places = [[whole[placement.place.document].name, *placement.place.span] for placement in diagnosis.placements]
        assert places == wanted["places"][: len(places)]
