"""The server's answer about a place: the verdict of every column, and the change that would reverse it."""

from chunkers import Breakpoint, Document, FixedSentences
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.fixed_windows import FixedCharacters
from tests.support import AngleEmbedder, tools
from tests.viz.app_steps import sent, settled
from viz.components.browser_exchange import convert_offsets_to_sentence_positions
from viz.shell.card.verdicts import VERDICTS_KEY, gap_at_axis_position, verdict_cell
from viz.shell.column_runs_and_results import ColumnResult
from viz.state.choices import ColumnChoice


def ask(app, at):
    app.session_state[VERDICTS_KEY] = {"asked": {"at": at, "moment": 1.0}}
    app.run()
    assert not app.exception
    return sent(app, "answer")["answer"]


def test_nothing_is_said_before_anything_is_asked(app):
    settled(app)
    assert sent(app, "answer")["answer"] is None


def test_every_column_says_what_it_decided_and_what_would_change_it(app):
    settled(app)
    answer = ask(app, 2)
    assert answer["at"] == 2
    assert answer["hashes"] == [column["hash"] for column in sent(app, "columns")["columns"]]
    fixed, breakpoint_, double = answer["cells"]
    change = {"margin": "", "words": "size 2 would cut here", "values": {"size": 2}}
    counted = ["chunk so far: 2 of 4 sentences"]
    reason = "fewer than 4 sentences so far"
    assert fixed == {"cut": False, "reason": reason, "formula": counted, "change": change, "undo": ""}
    assert (breakpoint_["cut"], breakpoint_["reason"]) == (True, "0.73 > 0.72")
    change = {"margin": "by 0.013", "words": "percentile 79 would keep it", "values": {"amount": 79.0}}
    assert breakpoint_["change"] == change
    assert (double["cut"], double["reason"]) == (False, "0.54 > merging 0.30")
    # What is suggested is so.
    app.slider(key="1/breakpoint/amount/None").set_value(78.5).run()
    assert ask(app, 2)["cells"][1]["cut"]
    app.slider(key="1/breakpoint/amount/None").set_value(79.0).run()
    kept = ask(app, 2)["cells"][1]
    assert not kept["cut"]
    assert kept["change"]["words"] == "percentile 78.5 would cut here"


def test_places_out_of_the_text_have_no_answer(app):
    settled(app)
    for at in (0, -1, 16, 1e9, "2", None):
        assert ask(app, at) is None


def test_a_column_without_a_result_has_no_cell():
    document = Document.from_text("0 aaaa.\n10 bbbb.", "lines")
    assert verdict_cell(ColumnResult(ColumnChoice("breakpoint"), error="It is wrong."), document, 1, None) is None


def test_a_gap_is_found_by_its_place_on_the_axis():
    document = Document.from_text("0 aaaa bbbb.\n10 cccc.\n90 dddd.", "lines")
    for chunker in (FixedSentences(size=2), Breakpoint(amount=50)):
        chunking = run_and_time_chunker(chunker, document, tools(AngleEmbedder()))
        assert [gap_at_axis_position(chunking, document, place) for place in (1, 2)] == [*chunking.gaps]
        assert gap_at_axis_position(chunking, document, 0.5) is None
    inside = run_and_time_chunker(FixedCharacters(size=6, overlap=0), document, tools(AngleEmbedder()))
    cuts = [gap for gap in inside.gaps if gap.offset is not None]
    assert len(cuts) > 2
    for gap in cuts:
        (place,) = convert_offsets_to_sentence_positions(document, [gap.offset])
        assert gap_at_axis_position(inside, document, place) == gap
