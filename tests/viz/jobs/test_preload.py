"""The model is loaded while the server answers, once a first page is drawn; what fails then is told when it is needed."""

import asyncio
import gc
import subprocess
import sys
import threading

import pytest

import chunkers
import serve
from chunkers import ModelError
from tests import ROOT
from tests.support import LIMIT, HashEmbedder, in_a_loop
from viz.jobs import drawing
from viz.jobs import preload as preloading
from viz.jobs.resources import load_model


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
    # Other tests need the garbage collector as it is, and no browser is on its way.
    monkeypatch.setattr("gc.freeze", lambda: None)
    monkeypatch.setattr(preloading, "PATIENCE_S", 0)
    monkeypatch.setattr(preloading, "SHOWN_S", 0)
    drawing.let_a_page_be_drawn.cache_clear()


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(("fails", "done"), [(False, ["load", "encode"]), (True, ["load"])])
def test_the_page_is_imported_and_the_model_loaded_in_a_thread(monkeypatch, capsys, fails, done):
    embedder = Loading(fails)
    monkeypatch.setattr(chunkers, "load_embedder", lambda: embedder)
    monkeypatch.delitem(sys.modules, "this", raising=False)
    loading = preloading.Preload("this")
    loading.start()
    loading.join(LIMIT)
    assert not loading.running
    assert embedder.done == done
    assert "this" in sys.modules
    assert gc.isenabled()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("frozen")
def test_one_that_is_stopped_ends_after_its_step(monkeypatch):
    embedder, began, step = Loading(), threading.Event(), threading.Event()

    def imported(name):
        began.set()
        assert step.wait(LIMIT)

    monkeypatch.setattr(chunkers, "load_embedder", lambda: embedder)
    monkeypatch.setattr(preloading.importlib, "import_module", imported)
    loading = preloading.Preload("one", "two")
    loading.start()
    assert began.wait(LIMIT)
    # It goes on only when it has been asked to stop.
    monkeypatch.setattr(loading._stopped, "set", lambda: (threading.Event.set(loading._stopped), step.set()))
    loading.stop()
    assert not loading.running
    assert embedder.done == []


@pytest.mark.usefixtures("frozen")
def test_the_model_waits_until_the_page_that_a_browser_asks_for_is_drawn(monkeypatch):
    embedder, looks = Loading(), []
    # The browser comes late, and the page takes its time.
    course = iter([False, False, True, True, True, False])

    def looked():
        looks.append(list(embedder.done))
        return next(course)

    monkeypatch.setattr(chunkers, "load_embedder", lambda: embedder)
    monkeypatch.setattr(preloading, "PATIENCE_S", LIMIT)
    monkeypatch.setattr(drawing, "PATIENCE_S", LIMIT)
    for module in (preloading, drawing):
        monkeypatch.setattr(module, "is_drawing", looked)
    loading = preloading.Preload("this")
    loading.start()
    loading.join(LIMIT)
    assert looks == [[]] * 6
    assert embedder.done == ["load", "encode"]


@pytest.mark.usefixtures("frozen")
def test_a_page_that_takes_long_is_waited_for_once_and_a_moment_at_the_most(monkeypatch):
    looks = []
    monkeypatch.setattr(drawing, "PATIENCE_S", 0.05)
    monkeypatch.setattr(drawing, "is_drawing", lambda: looks.append(1) or True)
    embedder = Loading()
    load_model(embedder)
    seen = len(looks)
    assert seen > 1
    load_model(embedder)
    assert len(looks) == seen
    assert embedder.done == ["load", "load"]


@pytest.mark.usefixtures("frozen")
def test_one_that_waits_for_a_browser_can_be_stopped(monkeypatch):
    embedder, looked = Loading(), threading.Event()
    monkeypatch.setattr(chunkers, "load_embedder", lambda: embedder)
    monkeypatch.setattr(preloading, "PATIENCE_S", LIMIT)
    monkeypatch.setattr(preloading, "is_drawing", lambda: looked.set())
    loading = preloading.Preload("this")
    loading.start()
    assert looked.wait(LIMIT)
    loading.stop()
    assert not loading.running
    assert embedder.done == []
    assert gc.isenabled()


def test_what_the_server_imports_is_light():
    told = "import sys, serve; print(*{name.split('.')[0] for name in sys.modules}, *sys.modules)"
    run = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    names = set(run.stdout.split())
    assert "streamlit" in names
    assert not names & {"chunkers", "evaluation", "numpy", "pandas", "torch", "viz.state"}


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
