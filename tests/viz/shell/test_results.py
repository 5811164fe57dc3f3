"""Which columns of a page a job's error stands in, and until when it can be tried again."""

import pytest

from chunkers import InputError
from tests.viz.app_steps import sent, settled
from viz.jobs import chunking

BROKEN = "The embedder refused."


@pytest.fixture
def broken(app, monkeypatch):
    """Return Compare with a column that embeds nothing beside one whose embedder fails."""

    def refuses(*_):
        raise InputError(BROKEN)

    monkeypatch.setattr(chunking, "load_model", refuses)
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "tokenizer": "words", "sentences": "lines"})
    app.query_params.update({"c1": "structure", "c2": "breakpoint", "selected": "1"})
    return shown(app)


def shown(app):
    # The first look starts the job, and the second shows how it ended.
    settled(app).run()
    assert not app.exception
    return app


def messages(app):
    return [one["message"] for one in sent(app, "columns")["columns"]]


def columns(app):
    return app.session_state["choices/compare"].columns


def test_a_column_that_had_a_result_never_shows_the_error_of_another(broken):
    assert messages(broken) == ["", BROKEN]
    for parameters in ({"max_size": 300}, {}, {"max_size": 300}):
        columns(broken)[0].parameters = parameters
        assert messages(shown(broken)) == ["", BROKEN]
