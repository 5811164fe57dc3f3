"""The data that the reader sends to the browser."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Breakpoint, Chunking, Document, Gap, Reason, Span, Verdict, build_chunker
from chunkers.results.result import Chunk
from chunkers.results.titles_summaries_and_propositions import Proposition
from chunkers.text.extracted_text import TextParts
from tests.support import AngleEmbedder, cut
from viz.components.browser_exchange import convert_offsets_to_sentence_positions, utf16_offsets
from viz.components.browser_exchange import text_payload as source
from viz.components.reader.column_body import _ranges_without_leading_space as trimmed
from viz.components.reader.column_body import (
    chunk_colour_numbers,
    covering_chunks_by_range,
    score_curve_data,
    text_segments,
    unlocated_propositions_by_chunk,
)
from viz.components.reader.reader import HeadRow, ReaderColumn, ReaderResult, results_payload
from viz.theme.palette import CHUNK_COLOUR_COUNT

LINES = Document.from_text("Aa.\nBb.\nCc.\nDd.\nEe.", "lines")


def scattered(document=LINES):
    """Return sentences 0 and 2 as one chunk, 1 and 4 as another, 3 alone; cut at every gap but the last."""
    places = [[(0, 1), (2, 3)], [(1, 2), (4, 5)], [(3, 4)]]
    chunks = [Chunk.of(document, *(document.slice(*place) for place in chunk)) for chunk in places]
    gaps = [Gap(index, None, None, Verdict.CUT, Reason(remark=f"reason {index}")) for index in range(3)]
    return Chunking(document, tuple(chunks), (*gaps, Gap(3, None, None, Verdict.FORCED, Reason(remark="forced here"))))


@given(st.text(alphabet="aé€🌊👩\u200d\u0301\n", max_size=40))
def test_offsets_are_those_of_utf16(text):
    expected = [len(text[:offset].encode("utf-16-le")) // 2 for offset in range(len(text) + 1)]
    assert utf16_offsets(text, range(len(text) + 1)) == expected


def test_positions_on_the_axis_of_sentences():
    document = Document.from_text("abcd\n\nef", "lines")
    assert convert_offsets_to_sentence_positions(document, [0, 1, 2, 4, 5, 6, 7, 8]) == [0, 0.25, 0.5, 1, 1, 1, 1.5, 2]
    assert convert_offsets_to_sentence_positions(Document.from_text(" \n ", "lines"), [0, 2]) == [0, 0]
    assert convert_offsets_to_sentence_positions(Document.from_text("  ab", "lines"), [0]) == [0]


def test_covered_without_and_with_overlap():
    assert covering_chunks_by_range([[Span(0, 3)], [Span(4, 6)]]) == [(0, 3, [0]), (4, 6, [1])]
    assert covering_chunks_by_range([[Span(0, 5)], [Span(3, 8)], [Span(4, 6)]]) == [
        (0, 3, [0]),
        (3, 4, [0, 1]),
        (4, 5, [0, 1, 2]),
        (5, 6, [1, 2]),
        (6, 8, [1]),
    ]
    assert covering_chunks_by_range([]) == []


def test_covered_by_chunks_of_several_places():
    assert covering_chunks_by_range([[Span(0, 2), Span(5, 7)], [Span(3, 4)]]) == [(0, 2, [0]), (3, 4, [1]), (5, 7, [0])]
    assert covering_chunks_by_range([[Span(0, 2), Span(2, 4)]]) == [(0, 2, [0]), (2, 4, [0])]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), max_size=8))
def test_covered_names_the_chunks_over_every_character(places):
    spans = [[Span(start, start + length)] for start, length in places]
    ranges = covering_chunks_by_range(spans)
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))
    over = {at: chunks for start, end, chunks in ranges for at in range(start, end)}
    for at in range(60):
        assert over.get(at, []) == [number for number, [span] in enumerate(spans) if span.start <= at < span.end]


def test_no_range_begins_with_white_space():
    assert trimmed("ab  cd \n", [(0, 2, [0]), (2, 6, [1]), (6, 8, [1])]) == [(0, 2, [0]), (4, 6, [1])]


def test_a_chunk_of_several_places_keeps_number_and_colour_and_says_that_it_goes_on():
    made = text_segments(LINES, scattered(), None, frozenset())
    assert made["over"] == [[0], [1], [0], [2], [1]]
    assert made["split"] == [0, 1]
    assert made["label"] == [
        "chunk 1 begins",
        "cut: reason 0",
        "chunk 1 goes on · reason 1",
        "cut: reason 2",
        "chunk 2 goes on · forced here",
    ]
    assert made["start"] == LINES.starts


def test_where_nothing_begins_it_is_said_which_chunks_end():
    spans = [[(0, 3)], [(1, 2)], [(1, 4)]]
    chunks = tuple(Chunk.of(LINES, *[LINES.slice(*part) for part in parts]) for parts in spans)
    made = text_segments(LINES, Chunking(LINES, chunks, ()), None, frozenset())
    assert made["over"] == [[0], [0, 1, 2], [0, 2], [2]]
    assert made["label"][2:] == ["chunk 2 ends", "chunk 1 ends"]


def test_parents_stand_behind_their_children_and_say_where_they_begin():
    spans = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 5), (3, 5)]
    chunks = tuple(Chunk.of(LINES, LINES.slice(*part)) for part in spans)
    made = text_segments(LINES, Chunking(LINES, chunks, ()), None, frozenset())
    assert made["over"] == [[0, 1], [2, 1], [3, 4], [5, 4]]
    assert made["outer"] == [1, 1, 1, 1]
    assert (made["parentFrom"], made["parentTo"]) == ([0, 2], [2, 5])
    assert made["label"] == [
        "parent 1 begins · chunk 1 begins",
        "chunk 3 begins",
        "parent 2 begins · chunk 4 begins",
        "chunk 6 begins",
    ]
    assert [tone.split() for tone in made["tone"]] == [["parent"], [], ["parent"], []]
    grounds = made["colours"]
    assert grounds[0] != grounds[2] != grounds[3] != grounds[5]
    plain = text_segments(LINES, scattered(), None, frozenset())
    assert (plain["outer"], plain["parentFrom"], plain["parentTo"]) == ([], [], [])


def test_every_place_is_compared_with_the_known_boundaries():
    starts = LINES.starts
    made = text_segments(LINES, scattered(), frozenset([starts[1], starts[4]]), frozenset([starts[2]]))
    assert made["tone"][1:] == ["", "wrong fresh", "wrong ", ""]
    assert made["label"][2].endswith("goes on · reason 1 · not a known boundary")


def test_offsets_of_segments_are_utf16():
    document = Document.from_text("🌊a.\n🏁b.\nc.", "lines")
    made = text_segments(document, cut(build_chunker("fixed_sentences", {"size": 1}), document.text), None, frozenset())
    assert (made["start"], made["end"]) == ([0, 5, 10], [4, 9, 12])


def test_what_a_chunk_repeats_is_sent_once_and_named_where_a_chunk_begins():
    row = "| a | 1 |\n"
    text = f"| Name | Built |\n|---|---|\n{row * 9}\nWords.\n\n| Other |\n|---|\n{row * 9}"
    chunking = cut(build_chunker("structure", {"max_size": 24}), text, "lines")
    made = text_segments(chunking.document, chunking, None, frozenset())
    assert made["contexts"] == ["| Name | Built |\n|---|---|", "| Other |\n|---|"]
    contexts = [([""] + made["contexts"])[number] for number in made["context"]]
    assert contexts == [chunk.context for chunk in chunking.chunks]
    plain = cut(build_chunker("fixed_sentences", {}), text, "lines")
    made = text_segments(plain.document, plain, None, frozenset())
    assert (made["contexts"], made["context"]) == ([], [])


def test_what_a_model_wrote_stands_where_its_chunk_begins_in_the_browser_s_units():
    chunking = cut(build_chunker("propositions", {}), "🌊 One.\nTwo words.\nThree 🏁 more words.\nFour.")
    made = text_segments(chunking.document, chunking, None, frozenset())
    text = chunking.document.text.encode("utf-16-le")
    assert len(made["stated"]) == len(chunking)
    for number, (card, chunk) in enumerate(zip(made["stated"], chunking, strict=True)):
        assert number in made["over"][card["at"]]
        assert not any(number in over for over in made["over"][: card["at"]])
        assert card["title"] == chunk.stated.title
        for statement, proposition in zip(card["propositions"], chunk.stated.propositions, strict=True):
            source = text[2 * statement["start"] : 2 * statement["end"]].decode("utf-16-le")
            assert source == chunking.document.text[slice(*proposition.span)]
            assert statement["first"] <= statement["last"]
            assert (statement["text"], statement["remark"]) == (proposition.text, proposition.remark_on_source_match)
    assert not any(card["left_out"] for card in made["stated"])
    plain = cut(build_chunker("fixed_sentences", {}), "One.")
    assert text_segments(plain.document, plain, None, frozenset())["stated"] == []


def test_what_quotes_words_that_are_not_there_stands_in_the_card_of_the_sentence_that_is_named():
    chunking = cut(build_chunker("propositions", {}), "🌊 One.\nTwo words.\nThree 🏁 more words.\nFour.")
    document = chunking.document
    wrong = [Proposition(f"A queen {number}.", None, "nowhere", "a queen" * number, sentence=number) for number in range(4)]
    made = text_segments(document, replace(chunking, left_out=tuple(wrong)), None, frozenset())
    text = document.text.encode("utf-16-le")
    shown = [(number, statement) for number, card in enumerate(made["stated"]) for statement in card["left_out"]]
    assert sorted(statement["text"] for _, statement in shown) == [proposition.text for proposition in wrong]
    for number, statement in shown:
        sentence = int(statement["text"][-2])
        assert (statement["first"], statement["last"]) == (sentence, sentence)
        assert text[2 * statement["start"] : 2 * statement["end"]].decode("utf-16-le") == document.sentence_texts[sentence]
        assert statement["remark"] == ("quotes nothing" if sentence == 0 else f"quotes “{'a queen' * sentence}”")
        start, end = document.sentences[sentence]
        assert any(span.start < end and start < span.end for span in chunking.chunks[number].spans)
    # What names a sentence that is in no chunk is not lost.
    last = replace(chunking, chunks=chunking.chunks[:1], left_out=(wrong[-1],))
    assert unlocated_propositions_by_chunk(last) == {0: [(3, wrong[-1])]}


@pytest.mark.parametrize(
    ("name", "clusters"), [("kmeans", {"clusters": 4}), ("single_linkage", {}), ("dbscan", {"eps": 0.3})]
)
def test_clusters_are_shown_whole(name, clusters):
    text = "\n".join(f"{angle} degrees." for angle in (0, 90, 3, 170, 92, 1, 172, 45, 91))
    chunking = cut(build_chunker(name, clusters), text, embedder=AngleEmbedder())
    made = text_segments(chunking.document, chunking, None, frozenset())
    shown = [text[start:end] for start, end in zip(made["start"], made["end"], strict=True)]
    assert "\n".join(shown) == text
    for number, chunk in enumerate(chunking.chunks):
        assert "\n".join(part for part, over in zip(shown, made["over"], strict=True) if over == [number]) == chunk.text
    assert any(label.startswith("chunk 1 goes on · ") for label in made["label"])


def test_consecutive_chunks_go_round_the_colours():
    assert chunk_colour_numbers([[number] for number in range(20)], 20) == [
        number % CHUNK_COLOUR_COUNT for number in range(20)
    ]


@given(st.lists(st.integers(0, 7), max_size=30))
def test_neighbours_never_have_one_colour_while_there_are_enough(order):
    numbers = {chunk: number for number, chunk in enumerate(dict.fromkeys(order))}
    made = chunk_colour_numbers([[numbers[chunk]] for chunk in order], len(numbers))
    for left, right in pairwise(order):
        assert left == right or made[numbers[left]] != made[numbers[right]]


def test_payload_of_a_result_and_of_a_message():
    text = "0 a.\n10 b.\n90 c."
    chunker = Breakpoint(threshold="distance", amount=0.5)
    chunking = cut(chunker, text, embedder=AngleEmbedder())
    done = ReaderColumn(
        "Breakpoint",
        "distance",
        ReaderResult("one", chunker, chunking),
        (HeadRow("chunks", "2", "", "2 chunks"), HeadRow("time", "1 ms")),
        notes=("A note.",),
    )
    data = results_payload(chunking.document, [done, ReaderColumn("Other", "", message="Not yet.", tone="error")], [12])
    assert (data["known"], data["knownAt"]) == ([12], [2.2])
    first, second = data["columns"]
    assert (first["rows"], first["notes"]) == ([["chunks", "2", ""], ["time", "1 ms", ""]], ["A note."])
    assert first["brief"] == [["2 chunks", "", ""]]
    body = json.loads(first["body"])
    assert body["segments"]["start"] == [0, 11]
    assert body["curve"]["scores"] == pytest.approx([0.0152, 0.8264], abs=1e-4)
    assert [line["value"] for line in body["curve"]["lines"]] == [0.5]
    assert (second["body"], second["message"], second["tone"]) == ("", "Not yet.", "error")


def test_a_result_is_encoded_once_for_each_way_of_showing_it():
    chunking = scattered()
    result = ReaderResult("shown twice", build_chunker("kmeans", {}), chunking)
    plain = results_payload(LINES, [ReaderColumn("", "", result)], None)["columns"][0]
    again = results_payload(LINES, [ReaderColumn("", "", ReaderResult("shown twice", result.chunker, chunking))], None)[
        "columns"
    ][0]
    known = results_payload(LINES, [ReaderColumn("", "", result)], [4])["columns"][0]
    fresh = results_payload(LINES, [ReaderColumn("", "", result, new_cuts=frozenset([4]))], None)["columns"][0]
    assert again["body"] is plain["body"]
    assert len({plain["hash"], known["hash"], fresh["hash"]}) == 3


def test_the_text_goes_apart_behind_its_sentences():
    document = Document.from_text("🌊 a.\n\nb.", "lines")
    head, text = source(document).split(b"\n", 1)
    plain = {"looks": [], "headings": []}
    assert json.loads(head) == {"id": document.identity, "starts": [0, 7], "ends": [5, 9], **plain}
    assert text.decode() == document.text


def test_the_pages_go_with_the_text_in_the_units_of_the_browser():
    document = Document.from_text("🌊 a.\n\nb.", "lines", parts=TextParts("page", (0, 4, 5), ("iv", "1", "2" * 50)))
    head = json.loads(source(document).split(b"\n", 1)[0])
    assert head["id"] == document.identity != Document.from_text(document.text, "lines").identity
    assert head["pages"] == {"kind": "page", "starts": [0, 5, 6], "names": ["iv", "1", f"{'2' * 11}…"]}


@given(st.floats(1, 99).map(lambda amount: round(amount, 2)), st.integers(0, 3))
def test_a_line_says_where_its_amount_stands_in_the_settings(amount, buffer):
    chunker = Breakpoint(threshold="percentile", amount=amount, buffer=buffer)
    chunking = cut(chunker, "0 a.\n10 b.\n90 c.", embedder=AngleEmbedder())
    (line,) = score_curve_data(chunker, chunking, are_lines_movable=True)["lines"]
    before, after = line["around"]
    assert f"{before}{line['value']:g}{after}" == chunker.describe()
    (fixed,) = score_curve_data(chunker, chunking, are_lines_movable=False)["lines"]
    assert fixed["around"] is None
