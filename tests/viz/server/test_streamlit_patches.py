"""Each use of a private part of Streamlit names its facts in the same form, and stands in one module."""

import ast
import inspect
import re
from pkgutil import resolve_name

import pytest
import streamlit
from streamlit.runtime import scriptrunner
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from tests import ROOT
from tests.sources import parsed
from viz.server import streamlit_patches

FACTS = ["Symbol", "Reason", "Issue", "Seen with", "Loss"]
FUNCTIONS = {
    name: function
    for name, function in inspect.getmembers(streamlit_patches, inspect.isfunction)
    if function.__module__ == streamlit_patches.__name__ and not name.startswith("_")
}


def facts(function):
    """Return the facts that a docstring ends with, as pairs of a name and a text on one line."""
    _, *items = re.split(r"^- (?=[A-Z])", inspect.getdoc(function), flags=re.MULTILINE)
    return [(name, " ".join(text.split())) for name, _, text in (item.partition(": ") for item in items)]


def is_there(symbol):
    """Return whether the installed Streamlit has a name, which may be an attribute that its class sets on instances."""
    owner, _, name = symbol.rpartition(".")
    owner = resolve_name(owner)
    return hasattr(owner, name) or bool(re.search(rf"self\.{name}(: [^=]+)? = ", inspect.getsource(owner)))


def test_a_patch_is_found():
    assert {"make_streamlit_finish_callbacks", "drop_expired_and_count_ended_sessions"} <= FUNCTIONS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_states_its_facts(name):
    stated = facts(FUNCTIONS[name])
    assert [fact for fact, _ in stated] == FACTS
    texts = dict(stated)
    assert all(text.endswith(".") for text in texts.values())
    assert re.match(r"none known|[\w-]+/[\w-]+#\d+, (open|closed)", texts["Issue"])
    assert re.fullmatch(r"Streamlit \d+\.\d+\.\d+\.", texts["Seen with"])
    assert len(texts["Loss"]) > 10
    symbols = re.findall("`(streamlit[.][^`]+)`", texts["Symbol"])
    assert symbols
    assert [symbol for symbol in symbols if not is_there(symbol)] == []


@pytest.mark.parametrize(
    "symbol",
    [
        "streamlit.runtime.runtime.Runtime._gone",
        "streamlit.runtime.runtime.Runtime._session_m",
        "streamlit.web.server.server_util.get_no_url",
    ],
)
def test_a_symbol_that_streamlit_no_longer_has_is_noticed(symbol):
    assert not is_there(symbol)


def test_a_page_is_drawn_in_a_thread_of_the_name_that_is_looked_for():
    assert '"ScriptRunner.scriptThread"' in inspect.getsource(ScriptRunner.start)
    assert '"ScriptRunner.scriptThread"' in inspect.getsource(streamlit_patches.is_page_script_running)


def test_the_app_imports_what_streamlit_exports():
    """Beside the patches; `DeltaGenerator` is the documented type of an element."""
    modules = [
        *(path for folder in ("viz", "pages", "seamark") for path in (ROOT / folder).rglob("*.py")),
        *ROOT.glob("*.py"),
    ]
    nodes = [node for path in modules if path.name != "streamlit_patches.py" for node in ast.walk(parsed(path))]
    assert [
        alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.startswith("streamlit.")
    ] == []
    imported = {
        (node.module, alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == streamlit.__name__
        for alias in node.names
    }
    exported = {(scriptrunner.__name__, name) for name in scriptrunner.__all__}
    # The second is the command line.
    assert imported - exported == {("streamlit.delta_generator", "DeltaGenerator"), ("streamlit.web", "cli")}
