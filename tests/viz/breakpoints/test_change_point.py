"""Change points on the Breakpoints page: its steps are the places of the best partition, with their numbers."""

import itertools

import numpy as np
import pytest

from chunkers import Document, Verdict, build_chunker
from chunkers.building_blocks.sentence_distances import SHUFFLE_COUNT
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import HashEmbedder, tools
from tests.viz.breakpoints.test_page import notices, opened, reader_of, steps_of
from viz.breakpoints.decision_steps_by_chunker import change_point_chunker_steps

SETTINGS = {
    "auto": {},
    "sentences": {"cuts_at": "sentences", "penalty": 0.6},
    "chunks": {"cuts_at": "sentences", "chunks": 4},
    "sized": {"cuts_at": "sentences", "penalty": 0.6, "min_size": 200, "max_size": 400},
    "cut": {"cuts_at": "sentences", "penalty": 0.6, "max_size": 90, "oversize": "recursive"},
}


def told(name, **parameters):
    """Return the chunker, its result, the sentences' vectors and the steps."""
    sample = load_sample(name)
    document = Document.from_text(sample.text, sample.sentences)
    chunker, common = build_chunker("change_point", parameters), tools(HashEmbedder())
    chunking = run_and_time_chunker(chunker, document, common)
    vectors = common.embed(document.sentence_texts).astype(np.float64)
    return chunker, chunking, vectors, change_point_chunker_steps(chunking, chunker, 0.02)


def cost(vectors):
    return float(((vectors - vectors.mean(axis=0)) ** 2).sum())


def row(step, name):
    return dict(map(tuple, step["numbers"])).get(name)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("name", samples())
def test_every_gain_is_what_the_cut_lowers_the_costs_by(name, settings):
    _, chunking, vectors, (opening, *steps) = told(name, **settings)
    assert opening["placed"] == (0, 0)
    decided = {gap.index: gap for gap in chunking.gaps if gap.offset is None}
    for step in steps:
        gap = decided.get(step["mark"]["gap"])
        if gap is None or row(step, "gain") is None:
            continue
        assert step["story"][0] == gap.reason
        assert step["prediction"]["right"] == gap.verdict.is_cut
        before, after, both, apart = (float(word.replace(",", "")) for word in row(step, "gain").split()[:7:2])
        first, last = gap.index + 1 - int(before), gap.index + 1 + int(after)
        left, right = vectors[first : gap.index + 1], vectors[gap.index + 1 : last]
        assert both == len(left) + len(right)
        gain = cost(vectors[first:last]) - cost(left) - cost(right)
        assert row(step, "gain").endswith(f"= {gain:.3f}") or gain == pytest.approx(gap.score, abs=6e-4)
        assert apart == pytest.approx(float(((left.mean(axis=0) - right.mean(axis=0)) ** 2).sum()), abs=6e-4)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("name", samples())
def test_no_cut_is_left_out_and_the_text_is_placed_up_to_the_next_place(name, settings):
    _, chunking, _, (_, *steps) = told(name, **settings)
    assert sum(step["tone"] == "cut" for step in steps) == len(chunking.chunks) - 1
    for step, following in itertools.pairwise(steps):
        assert step["placed"][1] == following["mark"]["gap"] + 1
    if steps:
        assert steps[-1]["placed"][1] == len(chunking.document.sentences)


def test_the_null_is_said_with_its_numbers():
    chunker, chunking, _, (opening, *_) = told("article", cuts_at="sentences")
    penalty, null = chunking.curves[0].lines[0].level, chunking.curves[0].null
    assert opening["title"] == f"A cut must gain more than {penalty:.2f}"
    assert opening["story"][0].startswith(f"In {SHUFFLE_COUNT} shuffles of the sentences")
    assert row(opening, "shuffles") == f"the middle half gains {null.low:.2f} to {null.high:.2f} a cut"
    assert not chunker.idle() & {"caution"}
    assert told("article", penalty=0.5)[3][0]["title"] == "A cut must gain 0.50"
    assert told("article", cuts_at="sentences", chunks=4)[3][0]["title"] == "The best 4 chunks"


def test_in_paragraphs_only_their_beginnings_are_steps():
    chunker, chunking, _, (_, *steps) = told("article")
    places = chunker.places(chunking.document)
    assert len(places) < len(chunking.document.sentences) - 1
    assert [step["mark"]["gap"] + 1 for step in steps] == places


def test_the_page_steps_through_it(app):
    opened(app, embedder="tfidf", document="three_topics", sentences="spacy", c1="change_point", view="steps")
    assert reader_of(app)["curve"]["label"] == "gain of a cut"
    assert not notices(app)
    opening, *steps = steps_of(app)
    assert opening["title"].startswith("A cut must gain more than")
    assert {step["title"].rpartition(": ")[2] for step in steps} <= {str(verdict) for verdict in Verdict}
