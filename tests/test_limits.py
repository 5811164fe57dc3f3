"""`docs/limits.md` has every limit, with its value and its sentence."""

import ast
import re
from importlib import import_module

import pytest

from tests import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)\.(\w+)` \| ([\d.,]+) \| [^|]+ \|([^|]*)\|$", PAGE, re.MULTILINE)
PREFIXES = (
    *("MAX_", "MOST", "LONGEST_", "READ_", "READERS", "FIELD_LIMIT"),
    *("TIMEOUT", "DEADLINE", "LARGEST_", "MEMORY_BYTES", "SHARED_"),
)


def modules():
    for package in ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz"):
        for path in (ROOT / package).rglob("*.py"):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts), ast.parse(path.read_text(encoding="utf-8"))


MODULES = dict(modules())


def constants():
    """Return every module and name of a constant that is called a limit and is a number."""
    for name, tree in MODULES.items():
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
    texts = [node.value for tree in MODULES.values() for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert any(said in text for text in texts if isinstance(text, str)), f"{name}: nothing says {said!r}"
