"""What holds for every chunker, whatever the settings and the text."""

import pickle

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chunkers import ASKING, CHUNKERS, SPLITTERS, Document, Recipe, build_chunker
from chunkers.base import run
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.result import Verdict, end_before, start_after
from sample_docs import load_sample, sample_titles
from tests.support import HashEmbedder, tools

SETTINGS = [
    ("fixed_sentences", {}),
    ("fixed_sentences", {"size": 3, "overlap": 2}),
    ("fixed_sentences", {"chunks": 3}),
    ("fixed_sentences", {"chunks": 4, "overlap": 1}),
    ("fixed_sentences", {"size": 2, "min_size": 30, "max_size": 60}),
    ("fixed_sentences", {"size": 5, "max_size": 3, "size_unit": "words", "oversize": "recursive"}),
    ("fixed_words", {}),
    ("fixed_words", {"size": 4, "overlap": 0}),
    ("fixed_characters", {}),
    ("fixed_characters", {"size": 7}),
    ("fixed_characters", {"size": 20, "overlap": 19}),
    ("fixed_tokens", {}),
    ("fixed_tokens", {"size": 3, "overlap": 2}),
    ("recursive", {}),
    ("recursive", {"size": 20, "overlap": 10, "separators": "langchain"}),
    ("recursive", {"size": 7, "overlap": 3, "unit": "words", "separators": "markdown"}),
    ("recursive", {"size": 1}),
    ("recursive", {"size": 12, "unit": "tokens"}),
    ("recursive", {"size": 9, "overlap": 8, "separators": "langchain"}),
    ("structure", {}),
    ("structure", {"max_size": 12, "join_below": 5}),
    ("structure", {"max_size": 9, "inner": "breakpoint", "heading_levels": 1}),
    ("structure", {"max_size": 7, "inner": "change_point"}),
    ("structure", {"max_size": 6, "join_below": 1, "inner": "optimal"}),
    ("structure", {"max_size": 1}),
    *[("breakpoint", {"threshold": name}) for name in THRESHOLDS],
    ("breakpoint", {"amount": 40, "buffer": 2, "min_size": 2, "max_size": 4, "size_unit": "sentences"}),
    ("breakpoint", {"amount": 50, "max_size": 25}),
    ("breakpoint", {"amount": 50, "min_size": 3, "max_size": 9, "size_unit": "tokens", "oversize": "recursive"}),
    ("target_size", {}),
    ("target_size", {"size": 20, "unit": "words", "buffer": 0}),
    ("target_size", {"size": 60, "unit": "characters", "fit": "largest"}),
    ("double_pass", {}),
    ("double_pass", {"look_ahead": 2, "max_size": 80, "min_size": 10}),
    ("double_pass", {"vector": "re-embed", "initial_threshold": 0.2, "merging_threshold": 0.1}),
    ("double_pass", {"initial_threshold": 0.7, "appending_threshold": 0.6, "merging_threshold": 0.75}),
    ("double_pass", {"vector": "re-embed", "look_ahead": 2, "merging_threshold": 0.6, "max_size": 120}),
    ("double_pass", {"initial_threshold": -1, "appending_threshold": -1, "merging_threshold": -1, "max_size": 60}),
    ("max_min", {}),
    ("max_min", {"hard_threshold": 0.1, "relaxation": 0.5, "min_size": 8, "max_size": 90}),
    ("max_min", {"hard_threshold": -1, "relaxation": 2, "initial_factor": 3}),
    ("optimal", {}),
    ("optimal", {"max_size": 12, "piece_size": 3}),
    ("optimal", {"max_size": 5, "piece_size": 5}),
    ("change_point", {}),
    ("change_point", {"penalty": 0.2, "min_size": 10, "max_size": 90}),
    ("change_point", {"caution": "eager", "shuffled_runs": 2}),
    ("change_point", {"chunks": 3}),
    ("change_point", {"target_sentences": 2}),
    ("single_linkage", {}),
    ("single_linkage", {"chunks": 2, "max_distance": 1, "position_weight": 0}),
    ("single_linkage", {"position_weight": 1, "max_distance": 1}),
    ("dbscan", {}),
    ("dbscan", {"position_weight": 0, "eps": 0.1, "min_samples": 3}),
    ("kmeans", {}),
    ("kmeans", {"clusters": 7, "seed": 3}),
    ("llm", {}),
    ("llm", {"window": 10, "piece_size": 3}),
    ("lumber", {}),
    ("lumber", {"window": 10}),
    ("propositions", {}),
    ("propositions", {"window": 10, "before": 0, "batch": 2}),
]
OVERLAPPING = [
    (name, parameters)
    for name, parameters in SETTINGS
    # Of a sentence several things may be stated, which belong to several chunks.
    if name == "propositions" or parameters.get("overlap", 15 if name == "fixed_words" else 0)
]
INSIDE_SENTENCES = ("fixed_words", "fixed_characters", "fixed_tokens", "recursive", "structure", "optimal", "llm", "lumber")
OUT_OF_ORDER = ("single_linkage", "dbscan", "kmeans", "propositions")
ODD = [
    "🌊",
    "e\u0301",
    "שלום",
    "\r\n",
    "\n\n",
    " ",
    ". ",
    "? ",
    "word",
    "Dr. ",
    "a" * 300,
    "\0",
    "\u2028",
    "漢字。",
    "- item\n",
    "\n\n# Heading\n",
    "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "\n```\n",
    "\n$$\n",
]


def encodable(text):
    return not any("\ud800" <= character <= "\udfff" for character in text)


TEXTS = st.lists(st.sampled_from(ODD) | st.text(max_size=12), max_size=40).map("".join).filter(encodable)


def check(chunking, chunker, overlapping):
    document, text = chunking.document, chunking.document.text
    for chunk in chunking.chunks:
        parts = [text[span.start : span.end] for span in chunk.spans]
        if chunk.stated is None:
            assert chunk.text == "\n".join(parts)
        else:
            check_stated(chunking, chunk)
        assert all(part == part.strip() != "" for part in parts)
        assert list(chunk.spans) == sorted(chunk.spans)
        assert len(parts) == 1 or chunker.name in OUT_OF_ORDER
    assert [chunk.start for chunk in chunking.chunks] == sorted(chunk.start for chunk in chunking.chunks)
    spans = sorted(span for chunk in chunking.chunks for span in chunk.spans)
    starts = [span.start for span in spans]
    assert overlapping or len(set(starts)) == len(starts)
    times = [0] * len(text)
    for span in spans:
        for place in range(span.start, span.end):
            times[place] += 1
    for character, count in zip(text, times, strict=True):
        if not character.isspace():
            assert count == 1 or (overlapping and count > 1), f"{character!r} is in {count} chunks"
    at_gaps = [gap.index for gap in chunking.gaps if gap.offset is None]
    assert at_gaps == list(range(max(0, len(document.sentences) - 1)))
    order = [start_after(document, gap) for gap in chunking.gaps]
    assert order == sorted(order)
    assert all(gap.reason for gap in chunking.gaps)
    cuts = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    if overlapping and chunker.name == "fixed_sentences":
        assert [end_before(document, gap) for gap in cuts] == [chunk.end for chunk in chunking.chunks[:-1]]
    else:
        # Chunks that overlap may begin at the same place, which is one cut.
        assert [start_after(document, gap) for gap in cuts] == sorted(set(starts))[1:]
    if len(document.sentences) == 1 and not_limited(chunker):
        assert len(chunking.chunks) == 1
    check_limits(chunking, chunker)
    if chunker.name == "double_pass":
        check_merges(chunking, chunker)


def check_stated(chunking, chunk):
    """A generated chunk is its propositions, each of which comes from what the chunk holds."""
    document = chunking.document
    assert chunk.text == "\n".join(one.text for one in chunk.stated.propositions)
    for one in chunk.stated.propositions:
        assert any(start <= one.span.start < one.span.end <= end for start, end in chunk.spans)
        source = document.text[slice(*one.span)]
        assert source == {"word for word": one.quotation, "as it is": one.text}.get(one.tied, source)
    assert all(one.span is None for one in chunking.left_out)


def not_limited(chunker):
    return chunker.name not in INSIDE_SENTENCES and getattr(chunker, "max_size", None) is None


def check_limits(chunking, chunker):
    """Check the sizes of those chunkers that test_sizes does not."""
    if chunker.name == "recursive":
        # With words as tokens a chunk above the size is one that nothing makes smaller.
        measure = len if chunker.unit == "characters" else lambda text: len(text.split())
        assert all(measure(chunk.text) <= chunker.size for chunk in chunking.chunks)
    if chunker.name == "optimal":
        assert all(len(chunk.text.split()) <= chunker.max_size for chunk in chunking.chunks)
    if chunker.name == "structure":
        sizes = [len(f"{chunk.text} {chunk.context}".split()) for chunk in chunking.chunks]
        assert chunking.notes or all(size <= chunker.max_size for size in sizes)
    if chunker.name == "single_linkage":
        count = len(chunking.document.sentences)
        starts = {span.start for span in chunking.document.sentences}
        for chunk in chunking.chunks:
            held = sum(start in starts for span in chunk.spans for start in range(span.start, span.end))
            assert held <= chunker.cap(count)
    if chunker.name == "double_pass" and chunker.max_size is not None:
        alone = set(chunking.document.sentences)
        for chunk in chunking.chunks:
            words = " ".join(
                text
                for span, text in zip(chunking.document.sentences, chunking.document.sentence_texts, strict=True)
                if chunk.start <= span.start < chunk.end
            )
            length = len(chunk.text) if chunker.vector == "mean" else len(words)
            assert length <= chunker.max_size or chunk.spans[0] in alone


def check_merges(chunking, chunker):
    """Replay the merges on single sentences: they give the chunks, but for a minimum size."""
    groups = {number: number + 1 for number in range(len(chunking.document.sentences))}
    reach = {"merging": 0, "over a snippet": 1, "over two snippets": 2}
    for merge in chunking.merges:
        assert merge.similarity > merge.threshold
        assert groups[merge.left.start] == merge.left.end
        assert groups[merge.right.start] == merge.right.end
        between = [start for start in groups if merge.left.end <= start < merge.right.start]
        assert len(between) == reach.get(merge.kind, 0) <= chunker.look_ahead
        for start in (*between, merge.right.start):
            del groups[start]
        groups[merge.left.start] = merge.right.end
    if chunker.min_size is None:
        assert [chunking.document.slice(*group) for group in groups.items()] == [chunk.spans[0] for chunk in chunking.chunks]
    merged = [gap.index for gap in chunking.gaps if gap.verdict is Verdict.MERGED]
    second = [merge for merge in chunking.merges if merge.kind in reach]
    assert len(merged) == sum(reach[merge.kind] + 1 for merge in second)


def made(name, parameters):
    return build_chunker(name, parameters)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
@given(text=TEXTS, sentences=st.sampled_from([*SPLITTERS]))
@example(text="", sentences="spacy")
@example(text=" \n\t ", sentences="spacy")
@example(text="One sentence.", sentences="regex")
@example(text="Same. Same. Same. Same. Same.", sentences="regex")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_generated_texts(name, parameters, text, sentences):
    chunker = made(name, parameters)
    document = Document.from_text(text, sentences)
    chunking = run(chunker, document, tools())
    check(chunking, chunker, (name, parameters) in OVERLAPPING)
    again = run(chunker, document, tools())
    assert again == chunking
    assert hash(again) == hash(chunking)
    assert pickle.loads(pickle.dumps(chunking)) == chunking
    if not text.strip():
        assert chunking.chunks == ()


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_samples(sample, name, parameters):
    chunker = made(name, parameters)
    source = load_sample(sample)
    chunking = run(chunker, Document.from_text(source.text, source.sentences), tools())
    check(chunking, chunker, (name, parameters) in OVERLAPPING)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        (name, parameters)
        for name, parameters in SETTINGS
        if "max_size" in parameters and name not in ("structure", "optimal")
    ],
)
def test_limits_are_kept_or_the_reason_says_why(name, parameters):
    chunker = made(name, parameters)
    source = load_sample("article")
    chunking = run(chunker, Document.from_text(source.text, "spacy"), tools())
    if name == "double_pass":
        allowed = {span.end - span.start for span in chunking.document.sentences if span.end - span.start > chunker.max_size}
        sizes = [len(chunk.text) for chunk in chunking.chunks]
    else:
        allowed = set()
        unit = chunker.size_unit
        sizes = {
            "characters": [len(chunk.text) for chunk in chunking.chunks],
            "words": [len(chunk.text.split()) for chunk in chunking.chunks],
            "tokens": [len(chunk.text.split()) for chunk in chunking.chunks],
            "sentences": [
                sum(chunk.start <= span.start < chunk.end for span in chunking.document.sentences)
                for chunk in chunking.chunks
            ],
        }[unit]
    assert all(size <= chunker.max_size or size in allowed for size in sizes)
    reasons = " ".join(gap.reason for gap in chunking.gaps)
    if chunker.min_size and min(sizes) < chunker.min_size:
        assert "below minimum size" in reasons


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_breakpoint_cuts_exactly_beyond_its_line(threshold):
    source = load_sample("report")
    chunking = run(made("breakpoint", {"threshold": threshold}), Document.from_text(source.text, "spacy"), tools())
    (curve,) = chunking.curves
    for gap, score in zip(chunking.gaps, curve.scores, strict=True):
        if gap.score is None:
            assert not gap.verdict.is_cut
            continue
        beyond = gap.score > gap.threshold if curve.cut_above else gap.score < gap.threshold
        assert gap.score == score
        assert gap.verdict.is_cut == beyond


@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_a_recipe_gives_the_same_chunks(name, parameters):
    chunker = made(name, parameters)
    recipe = Recipe.of(chunker, "regex", HashEmbedder(), "words")
    read = Recipe.from_json(recipe.to_json())
    document = Document.from_text(load_sample("stubs").text, read.sentences)
    assert read.build() == chunker
    assert run(read.build(), document, tools()).chunks == run(chunker, document, tools()).chunks


def test_settings_cover_every_chunker():
    assert {name for name, _ in SETTINGS} == {*CHUNKERS, *ASKING}


@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_the_hooks_answer_for_every_chunker(name, parameters):
    chunker = made(name, parameters)
    assert chunker.describe()
    remarks = {spec.name: chunker.remark(spec.name) for spec in chunker.fields(chunker.model_dump())}
    assert {parameter for parameter, said in remarks.items() if said} <= {"amount", "caution"}
    assert all(said == "" or said.endswith(".") for said in remarks.values())
    versions = chunker.versions()
    assert versions.keys() == set(chunker.packages)
    assert versions.items() <= Recipe.of(chunker, "regex", HashEmbedder(), "words").versions.items()
    reach = chunker.reach()
    if reach is not None:
        assert name in OUT_OF_ORDER
        assert reach.name
        assert 0 <= reach.position_weight <= 1
        assert reach.distance in {getattr(chunker, spec.name) for spec in chunker.fields()}


# Characters to which the bundled tokenizer gives no token of their own.
WITHOUT_TOKENS = ["\u200b", "\u200d", "\u00ad", "\ufe0f", "\u202e", "\u0301", "\ue000", "\x01", "👨‍👩‍👧‍👦"]
UNBROKEN = st.lists(st.sampled_from([*WITHOUT_TOKENS, "abcdefgh", "x", "漢", " ", ". "]), max_size=60).map("".join)


@settings(max_examples=60, deadline=None)
@given(UNBROKEN, st.sampled_from(["chroma", "langchain", "markdown"]), st.integers(1, 6))
@example("abcdefgh\u200bijklmnop" * 20, "langchain", 5)
@example("👨‍👩‍👧‍👦" * 30, "chroma", 5)
def test_a_character_without_a_token_is_in_one_chunk_too(text, separators, size):
    with_tokens = tools(tokenizer="all-MiniLM-L6-v2")
    document = Document.from_text(text, "lines")
    for name, parameters in (
        ("recursive", {"unit": "tokens", "size": size, "separators": separators}),
        ("optimal", {"piece_size": size, "max_size": 4 * size}),
    ):
        spans = [chunk.spans[0] for chunk in run(build_chunker(name, parameters), document, with_tokens).chunks]
        places = [place for start, end in spans for place in range(start, end) if not text[place].isspace()]
        assert places == [place for place, character in enumerate(text) if not character.isspace()]
