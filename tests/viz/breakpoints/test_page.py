"""The Breakpoints page without a browser: widgets, link, payloads, and the story of the greedy scan."""

import json
import re

import pytest

from chunkers import Breakpoint, Document, Recipe, Verdict, build_chunker
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.breakpoint import SimilarityReading, convert_chunking_to_similarities, has_similarity_reading
from chunkers.recipes.result_export import to_dict
from evaluation.segmentation.cohesion import CumulativeSimilarities, compare_greedy_with_other_chunking
from sample_docs import load_sample, sample_titles
from tests.support import AngleEmbedder, cut, tools
from tests.viz.app_steps import box_of, sent, settled, tell
from viz.breakpoints.decision_steps_by_chunker import greedy_scan_steps
from viz.breakpoints.gap_table import build_gap_table_columns

SIZES = {"min_size": 150, "max_size": 500}


def scanned(sample, **parameters):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunker = build_chunker("breakpoint", {"amount": 70.0} | parameters)
    common = tools()
    best = run_and_time_chunker(build_chunker("optimal", {}), document, common)
    chunking = run_and_time_chunker(chunker, document, common)
    compared = compare_greedy_with_other_chunking(
        chunking, best, CumulativeSimilarities(common.embed(document.sentence_texts))
    )
    return chunker, chunking, best, compared


# The story


@pytest.mark.parametrize("parameters", [{}, SIZES, {"max_size": 120, "oversize": "recursive"}], ids=["free", "sized", "cut"])
@pytest.mark.parametrize("sample", sample_titles())
def test_the_story_is_the_ledger_and_the_ledger_is_the_command_lines(sample, parameters):
    chunker, chunking, _, compared = scanned(sample, **parameters)
    story = greedy_scan_steps(chunking, 0.02, compared)
    ledger = build_gap_table_columns(chunking, 0.02)
    printed = to_dict(chunking, Recipe.of(chunker, chunking.document.splitter, None, "words"))["gaps"]
    assert len(story) == len(ledger["gaps"]) == len(printed)
    for place, gap in enumerate(printed):
        assert story[place]["story"][0] == ledger["reasons"][place] == gap["reason"]
        assert story[place]["title"].endswith(f": {gap['verdict']}")
        assert story[place]["mark"]["gap"] == ledger["gaps"][place] == gap["index"]
        assert ledger["scores"][place] == gap["score"]
        if gap["score"] is not None and "inside" not in story[place]["title"]:
            formula = dict(story[place]["numbers"])["distance"]
            cosine, distance = re.findall(r"[−-]?\d+\.\d{3}", formula)
            assert distance == f"{gap['score']:.3f}"
            assert 1 - float(cosine.replace("−", "-")) == pytest.approx(gap["score"], abs=0.001)


def test_a_comparison_changes_the_words_of_a_step_and_not_its_decision():
    """The browser recognises steps by their decisions, and keeps the predictions made about them."""
    _, chunking, _, compared = scanned("stubs")
    before, after = greedy_scan_steps(chunking, 0.02, None), greedy_scan_steps(chunking, 0.02, compared)
    assert [step["aside"] for step in before] != [step["aside"] for step in after]
    decided, again = (
        [(step["prediction"], step["gauge"], step["mark"]["gap"]) for step in steps] for steps in (before, after)
    )
    assert decided == again


@pytest.mark.parametrize("sample", sample_titles())
def test_the_growing_chunk_is_the_one_that_ends_at_the_next_cut(sample):
    _, chunking, _, compared = scanned(sample, **SIZES)
    document = chunking.document
    chunk = 0
    for step, gap in zip(greedy_scan_steps(chunking, 0.02, compared), chunking.gaps, strict=True):
        first, last = step["mark"]["growing"]
        assert document.sentences[first].start == chunking.chunks[chunk].start
        assert step["mark"]["next"] == (last, last + 1)
        if gap.verdict.is_cut:
            assert document.sentences[last - 1].end == chunking.chunks[chunk].end
            chunk += 1
        else:
            assert f"Sentence {last + 1:,} joins chunk {chunk + 1:,}." in step["story"]
    assert chunk == len(chunking.chunks) - 1


