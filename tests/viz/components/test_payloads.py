"""Payloads have the same fields in the types of Python, which sends them, and in those of the scripts, which read them."""

import re

import pytest

from viz.answers import cards
from viz.breakpoints import gap_table
from viz.clustering import chunk_list, heatmap
from viz.compare import verdicts as compare_verdicts
from viz.compare.asking import asking
from viz.compare.asking import payload as asked_payload
from viz.compare.scores import table as scores_table
from viz.components import verdicts
from viz.components.assets import VIZ
from viz.components.findings import findings
from viz.components.reader import payload
from viz.components.stepper import stepper
from viz.components.text_bar import text_bar
from viz.double_pass import corrections, passes, similarities
from viz.failures import lists
from viz.retrieval import passages
from viz.retrieval.failed import failed, on_compare

DECLARED = [
    (
        "components/reader/payload.d.ts",
        payload,
        "ReaderData AskingData ColumnData ColumnBody Segments StatedData PropositionData CurveData LineData",
    ),
    ("components/shared/component.d.ts", verdicts, "VerdictData"),
    ("components/text_bar/payload.d.ts", text_bar, "TextBarData DocumentData KeptHead"),
    ("components/findings/payload.d.ts", findings, "FindingsData FindingData"),
    ("components/stepper/payload.d.ts", stepper, "Step StepsData StepperData"),
    ("components/shared/bus.js", compare_verdicts, "VerdictCell Verdicts"),
    ("compare/verdicts.js", compare_verdicts, "AnswerData"),
    ("components/shared/bus.js", asked_payload, "Asked AskedColumn AnswerFate AnswerPlace"),
    ("compare/asking/asker.js", asking, "AskerData"),
    ("compare/scores/payload.d.ts", scores_table, "ScoresData HeadData RowData CellData"),
    ("breakpoints/payload.d.ts", gap_table, "GapTableData GapRows StandingData"),
    ("double_pass/payload.d.ts", passes, "PassesData PassRowsData ComparisonData"),
    ("double_pass/payload.d.ts", corrections, "CorrectionsData CorrectionData"),
    ("double_pass/payload.d.ts", similarities, "SimilaritiesData"),
    (
        "failures/payload.d.ts",
        lists,
        "GalleryData CardData TableData ChosenData MeasuredData CellData",
    ),
    ("clustering/chunk_list.js", chunk_list, "ChunkListData"),
    ("clustering/joint_distances.js", heatmap, "HeatmapData"),
    ("answers/cards.js", cards, "TurnData JudgementData GivenData AnswerCardData AnswerCardsData"),
    ("retrieval/passages.js", passages, "PassageData PassagesData"),
    ("retrieval/failed/failed.js", failed, "SeamData RowData FailedData"),
    ("retrieval/failed/on_compare.js", on_compare, "OnCompareData"),
]
PAIRS = [(file, module, name) for file, module, names in DECLARED for name in names.split()]


def scripts_fields(file, name):
    """Return the names of the properties of an interface in a declaration file, or of a typedef in a script."""
    text = (VIZ / file).read_text(encoding="utf-8")
    typedef = re.search(rf"@typedef \{{object\}} {name}\b(.*?)\*/", text, re.DOTALL)
    if typedef:
        return set(re.findall(r"@property \{.*\} \[?(\w+)", typedef[1]))
    found = re.search(rf"^export interface {name}(?: extends (\w+))? \{{\n(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
    assert found, f"{file} declares no {name}"
    own = set(re.findall(r"^  (\w+)\??:", found[2], re.MULTILINE))
    if not found[1]:
        return own
    others = text if f"interface {found[1]}" in text else "components/shared/component.d.ts"
    return own | scripts_fields(file if others is text else others, found[1])


@pytest.mark.parametrize(("file", "module", "name"), PAIRS, ids=[name for _, _, name in PAIRS])
def test_both_sides_have_the_same_fields(file, module, name):
    declared = getattr(module, name)
    assert scripts_fields(file, name) == declared.__required_keys__ | declared.__optional_keys__
