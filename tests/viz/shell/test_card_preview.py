"""The preview of the change that would reverse a verdict: what it promises is so, and applying it changes the column."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, build_chunker
from chunkers.contract.base import run_and_time_chunker
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    CutChange,
    PosedQuestion,
    SearchSettings,
    check_and_trim_answer_span,
    whole_answer_retrieved_per_question,
)
from evaluation.segmentation.boundary_measures import cut_offsets
from sample_docs import load_sample
from tests.support import LIMIT, AngleEmbedder, tools
from tests.viz.app_steps import press, sent, settled, tell, widget
from viz.components.browser_exchange import convert_offsets_to_sentence_positions
from viz.jobs.chunking import ChunkingTask
from viz.jobs.question_preview_context_jobs import ChangedCuts, token_ruler_of_document
from viz.shell.card.verdicts import VERDICTS_KEY, set_parameters_if_all_valid, verdict_cell
from viz.shell.column_runs_and_results import ColumnResult
from viz.state.choices import ColumnChoice

moments = count(1)


def ask(app, at, would=None):
    """Ask about a place, and about a change there, until all is known."""
    while True:
        app.session_state[VERDICTS_KEY] = {"asked": {"at": at, "would": would, "moment": next(moments)}}
        app.run()
        assert not app.exception
        answer = sent(app, "answer")["answer"]
        if answer is None or answer["preview"] is None or answer["preview"]["state"] != "working":
            return answer
        app.session_state["changed_cuts"].join(LIMIT)


def would_of(answer, column):
    """Return the browser's message when a column's change is pressed."""
    change = answer["cells"][column]["change"]
    return {"column": column, "hashes": answer["hashes"], "values": change["values"]}


def columns_of(app):
    return app.session_state["choices"]["compare"].columns


def test_nothing_changes_before_it_is_applied_and_undo_brings_all_back(app):
    settled(app)
    before = [column.copy() for column in columns_of(app)]
    answer = ask(app, 2)
    assert answer["preview"] is None
    would = would_of(answer, 1)
    preview = ask(app, 2, would)["preview"]
    assert (preview["column"], preview["values"]) == (1, {"amount": 79.0})
    assert (preview["state"], preview["added"], preview["removed"]) == ("done", [], [2.0, 14.0])
    assert preview["said"] == ["known boundaries: as before"]
    assert columns_of(app) == before
    assert "c2.amount" not in dict(app.query_params)
    # Once the user has left it, nothing more is found out for it; when it is wanted again, it is.
    ask(app, None)
    assert app.session_state["changed_cuts"].cancelled()
    assert ask(app, 2, would)["preview"] == preview

    tell(app, "reader", "change", column=1, values={"amount": 79})
    settled(app)
    assert app.query_params["c2.amount"] == "79"
    assert widget(app.slider, "1/breakpoint/amount/None").value == 79
    # What was asked about the results of before is not answered about those of now.
    answer = ask(app, 2, would)
    assert answer["preview"] is None
    assert not answer["cells"][1]["cut"]
    assert [cell["undo"] for cell in answer["cells"]] == ["", "Column 2: percentile of distance 79", ""]
    press(app, "Undo")
    assert columns_of(app) == before
    tell(app, "reader", "change", column=1, values={"amount": 79})
    tell(app, "reader", "change", undo=True)
    assert columns_of(app) == before
    assert ask(app, 2)["cells"][1]["undo"] == ""


def test_known_boundaries_that_are_found_are_named_and_so_are_those_that_are_lost(app):
    app.query_params.update({"c1": "breakpoint", "c1.amount": "90"})
    settled(app)
    document = app.session_state["split_document"]
    known = convert_offsets_to_sentence_positions(document, load_sample("stubs").known)
    places = {place: ask(app, place) for place in known}
    cells = {place: answer["cells"][0] for place, answer in places.items() if answer["cells"][0]["change"]}
    kept = next(place for place, cell in cells.items() if not cell["cut"])
    preview = ask(app, kept, would_of(places[kept], 0))["preview"]
    assert kept in preview["added"]
    assert preview["found"] == [place for place in preview["added"] if place in known]
    assert preview["lost"] == []
    assert preview["said"][0].startswith(f"known boundaries: {len(preview['found'])} found (before “")
    cut = next(place for place, cell in cells.items() if cell["cut"])
    preview = ask(app, cut, would_of(places[cut], 0))["preview"]
    assert preview["lost"] == [place for place in preview["removed"] if place in known]
    assert cut in preview["lost"]
    assert f"{len(preview['lost'])} lost (before “" in preview["said"][0]


def test_kept_questions_that_are_lost_are_named(app):
    app.query_params["ask_limit"] = "top1"
    settled(app)
    text = app.session_state["split_document"].text
    app.session_state["store_asked"] = {"asked": {"question": "How is a starter fed?", "moment": next(moments)}}
    app.run()
    start = text.index("A starter of flour")
    end = text.index("Halley's Comet.")
    tell(app, "reader", "answer", start=start, end=end)
    answer = ask(app, 3)
    column = next(number for number, cell in enumerate(answer["cells"]) if cell["change"] and not cell["cut"])
    preview = ask(app, 3, would_of(answer, column))["preview"]
    assert preview["said"][-1].startswith("1 kept question: ")


@pytest.mark.parametrize(
    "change",
    [
        {"column": 9, "values": {"amount": 79}},
        {"column": -1, "values": {"amount": 79}},
        {"column": 1, "values": {"size": 2}},
        {"column": 1, "values": {"amount": 1e9}},
        {"column": 1, "values": {"amount": "79"}},
        {"column": "1", "values": {"amount": 79}},
        {"column": 1, "values": {"amount": 79, "size": 2}},
        {"column": 1, "values": [79]},
        {},
    ],
)
def test_a_change_that_the_column_does_not_take_does_nothing(app, change):
    settled(app)
    before = [column.copy() for column in columns_of(app)]
    answer = ask(app, 2)
    assert ask(app, 2, {"hashes": answer["hashes"], **change})["preview"] is None
    tell(app, "reader", "change", **change)
    assert not app.exception
    assert columns_of(app) == before


SIZES = [{}, {"min_size": 2, "size_unit": "sentences"}, {"max_size": 3, "size_unit": "sentences"}]
SETTINGS = st.one_of(
    st.builds(
        lambda threshold, share, sizes: ("breakpoint", {"threshold": threshold, "amount": share, **sizes}),
        st.just("percentile"),
        st.integers(2, 200).map(lambda step: step / 2),
        st.sampled_from(SIZES),
    ),
    st.builds(
        lambda size, overlap: ("fixed_sentences", {"size": size, "overlap": min(overlap, size - 1)}),
        st.integers(1, 8),
        st.integers(0, 3),
    ),
    st.builds(
        lambda initial, appending, merging: (
            "double_pass",
            {"initial_threshold": initial, "appending_threshold": appending, "merging_threshold": merging},
        ),
        *[st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.9, 1.0])] * 3,
    ),
    st.builds(
        lambda hard, sizes: ("max_min", {"hard_threshold": hard, **sizes}),
        st.sampled_from([0.2, 0.5, 0.6, 0.9]),
        st.sampled_from(SIZES),
    ),
    st.sampled_from([("recursive", {"size": 100}), ("structure", {}), ("optimal", {}), ("change_point", {})]),
)
TEXTS = st.lists(st.integers(0, 120), min_size=2, max_size=14).map(lambda angles: "\n".join(map(str, angles)))


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(TEXTS, SETTINGS, st.lists(st.integers(1, 12)))
def test_every_change_that_is_offered_does_what_its_button_and_its_preview_say(text, setting, marks):
    name, parameters = setting
    document, embedder = Document.from_text(text, "lines").split(), AngleEmbedder()
    made = tools(embedder)
    chunker = build_chunker(name, parameters)
    before = run_and_time_chunker(chunker, document, made)
    task = ChunkingTask.of(document, embedder, "words", chunker)
    choice = ColumnChoice(name, dict(parameters))
    known = tuple(sorted({document.starts[mark] for mark in marks if mark < len(document.starts)}))
    answer = check_and_trim_answer_span(document.text, 0, len(document.text))
    questions = (
        PosedQuestion("30", check_and_trim_answer_span(document.text, *document.sentences[0])),
        PosedQuestion("60", answer),
    )
    search = SearchSettings("bm25", Limit(top=1))
    for gap in before.gaps:
        (at,) = convert_offsets_to_sentence_positions(document, [gap.start_after(document)])
        cell = verdict_cell(ColumnResult(choice, chunker, task, before), document, at, embedder)
        if cell is None or cell["change"] is None:
            continue
        changed = choice.copy()
        assert set_parameters_if_all_valid(changed, cell["change"]["values"]) == cell["change"]["values"]
        other = build_chunker(changed.chunker, changed.parameters)
        after = run_and_time_chunker(other, document, made)
        there = {(new_gap.index, new_gap.offset): new_gap.verdict.is_cut for new_gap in after.gaps}
        assert there[gap.index, gap.offset] is not gap.verdict.is_cut, (gap, cell)
        assert ("would cut here" in cell["change"]["words"]) is not gap.verdict.is_cut
        job = ChangedCuts(task, before, other, questions, search, known, None if not chunker.embeds else embedder, False)
        job._do_work()
        old, new = set(cut_offsets(before)), set(cut_offsets(after))
        assert job.change == CutChange(
            *(tuple(sorted(places)) for places in (new - old, old - new, (new - old) & {*known}, (old - new) & {*known}))
        )
        ruler = token_ruler_of_document(document, "words")
        assert job.answers_whole == [
            *zip(
                *(
                    whole_answer_retrieved_per_question(chunking, questions, search, made, ruler)
                    for chunking in (before, after)
                ),
                strict=True,
            )
        ]
