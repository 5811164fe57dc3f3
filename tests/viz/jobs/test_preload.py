"""The first page is imported and computed while the server answers; what fails then is told when it is needed."""

import ast
import asyncio
import gc
import subprocess
import sys
import threading
import types

import pytest

import serve
from chunkers import ModelError
from tests import ROOT
from tests.sources import parsed
from tests.support import LIMIT, HashEmbedder, in_a_loop
from viz.compare import first_screen_preparation
from viz.jobs import shared_resources
from viz.jobs.chunking import ChunkingTask, chunk_if_quick
from viz.server import server_tasks as preloading


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    # Other tests need the garbage collector as it is.
    monkeypatch.setattr("gc.freeze", lambda: None)
    monkeypatch.setattr(preloading, "FIRST_PAGE_WAIT_S", 0)


@pytest.fixture
def offered(monkeypatch):
    """Return a function that registers a stand-in for the module of the first screen, and the list of its calls."""
    done = []

    def offer(start=lambda: None, finish=lambda: None):
        module = types.ModuleType("first_screen_of_a_test")
        module.start = lambda: (done.append("started"), start())
        module.finish_imports_and_await_job = lambda: (done.append("finished"), finish())
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return module.__name__

    return offer, done


@pytest.mark.full
def test_the_page_is_imported_while_its_work_goes_on_in_a_thread(monkeypatch, offered):
    offer, done = offered
    monkeypatch.delitem(sys.modules, "this", raising=False)

    def note():
        done.append(("this" in sys.modules, gc.isenabled()))

    loading = preloading.Preload(offer(note, note), "this")
    loading.start()
    loading.join(LIMIT)
    assert not loading.is_preparing
    assert done == ["started", (False, False), "finished", (True, False)]
    assert gc.isenabled()


def test_one_that_is_stopped_ends_after_its_step(monkeypatch, offered):
    (offer, done), began, step = offered, threading.Event(), threading.Event()

    def imported(name):
        began.set()
        assert step.wait(LIMIT)
        return sys.modules[name]

    monkeypatch.setattr(preloading.importlib, "import_module", imported)
    loading = preloading.Preload(offer(), "the page")
    loading.start()
    assert began.wait(LIMIT)
    # It goes on only when it has been asked to stop.
    monkeypatch.setattr(loading._stopped, "set", lambda: (threading.Event.set(loading._stopped), step.set()))
    loading.stop()
    assert not loading.is_preparing
    assert done == []
    assert gc.isenabled()


class Failing(HashEmbedder):
    def ensure_loaded(self):
        raise ModelError("The model must be installed.")


@pytest.mark.parametrize("embedder", [HashEmbedder(), Failing()])
def test_what_is_computed_is_at_hand_when_the_page_asks_for_it(monkeypatch, capsys, embedder):
    monkeypatch.setattr(first_screen_preparation, "load_embedder", lambda _: embedder)
    shared_resources.embedding_cache.cache_clear()
    # As the server does it, which finds both functions by their names.
    for _ in preloading.Preload(first_screen_preparation.__name__, "viz.compare.page")._prepare_first_page_in_steps():
        pass
    choices = first_screen_preparation.default_choices()
    text = first_screen_preparation.load_sample(choices.document).text
    document = first_screen_preparation.Document.from_text(text, choices.sentences).split()
    for column in choices.columns:
        chunker = first_screen_preparation.build_chunker(column.chunker, column.parameters, embedder)
        task = ChunkingTask.of(document, embedder, choices.tokenizer, chunker)
        there = not chunker.embeds or not isinstance(embedder, Failing)
        assert (chunk_if_quick(task, chunker, document, embedder, uses_disk_cache=False) is not None) == there
    assert "Traceback" not in capsys.readouterr().err


def test_a_page_waits_for_the_work_on_its_own_text_alone(monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    class Held(HashEmbedder):
        def ensure_loaded(self):
            begun.set()
            assert go_on.wait(LIMIT)

    waited = []

    def join(job, seconds):
        waited.append(seconds)
        go_on.set()
        job._thread.join(LIMIT)

    monkeypatch.setattr(first_screen_preparation, "load_embedder", lambda _: Held())
    monkeypatch.setattr(first_screen_preparation.ChunkingJob, "join", join)
    shared_resources.embedding_cache.cache_clear()
    first_screen_preparation.start()
    assert begun.wait(LIMIT)
    choices = first_screen_preparation.default_choices()
    shown = first_screen_preparation.Document.from_text(
        first_screen_preparation.load_sample(choices.document).text, choices.sentences
    )
    first_screen_preparation.wait_for_first_screen(
        first_screen_preparation.Document.from_text("Another text.", choices.sentences)
    )
    assert not waited
    first_screen_preparation.wait_for_first_screen(shown)
    assert waited == [first_screen_preparation.PAGE_WAIT_S]
    # The work is done: there is nothing to wait for.
    first_screen_preparation.wait_for_first_screen(shown)
    assert waited == [first_screen_preparation.PAGE_WAIT_S]


def test_what_the_server_and_its_first_page_import_is_light():
    told = "import sys, serve; print(*sys.modules); import viz.compare.page; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    served, shown = (set(line.split()) for line in run.stdout.splitlines())
    assert "streamlit" in served
    assert not served & {"chunkers", "evaluation", "numpy", "pandas", "torch", "viz.state"}
    assert "viz.state.session_state" in shown
    needless = {"evaluation.generating", "evaluation.findings", "evaluation.remedies", "evaluation.report", "pandas"}
    assert not shown & (needless | {"viz.jobs.answering_plan_and_jobs", "viz.jobs.sweep"})


def test_a_server_loads_while_it_serves_and_no_longer(monkeypatch):
    done = []

    class Noted:
        def __init__(self, work, page):
            done.append((work, page))

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
    assert done == [("viz.compare.first_screen_preparation", "viz.compare.page"), "start", "opened", "serving", "stop"]
    assert serve.app.script_path.name == "app.py"


@pytest.mark.parametrize("page", [path.stem for path in sorted((ROOT / "pages").glob("*.py"))])
def test_a_page_imports_the_whole_library_before_its_parts(page):
    # It may be a new server's first request, while another thread imports the library. Python imports a part of a package
    # without waiting for the whole, and two threads that meet each other's modules half imported end in an ImportError.
    tree = parsed(ROOT / "viz" / page / "page.py")
    names = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    own = [name for name in names if name.partition(".")[0] in ("chunkers", "evaluation", "sample_docs", "viz")]
    assert own[0] == "chunkers"
