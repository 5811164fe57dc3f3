"""Max–Min on the Breakpoints page: its steps are its decisions, with their numbers."""

import math

import numpy as np
import pytest

from chunkers import Document, Verdict
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.max_min import MaxMin
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import AngleEmbedder, HashEmbedder, tools
from tests.viz.app_steps import box_of, settled
from tests.viz.breakpoints.test_page import notices, opened, reader_of, steps_of
from viz.breakpoints import chunker_steps_view
from viz.breakpoints.decision_steps_by_chunker import max_min_steps


def told(chunker, document, embedder):
    """Return the result and the steps of a run."""
    common = tools(embedder)
    chunking = run_and_time_chunker(chunker, document, common)
    vectors = common.embed(document.sentence_texts).astype(np.float64)
    return chunking, max_min_steps(chunking, chunker, list(chunker.decide_gaps(vectors, tools())), 0.02, None)


def row(step, name):
    return dict(map(tuple, step["numbers"]))[name]


def test_the_steps_of_a_scan_worked_by_hand():
    # Sentences at 0, 10, 20, 70 and 75 degrees: three join, the fourth begins a chunk, the fifth joins it.
    document = Document.from_text("0\n10\n20\n70\n75", "lines")
    chunking, (first, second, third, fourth) = told(MaxMin(), document, AngleEmbedder())
    assert [gap.verdict for gap in chunking.gaps] == [Verdict.KEPT, Verdict.KEPT, Verdict.CUT, Verdict.KEPT]
    # cos 10° is 0.985, and 1.5 of it 1.477.
    assert row(first, "similarity") == "0.985 × 1.5 = 1.477"
    assert row(first, "threshold") == "hard, 0.6"
    assert first["story"][1].startswith("The open chunk is sentence 1 alone")
    assert second["story"][1].endswith("most like sentence 3 is sentence 2, which is hatched.")
    assert first["mark"] == {"growing": (0, 1), "next": (1, 2), "middle": None, "gap": 0}
    # Of two: 0.9 × σ(1) × cos 10° = 0.9 × 0.731 × 0.985 = 0.648; the third is nearest to the second.
    assert row(second, "greatest similarity") == "0.985, to sentence 2"
    assert row(second, "least in the chunk") == "0.985"
    assert row(second, "threshold") == (
        "0.9 × σ(1) × 0.985 = 0.9 × 0.731 × 0.985 = 0.648; not below hard 0.6: 0.648, that it follows"
    )
    assert second["mark"] == {"growing": (0, 2), "next": (2, 3), "middle": (1, 2), "gap": 1}
    # Of three, whose least is cos 20° = 0.940: 0.9 × σ(2) × 0.940 = 0.745 > cos 50° = 0.643.
    assert row(third, "greatest similarity") == "0.643, to sentence 3"
    assert row(third, "least in the chunk") == "0.940"
    assert "= 0.9 × 0.881 × 0.940 = 0.745;" in row(third, "threshold")
    assert third["story"][0] == chunking.gaps[2].reason
    assert third["tone"] == "cut"
    # The new chunk has one sentence again.
    assert fourth["mark"] == {"growing": (3, 4), "next": (4, 5), "middle": None, "gap": 3}
    assert row(fourth, "chunk") == "2: sentence 4"


def test_numbers_below_zero_have_a_minus():
    # The second and the third sentence are opposite to the first, and join it all the same.
    chunker = MaxMin(hard_threshold=-1, relaxation=1)
    _, (first, second) = told(chunker, Document.from_text("0\n120\n240", "lines"), AngleEmbedder())
    assert row(first, "similarity") == "−0.500 × 1.5 = −0.750"
    assert row(first, "threshold") == "hard, −1"
    assert "1 × 0.731 × −0.500 = −0.366; not below hard −1: −0.366, that it follows" in row(second, "threshold")


def test_where_the_hard_threshold_is_greater_it_is_said():
    _, steps = told(MaxMin(relaxation=0.1), Document.from_text("0\n10\n20", "lines"), AngleEmbedder())
    assert row(steps[1], "threshold").endswith("= 0.072; not below hard 0.6: 0.600, hard")


