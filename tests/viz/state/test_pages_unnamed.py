"""The state of all sessions names no page: a page declares itself, or the shell knows it."""

import ast
import re

import pytest

from tests import ROOT
from tests.sources import parsed
from viz.shell import PAGES


@pytest.mark.parametrize("path", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("viz/state/*.py")))
def test_the_state_of_all_sessions_names_no_page(path):
    constants = {node.value for node in ast.walk(parsed(ROOT / path)) if isinstance(node, ast.Constant)}
    titles = [page.title for page in PAGES.values() if re.search(rf"\b{page.title}\b", (ROOT / path).read_text())]
    named_pages = sorted(constants & PAGES.keys()) + titles
    assert not named_pages, f"{path} names {', '.join(named_pages)}: a page declares itself, or the shell knows it"
