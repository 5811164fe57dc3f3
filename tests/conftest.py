"""The app without a browser, and the real model and its vectors, once for all tests."""

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Tools, load_embedder, load_tokenizer
from chunkers.cache import EmbeddingCache
from tests import ROOT
from tests.support import LIMIT, ended
from viz.jobs import reading


@pytest.fixture
def app(monkeypatch):
    """Give the app, which has not run yet; what it embeds in a thread ends with the test."""
    # A test looks at the page once, so the page waits for a file as long as it takes.
    monkeypatch.setattr(reading, "PATIENCE_S", 60.0)
    opened = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    yield opened
    # A thread that is inside torch when the interpreter ends aborts it.
    job = opened.session_state.get("job")
    if job is not None:
        job.cancel()
        ended(job)


@pytest.fixture(scope="session")
def real_tools():
    return Tools(load_embedder(), load_tokenizer(), EmbeddingCache())
