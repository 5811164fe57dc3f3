"""The app without a browser, the real model and its vectors, once for all tests; and the lanes that tests run in."""

import gc
import importlib
import os
import sys
import tempfile
from contextlib import ExitStack, closing

import pytest

from tests import ROOT
from tests.lanes import QUICK, is_left_out, keep_quick, kinds, leave_out_full

# Fixtures import what they need: the process that only hands out the tests would take two seconds for it.

# Most of what is imported and collected stays, and looking through it for garbage takes a quarter of the time.
gc.disable()


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out browser, page, model and slow tests")
    parser.addoption("--full", action="store_true", help="also run the tests marked full, which take long")


def pytest_configure(config):
    # The user's kept texts are none of the tests'.
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="seamark-data-")
    if config.option.quick:
        config.option.markexpr = QUICK
    # The process that only hands out the tests.
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        gc.enable()
        return
    import hypothesis

    from viz.server.streamlit_patches import skip_needless_startup

    # Every machine generates the same examples; `make fuzz` draws new ones. A busy machine is no failure.
    hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
    hypothesis.settings.register_profile("few", hypothesis.settings.get_profile("repeatable"), max_examples=20)
    hypothesis.settings.load_profile("few" if config.option.quick else "repeatable")
    # As the server does: every AppTest would read the metadata of all installed packages, a quarter of a second each time.
    skip_needless_startup()
    if config.option.quick:
        keep_quick()


def pytest_ignore_collect(collection_path, config):
    return True if config.option.quick and is_left_out(collection_path) else None


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config, items):
    for item in items:
        for kind in sorted(kinds(item)):
            item.add_marker(kind)
    if not config.option.full:
        leave_out_full(config, items)


@pytest.fixture
def app(monkeypatch):
    """Give the app, which has not run yet; what it embeds in a thread ends with the test."""
    from streamlit.testing.v1 import AppTest

    from tests.support import LIMIT, ended
    from viz.jobs import file_reading

    # A test looks at the page once, so the page waits for a file as long as it takes.
    monkeypatch.setattr(file_reading, "PATIENCE_S", 60.0)
    opened = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    yield opened
    # A thread that is inside torch when the interpreter ends aborts it.
    job = opened.session_state.get("chunking_job")
    if job is not None:
        job.cancel()
        ended(job)


@pytest.fixture
def serve(monkeypatch):
    """Yield a function that starts a model's server; the environment names none, and refused clients retry soon."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.02)
    with ExitStack() as running:

        def started(kind, *given):
            return running.enter_context(closing(kind(*given)))

        yield started


@pytest.fixture
def cache_folder(tmp_path, monkeypatch, restart):
    """Give the folder that the app takes for the user's cache folder."""
    from viz.jobs import shared_resources

    monkeypatch.setattr(shared_resources, "user_cache_folder", lambda: tmp_path / "seamark")
    restart()
    yield tmp_path
    restart()


@pytest.fixture
def restart():
    """Return a function that clears everything the app forgets when its server restarts."""
    from viz.jobs import shared_resources
    from viz.jobs.background_jobs import run_registry

    def forget():
        for kept in (run_registry, shared_resources.run_store, shared_resources.embedding_cache):
            kept.cache_clear()

    return forget


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """Yield a function that installs a distribution with chunkers; afterwards all traces are removed."""
    from chunkers.recipes import chunker_registry as registry_of_chunkers
    from tests.fixtures.chunker_packages import install

    folder = tmp_path / "offered"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    own, modules = dict(registry_of_chunkers.CHUNKERS), set(sys.modules)

    def installed(*given, **named):
        install(folder, *given, **named)
        importlib.invalidate_caches()
        registry_of_chunkers._entry_points_loaded_marks.clear()

    yield installed
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
    registry_of_chunkers.CHUNKERS.clear()
    registry_of_chunkers.CHUNKERS.update(own)
    registry_of_chunkers._fault_by_offered_name.clear()
    registry_of_chunkers._entry_points_loaded_marks.clear()


@pytest.fixture(scope="session")
def static_embedder(tmp_path_factory):
    """Return a static embedder whose table is that of an invented network, with its file in a folder of its own."""
    from chunkers.embedders.static_embedder import Static
    from tests.support import PieceNetwork

    made = Static(PieceNetwork(), tmp_path_factory.mktemp("static"))
    made.ensure_loaded()
    return made


@pytest.fixture(scope="session")
def real_tools():
    from chunkers import Tools, load_embedder, load_tokenizer
    from chunkers.storage.embedding_cache import EmbeddingCache

    return Tools(load_embedder(), load_tokenizer(), EmbeddingCache())
