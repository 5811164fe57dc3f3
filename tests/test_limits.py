"""`docs/limits.md` has every limit, with its value and its sentence."""

import ast
import re
from functools import cache
from importlib import import_module

import pytest

from tests import ROOT
from tests.sources import parsed

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)\.(\w+)` \| ([\d.,]+) \| [^|]+ \|([^|]*)\|$", PAGE, re.MULTILINE)
PREFIXES = (
    *("MAX_", "MOST", "LONGEST_", "READ_", "READERS"),
    *("TIMEOUT", "DEADLINE", "LARGEST_", "MEMORY_BYTES", "SHARED_"),
)


@cache
def modules():
    """Return the syntax tree of every module by its name."""
    trees = {}
    for package in ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            trees[name] = parsed(path)
    return trees


@cache
def strings():
    """Return every string of the code."""
    nodes = (node for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str)}


def constants():
    """Return every module and name of a constant that is called a limit and is a number."""
    for name, tree in modules().items():
        for node in tree.body:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and type(node.value.value) in (int, float)
            ):
                yield from ((name, to.id) for to in node.targets if isinstance(to, ast.Name) and to.id.startswith(PREFIXES))


def test_every_limit_is_on_the_page_once():
    listed = [(module, name) for module, name, _, _ in ROWS]
    assert len(set(listed)) == len(listed) == PAGE.count("\n| `")
    assert set(listed) == set(constants())


@pytest.mark.parametrize(("module", "name", "value", "_"), ROWS)
def test_the_values_are_those_of_the_code(module, name, value, _):
    assert f"{getattr(import_module(module), name):,}" == value


@pytest.mark.parametrize(("name", "said"), [(row[1], part) for row in ROWS for part in re.findall("“([^”]+)”", row[3])])
def test_the_sentences_are_those_of_the_code(name, said):
    # Strings that are written side by side, or with values in them, are one sentence; a value is not quoted on the page.
    assert any(said in text for text in strings()), f"{name}: nothing says {said!r}"
