"""The Double pass page without a browser: its story, its rows, its corrections, its link."""

import json
import re
from dataclasses import replace

import pytest

from chunkers import Document, DoublePass, Span, build_chunker
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample, sample_titles
from tests.support import AngleEmbedder, cut, ended, tools
from tests.viz.app_steps import box_of, choose_document, sent, settled
from viz.double_pass import page, passes
from viz.double_pass import page as corrections
from viz.double_pass import passes as pass_story
from viz.double_pass.page import verdict_reversal_in_words
from viz.double_pass.passes import (
    QUOTED_REASON_PREFIX,
    gaps_decided_by_latest_comparison,
    list_chunk_comparisons_up_to_each,
    mini_chunk_starts,
    sentence_range_in_words,
    steps_of_both_passes,
)
from viz.jobs.chunking import ChunkingTask
from viz.jobs.shared_resources import embedding_cache
from viz.shell.column_runs_and_results import ColumnResult, FinishedColumn
from viz.state.choices import ColumnChoice

SETTINGS = [{}, {"look_ahead": 2, "max_size": 300}, {"vector": "re-embed", "min_size": 200}]
THRESHOLDS = {"initial_threshold": 0.5, "appending_threshold": 0.5, "merging_threshold": 0.5}


def double(text, **parameters):
    settings = {"initial_threshold": 0.9, "appending_threshold": 0.9, "merging_threshold": 0.8} | parameters
    return cut(DoublePass.build(**settings), text, embedder=AngleEmbedder())


@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize("sample", sample_titles())
def test_the_story_equals_the_ledger(sample, parameters):
    source = load_sample(sample)
    chunker = DoublePass.build(**THRESHOLDS | parameters)
    chunking = run_and_time_chunker(chunker, Document.from_text(source.text, source.sentences), tools())
    looks, starts = list_chunk_comparisons_up_to_each(chunking), mini_chunk_starts(chunking)
    ledger_lines = {gap.index: [] for gap in chunking.gaps}
    for number, step in enumerate(steps_of_both_passes(chunking, chunker.max_size)):
        words = [*step["story"], *step.get("aside", [[]])[0]]
        quoted = [line.removeprefix(QUOTED_REASON_PREFIX) for line in words if line.startswith(QUOTED_REASON_PREFIX)]
        if step["mark"]["comparison"] is None:
            ledger_lines[step["mark"]["gap"]] = quoted
            continue
        assert step["mark"]["comparison"] == number
        first = number < len(chunking.gaps)
        joined = looks[number][-1].outcome == "joined"
        for gap in (
            gaps_decided_by_latest_comparison(looks[number], starts) if joined and not first else [step["mark"]["gap"]]
        ):
            ledger_lines[gap] += quoted
    # What is too small even so is said in the ledger alone.
    wanted = {gap.index: gap.reason.split(", but with its neighbour")[0] for gap in chunking.gaps}
    assert all(wanted[gap].startswith("; ".join(words)) for gap, words in ledger_lines.items())
    whole = [gap.index for gap in chunking.gaps if "below minimum size" not in gap.reason]
    assert ["; ".join(ledger_lines[gap]) for gap in whole] == [chunking.gaps[gap].reason for gap in whole]
    assert whole or parameters.get("min_size")


@pytest.mark.parametrize("sample", sample_titles())
def test_pass_two_places_sentence_by_sentence_what_the_ledger_cuts(sample):
    source = load_sample(sample)
    chunking = run_and_time_chunker(
        DoublePass.build(**THRESHOLDS), Document.from_text(source.text, source.sentences), tools()
    )
    steps, looks = steps_of_both_passes(chunking, None), list_chunk_comparisons_up_to_each(chunking)
    cuts = {gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut}
    closed = set()
    for number, (step, tried) in enumerate(zip(steps, looks, strict=True)):
        assert step["prediction"]["right"] == (tried[-1].outcome == "joined")
        before, after = step["placed"]
        if number < len(chunking.gaps):
            assert (before, after) == (0, 0)
            continue
        if number > len(chunking.gaps):
            # Attempts over a snippet leave all as it was.
            assert before == steps[number - 1]["placed"][1] or not looks[number - 1][-1].why
        assert before <= after
        if tried[-1].why and tried[-1].outcome != "joined":
            closed.add(before)
            assert after > before
    assert closed == cuts
    if steps:
        assert steps[-1]["placed"][1] == len(chunking.document.sentences)


