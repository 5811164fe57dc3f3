"""The Guide's pictures of a chunker: whatever the text, every number is what the library says of it."""

import re

import pytest

from chunkers import CHUNKERS, Document, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from evaluation.segmentation.boundary_measures import cut_offsets
from evaluation.segmentation.chunk_statistics import count_found_missed_added
from tests.support import AngleEmbedder, HashEmbedder, tools
from tests.viz.app_steps import sent, settled
from viz.guide.chunker_pictures import (
    EXAMPLE_BY_CHUNKER,
    SIX_SENTENCE_TEXT,
    _run_chunker,
    known_failure_picture,
    pictures_of_chunker,
    pictures_of_run,
)

TEXTS = {
    "six": SIX_SENTENCE_TEXT,
    "angles": "0 a\n10 b\n80 c\n\n90 d\n170 e\n180 f\n",
    "long": "".join(f"{angle} is the angle of word{angle}.\n" for angle in (0, 5, 40, 41, 90, 95, 150, 10)),
    "two": "One short line.\nAnother one.\n",
    "one": "A single line.\n",
}
EMBEDDERS = {"six": HashEmbedder, "angles": AngleEmbedder, "long": AngleEmbedder, "two": HashEmbedder, "one": HashEmbedder}


def words_of(pictures):
    return [(picture["said"], picture["formula"], [gap["said"] for gap in picture["gaps"]]) for picture in pictures]


def cut(name, text, made):
    document = Document.from_text(TEXTS[text], "lines")
    return document, run_and_time_chunker(build_chunker(name, dict(EXAMPLE_BY_CHUNKER[name].parameters)), document, made)


def test_every_chunker_that_asks_no_model_has_pictures():
    assert {*EXAMPLE_BY_CHUNKER} == {*CHUNKERS}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", EXAMPLE_BY_CHUNKER)
def test_every_number_is_the_librarys(name, text):
    made = tools(EMBEDDERS[text]())
    document, chunking = cut(name, text, made)
    whole, measured, example, decided, chunks = pictures_of_run(name, TEXTS[text], made)
    sentences = [*document.sentence_texts]
    for shown in (whole, measured, decided, chunks):
        assert ["".join(part["text"] for part in row["parts"]) for row in shown["rows"]] == sentences
    # The decisions are the ledger's, word for word, and the gauges are in proportion to its scores and thresholds.
    gaps = [gap for gap in chunking.gaps if gap.offset is None]
    assert [gap["said"].endswith(decision.reason) for gap, decision in zip(decided["gaps"], gaps, strict=True)] == [
        True
    ] * len(gaps)
    assert [gap["cut"] for gap in decided["gaps"]] == [decision.verdict.is_cut for decision in gaps]
    for decision in chunking.gaps:
        if decision.offset is not None and decision.index < len(gaps):
            assert decision.reason in decided["gaps"][decision.index]["said"]
    places = [
        (place, value)
        for gap, decision in zip(decided["gaps"], gaps, strict=True)
        for place, value in ((gap["share"], decision.score), (gap["line"], decision.threshold))
        if place is not None
    ]
    assert [place for place, _ in sorted(places)] == [
        place for place, _ in sorted(places, key=lambda pair: (pair[1], pair[0]))
    ]
    # What is measured is the first score of each decision, or every sentence's distance from the centres.
    if not EXAMPLE_BY_CHUNKER[name].unit:
        clusters = chunking.clusters
        scores = [decision.score if (first := decision.why.steps()[0].score) is None else first for decision in gaps]
        wanted = [f"{score:.2f}".replace("-", "−") for score in scores if score is not None]
        if clusters is not None and clusters.other:
            wanted = [f"{number:.2f}" for pair in zip(clusters.own, clusters.other, strict=True) for number in pair]
        assert re.findall(r"−?\d+\.\d\d", " ".join(gap["said"] for gap in measured["gaps"])) == wanted
    # The chunks are its chunks.
    held = {
        number: "".join(part["text"] for row in chunks["rows"] for part in row["parts"] if number in part["chunks"])
        for number in range(len(chunking))
    }
    assert ["".join(held[number].split()) for number in held] == ["".join(chunk.text.split()) for chunk in chunking]
    assert f"{len(chunking)} chunk" in "".join(piece["text"] for piece in chunks["said"][0])
    # One gap in numbers ends with the ledger's reason.
    if chunking.gaps:
        reasons = {f"{decision.reason}: {'cut' if decision.verdict.is_cut else 'no cut'}" for decision in chunking.gaps}
        assert example["formula"][-1] in reasons