@pytest.mark.parametrize(
    "parameters",
    [{}, {"min_size": 150, "max_size": 500}, {"max_size": 90, "oversize": "recursive"}],
    ids=["free", "sized", "cut"],
)
@pytest.mark.parametrize("name", samples())
def test_every_step_is_the_ledgers_decision(name, parameters):
    sample = load_sample(name)
    document = Document.from_text(sample.text, sample.sentences)
    chunker = MaxMin(hard_threshold=0.2, **parameters)
    common = tools(HashEmbedder())
    chunking = run_and_time_chunker(chunker, document, common)
    vectors = common.embed(document.sentence_texts).astype(np.float64)
    scanned = list(chunker.decide_gaps(vectors, tools()))
    steps = max_min_steps(chunking, chunker, scanned, 0.02, None)
    assert len(steps) == len(chunking.gaps)
    cosines = vectors @ vectors.T
    for step, gap in zip(steps, chunking.gaps, strict=True):
        assert step["story"][0] == gap.reason
        if gap.offset is not None:
            continue
        decision = scanned[gap.index]
        first, last = step["mark"]["growing"]
        assert last == gap.index + 1
        assert last - first == decision.size
        inside = cosines[first:last, first:last][np.triu_indices(last - first, 1)]
        # The sentence that is hatched is the nearest, the least is that of all pairs, and the formula is the source's.
        if decision.size > 1:
            (nearest, _) = step["mark"]["middle"]
            assert cosines[gap.index + 1, nearest] == pytest.approx(cosines[gap.index + 1, first:last].max())
            assert decision.score == pytest.approx(cosines[gap.index + 1, nearest])
            assert decision.least == pytest.approx(inside.min())
            follows = inside.min() * 0.9 / (1 + math.exp(1 - decision.size))
            assert decision.threshold == pytest.approx(max(follows, 0.2))
        if not gap.verdict.is_sized:
            assert (gap.score, gap.threshold) == (decision.score, decision.threshold)
            assert gap.verdict.is_cut != decision.joins


def test_the_page_steps_through_it_and_offers_no_histogram(app):
    opened(app, embedder="tfidf", c1="max_min", c1__hard_threshold="0.1")
    assert reader_of(app)["curve"]["label"] == "greatest similarity"
    assert app.query_params["view"] == "steps"
    assert not app.get("plotly_chart")
    (views,) = [view_buttons for view_buttons in app.get("button_group") if view_buttons.key.startswith("breakpoints/view")]
    assert list(views.options) == ["Gaps", "Steps"]
    told = steps_of(app)
    assert any("most like sentence" in sentence for step in told for sentence in step["story"])
    assert any("“optimal”" in remark for step in told for remark in step["aside"][0])
    # It has no reading as distance.
    assert not [group for group in app.get("button_group") if group.key == "breakpoints/axis"]
    assert not notices(app)


def test_a_scan_of_too_many_pairs_is_stepped_through_by_its_reasons(app, monkeypatch):
    monkeypatch.setattr(chunker_steps_view, "MAX_PAIRS_FOR_STEP_SCORES", 10)
    opened(app, embedder="tfidf", c1="max_min", c1__hard_threshold="0", c1__relaxation="0")
    assert any(
        "The steps show no numbers" in notice and "shown for at most 10 compared pairs" in notice for notice in notices(app)
    )
    told = steps_of(app)
    assert len(told) == 15
    assert not any("most like" in sentence for step in told for sentence in step["story"])


def test_the_chunker_is_chosen_in_the_side_bar(app):
    opened(app, embedder="tfidf", view="steps")
    app.selectbox(key="breakpoints/chunker").select("max_min").run()
    assert app.query_params["c1"] == "max_min"
    app.selectbox(key="breakpoints/chunker").select("breakpoint").run()
    assert not app.exception
    assert app.session_state["choices"]["breakpoints"].columns[0].chunker == "breakpoint"


def test_the_column_of_compare_comes_along(app):
    for word, value in {"embedder": "tfidf", "c1": "max_min", "c1.hard_threshold": "0.3"}.items():
        app.query_params[word] = value
    app.run()
    app.query_params.clear()
    app.switch_page("pages/breakpoints.py").run()
    assert not app.exception
    (column,) = app.session_state["choices"]["breakpoints"].columns
    assert (column.chunker, column.parameters) == ("max_min", {"hard_threshold": 0.3})


def test_one_sentence_gets_a_sentence(app):
    opened(app, embedder="tfidf", c1="max_min", view="gaps")
    box_of(app).set_value("One sentence only.")
    settled(app)
    assert any("no gap between sentences" in notice for notice in notices(app))
