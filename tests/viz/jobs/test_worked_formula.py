"""The formula of a decision with its values: the numbers that are written give the ledger's score, whatever the text."""

import re

import pytest

from chunkers import Document, Tools, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.results.parent_chunks import find_chunk_indices_with_children
from chunkers.support.errors import Cancelled
from sample_docs import load_sample
from tests.support import AngleEmbedder, HashEmbedder, tools
from viz.jobs.formula_with_values import MOST_SIMILARITIES, decision_in_words, worked_formula
from viz.jobs.shared_resources import ALWAYS_CANCELLED_WATCHER

TEXTS = {
    "angles": Document.from_text("0 a\n10 b\n80 c\n\n90 d\n170 e\n180 f\n", "lines"),
    "long": Document.from_text("".join(f"{angle} is word{angle}.\n" for angle in (0, 5, 40, 41, 90, 95, 150, 10)), "lines"),
    "article": Document.from_text(load_sample("article").text, "regex"),
}

SCORED = {
    "breakpoint": [
        {},
        {"buffer": 2},
        {"threshold": "gradient", "amount": 80.0},
        {"threshold": "absolute_gradient", "amount": 0.1, "buffer": 1},
        {"threshold": "slope", "amount": 1.0},
        {"threshold": "depth", "amount": 0.5},
        {"min_size": 2, "max_size": 3, "size_unit": "sentences"},
    ],
    "target_size": [{"size": 20}, {"size": 20, "buffer": 0}],
    "single_linkage": [{}],
    "dbscan": [{}],
    "max_min": [{}, {"hard_threshold": -1.0}],
    "optimal": [{"max_size": 60, "pieces": "sentences"}, {"max_size": 40, "piece_size": 10}],
    "change_point": [{"cuts_at": "sentences"}, {"penalty": 0.2, "cuts_at": "sentences"}],
}


def numbers(line):
    return [float(number.replace("−", "-")) for number in re.findall(r"[−-]?\d+\.\d\d", line)]


def decided(name, parameters, document, embedder):
    chunker, made = build_chunker(name, parameters), tools(embedder)
    return chunker, run_and_time_chunker(chunker, document, made), made


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("name", "parameters"), [(name, parameters) for name, several in SCORED.items() for parameters in several]
)
def test_the_values_put_in_give_the_score(name, parameters, text):
    embedder = HashEmbedder() if text == "article" else AngleEmbedder()
    chunker, chunking, made = decided(name, parameters, TEXTS[text], embedder)
    gaps = [gap for gap in chunking.gaps if gap.offset is None and gap.score is not None]
    assert gaps
    shown = {gap.index: worked_formula(chunker, chunking, gap, made) for gap in gaps}
    if "max_size" not in parameters:
        assert all(shown.values())
    for gap in gaps:
        if shown[gap.index]:
            *_, last = shown[gap.index]
            result = max(numbers(last)) if last.startswith("greatest of e") else numbers(last)[-1]
            assert result == pytest.approx(gap.score, abs=0.0051)


def test_where_a_parent_ends_its_own_size_is_counted():
    chunker, chunking, made = decided("recursive", {"size": 60, "parent_size": 300}, TEXTS["article"], None)
    parent = chunking.chunks[find_chunk_indices_with_children(chunking.chunks)[0]]
    ends = next(gap for gap in chunking.gaps if "parent size" in gap.reason)
    assert worked_formula(chunker, chunking, ends, made)[0] == f"chunk so far: {len(parent.text)} of 300 characters"
    inside = next(gap for gap in chunking.gaps if gap.verdict.is_cut and "parent size" not in gap.reason)
    assert worked_formula(chunker, chunking, inside, made)[0].endswith(" of 60 characters")


def test_a_text_has_more_similarities_than_are_written():
    chunker, chunking, made = decided("max_min", {"hard_threshold": -1.0, "relaxation": 0.0}, TEXTS["long"], AngleEmbedder())
    lines = [worked_formula(chunker, chunking, gap, made)[0] for gap in chunking.gaps]
    assert [len(re.findall(r"e\S+ · e", line)) for line in lines] == [1, 2, 3, MOST_SIMILARITIES, 1, 1, 1]
    assert lines[-1].startswith(f"greatest of {len(chunking.gaps)} similarities: e")


def test_every_comparison_of_double_pass_is_written():
    chunker, chunking, made = decided("double_pass", {}, TEXTS["article"], HashEmbedder())
    for gap in chunking.gaps:
        compared = [comparison.similarity for comparison in chunking.comparisons if comparison.right.start == gap.index + 1]
        lines = worked_formula(chunker, chunking, gap, made)
        assert [numbers(line)[0] for line in lines] == pytest.approx(compared, abs=0.0051)
    assert any(worked_formula(chunker, chunking, gap, made) for gap in chunking.gaps)


def test_the_open_chunk_is_the_one_that_ends_at_the_cut():
    text = Document.from_text("a b c\nd e f\ng h i\nj k l\n", "lines")
    chunker, chunking, made = decided("fixed_sentences", {"size": 2, "overlap": 1}, text, HashEmbedder())
    formulas = [worked_formula(chunker, chunking, gap, made) for gap in chunking.gaps]
    assert [lines[0] for lines in formulas][1:] == ["chunk so far: 2 of 2 sentences"] * 2
    chunker, chunking, made = decided("fixed_words", {"size": 4, "overlap": 0}, text, HashEmbedder())
    assert [worked_formula(chunker, chunking, gap, made) for gap in chunking.gaps if gap.offset is None] == [
        ["chunk so far: 3 of 4 words", "with the next sentence: 6 words"],
        ["chunk so far: 2 of 4 words", "with the next sentence: 5 words"],
        ["chunk so far: 1 of 4 words", "with the next sentence: 4 words"],
    ]


def test_nothing_is_embedded_that_is_not_cached():
    chunker, chunking, _ = decided("breakpoint", {}, TEXTS["long"], AngleEmbedder())
    unheard = Tools(AngleEmbedder(), load_tokenizer("words"), watcher=ALWAYS_CANCELLED_WATCHER)
    with pytest.raises(Cancelled):
        worked_formula(chunker, chunking, chunking.gaps[0], unheard)


def test_the_result_names_reason_and_verdict():
    _, chunking, _ = decided("breakpoint", {}, TEXTS["long"], AngleEmbedder())
    assert {decision_in_words(gap) for gap in chunking.gaps} == {
        f"{gap.reason}: {'cut' if gap.verdict.is_cut else 'no cut'}" for gap in chunking.gaps
    }
