"""The columns that show a job's error, and the button to try again."""

import pytest

from chunkers import Embedder, InputError
from tests.viz.app_steps import sent, settled
from tests.viz.controls.test_language_model import labels
from viz.jobs import chunking
from viz.shell import column_runs_and_results

BROKEN = "The embedder refused."


@pytest.fixture(autouse=True)
def nothing_embedded(monkeypatch):
    """Have every column that embeds wait for a job: other tests may have embedded the text."""
    at_once = column_runs_and_results.chunk_if_quick
    monkeypatch.setattr(
        column_runs_and_results,
        "chunk_if_quick",
        lambda task, chunker, *rest: None if chunker.embeds else at_once(task, chunker, *rest),
    )


@pytest.fixture
def broken(app, monkeypatch):
    """Return Compare with a column that embeds nothing beside one whose embedder fails."""

    def refuses(*_):
        raise InputError(BROKEN)

    monkeypatch.setattr(Embedder, "ensure_model_built_and_loaded", refuses)
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "tokenizer": "words", "sentences": "lines"})
    app.query_params.update({"c1": "structure", "c2": "breakpoint", "selected": "1"})
    return shown(app)


def shown(app):
    # The first look starts the job, and the second shows how it ended.
    settled(app).run()
    assert not app.exception
    return app


def messages(app):
    return [column["message"] for column in sent(app, "columns")["columns"]]


def columns(app):
    return app.session_state["choices"]["compare"].columns


def test_a_column_that_had_a_result_never_shows_the_error_of_another(broken):
    assert messages(broken) == ["", BROKEN]
    for parameters in ({"max_size": 300}, {}, {"max_size": 300}):
        columns(broken)[0].parameters = parameters
        assert messages(shown(broken)) == ["", BROKEN]


def test_it_can_be_tried_again_as_long_as_a_column_shows_the_error(broken):
    assert "Try again" in labels(broken)
    structure, breakpoint_ = columns(broken)
    columns(broken)[:] = [structure]
    assert "Try again" not in labels(shown(broken))
    columns(broken)[:] = [breakpoint_]
    assert "Try again" in labels(shown(broken))


def test_what_was_stopped_can_go_on_as_long_as_a_column_waits_for_it(app, monkeypatch):
    monkeypatch.setattr(chunking.ChunkingJob, "start", chunking.ChunkingJob.cancel)
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "tokenizer": "words", "sentences": "lines"})
    app.query_params.update({"c1": "fixed_sentences", "c2": "breakpoint", "selected": "1"})
    go_on = "Continue embedding"
    assert go_on in labels(shown(app))
    known, stopped = columns(app)
    columns(app)[:] = [known]
    assert go_on not in labels(shown(app))
    columns(app)[:] = [known, stopped]
    assert go_on in labels(shown(app))
