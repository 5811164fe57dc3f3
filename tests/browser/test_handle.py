"""The handle by which components show themselves: as docs/testing.md describes it, and the only way in."""

import re

import pytest

from tests import ROOT
from tests.browser.steps import READY, embedded, eventually, read
from tests.lanes import mostly_full

PAINTED = {"painted"}
WINDOW = {"from", "to", "drawn"}
READER = {"ready", "text", "sentences", "columns", "lines", "dragging", "gap", "pointed", "window", "asking", "disagreement"}
COLUMN = {"blocks", "built", "cuts", "top", "previewed", "wrong"}

PAGES = {
    "?embedder=tfidf&document=article": {".seamark": READER},
    "breakpoints?embedder=tfidf&document=article&view=steps": {
        ".seamark": READER,
        ".stepper": {"step", "steps", "pace", "asks", "playing"},
    },
    "breakpoints?embedder=tfidf&document=article&view=gaps": {".ledger": {"gaps", "shown", "chosen"}},
    "double_pass?embedder=tfidf&document=algorithm": {
        ".passes": {"sentences", "window"},
        ".corrections": set(),
        ".similarities >> nth=0": set(),
    },
    "clustering?embedder=tfidf&document=article": {
        ".heatmap": {"cells", "weight", "squares", "pinned", "at", "between"},
        ".chunks": set(),
    },
    "?embedder=tfidf&lecture=1&deck=ten-minutes&scene=3": {".deck-root": {"scene", "part", "waiting"}},
    "failures?embedder=tfidf&document=article": {".failures >> nth=0": set()},
}


@pytest.mark.parametrize("address", mostly_full([*PAGES], [*PAGES][:2]))
def test_the_handles_are_as_described_and_cannot_be_changed(page, app_url, address):
    page.goto(f"{app_url}/{address}")
    embedded(page)
    described = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    for selector, names in PAGES[address].items():
        root = page.locator(selector)
        eventually(lambda root=root: read(root, "({ painted }) => painted") or 0, lambda painted: painted > 0, READY)
        assert set(read(root, "Object.keys")) == names | PAINTED
        assert read(root, "(handle) => { try { handle.painted = 0; } catch { return handle.painted > 0; } }") is not False
        for name in names | PAINTED:
            assert re.search(rf"`{name}\b", described), f"docs/testing.md says nothing of {name}"
        if "window" in names:
            assert set(read(root, "({ window }) => Object.keys(window)")) == WINDOW
        if "columns" in names:
            assert set(read(root, "({ columns }) => Object.keys(columns[0])")) == COLUMN
    for name in WINDOW | COLUMN:
        assert re.search(rf"`{name}\b", described), f"docs/testing.md says nothing of {name}"


WAYS_IN = {
    r"\bdispatchEvent\b|['\"]seamark-[a-z]+['\"]": "an event of the page",
    r"\bglobalThis\b|\bseamarkStore\b": "what the page keeps for its components",
    r"\bwait_for_timeout\b": "a fixed time instead of what comes in it",
    r"\beval\(": "code out of a string",
}


def test_tests_and_benchmarks_reach_no_further():
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "viz").rglob("*.js"))
    kept = {name: "what a component keeps for itself" for name in set(re.findall(r"\broot\.(\w+) \?\?= new\b", scripts))}
    ways = WAYS_IN | {rf"\broot\.{name}\b|\{{ {name}[ :,]": why for name, why in kept.items()}
    readers = [*(ROOT / "tests/browser").glob("*.py"), ROOT / "benchmarks/browser.py"]
    faults = [
        f"{path.name}:{number}: {why}"
        for path in readers
        if path.name != "test_handle.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for way, why in ways.items()
        if re.search(way, line)
    ]
    assert not faults, "\n".join(faults)


def test_every_component_shows_itself():
    for path in (ROOT / "viz").rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        if "export default" in script:
            assert "countPainted(" in script, f"{path.name} does not count what it has drawn"
