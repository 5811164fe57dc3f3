"""A hundred questions in the traces of the real client libraries, which `tests.fixtures.traces.make` wrote."""

import json
from collections import Counter

import pytest

from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from evaluation.traces.answer_loss_stages import MOST_NAMED_BETTER_CHUNKS, SearchedChunks, TraceDiagnoser
from evaluation.traces.trace_files import read_traces
from tests.fixtures.trace_generator import documents
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
    return SearchedChunks.from_file(documents(), read_given_chunks(unpacked("chunks.jsonl"), "chunks.jsonl"), "chunks.jsonl")


def test_every_file_is_tested_and_they_are_small():
    files = {path.name.removesuffix(".xz"): path.stat().st_size for path in FOLDER.glob("*.xz")}
    assert {*files} == {*FORMATS, "chunks.jsonl", "expected.json"}
    assert sum(files.values()) < 1_000_000
    versions = json.loads((FOLDER / "versions.json").read_text(encoding="utf-8"))
    clients = {"langfuse", "ragas", "opentelemetry-sdk", "openinference-instrumentation-langchain", "arize-phoenix-client"}
    assert clients <= {*versions}


def starts(name, text):
    """Return the starts of the chunks of a document, looked for one after another."""
    rows = map(json.loads, unpacked("chunks.jsonl").decode().splitlines())
    found, end = [], 0
    for row in rows:
        if row["source"] == name:
            found.append(text.index(row["text"], end))
            end = found[-1] + len(row["text"])
    return found


def evidence_is_true(wanted, diagnosis, whole):
    """Check the cuts inside an answer that was cut apart, or the rank of its chunk and the chunks ranked above it."""
    if diagnosis.stage == "cut apart":
        outcome = diagnosis.outcome
        document, span = whole[outcome.place.document], outcome.place.span
        inside = [start for start in starts(document.name, document.text) if span.start < start < span.end]
        assert [seam.place for seam in outcome.seams] == inside
        assert all(seam.after == seam.before + 1 for seam in outcome.seams)
    if diagnosis.stage == "ranked too low":
        outcome = diagnosis.outcome
        name, span = whole[outcome.place.document].name, outcome.place.span
        seen = wanted["places"][: len(diagnosis.placements)]
        holds = [place and place[0] == name and place[1] <= span.start and span.end <= place[2] for place in seen]
        rank = holds.index(True) + 1 if True in holds else 0
        assert (f"at rank {rank};" if rank else f"not among the retrieved texts ({len(seen)});") in outcome.evidence
        for rank, (place, placement) in enumerate(zip(seen, diagnosis.placements, strict=True), 1):
            if rank <= MOST_NAMED_BETTER_CHUNKS and placement.only_place is not None:
                assert f"{rank} {place[0]} {place[1]:,}–{place[2]:,}" in outcome.evidence


@pytest.mark.full
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
    tracing = TraceDiagnoser(whole, traces.questions, index).locate_retrieved_texts()
    for wanted, diagnosis in zip(expected, tracing.question_diagnoses(), strict=True):
        has_feedback = wanted["feedback"] and not name.startswith(WITHOUT_FEEDBACK)
        assert diagnosis.stage == (wanted["stage"] if has_feedback or not wanted["feedback"] else None), diagnosis
        # What a limit left out is in OpenInference's traces alone.
        assert len(diagnosis.placements) in (len(wanted["places"]), 5)
        for change, true, placement in zip(wanted["changes"], wanted["places"], diagnosis.placements, strict=False):
            if true is None:
                assert not placement.places
                assert placement.remark
                continue
            place = placement.only_place and [whole[placement.only_place.document].name, *placement.only_place.span]
            assert place in (None, true), (change, placement)
            present[change] += 1
            located[change] += place is not None
        evidence_is_true(wanted, diagnosis, whole)
    assert present.total() > 500
    assert all(present[change] > 25 for change in ("", "spaces", "context", "cut short"))
    assert all(located[change] >= 0.9 * present[change] for change in present)
    print(name, {change or "as it is": f"{located[change]} of {present[change]}" for change in present})  # noqa: T201 - for `pytest -s`