@pytest.mark.parametrize("sample", sample_titles())
def test_a_prediction_is_right_by_the_ledger_and_the_text_is_placed_gap_by_gap(sample):
    _, chunking, _, compared = scanned(sample, **SIZES)
    steps = greedy_scan_steps(chunking, 0.02, compared)
    for step, gap in zip(steps, chunking.gaps, strict=True):
        assert step["prediction"]["right"] == gap.verdict.is_cut
        # The sentence after the gap is in a chunk once the gap is decided.
        assert step["placed"] == (gap.index + 1, gap.index + 2)
        gauge = step["gauge"]
        assert (gauge is None) == (gap.score is None or gap.threshold is None)
        if gauge is not None:
            assert (gauge["score"], gauge["threshold"]) == (gap.score, gap.threshold)
            assert gauge["low"] <= min(gap.score, gap.threshold) <= max(gap.score, gap.threshold) <= gauge["high"]


def test_every_cut_names_what_the_best_partition_did_and_what_deciding_gap_by_gap_costs():
    _, chunking, best, compared = scanned("report")
    others = {gap.index for gap in best.gaps if gap.verdict.is_cut}
    told = {"gains": 0, "costs": 0}
    for step, gap in zip(greedy_scan_steps(chunking, 0.02, compared), chunking.gaps, strict=True):
        aside = " ".join(step["aside"][0])
        assert ("“optimal” cuts here too" in aside) == (gap.verdict.is_cut and gap.index in others)
        assert ("“optimal” does not cut" in aside) == (gap.verdict.is_cut and gap.index not in others)
        for word in told:
            told[word] += f"Deciding gap by gap {word} " in aside
    assert all(told.values())


def test_a_rejected_candidate_and_a_forced_cut_are_told_apart_from_final_ones():
    _, chunking, _, compared = scanned("report", **SIZES)
    sentences = {
        gap.verdict: step["story"][1]
        for step, gap in zip(greedy_scan_steps(chunking, 0, compared), chunking.gaps, strict=True)
    }
    assert sentences[Verdict.REJECTED].startswith("It passes the line, but")
    assert sentences[Verdict.FORCED].startswith("It does not pass the line, but")
    assert {sentences[Verdict.CUT], sentences[Verdict.KEPT]} == {
        "It passes the line: a cut.",
        "It does not pass the line: no cut.",
    }


def test_near_is_within_the_margin_on_either_side():
    # Distances 0, 1/2, 1 and a line at 1/2.
    chunking = cut(Breakpoint.build(threshold="distance", amount=0.5), "0 a\n0 b\n60 c\n150 d", embedder=AngleEmbedder())
    assert build_gap_table_columns(chunking, 0.01)["near"] == [False, True, False]
    assert build_gap_table_columns(chunking, 0.51)["near"] == [True, True, True]
    assert build_gap_table_columns(chunking, 0.01)["away"] == pytest.approx([-0.5, 0, 0.5], abs=1e-6)


# Similarity


