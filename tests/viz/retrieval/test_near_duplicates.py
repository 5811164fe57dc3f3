"""The cost of near-duplicates on the Retrieval page: measured by the run, shown at the chosen limit."""

import json

import numpy as np
import pytest

from chunkers import build_chunker
from evaluation.retrieval.computed_reports import ReportChoice
from tests.support import HashEmbedder, ended
from tests.viz.retrieval.steps import opened, told
from viz.jobs.background_jobs import new_run_token, run_registry
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]

LINES = [f"Lamp {number} shines {number + 3} miles over the water." for number in range(12)]


def run_on(texts):
    """Return the token of an ended run of two chunkers on texts, the first with one line a chunk."""
    rows = "\n".join(
        json.dumps({"question": f"How far shines {number}?", "excerpts": [LINES[number]]}) for number in range(8)
    )
    material = RunMaterial(texts, ("mine.jsonl", rows.encode()), own=True)
    chunkers = build_chunker("fixed_sentences", {"size": 1}), build_chunker("fixed_sentences", {"size": 40})
    run = Retrieval(Plan(material, chunkers, "hash", "lines", "words"), HashEmbedder(), False)
    run.start()
    ended(run)
    assert not run.error
    return run_registry().keep(run, new_run_token()), run


def table_of(app):
    tables = [frame.value for frame in app.dataframe if "places taken" in frame.value]
    assert len(tables) <= 1
    return tables[0] if tables else None


def test_the_table_has_the_places_taken_and_the_recall_without_them():
    # The copies of the first six lines are in a document of their own, among lines of other kinds.
    copies = "\n".join([*LINES[:6], *(f"Buoy {number} rings." for number in range(20))])
    token, run = run_on((("lamps.txt", "\n".join(LINES)), ("copy.txt", copies)))
    app = opened(run=token, k="5")
    table = table_of(app)
    # The chunks of 40 lines are whole documents, which are no near-duplicates.
    assert table["chunker"].tolist() == ["1. Fixed sentences"]
    assert table["with a near-duplicate"].tolist() == ["12 of 38"]
    cost = told(run, ReportChoice("recall", "characters", 5, 0)).chunkers[0].repeats
    assert cost.taken.sum() > 0
    assert table["places taken"].tolist() == [f"{cost.taken.mean():.2f} of 5"]
    assert table["in questions"].tolist() == [f"{np.count_nonzero(cost.taken)} of 8"]
    assert table["recall, %"].tolist() == [f"{100 * cost.recall.mean():.1f}"]
    assert table["without them, %"].tolist() == [f"{100 * cost.recall_without_repeats.mean():.1f}"]
    assert table["difference, points"].tolist()[0].startswith(f"{cost.difference.points} (")
    app.selectbox(key="retrieval_k").set_value("20").run()
    assert table_of(app)["places taken"].tolist()[0].endswith(" of 20")
    app.segmented_control(key="retrieval_at").set_value("budget").run()
    report = told(run, ReportChoice("recall", "tokens", 20, 0, run.budgets_by_unit["tokens"][-2], "cut"))
    cost = report.chunkers[0].repeats
    assert table_of(app)["places taken"].tolist() == [f"{cost.taken.mean():.2f} of {cost.retrieved.mean():.3g}"]
    assert cost.taken.sum() > 0


def test_without_near_duplicates_there_is_no_table():
    token, _ = run_on((("lamps.txt", "\n".join(LINES)),))
    app = opened(run=token)
    assert app.dataframe
    assert table_of(app) is None
    assert not any(header.value == "Near-duplicates" for header in app.header)
