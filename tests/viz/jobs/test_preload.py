"""The model is loaded when the server starts, before a browser asks; what fails then is told when it is needed."""

import asyncio
import sys

import pytest

import serve
from chunkers import ModelError
from tests.support import LIMIT, HashEmbedder
from viz.jobs import preload as preloading


class Loading(HashEmbedder):
    """Notes what is asked of it; fails to load if it is told to."""

    def __init__(self, fails=False):
        super().__init__()
        self.fails = fails
        self.done = []

    def load(self):
        self.done.append("load")
        if self.fails:
            raise ModelError("The model must be installed.")

    def encode(self, texts):
        self.done.append("encode")
        return super().encode(texts)


@pytest.fixture
def frozen(monkeypatch):
    # Other tests need the garbage collector as it is.
    monkeypatch.setattr("gc.freeze", lambda: None)


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(("fails", "done"), [(False, ["load", "encode"]), (True, ["load"])])
def test_the_page_is_imported_and_the_model_loaded_in_a_thread(monkeypatch, capsys, fails, done):
    embedder = Loading(fails)
    monkeypatch.setattr(preloading, "load_embedder", lambda: embedder)
    monkeypatch.delitem(sys.modules, "this", raising=False)
    thread = preloading.preload("this")
    thread.join(LIMIT)
    assert not thread.is_alive()
    assert thread.daemon
    assert embedder.done == done
    assert "this" in sys.modules
    assert "Traceback" not in capsys.readouterr().err


def test_a_server_begins_to_load_before_it_serves(monkeypatch):
    asked = []
    monkeypatch.setattr(serve, "preload", lambda *modules: asked.extend(modules))

    async def started():
        async with serve.lifespan(serve.app):
            return list(asked)

    assert asyncio.run(started()) == ["viz.compare.page", "pandas"]
    assert serve.app.script_path.name == "app.py"