@pytest.mark.parametrize("parameters", [{}, SIZES], ids=["free", "sized"])
@pytest.mark.parametrize("threshold", [name for name, rule in THRESHOLDS.items() if rule.score_name == "distance"])
def test_read_as_similarity_all_numbers_and_words_turn_and_the_cuts_stay(threshold, parameters):
    amount = THRESHOLDS[threshold].default
    chunker, chunking, _, _ = scanned("report", threshold=threshold, amount=amount, **parameters)
    turned = convert_chunking_to_similarities(chunking)
    assert turned.chunks == chunking.chunks
    (curve,) = turned.curves
    assert (curve.label, curve.cut_above) == ("similarity", False)
    for gap, before, score in zip(turned.gaps, chunking.gaps, curve.scores, strict=True):
        assert gap.verdict is before.verdict
        assert gap.score == score == 1 - before.score
        assert "distance" not in gap.reason
        candidate = before.verdict in (Verdict.CUT, Verdict.REJECTED)
        assert (score < curve.lines[0].level) == candidate
        assert gap.reason.startswith("similarity ")
        assert f" {'<' if candidate else '≥'} " in gap.reason
    amounts = [THRESHOLDS[threshold].offered[0], amount]
    levels = chunker.levels("amount", amounts, chunking.curves[0].scores)
    assert SimilarityReading(**chunker.model_dump()).levels("amount", amounts, curve.scores) == pytest.approx(
        [1 - level for level in levels]
    )


def test_a_gradient_has_no_reading_as_similarity():
    assert [name for name in THRESHOLDS if not has_similarity_reading(Breakpoint.build(threshold=name))] == [
        "gradient",
        "absolute_gradient",
        "slope",
        "depth",
    ]


# The page


def opened(app, **query):
    """Open the page at a link, and run until the embedding job has ended."""
    app.switch_page("pages/breakpoints.py")
    for name, word in query.items():
        app.query_params[name.replace("__", ".")] = word
    return settled(app)


def payloads(app):
    return [json.loads(part.proto.json)[0] for part in app.get("bidi_component") if part.proto.json]


def reader_of(app):
    data = next(payload for payload in payloads(app) if "columns" in payload)
    return data | json.loads(data["columns"][0]["body"])


def notices(app):
    return [payload["text"] for payload in payloads(app) if "tone" in payload]


def steps_of(app):
    return json.loads(next(payload["steps"] for payload in payloads(app) if "steps" in payload))


def test_a_lone_title_line_is_cut_off_with_a_near_miss(app):
    opened(app, view="gaps", c1="breakpoint", c1__amount="72", c1__buffer="1")
    text = load_sample("stubs").text
    starts, ends = (reader_of(app)["segments"][side] for side in ("start", "end"))
    assert "Binary search." in [text[start:end] for start, end in zip(starts, ends, strict=True)]
    ledger = json.loads(next(payload["rows"] for payload in payloads(app) if "rows" in payload))
    document = Document.from_text(text, "lines")
    became = [ledger["verdicts"][int(place)]["name"] for place in ledger["verdictOf"]]
    missed = [place for place, near in enumerate(ledger["near"]) if near and became[place] == "kept"]
    assert missed
    assert document.sentence_texts[ledger["gaps"][missed[0]] + 1] == "Lighthouses."
    assert "cut" in became


def test_scores_show_the_histogram_and_the_staircase_with_their_tables(app):
    opened(app, embedder="tfidf")
    assert len(app.get("plotly_chart")) == 2
    assert [len(table.value) > 3 for table in app.dataframe] == [True, True]
    assert any("nothing changes" in caption.value for caption in app.caption)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_every_threshold_has_its_curve_its_figures_and_its_steps(app, threshold):
    opened(app, embedder="tfidf", c1="breakpoint", c1__threshold=threshold)
    assert reader_of(app)["curve"]["label"] == THRESHOLDS[threshold].score_name
    assert len(app.get("plotly_chart")) == 2
    app.button_group(key="breakpoints/view").set_value("steps")
    settled(app)
    reasons = {step["story"][0].rsplit(maxsplit=3)[0] for step in steps_of(app)}
    assert THRESHOLDS[threshold].score_name in reasons


def test_the_stepper_stands_where_the_link_says_and_tells_the_comparison(app):
    opened(app, embedder="tfidf", view="steps", step="8")
    assert sent(app, "turn")["at"] == 7
    told = steps_of(app)
    assert len(told) == 15
    assert any("“optimal”" in sentence for step in told for sentence in step["aside"][0])
    assert app.query_params["step"] == "8"


