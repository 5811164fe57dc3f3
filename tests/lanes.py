"""The lanes of the tests: `make quick`, `make test` and `make full`; marks in the test files where no rule here applies.

A test marked ``full`` runs in `make full` alone.

A test of the quick lane runs no browser, no page of the app and no model. That it does not is not left to the marks: while
the lane runs, whatever would load a model or run a page raises an error that says which mark is missing.
"""

import re
import sys
from functools import cache

import pytest

from sample_docs import sample_titles

QUICK = "not browser and not page and not model and not slow"
"""Marker expression of `pytest --quick`."""

BY_FILE = {
    "model": {
        "test_ranking.py",
        "test_embedder.py",
        "test_embedders.py",
        "test_embedding_server.py",
        "test_references.py",
    },
    # Their time goes into processes that they start, into waiting, and into other people's libraries.
    "slow": {
        *("test_docling.py", "test_in_use.py", "test_libraries.py", "test_mapping.py", "test_tfidf.py"),
        *("test_command_lines.py", "test_reader_process.py", "test_workers.py"),
        *("test_code.py", "test_forms.py", "test_round_trip.py"),
        *("test_change_point.py", "test_leads.py", "test_preload.py", "test_proxies.py", "test_rooms.py"),
        *("test_stability.py", "test_static.py", "test_structure_files.py", "test_texts.py"),
        *("test_token_sizes.py", "test_trace.py"),
    },
}

ORIGINALS = {
    *("chonkie", "haystack", "langchain_core", "langchain_text_splitters", "llama_index"),
    *("nltk", "scipy", "sklearn", "spacy"),
}
"""Packages that take up to three seconds to import; a test that imports one to compare with it is slow."""

IMPORTS_ORIGINALS = re.compile(
    rf"^(?:from|import) (?:{'|'.join(sorted(ORIGINALS))}|tests\.evaluation\.traces\.generator)\b", re.M
)
"""An import at the top of a test file that makes all of its tests slow."""

SLOW_NAMES = {"subprocess", "parsed"}
"""Names in a test's code that make it slow: it starts a process, or reads the project's code as syntax trees."""

BY_FIXTURE = {"model": {"real_tools", "model_folder"}, "page": {"app", "tune"}, "slow": {"built", "serve"}}

LONG_SAMPLES = {"article", "essay", "report"}

FEW_SAMPLES = {"stubs", "table", "emoji", "article"}
"""The samples that stand for the others in `make test`: short sentences, Markdown, emoji, and prose."""


def kinds(item):
    """Return the marks that follow from where a test stands and what it asks for."""
    marks = {kind for kind, names in BY_FILE.items() if item.path.name in names}
    if imports_originals(item.path):
        marks.add("slow")
    marks |= {kind for kind, names in BY_FIXTURE.items() if names & set(item.fixturenames)}
    if "browser" in item.path.parts:
        marks.add("browser")
    # A module for a page that makes the app itself.
    if item.path.name == "test_page.py" and hasattr(item.module, "AppTest"):
        marks.add("page")
    if any(name in SLOW_NAMES or name.partition(".")[0] in ORIGINALS for name in item.function.__code__.co_names):
        marks.add("slow")
    callspec = getattr(item, "callspec", None)
    if callspec and LONG_SAMPLES & {value for value in callspec.params.values() if isinstance(value, str)}:
        marks.add("slow")
    return marks


def is_left_out(path):
    """Return whether nothing in a file can be of the quick lane, so that its imports would be for nothing."""
    named = path.name in BY_FILE["model"] | BY_FILE["slow"] or path.parent.name == "browser"
    return named or (path.name.startswith("test_") and path.suffix == ".py" and imports_originals(path))


@cache
def imports_originals(path):
    """Return whether a test file imports, at its top, a library to compare with."""
    return bool(IMPORTS_ORIGINALS.search(path.read_text(encoding="utf-8")))


def mostly_full(values, always, mark=pytest.mark.full):
    """Return parameters of a test: those in ``always`` run in every lane, the others in `make full` alone.

    With the mark ``slow``, the others run in `make test` too. A tuple has the values of several parameters, one each.
    """
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    wanted = [value in always for value in values]
    return [pytest.param(*row, marks=() if kept else mark) for row, kept in zip(rows, wanted, strict=True)]


def samples(*more):
    """Return the samples as parameters: a few and those named in every lane, all of them in `make full`."""
    return mostly_full(sample_titles(), FEW_SAMPLES | {*more})


def leave_out_full(config, items):
    """Deselect the tests that run in `make full` alone."""
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


class _NoModel:
    """Lets nothing import what runs models. spaCy asks for torch as well, and does without."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ImportError("the quick lane has no torch")
        if name == "sentence_transformers":
            raise pytest.fail.Exception("This test loads a model: mark it with pytest.mark.model.")
        return None


def _no_network(self, *_args, **_options):
    raise pytest.fail.Exception("This test loads a model: mark it with pytest.mark.model.")


def _no_page(self, *_args, **_options):
    raise pytest.fail.Exception("This test runs a page of the app: mark it with pytest.mark.page.")


def keep_quick():
    """Let no test of this process load a model or run a page."""
    from streamlit.testing.v1 import AppTest

    from chunkers.embedders import sentence_models
    from chunkers.embedders.numpy_bert_encoder import BertNetwork

    sys.meta_path.insert(0, _NoModel())
    # It asks whether the packages are there without importing them.
    sentence_models.missing_extra_message = lambda *_asked: ""
    BertNetwork.__init__ = _no_network
    AppTest.run = _no_page
