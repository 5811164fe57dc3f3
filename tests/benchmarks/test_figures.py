"""Figures that the library and the README take from a benchmark are those of its table in benchmarks/README.md."""

import re

import pytest

from chunkers.recipes.presets import BOUND, PRESETS
from tests import ROOT
from tests.benchmarks.tables import tables

SECTIONS = dict(
    part.partition("\n")[::2]
    for part in re.split(r"^### ", (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
)
AT_BUDGETS, BY_BOUND = tables(SECTIONS["At equal budgets"])
STITCHED, *_ = tables(SECTIONS["Seams of stitched documents"])


def recall(title):
    (row,) = (row for row in AT_BUDGETS if row["chunker"] == title)
    return row["recall, 1,000"].split()[0]


@pytest.mark.parametrize(
    "preset", [one for one in PRESETS if one.title.startswith("For retrieval")], ids=lambda one: one.chunker
)
def test_a_bound_names_the_recalls_with_and_without_it(preset):
    assert preset.parameters == BOUND[preset.chunker]
    with_it, without = recall(f"`{preset.chunker}`, bound"), recall(f"`{preset.chunker}` at its defaults")
    assert f"recall at 1,000 tokens is {with_it} %, and {without} % without" in preset.note


@pytest.mark.parametrize("preset", [one for one in PRESETS if "stitched" in one.note], ids=lambda one: one.chunker)
def test_the_best_on_stitched_documents_names_what_it_and_the_default_reach(preset):
    rows = [row for row in STITCHED if row["setting"].startswith(f"`{preset.chunker}`")]
    (best,) = (row for row in rows if row["chosen"].startswith("on the tuned half, of"))
    (default,) = (row for row in rows if "at its defaults" in row["setting"])
    assert f" {best['chosen'].split()[-1]} settings " in preset.note
    quoted = re.findall(r"(?<!\d)0\.\d\d(?!\d)", preset.note)
    assert quoted == [f"{float(row['held out']):.2f}" for row in (best, default)]


def test_the_readme_names_the_gains_of_a_bound_and_the_best_one():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    gains = {(row["chunker"].split("`")[1], row["less that of"]): row["1,000"] for row in BY_BOUND}
    own = {name: cell for (name, other), cell in gains.items() if other != "recursive 250/0" and cell.startswith("**")}
    least, *_, most = sorted(float(cell.split("**")[1]) for cell in own.values())
    names = [f"`{name}`" for name in own]
    assert f"{', '.join(names[:-1])} and {names[-1]} by {least:.0f} to {most:.0f} points at 1,000 retrieved tokens" in readme
    beside = [cell for (_, other), cell in gains.items() if other == "recursive 250/0"]
    best = max(beside, key=lambda cell: float(re.search(r"[\d.]+", cell)[0]))
    assert not any(cell.startswith("**") for cell in beside)
    assert "the best by {} points, {} to {} (".format(*re.findall(r"[+−]?[\d.]+", best.removeprefix("+"))) in readme
