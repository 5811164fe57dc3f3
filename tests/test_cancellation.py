"""A user's cancellation is raised in one place only: `raise_if_cancelled` raises `Cancelled`."""

import ast

from tests import ROOT
from tests.sources import parsed
from tests.test_rooms import PACKAGES


def cancellations(tree):
    """Return the lines of a syntax tree that raise `Cancelled`, as a class or an object, under any module's name."""
    errors = [(node.lineno, node.exc) for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    errors = [(line, error.func if isinstance(error, ast.Call) else error) for line, error in errors]
    return [line for line, error in errors if ast.unparse(error).rpartition(".")[2] == "Cancelled"]


def test_only_one_function_raises_cancelled():
    files = [path for top in PACKAGES for path in (ROOT / top).rglob("*.py")]
    assert len(files) > 300
    lines = {path.relative_to(ROOT).as_posix(): cancellations(parsed(path)) for path in files}
    assert {path: len(found) for path, found in lines.items() if found} == {"chunkers/support/errors.py": 1}


def test_every_form_of_raising_it_is_seen():
    forms = ["raise Cancelled", "raise Cancelled()", "raise Cancelled('words') from None", "raise errors.Cancelled"]
    assert cancellations(ast.parse("\n".join([*forms, "raise", "raise InputError('Cancelled')"]))) == [1, 2, 3, 4]
