"""The table of pages."""

import ast
from types import SimpleNamespace

import pytest

from tests import ROOT
from tests.sources import parsed
from viz.shell import navigation
from viz.shell.navigation import PAGES, switch_to_requested_page
from viz.state.session_state import PageArrival


def test_every_page_has_one_row_and_a_file():
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))
    assert sorted(entry.file for entry in PAGES.values()) == files


def test_only_the_table_names_the_files_of_pages():
    named = []
    for path in (ROOT / "viz").rglob("*.py"):
        nodes = ast.walk(parsed(path))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        if any(entry.file in text for entry in PAGES.values() for text in texts):
            named.append(path.relative_to(ROOT).as_posix())
    assert named == ["viz/shell/navigation.py"]


@pytest.mark.parametrize(
    ("asked", "shown", "to", "remains"),
    [
        ("double_pass", "breakpoints", ["pages/double_pass.py"], True),
        ("double_pass", "double_pass", [], True),
        ("double_pass", "guide", [], False),
        ("of another version", "breakpoints", [], False),
    ],
)
def test_a_page_is_asked_for_until_it_is_drawn_or_the_user_opens_another(monkeypatch, asked, shown, to, remains):
    arrival, switched = PageArrival(asked, "breakpoints", {"step": "14"}), []
    session = SimpleNamespace(arriving=arrival)
    monkeypatch.setattr(navigation, "session", session)

    def switch(file, query_params):
        assert query_params == arrival.link
        switched.append(file)

    # Streamlit's own ends the run.
    monkeypatch.setattr(navigation, "st", SimpleNamespace(switch_page=switch))
    switch_to_requested_page(shown)
    assert switched == to
    if not switched:
        assert session.arriving == (arrival if remains else None)
