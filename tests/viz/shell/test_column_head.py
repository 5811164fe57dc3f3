"""The head of a column: the same wording on every page."""

import json

import pytest

from tests.viz.app_steps import said
from viz.components.reader.reader import HeadRow
from viz.jobs.chunking import ChunkingJob
from viz.shell import column_runs_and_results
from viz.shell.column_runs_and_results import ColumnResult, known_boundaries_comparison_row, reader_column_for_result
from viz.state.choices import ColumnChoice

STOPPED = "Stopped while embedding."


def messages(app):
    """Return the messages in place of every column, or of the figure of all columns."""
    payloads = []
    for part in app.get("bidi_component"):
        try:
            payloads.append(json.loads(part.proto.json)[0])
        except ValueError:
            continue
    objects = [data for data in payloads if isinstance(data, dict)]
    columns = [column["message"] for data in objects for column in data.get("columns", ())]
    return columns + [data["message"] for data in objects if "message" in data]


@pytest.mark.parametrize("name", ["compare", "breakpoints", "double_pass", "clustering", "failures", "guide"])
def test_what_was_stopped_says_so_on_every_page(app, monkeypatch, name):
    monkeypatch.setattr(column_runs_and_results, "chunk_if_quick", lambda *_: None)
    monkeypatch.setattr(ChunkingJob, "start", ChunkingJob.cancel)
    app.query_params["embedder"] = "tfidf"
    if name != "compare":
        app.switch_page(f"pages/{name}.py")
    app.run()
    app.run()
    assert not app.exception
    assert app.session_state["chunking_job"].cancelled()
    shown = said(app) if name == "guide" else messages(app)
    assert STOPPED in shown
    assert not any("Embedding" in message for message in shown)


def test_settings_that_are_not_allowed_are_named_and_the_reason_is_an_error():
    choice = ColumnChoice("fixed_sentences", {"overlap": 9})
    column = reader_column_for_result(
        ColumnResult(choice, error="overlap must be below size."), lambda _: pytest.fail("There is no result.")
    )
    assert (column.title, column.subtitle) == ("Fixed sentences", "overlap 9")
    assert (column.message, column.tone, column.result) == ("overlap must be below size.", "error", None)


@pytest.mark.parametrize(
    ("counts", "value", "tone", "brief"),
    [
        ((1, 2, 3), "2 missed, 3 added", "wrong", "2 missed, 3 added"),
        ((3, 0, 1), "0 missed, 1 added", "wrong", "0 missed, 1 added"),
        ((1, 2345, 1414), "2,345 missed, 1,414 added", "wrong", "2,345 missed, 1,414 added"),
        ((1414, 0, 0), "all 1,414 found, none added", "", "all 1,414 found"),
        ((3, 0, 0), "all 3 found, none added", "", "all 3 found"),
        ((0, 0, 0), "one topic, not cut", "", "one topic, not cut"),
    ],
)
def test_cuts_are_counted_against_the_known_boundaries(counts, value, tone, brief):
    assert known_boundaries_comparison_row(*counts) == HeadRow("against known", value, tone, brief)
