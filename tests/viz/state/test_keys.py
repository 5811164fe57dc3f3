"""Session state is read and written through typed properties, and nowhere by a key's name."""

import ast
import gc
import importlib

import pytest
from streamlit.testing.v1 import AppTest

from tests import ROOT
from tests.sources import parsed
from viz.state.session_state import MutableSessionValue, Session, SessionValue

KEYS = "viz/state/session_state.py"
READS = {"get", "setdefault", "pop"}


def is_state(node):
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "session_state"
        and isinstance(node.value, ast.Name)
        and node.value.id == "st"
    )


def literal(node, constants):
    """Return a key as it stands in the source: a text, a module's constant or an f-string; None for a variable."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    return ast.unparse(node) if isinstance(node, ast.Constant | ast.JoinedStr) else None


def foreign_keys(tree):
    """Return line and key of every literal key that is read or written, and is not of a widget that the file draws."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    constants = {
        name.id: ast.unparse(node.value)
        for node in assigned
        if isinstance(node.value, ast.Constant)
        for name in node.targets
        if isinstance(name, ast.Name)
    }
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    drawn = {literal(node.value, constants) for node in keywords if node.arg == "key"}
    foreign = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_state(node.value):
            foreign.append((node.lineno, "st.session_state under another name"))
        key = None
        if isinstance(node, ast.Subscript) and is_state(node.value):
            key = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_state(node.func.value):
            key = node.args[0] if node.func.attr in READS and node.args else None
        elif isinstance(node, ast.Compare) and is_state(node.comparators[0]):
            key = node.left
        elif isinstance(node, ast.Attribute) and is_state(node.value) and node.attr not in READS:
            foreign.append((node.lineno, node.attr))
        key_text = literal(key, constants) if key is not None else None
        if key_text is not None and key_text not in drawn:
            foreign.append((node.lineno, key_text))
    return foreign


@pytest.mark.parametrize("path", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("viz/**/*.py")))
def test_only_the_keys_of_widgets_are_read_by_name_and_only_where_they_are_drawn(path):
    if path == KEYS:
        return
    places = [f"{path}:{line}: {key}" for line, key in foreign_keys(parsed(ROOT / path))]
    assert not places, f"give these a property in {KEYS}, or read the widget in the file that draws it: {', '.join(places)}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('st.session_state["chunking_job"]', [(1, "'chunking_job'")]),
        ('st.session_state.get("chunking_job")', [(1, "'chunking_job'")]),
        ('"chunking_job" in st.session_state', [(1, "'chunking_job'")]),
        ('KEY = "chunking_job"\nst.session_state[KEY]', [(2, "'chunking_job'")]),
        ('st.session_state[f"choices/{name}"]', [(1, "f'choices/{name}'")]),
        ("st.session_state.chunking_job", [(1, "chunking_job")]),
        ("session = st.session_state", [(1, "st.session_state under another name")]),
        ('st.toggle("Sizes", key="sizes")\nst.session_state["sizes"]', []),
        ("st.session_state[key]", []),
    ],
)
def test_the_check_finds_what_it_looks_for(source, found):
    assert foreign_keys(ast.parse(source)) == found


def session_keys():
    """Return the session-state keys of all properties on all pages."""
    for path in ROOT.glob("viz/**/session.py"):
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    owners = [Session, *(page for kind in Session.__subclasses__() for page in (kind, *kind.__subclasses__()))]
    assert len(owners) > 5
    return [value._key for owner in owners for value in vars(owner).values() if isinstance(value, SessionValue)]


def test_every_key_has_one_property():
    keys = session_keys()
    assert len(keys) == len(set(keys)) > 30


def test_nothing_drawn_has_the_key_of_a_value():
    # Streamlit refuses a button whose key has a value, but only once there is one.
    keys = set(session_keys())
    shared = [
        f"{path.relative_to(ROOT)}:{call.lineno}: {keyword.value.value}"
        for path in sorted(ROOT.glob("viz/**/*.py"))
        for call in ast.walk(parsed(path))
        # What is ticked is the value itself. The button of a job has a prefix.
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) not in ("st.checkbox", "st.toggle", "show_job_progress_with_cancel")
        for keyword in call.keywords
        if keyword.arg == "key" and isinstance(keyword.value, ast.Constant) and keyword.value.value in keys
    ]
    assert not shared


def test_what_is_changed_in_place_stays(monkeypatch):
    monkeypatch.setattr("viz.state.session_state.st.session_state", {})
    held = Session()
    held.handled_event_times["reader", "line"] = 1
    assert Session().handled_event_times == {("reader", "line"): 1}
    assert held.own is None
    held.own_complaint = "Bad."
    assert (Session().own_complaint, "compare" in held.choices) == ("Bad.", False)
    assert isinstance(vars(Session)["handled_event_times"], MutableSessionValue)


@pytest.mark.full
@pytest.mark.page
def test_a_job_ends_with_the_session_that_holds_it_and_when_another_takes_its_place():
    def script():
        import streamlit as st

        from viz.jobs.background_jobs import BackgroundJob
        from viz.state.session_state import session

        class Idle(BackgroundJob):
            def progress(self):
                return 0.0, "Idle"

            def _do_work(self):
                self._cancel.wait(60)

        jobs = st.session_state.setdefault("jobs", [])
        if len(jobs) == 2:
            # What Streamlit does with a session that is over.
            st.session_state.clear()
            return
        jobs.append(Idle())
        jobs[-1].start()
        session.chunking_job = jobs[-1]

    app = AppTest.from_function(script).run()
    jobs = app.session_state["jobs"]
    assert not jobs[0].cancelled()
    app.run()
    assert [job.cancelled() for job in jobs] == [True, False]
    app.run()
    gc.collect()
    assert jobs[1].cancelled()
    for job in jobs:
        job.join(60)
