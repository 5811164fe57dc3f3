"""The floors of the house: imports point down, between packages and between the rooms of `viz/`; none goes in a circle.

Imports for type checking alone may point anywhere.
"""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests import ROOT
from tests.sources import parsed

PACKAGES = {
    "seamark": 7,
    "pages": 6,
    "viz": 5,
    "evaluation": 4,
    "corpus": 3,
    "integrations": 2,
    "sample_docs": 2,
    "chunkers": 1,
}

FLOORS = {"shell": 4, "controls": 3, "components": 2, "state": 2, "server": 2, "jobs": 1, "theme": 1}
"""The rooms of `viz/`; every other is a page's, on floor 5, and nothing but `pages/` imports it."""


def floor(room):
    return FLOORS.get(room, 5)


def executed(tree):
    """Yield the nodes of a module, without those that only a type checker reads."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        waiting += node.orelse if for_types else ast.iter_child_nodes(node)


@cache
def imports():
    """Return every import of the project's own modules as (module, module), functions' too, but not type checkers'."""
    names = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    arrows = []
    for name, path in names.items():
        for node in executed(parsed(path)):
            wanted = []
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{name}: imports are absolute"
                # What is imported from a package may be a module of it.
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                wanted = [full_name if full_name in names else node.module for full_name in full]
            arrows += [(name, target) for target in wanted if target in names and target != name]
    return sorted(set(arrows))


def room(module):
    """Return the room of a module of `viz/`, or its package."""
    parts = module.split(".")
    return parts[1] if parts[0] == "viz" and len(parts) > 1 else parts[0]


def folder(module):
    """Return the folder of a module as a name with dots; a package is its own."""
    return module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0] or module


def wrong_packages(arrows):
    pairs = ((module, other, module.split(".")[0], other.split(".")[0]) for module, other in arrows)
    return [f"{module} -> {other}" for module, other, a, b in pairs if a != b and PACKAGES[a] <= PACKAGES[b]]


def wrong_floors(arrows):
    """Return the arrows of `viz/` that do not point down, beside those between components and state."""
    inside = [(module, other) for module, other in arrows if module.startswith("viz.") and other.startswith("viz.")]
    up = [
        (module, other)
        for module, other in inside
        if room(module) != room(other) and floor(room(module)) <= floor(room(other))
    ]
    return [
        f"{module} (floor {floor(room(module))}) -> {other} (floor {floor(room(other))})"
        for module, other in up
        if (room(module), room(other)) != ("components", "state")
    ]


def circle(arrows):
    """Return a circle of modules as a chain of arrows; nothing where there is none."""
    graph = {}
    for module, other in arrows:
        graph.setdefault(module, set()).add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def test_the_packages_look_down_only():
    wrong_arrows = wrong_packages(imports())
    assert not wrong_arrows, (
        f"imports go pages -> viz -> evaluation -> corpus -> sample_docs -> chunkers; others: {', '.join(wrong_arrows)}"
    )


def test_the_rooms_of_viz_look_down_only():
    wrong_arrows = wrong_floors(imports())
    assert not wrong_arrows, f"imports go to a lower floor, or stay in their room; these do not: {', '.join(wrong_arrows)}"


def test_no_module_imports_itself_by_way_of_others():
    chain = circle(imports())
    assert not chain, f"a circle: {chain}"


def test_no_folder_imports_itself_by_way_of_others():
    arrows = [(folder(module), folder(other)) for module, other in imports()]
    chain = circle([(module_folder, other) for module_folder, other in arrows if module_folder != other])
    assert not chain, f"a circle of folders: {chain}"


def top_of(module):
    """Return the part of the tests and benchmarks in which a module stands; None if it is neither's."""
    for top in ("tests.fixtures", "tests.benchmarks", "tests", "benchmarks"):
        if f"{module}.".startswith(f"{top}."):
            return top
    return None


def wrong_shared(arrows):
    """Return the arrows between tests and benchmarks that lead neither to the fixtures nor out of `tests/benchmarks`."""
    forbidden = {
        ("benchmarks", "tests"),
        ("benchmarks", "tests.benchmarks"),
        ("tests", "benchmarks"),
        ("tests", "tests.benchmarks"),
        ("tests.fixtures", "benchmarks"),
        ("tests.fixtures", "tests.benchmarks"),
        ("tests.fixtures", "tests"),
    }
    # Every folder may ask where the checkout is.
    return [
        f"{module} -> {other}"
        for module, other in arrows
        if other != "tests.ROOT" and (top_of(module), top_of(other)) in forbidden
    ]


def test_tests_and_benchmarks_share_the_fixtures_only():
    arrows = set()
    # A fixture's folder of data has the program that makes it.
    files = {*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "tests").rglob("*.py")} - {
        *(ROOT / "tests/fixtures").glob("*/*.py")
    }
    for path in files:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import):
                arrows |= {(module, alias.name) for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                arrows |= {(module, f"{node.module}.{alias.name}") for alias in node.names}
    assert ("benchmarks.server_load", "tests.fixtures.app_server.app_server") in arrows
    assert not wrong_shared(sorted(arrows))


@pytest.mark.parametrize(
    ("check", "arrow", "said"),
    [
        (wrong_packages, ("chunkers.contract.base", "evaluation"), ["chunkers.contract.base -> evaluation"]),
        (wrong_packages, ("chunkers.recipes.recipe", "sample_docs"), ["chunkers.recipes.recipe -> sample_docs"]),
        (wrong_packages, ("evaluation.segmentation.settings_sweep", "sample_docs"), []),
        (
            wrong_floors,
            ("viz.state.shown_text", "viz.shell.page"),
            ["viz.state.shown_text (floor 2) -> viz.shell.page (floor 4)"],
        ),
        (wrong_floors, ("viz.tune.page", "viz.guide.page"), ["viz.tune.page (floor 5) -> viz.guide.page (floor 5)"]),
        (wrong_floors, ("viz.theme.palette", "viz.jobs.sweep"), ["viz.theme.palette (floor 1) -> viz.jobs.sweep (floor 1)"]),
        (
            wrong_floors,
            ("viz.state.session_state", "viz.components.page_elements"),
            ["viz.state.session_state (floor 2) -> viz.components.page_elements (floor 2)"],
        ),
        (wrong_floors, ("viz.components.figure", "viz.state.session_state"), []),
        (wrong_floors, ("viz.tune.page", "viz.tune.sweep_inputs"), []),
        (wrong_shared, ("benchmarks.server_load", "tests.support.LIMIT"), ["benchmarks.server_load -> tests.support.LIMIT"]),
        (wrong_shared, ("tests.test_make", "benchmarks.server_load"), ["tests.test_make -> benchmarks.server_load"]),
        (wrong_shared, ("tests.benchmarks.test_process_kills", "benchmarks.process_kills.JOB_BY_KIND"), []),
        (wrong_shared, ("benchmarks.server_load", "tests.fixtures.app_server"), []),
    ],
)
def test_a_wrong_arrow_is_named(check, arrow, said):
    assert check([arrow]) == said


def test_a_circle_is_named():
    assert circle([("a", "b"), ("b", "c")]) == ""
    assert circle([("a", "b"), ("b", "a")]) in {"a -> b -> a", "b -> a -> b"}
