"""The table of pages."""

import ast

from tests import ROOT
from tests.sources import parsed
from viz.shell.navigation import PAGES


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
