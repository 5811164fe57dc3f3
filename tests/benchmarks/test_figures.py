"""Figures that the library and the README take from a benchmark are those of its table in benchmarks/README.md."""

import re

import pytest

from chunkers.recipes.presets import MAXIMUM_SIZE_PARAMETERS, PRESETS
from tests import ROOT
from tests.benchmarks.tables import tables
from viz.guide.page import CHUNKER_ADVICE_ROWS

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
    "preset", [preset for preset in PRESETS if preset.title.startswith("For retrieval")], ids=lambda preset: preset.chunker
)
def test_a_bound_names_the_recalls_with_and_without_it(preset):
    assert preset.parameters == MAXIMUM_SIZE_PARAMETERS[preset.chunker]
    with_it, without = recall(f"`{preset.chunker}`, bound"), recall(f"`{preset.chunker}` at its defaults")
    assert f"recall at 1,000 tokens is {with_it} %, and {without} % without" in preset.note


@pytest.mark.parametrize(
    "preset", [preset for preset in PRESETS if "stitched" in preset.note], ids=lambda preset: preset.chunker
)
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


def test_the_guide_says_why_to_try_a_chunker_by_the_figures_of_the_tables():
    why = {advice.text: advice.why for advice in CHUNKER_ADVICE_ROWS}
    (own,) = (rows for rows in tables(SECTIONS["5,000 questions on 10 MB"]) if "500" in rows[0])
    at_500 = {row["chunker"].partition(",")[0].strip("`"): row["500"].split()[0] for row in own}
    assert (
        f"recall is {at_500['recursive']} % at 500 retrieved tokens, Fixed sentences' {at_500['fixed_sentences']} % and "
        f"Optimal's {at_500['optimal']} %" in why["Short notes"]
    )
    section = " ".join(SECTIONS["5,000 questions on 10 MB"].split())
    assert "The best is significantly ahead of every other at none of the six budgets" in section
    (blocks,) = tables(SECTIONS["Structure"])
    ours, theirs = (row for row in blocks if row["document"] == "handbook.html")
    kept, all_blocks = ours["blocks whole"].split(" of ")
    assert f"Of the {all_blocks} lists" in why["Long reports with headings"]
    assert f"kept {kept} whole, Recursive {theirs['blocks whole'].split()[0]}" in why["Long reports with headings"]
    assert f"changes {ours['changed'].replace('%', ' %')} of its chunks" in why["Long reports with headings"]
    assert f"the {all_blocks} blocks above" in why["Code in a document"]
    prose = why["Long prose without headings"]
    assert f"recall is {recall('`change_point`, bound')} % at 1,000 retrieved tokens" in prose
    assert f"Recursive's of that size {recall('recursive 250/0')} %" in prose
    lead = next(
        row["1,000"]
        for row in BY_BOUND
        if row["chunker"] == "`change_point`, bound" and row["less that of"] == "recursive 250/0"
    )
    more, least, most = re.findall(r"[+−][\d.]+", lead)
    assert not lead.startswith("**")
    assert f"{more[1:]} points more, {least} to {most}, which is not significant" in prose
    held_out = {row["setting"]: row["held out"] for row in STITCHED}
    assert f"its Pk is {held_out['`change_point` at its defaults, at paragraphs']} with nothing tuned" in prose
    assert f"Breakpoint's {held_out['`breakpoint` at its defaults, percentile 95']}" in prose
    _, speeds, _ = tables(SECTIONS["At size"])
    (ms,) = (row["ours, ms"] for row in speeds if row["ours / reference"].startswith("`recursive`, exact offsets"))
    assert f"10 MB of text take it {ms} ms" in why["No model"]
    assert f"the best by {more[1:]} points, {least} to {most}" in why["No model"]
    (languages,) = tables(SECTIONS["Sentence splitters"])
    hits, _, invented = languages[-1]["sentencex"].split(" / ")
    assert f"finds {hits} of {languages[-1]['ends']} in 33 languages and invents {invented}" in why["Other languages"]
    # No figure is in the advice that is not checked here.
    checked = {
        at_500["recursive"],
        at_500["fixed_sentences"],
        at_500["optimal"],
        "500",
        kept,
        all_blocks,
        "92",
        "0.6",
        "83.4",
        "79.3",
    }
    checked |= {"1,000", "4.1", "1.0", "9.2", "0.144", "0.399", "0", "139", "10", "472", "40", "218", "225", "33", "5"}
    assert {number for reason in why.values() for number in re.findall(r"\d[\d,]*(?:\.\d+)?", reason)} <= checked