@pytest.mark.parametrize("text", ["six", "long"])
@pytest.mark.parametrize("name", [name for name in EXAMPLE_BY_CHUNKER if EXAMPLE_BY_CHUNKER[name].unit])
def test_sizes_are_counted_by_the_tokenizer(name, text):
    made = tools(EMBEDDERS[text](), "words")
    document, chunking = cut(name, text, made)
    measured = pictures_of_run(name, TEXTS[text], made)[1]
    for gap, sentence in zip(measured["gaps"], document.sentences[:-1], strict=True):
        begin = max(chunk.start for chunk in chunking if chunk.start < sentence.end)
        inside = document.text[begin : sentence.end].strip()
        unit = EXAMPLE_BY_CHUNKER[name].unit
        if unit == "sentences":
            count = sum(sentence_text in inside for sentence_text in document.sentence_texts)
        else:
            (count,) = load_tokenizer(unit).count([inside])
        size = EXAMPLE_BY_CHUNKER[name].parameters.get("size") or EXAMPLE_BY_CHUNKER[name].parameters["max_size"]
        assert gap["said"].startswith(f"{count} of {size} ")
        assert gap["share"] / gap["line"] == pytest.approx(count / size)


@pytest.mark.model
@pytest.mark.parametrize("name", EXAMPLE_BY_CHUNKER)
def test_the_known_failure_fails(name, real_tools):
    sections, parameters = EXAMPLE_BY_CHUNKER[name].failure_example
    known = tuple(sum(map(len, sections[: number + 1])) for number in range(len(sections) - 1))
    _, _, chunking = _run_chunker(name, "".join(sections), parameters, real_tools)
    found, missed, added = count_found_missed_added(cut_offsets(chunking), known)
    scattered = [chunk for chunk in chunking if len(chunk.spans) > 1]
    assert missed or added or scattered
    shown = known_failure_picture(name, real_tools)
    words = "".join(piece["text"] for piece in shown["said"][0])
    assert CHUNKERS[name].failure in words
    assert (f"{found} found; {added} cut" in words) if known else (f"One subject, in {len(chunking)} chunks" in words)
    assert [gap["said"] for gap in shown["gaps"]].count("new subject") == len(known)
    # The pictures of the page are those of the bundled model; vectors differ in their last digits from batch to batch.
    assert words_of(pictures_of_chunker(name)) == words_of(
        [*pictures_of_run(name, EXAMPLE_BY_CHUNKER[name].text, real_tools), shown]
    )


@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("turns", ["new turn of BEN; together 31 > 30 tokens", "turn of BEN joined: together 26 ≤ 30 tokens"]),
        (
            "code",
            ["between a statement and a return statement of def dry; together 22 > 20 tokens", "inside the function seal"],
        ),
    ],
)
def test_turns_and_code_show_a_text_that_has_them(name, reasons):
    decided = " ".join(gap["said"] for gap in pictures_of_chunker(name)[3]["gaps"])
    assert all(reason in decided for reason in reasons)


def test_the_page_has_the_pictures(app):
    app.query_params.update({"c1": "max_min", "embedder": "tfidf"})
    app.switch_page("pages/guide.py")
    settled(app)
    assert sent(app, "pictures")["small"]
    assert sent(app, "pictures")["pictures"] == pictures_of_chunker("max_min")