def test_another_axis_turns_curve_words_and_link(app):
    opened(app, embedder="tfidf")
    app.button_group(key="breakpoints/axis").set_value("similarity").run()
    data = reader_of(app)
    assert data["curve"]["label"] == "similarity"
    assert all("similarity" in label for label in data["segments"]["label"][1:])
    assert app.query_params["axis"] == "similarity"


def test_a_gradient_is_not_offered_as_similarity(app):
    opened(app, embedder="tfidf", c1="breakpoint", c1__threshold="gradient", axis="similarity")
    assert not [group for group in app.get("button_group") if group.key == "breakpoints/axis"]
    assert reader_of(app)["curve"]["label"] == "gradient of distance"


def test_the_column_chosen_on_compare_comes_along(app):
    app.query_params["embedder"] = "tfidf"
    app.query_params["c1"] = "breakpoint"
    app.query_params["c1.threshold"] = "distance"
    app.query_params["c1.amount"] = "0.8"
    app.query_params["selected"] = "1"
    app.run()
    app.query_params.clear()
    app.switch_page("pages/breakpoints.py").run()
    assert not app.exception
    assert app.session_state["choices"]["breakpoints"].columns[0].parameters == {"threshold": "distance", "amount": 0.8}


def test_a_line_that_was_let_go_sets_the_amount(app):
    opened(app, embedder="tfidf")
    app.session_state["reader"] = {"line": {"column": 0, "parameter": "amount", "value": 55.5, "at": 1}}
    app.run()
    assert app.query_params["c1.amount"] == "55.5"


def test_words_of_the_link_that_are_wrong_are_said(app):
    opened(app, embedder="tfidf", view="steps", step="first", axis="up", margin="wide", c1="recursive")
    all_notices = " ".join(notices(app))
    assert "step must be a number from 1 to 15; got 'first'" in all_notices
    assert "axis must be one of distance, similarity; got 'up'" in all_notices
    assert "margin must be a number from 0 to 0.5; got 'wide'" in all_notices
    assert "must be one of breakpoint, max_min, optimal, change_point, structure on this page; got recursive" in all_notices


@pytest.mark.parametrize("view", ["scores", "gaps", "steps"])
def test_texts_without_gaps_get_a_sentence(app, view):
    opened(app, embedder="tfidf", view=view)
    box_of(app).set_value("One sentence only.")
    settled(app)
    assert any("no gap between sentences" in notice for notice in notices(app))


def test_parameters_that_do_not_fit_together_get_a_sentence(app):
    opened(app, embedder="tfidf")
    app.session_state["choices"]["breakpoints"].columns[0].parameters |= {"min_size": 500, "max_size": 100}
    app.run()
    assert not app.exception
    assert (
        "min_size must be at most max_size"
        in next(payload for payload in payloads(app) if "columns" in payload)["columns"][0]["message"]
    )


def test_what_would_change_a_verdict_is_said_as_the_curve_is_read_and_applied_with_undo(app):
    opened(app, view="gaps", axis="similarity")

    def answer():
        app.session_state["store_verdicts"] = {"asked": {"at": 2, "moment": 1.0}}
        app.run()
        return sent(app, "answer")["answer"]

    before = answer()
    assert before["hashes"] == [sent(app, "columns")["columns"][0]["hash"]]
    assert next(payload["hash"] for payload in payloads(app) if "score" in payload) == before["hashes"][0]
    (cell,) = before["cells"]
    assert (cell["cut"], cell["reason"], cell["undo"]) == (True, "0.27 < 0.28", "")
    change = cell["change"]
    tell(app, "reader", "change", column=0, values=change["values"])
    assert app.query_params["c1.amount"] == "79"
    (cell,) = answer()["cells"]
    assert (cell["cut"], cell["undo"]) == (False, "Column 1: percentile of distance 79")
    tell(app, "reader", "change", undo=True)
    assert "c1.amount" not in dict(app.query_params)
    assert answer()["cells"][0]["cut"]
