"""A result that breaks a promise is found by the check of that promise."""

from dataclasses import replace

import pytest

from chunkers import Chunk, Document, Reason, Span, Verdict, build_chunker
from tests.properties import promises
from tests.support import cut, tools

TEXT = "The tide comes in.\nThe keeper writes.\nSalt is white.\nA clock stops.\nMaps fade."
SETTINGS = {"threshold": "percentile", "amount": 40, "max_size": 60, "min_size": 5}


def checks(chunking, chunker):
    """Return the names of the checks that the result does not pass."""
    failed = set()
    for name, check in {
        "chunks": lambda: promises.check_chunks(chunking, chunker),
        "gaps": lambda: promises.check_gaps(chunking, chunker),
        "numbers": lambda: promises.check_numbers(chunking),
        "reasons": lambda: promises.check_reasons(chunking),
        "verdicts": lambda: promises.check_verdicts(chunking, chunker, tools()),
        "sizes": lambda: promises.check_sizes(chunking, chunker, tools()),
    }.items():
        try:
            check()
        except AssertionError:
            failed.add(name)
    return failed


def with_chunks(change):
    return lambda result: replace(result, chunks=tuple(change(list(result.chunks))))


def with_gap(**changes):
    def changed(result):
        cut_at = next(place for place, gap in enumerate(result.gaps) if gap.verdict is Verdict.CUT)
        gaps = [*result.gaps]
        gaps[cut_at] = gaps[cut_at]._replace(**changes)
        return replace(result, gaps=tuple(gaps))

    return changed


def shorter(chunks):
    start, end = chunks[0].spans[0]
    return [Chunk((Span(start, end - 1),), TEXT[start : end - 1]), *chunks[1:]]


BROKEN = {
    "a chunk is lost": (with_chunks(lambda chunks: chunks[:-1]), {"chunks"}),
    "a chunk is there twice": (with_chunks(lambda chunks: [chunks[0], *chunks]), {"chunks"}),
    "a character is lost": (with_chunks(shorter), {"chunks"}),
    "a chunk has a text of its own": (
        with_chunks(lambda chunks: [chunks[0]._replace(text="a"), *chunks[1:]]),
        {"chunks"},
    ),
    "chunks are out of order": (with_chunks(lambda chunks: chunks[::-1]), {"chunks"}),
    "a gap is lost": (lambda result: replace(result, gaps=result.gaps[:-1]), {"gaps"}),
    "a gap is kept where a chunk begins": (with_gap(verdict=Verdict.KEPT), {"gaps", "verdicts"}),
    "a score is no number": (with_gap(score=float("nan")), {"numbers", "verdicts"}),
    "a reason compares what is not so": (with_gap(why=Reason("distance", 0.1, ">", 0.5)), {"reasons"}),
    "a reason shows equal figures": (with_gap(why=Reason("distance", 0.5, ">", 0.5)), {"reasons"}),
    "a reason shows two noughts": (with_gap(why=Reason("distance", 0.0, ">", -0.0)), {"reasons"}),
    "a size is named by no reason": (with_gap(verdict=Verdict.FORCED), {"verdicts"}),
    "a note is no sentence": (lambda result: replace(result, notes=("oh",)), {"numbers"}),
}


@pytest.fixture
def result():
    return cut(build_chunker("breakpoint", SETTINGS), TEXT)


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_promise_is_found(result, what):
    change, failed = BROKEN[what]
    assert failed <= checks(change(result), build_chunker("breakpoint", SETTINGS))


def test_a_kept_one_is_not(result):
    assert checks(result, build_chunker("breakpoint", SETTINGS)) == set()


def test_merges_that_do_not_give_the_chunks_are_found():
    chunker = build_chunker("double_pass", {"initial_threshold": -1, "appending_threshold": -1, "merging_threshold": -1})
    result = cut(chunker, TEXT)
    promises.check_merges(result, chunker)
    assert result.merges
    for broken in (result.merges[:-1], result.merges[::-1], [replace(result.merges[0], similarity=-2.0)]):
        with pytest.raises((AssertionError, KeyError)):
            promises.check_merges(replace(result, merges=tuple(broken)), chunker)


@pytest.mark.parametrize(
    ("chunker", "run_with", "promised"),
    [
        ("breakpoint", {"amount": 100}, {"amount": 100, "max_size": 20}),
        ("breakpoint", {"amount": 1}, {"amount": 1, "min_size": 30}),
        ("fixed_sentences", {"size": 3}, {"size": 2}),
        ("fixed_words", {"size": 5, "overlap": 0}, {"size": 4, "overlap": 0}),
        ("fixed_characters", {"size": 20}, {"size": 19}),
        ("fixed_tokens", {"size": 5}, {"size": 4}),
        ("recursive", {"size": 50}, {"size": 30}),
        ("recursive", {"size": 9, "unit": "words"}, {"size": 5, "unit": "words"}),
        ("optimal", {"max_size": 8, "piece_size": 4}, {"max_size": 4, "piece_size": 4}),
        ("double_pass", {"initial_threshold": -1}, {"initial_threshold": -1, "max_size": 20}),
        ("double_pass", {"initial_threshold": 1, "merging_threshold": 1}, {"min_size": 20}),
        ("single_linkage", {"max_distance": 1, "chunks": 1}, {"target_sentences": 1, "slack": 1}),
    ],
)
def test_a_size_that_is_passed_is_found(chunker, run_with, promised):
    chunking = cut(build_chunker(chunker, run_with), TEXT)
    assert "sizes" not in checks(chunking, build_chunker(chunker, run_with))
    assert "sizes" in checks(chunking, build_chunker(chunker, promised))


def test_a_chunk_of_optimal_is_longer_by_what_a_fence_in_it_cannot_be_parted_from():
    chunker = build_chunker("optimal", {"max_size": 2, "piece_size": 1})
    chunking = cut(chunker, "+++\r[a]\r\rb = 'C. D.'\r+++\r\rமணல். கடல்? அலை!\r✋️\r¨\U00093b5ao\t\x95洖")
    assert max(tools().count_tokens([chunk.text for chunk in chunking.chunks])) == 3
    assert "sizes" not in checks(chunking, chunker)
    assert "sizes" in checks(chunking, build_chunker("optimal", {"max_size": 1, "piece_size": 1}))


def test_sentences_that_leave_something_out_are_found(result):
    document = result.document
    promises.check_sentences(document)
    for spans in (document.sentences[1:], [*document.sentences, document.sentences[-1]], [Span(0, len(TEXT) + 1)]):
        # A document refuses such sentences itself.
        broken = Document(document.text, document.sentences, document.name)
        object.__setattr__(broken, "sentences", tuple(spans))
        with pytest.raises(AssertionError):
            promises.check_sentences(broken)
