"""Names that packages offer to each other: each export is used, and no two public classes have one name."""

import ast

from tests import ROOT
from tests.sources import parsed
from tests.test_rooms import PACKAGES


def exported_names():
    """Return the names that packages of packages export, as (package, name)."""
    inits = [path for top in PACKAGES for path in (ROOT / top).glob("*/**/__init__.py")]
    return {
        (".".join(path.relative_to(ROOT).parts[:-1]), alias.name)
        for path in inits
        for node in parsed(path).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        # What is defined in an `__init__` itself may use what it imports.
        if not any(isinstance(statement, ast.FunctionDef) for statement in parsed(path).body)
    }


def test_what_a_package_exports_is_imported_from_it():
    files = [
        ROOT / "app.py",
        ROOT / "serve.py",
        *(path for top in (*PACKAGES, "benchmarks") for path in (ROOT / top).rglob("*.py")),
    ]
    imported = {
        (node.module, alias.name)
        for path in files
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    exported = exported_names()
    assert len(exported) > 500
    assert not exported - imported


def test_what_a_module_says_that_it_exports_is_there():
    missing, count = [], 0
    for path in (path for top in PACKAGES for path in (ROOT / top).rglob("*.py")):
        tree = parsed(path)
        bound = {
            name
            for node in ast.walk(tree)
            for name in (
                [alias.asname or alias.name for alias in node.names]
                if isinstance(node, (ast.Import, ast.ImportFrom))
                else [node.name]
                if isinstance(node, (ast.FunctionDef, ast.ClassDef))
                else [node.id]
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                else []
            )
        }
        for node in tree.body:
            if (
                isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) == "__all__"
                and isinstance(node.value, ast.List)
            ):
                listed = {element.value for element in node.value.elts if isinstance(element, ast.Constant)}
                count += len(listed)
                missing += [(path.relative_to(ROOT).as_posix(), name) for name in listed - bound]
    assert count > 50
    assert not missing


def test_no_two_modules_have_a_public_class_of_one_name():
    modules = {}
    for top in (*PACKAGES, "benchmarks", "packing"):
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    modules.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert len(modules) > 500
    assert not {name: paths for name, paths in modules.items() if len(paths) > 1}
