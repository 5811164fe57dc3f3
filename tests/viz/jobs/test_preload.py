"""The model is loaded when the server starts, before a browser asks; what fails then is told when it is needed."""

import asyncio
import sys
import threading

import pytest

import serve
from chunkers import ModelError
from tests.support import LIMIT, HashEmbedder, in_a_loop
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
    loading = preloading.Preload("this")
    loading.start()
    loading.join(LIMIT)
    assert not loading.running
    assert embedder.done == done
    assert "this" in sys.modules
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("frozen")
def test_one_that_is_stopped_ends_after_its_step(monkeypatch):
    embedder, began, step = Loading(), threading.Event(), threading.Event()

    def imported(name):
        began.set()
        assert step.wait(LIMIT)

    monkeypatch.setattr(preloading, "load_embedder", lambda: embedder)
    monkeypatch.setattr(preloading.importlib, "import_module", imported)
    loading = preloading.Preload("one", "two")
    loading.start()
    assert began.wait(LIMIT)
    # It goes on only when it has been asked to stop.
    monkeypatch.setattr(loading._stopped, "set", lambda: (threading.Event.set(loading._stopped), step.set()))
    loading.stop()
    assert not loading.running
    assert embedder.done == []


def test_a_server_loads_while_it_serves_and_no_longer(monkeypatch):
    done = []

    class Noted:
        def __init__(self, *modules):
            done.append(modules)

        def start(self):
            done.append("start")

        def stop(self):
            done.append("stop")

    monkeypatch.setattr(serve, "Preload", Noted)

    async def opens():
        done.append("opened")

    async def served():
        async with serve.lifespan(serve.app):
            await asyncio.sleep(0)
            done.append("serving")

    monkeypatch.setattr(serve, "open_browser", opens)
    in_a_loop(served())
    assert done == [("viz.compare.page",), "start", "opened", "serving", "stop"]
    assert serve.app.script_path.name == "app.py"
