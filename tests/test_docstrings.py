"""Docstrings: the first word, a noun or a verb, says at once what something is or does; promised exceptions exist."""

import ast
import re
from inspect import cleandoc
from pydoc import locate

import pytest

from tests import ROOT
from tests.sources import parsed

CLAUSE = re.compile(r"\W*(?:(?:(?:return|yield) )?(?:what|which|how|where|that|those|who|when)|whether)\b", re.IGNORECASE)
SUSPECT = re.compile(rf'^\s*r?"""{CLAUSE.pattern}', re.IGNORECASE | re.MULTILINE)
RAISES = re.compile(r"^Raises\n-+\n(.*?)(?:^\S.*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
SOURCES = sorted(ROOT.glob("*.py")) + sorted(
    path
    for folder in ROOT.iterdir()
    # Installed packages are not ours, and there are thousands of them; what was built has copies.
    if folder.is_dir() and not folder.name.startswith(".") and folder.name not in {"node_modules", "out", "dist"}
    for path in folder.rglob("*.py")
)
"""Every Python file of the checkout."""


def docstrings(tree):
    """Yield line and text of every docstring, those of attributes and constants included."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield statement.lineno, text


def clauses(tree):
    return [(line, text.partition("\n")[0]) for line, text in docstrings(tree) if CLAUSE.match(text)]


def test_no_docstring_begins_as_a_clause():
    # Parsing takes seconds, and hardly any file has such words behind quotation marks.
    suspects = [path for path in SOURCES if SUSPECT.search(path.read_text(encoding="utf-8"))]
    offenders = [f"{path.relative_to(ROOT)}:{line}: {text}" for path in suspects for line, text in clauses(parsed(path))]
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('"""What is cut."""', 1),
        ('A = 1\n"""How often."""', 1),
        ('class A:\n    def b(self):\n        """Whether it is."""', 1),
        ('class A:\n    b: int\n    """Those of it."""', 1),
        ('def a():\n    """Return how often it is cut."""', 1),
        ('def a():\n    """Return the chunks."""', 0),
        ('def a():\n    """Whereabouts of the chunks."""\n    return "what"', 0),
    ],
)
def test_the_check_finds_clauses_alone(source, count):
    assert len(clauses(ast.parse(source))) == count


def missing_exceptions(tree, module):
    """Return line and name of every exception in a Raises section that neither the module, the library nor Python has."""
    return [
        (line, name)
        for line, text in docstrings(tree)
        for section in RAISES.findall(cleandoc(text))
        for name in re.findall(r"[\w.]+", " ".join(re.findall(r"^\S.*", section, re.MULTILINE)))
        if not any(is_exception(locate(path)) for path in (f"chunkers.{name}", name, f"{module}.{name}"))
    ]


def is_exception(found):
    return isinstance(found, type) and issubclass(found, BaseException)


def test_every_promised_exception_exists():
    promising = [path for path in SOURCES if re.search(r"^ *Raises$", path.read_text(encoding="utf-8"), re.MULTILINE)]
    offenders = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in promising
        for line, name in missing_exceptions(parsed(path), ".".join(path.relative_to(ROOT).with_suffix("").parts))
    ]
    assert len(promising) > 100
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ("InputError", []),
        ("KeyError, csv.Error", []),
        ("UnusableAnswer", []),
        ("InputError\n    If it is.\nMadeUpError\n    If it is not.", ["MadeUpError"]),
        ("csv.MadeUpError", ["csv.MadeUpError"]),
        ("Chunk", ["Chunk"]),
        ("InputError\n    If it is.\n\nNotes\n-----\nNothing.", []),
    ],
)
def test_the_check_finds_exceptions_that_do_not_exist(names, missing):
    tree = ast.parse(f'"""Cut.\n\nRaises\n------\n{names}\n"""')
    assert [name for _, name in missing_exceptions(tree, "chunkers.language_models.asking_until_usable")] == missing