def test_each_step_names_and_marks_the_groups_that_are_compared():
    told = steps_of_both_passes(double("0\n5\n90 code here\n3\n6"), None)
    assert [step["title"] for step in told] == [
        "Sentence 1 and sentence 2 open a chunk",
        "The chunk of sentences 1–2 ends",
        "Sentence 3 stands alone",
        "Sentence 4 and sentence 5 open a chunk",
        "Sentence 3 is too unlike sentences 1–2",
        "Merged over a snippet: sentence 3",
    ]
    last = told[-1]
    assert (last["mark"]["growing"], last["mark"]["middle"], last["mark"]["next"]) == ((0, 2), (2, 3), (3, 5))
    assert dict(last["numbers"])["sentence 3"] == "0.04 ≤ merging 0.80, looked at before"
    assert [step["tone"] for step in told] == ["", "cut", "cut", "", "", "turn"]
    # Playing stops at the first comparison of pass two.
    assert [step.get("pauses", False) for step in told] == [False, False, False, False, True, False]


def test_an_open_chunk_is_compared_by_its_last_two_sentences():
    step = steps_of_both_passes(double("0\n5\n10\n12", merging_threshold=1), None)[2]
    assert step["mark"]["growing"] == (1, 3)
    assert step["story"][0].endswith("open: its last two, sentences 2–3, are compared with sentence 4.")


def test_what_is_too_long_is_told_with_the_length():
    told = steps_of_both_passes(double("0 aaaa\n5 aaaa\n32 aaa\n37 aaa", max_size=20), 20)
    assert told[-1]["title"] == "Sentences 1–2 and sentences 3–4 are alike, but too long together"
    assert dict(told[-1]["aside"][1])["length"] == "27 characters joined, at most 20"


def test_the_minimum_size_has_steps_of_its_own_after_both_passes():
    chunking = double("0 aaaa\n5 aaaa\n90\n180 aaaaaa", min_size=5)
    last = steps_of_both_passes(chunking, None)[-1]
    assert last["title"] == "Merge sentences 1–2, sentence 3"
    assert last["story"][-1] == QUOTED_REASON_PREFIX + chunking.gaps[1].reason


def test_the_algorithm_is_merged_over_a_snippet_with_both_similarities(real_tools):
    sample = load_sample("algorithm")
    chunking = run_and_time_chunker(DoublePass.build(), Document.from_text(sample.text, sample.sentences), real_tools)
    turns = [step for step in steps_of_both_passes(chunking, None) if step["tone"] == "turn"]
    assert [step["title"] for step in turns] == ["Merged over a snippet: sentence 11"]
    values = dict(turns[0]["numbers"])
    assert values["similarity"] == "0.72 > merging 0.30"
    assert values["sentence 11"] == "0.18 ≤ merging 0.30, looked at before"
    assert "over the snippet “return a” (0.18)" in turns[0]["aside"][0][0]


def test_rows_hold_the_blocks_of_both_passes_and_the_snippet():
    chunking = double("0\n5\n90 code here\n3\n6\n180")
    pairs = build_chunker("fixed_sentences", {"size": 2})
    other = cut(pairs, "a\nb\nc\nd\ne\nf")
    beside = FinishedColumn(ChunkingTask.of(other.document, None, "words", pairs), pairs, other)
    rows = passes.data_for_drawing_pass_rows(chunking, beside, {})
    assert (rows["minis"], rows["snippets"], rows["chunks"]) == ([0, 2, 3, 5], [2], [0, 5])
    assert rows["other"] == [0, 2, 4]
    over = rows["comparisons"][6]
    assert (over["kind"], over["value"], over["tried"], over["decides"]) == ("over a snippet", "1.00", ["0.04"], True)


def test_of_a_long_text_the_first_sentences_are_drawn(monkeypatch):
    monkeypatch.setattr(pass_story, "MOST_DRAWN_SENTENCES", 3)
    monkeypatch.setattr(passes, "MOST_DRAWN_SENTENCES", 3)
    chunking = double("0\n5\n90\n3\n6")
    rows = passes.data_for_drawing_pass_rows(chunking, None, {})
    assert rows["count"] == 3
    assert all(comparison["right"][1] <= 3 for comparison in rows["comparisons"])
    assert len(steps_of_both_passes(chunking, None)) == len(rows["comparisons"]) == 3


def test_corrections_are_what_went_again_and_whether_the_other_cuts_there():
    chunking = double("0\n5\n90 code here\n3\n6\n180")
    other = cut(DoublePass.build(initial_threshold=1, merging_threshold=1), "1\n2\n3\n4\n5\n6", embedder=AngleEmbedder())
    corrected = corrections.undone_pass_one_cuts(chunking, other, "Other")
    assert [(correction["sentence"], correction["step"], correction["also"]) for correction in corrected] == [
        (2, 6, "Other cuts here"),
        (3, 6, "Other cuts here"),
    ]
    assert "over the snippet" in corrected[0]["reason"]
    sentences = corrections.boundary_removal_counts_in_words(chunking, corrected, other, "Other")
    assert sentences == [
        "Of the 3 boundaries that pass one made, 2 were removed later.",
        "Of the 5 boundaries that Other makes between sentences: 1 here too, 2 removed by pass two, "
        "2 never made by pass one.",
    ]


def test_a_threshold_knows_the_similarities_that_it_is_compared_with():
    chunking = double("0\n5\n90 code here\n3\n6")
    assert [
        len(page.similarities_for_threshold(chunking, f"{name}_threshold")) for name in ("initial", "appending", "merging")
    ] == [
        3,
        1,
        2,
    ]
    assert (
        page.count_above_in_words(page.similarities_for_threshold(chunking, "merging_threshold"), 0.8)
        == "1 of 2 similarities lies above 0.80"
    )
    assert page.count_above_in_words([], 0.8) == "Nothing was compared with this threshold in this text."


@pytest.mark.parametrize(("group", "said"), [(Span(2, 3), "sentence 3"), (Span(2, 5), "sentences 3–5")])
def test_sentences_are_counted_from_one(group, said):
    assert sentence_range_in_words(group) == said


# The page


def opened(app):
    app.switch_page("pages/double_pass.py")
    return settled(app)


def test_the_page_counts_what_each_pass_leaves(app):
    app.query_params["document"] = "algorithm"
    opened(app)
    assert sent(app, "made")["summary"].endswith(
        "pass one leaves 6 mini-chunks · pass two leaves 1 chunk, after 1 merge over a snippet"
    )
    assert sent(app, "columns")["columns"][1]["title"] == "Breakpoint"
    histograms = [component for component in app.get("bidi_component") if '"counts"' in component.proto.json]
    assert [re.sub("[0-9.]+", "n", json.loads(histogram.proto.json)[0]["words"]) for histogram in histograms] == [
        "n of n similarities lie above n"
    ] * 3


def test_a_threshold_moved_goes_into_the_link_and_embeds_nothing(app):
    app.query_params["document"] = "algorithm"
    opened(app)
    job = app.session_state.get("chunking_job")
    app.slider(key="0/double_pass/merging_threshold").set_value(0.6).run()
    assert app.query_params["c1.merging_threshold"] == "0.6"
    assert "pass two leaves 1 chunk" not in sent(app, "made")["summary"]
    assert app.session_state.get("chunking_job") is job


def test_another_document_begins_at_the_first_step(app):
    app.query_params["document"] = "algorithm"
    app.query_params["step"] = "5"
    opened(app)
    assert app.session_state["choices"]["double_pass"].extra["step"] == "5"
    choose_document(app, "faq")
    assert app.session_state["choices"]["double_pass"].extra["step"] == "1"


def test_a_link_to_other_chunkers_is_said_and_the_page_keeps_to_its_own(app):
    app.query_params["document"] = "algorithm"
    app.query_params["c1"] = "recursive"
    app.query_params["c2"] = "breakpoint"
    app.query_params["c2.amount"] = "80"
    opened(app)
    assert [(column.chunker, column.parameters) for column in app.session_state["choices"]["double_pass"].columns] == [
        ("double_pass", {}),
        ("breakpoint", {"amount": 80.0}),
    ]
    assert any("recursive is for Compare" in component.proto.json for component in app.get("bidi_component"))


@pytest.mark.parametrize(("text", "said"), [("One sentence alone.", "pass two leaves 1 chunk"), ("   ", "")])
def test_texts_with_nothing_to_compare(app, text, said):
    opened(app)
    box_of(app).input(text).run()
    for _ in range(2):
        job = app.session_state.get("chunking_job")
        if job is not None:
            ended(job)
        app.run()
    assert not app.exception
    if said:
        assert said in sent(app, "made")["summary"]
    else:
        # The sentence in place of the rows stands beside the steps, as the rows do: what begins wider would jump.
        shown = [part.proto.json for column in app.columns for part in column.get("bidi_component")]
        assert any("No chunks: the text has no words." in data for data in shown)


def test_every_step_says_what_would_change_its_verdict():
    document, embedder = Document.from_text("0\n5\n60\n3\n100\n104", "lines").split(), AngleEmbedder()
    chunker = DoublePass(initial_threshold=0.9, appending_threshold=0.9, merging_threshold=0.8)
    chunking = run_and_time_chunker(chunker, document, replace(tools(embedder), cache=embedding_cache(on_disk=False)))
    choice = ColumnChoice("double_pass", chunker.model_dump())
    column = ColumnResult(choice, chunker, ChunkingTask.of(document, embedder, "words", chunker), chunking)
    steps = steps_of_both_passes(chunking, None)
    for step in steps:
        verdict = chunking.gaps[step["mark"]["gap"]].verdict
        sentence = verdict_reversal_in_words(column, step, embedder)
        assert sentence.startswith(f"After both passes: {verdict}; ")
        assert ("would keep it" in sentence) is verdict.is_cut
    assert len(steps) > len(chunking.gaps)
