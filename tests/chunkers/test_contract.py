"""Promises of every chunker, for any settings and any text."""

import pickle
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, Document, Recipe, build_chunker
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.contract.base import run_and_time_chunker
from chunkers.results.chunk_fields import chunk_heading_path
from chunkers.text.blocks_and_headings import headings
from sample_docs import load_sample, sample_titles
from tests.lanes import mostly_full
from tests.properties.promises import OUT_OF_ORDER, check_result
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
    ("recursive", {"size": 15, "overlap": 4, "parent_size": 60}),
    ("recursive", {"size": 6, "unit": "words", "parent_size": 20, "separators": "markdown"}),
    ("structure", {}),
    ("structure", {"max_size": 12, "join_below": 5}),
    ("structure", {"max_size": 9, "inner": "breakpoint", "heading_levels": 1}),
    ("structure", {"max_size": 7, "inner": "change_point"}),
    ("structure", {"max_size": 6, "join_below": 1, "inner": "optimal"}),
    ("structure", {"max_size": 1}),
    ("turns", {}),
    ("turns", {"max_size": 12}),
    ("turns", {"max_size": 1}),
    ("code", {}),
    ("code", {"max_size": 12, "language": "python"}),
    ("code", {"max_size": 1, "language": "cpp"}),
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
    ("optimal", {"pieces": "sentences", "max_size": 60}),
    ("optimal", {"max_size": 12, "piece_size": 3}),
    ("optimal", {"max_size": 5, "piece_size": 5}),
    ("change_point", {}),
    ("change_point", {"penalty": 0.2, "min_size": 10, "max_size": 90}),
    ("change_point", {"caution": "eager", "shuffled_runs": 2}),
    ("change_point", {"chunks": 3}),
    ("change_point", {"target_sentences": 2}),
    ("change_point", {"cuts_at": "paragraphs"}),
    ("change_point", {"cuts_at": "paragraphs", "chunks": 3, "max_size": 60}),
    ("change_point", {"cuts_at": "sentences"}),
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
    "\nANNA: ",
    "\n\n7\n00:01:02,000 --> 00:01:04,500\n",
    "<v Ben>",
    "\ndef f(x):\n    return {x: [1,\n  2]}\n",
    "\nclass A { b() { if (c) { d; } } }\n",
]


FRONT = "---\ntitle: A. B.\n\ntags: c\n---"
CHUNK_EDGE_COLOURS = [
    "",
    " \n\t ",
    FRONT,
    f"{FRONT}\n\nText. More.",
    "---\n---\nText.",
    "One sentence.",
    "Same. Same. Same. Same. Same.",
    "".join(ODD),
    " ".join(ODD),
    "\n".join(ODD),
]


def made(name, parameters):
    return build_chunker(name, parameters)


def check(chunker, document):
    """Check what is promised of every result, and that the same comes again and can be sent to another process."""
    chunking = run_and_time_chunker(chunker, document, tools())
    check_result(chunking, chunker, tools())
    again = run_and_time_chunker(chunker, document, tools())
    assert again == chunking
    assert hash(again) == hash(chunking)
    assert pickle.loads(pickle.dumps(chunking)) == chunking
    return chunking


SLOW_SPLITTERS = [pytest.param("lines", marks=pytest.mark.slow), pytest.param("sentencex:en", marks=pytest.mark.full)]


@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
@pytest.mark.parametrize("sentences", ["regex", *SLOW_SPLITTERS])
def test_texts_at_the_edges(name, parameters, sentences):
    for text in CHUNK_EDGE_COLOURS:
        chunking = check(made(name, parameters), Document.from_text(text, sentences))
        assert bool(chunking.chunks) == bool(text.strip())


@pytest.mark.parametrize("sample", mostly_full(sample_titles(), {"stubs", "table", "emoji"}))
@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_samples(sample, name, parameters):
    source = load_sample(sample)
    check(made(name, parameters), Document.from_text(source.text, source.sentences))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        (name, parameters)
        for name, parameters in SETTINGS
        if "max_size" in parameters and name not in ("structure", "turns", "code", "optimal")
    ],
)
def test_limits_are_kept_or_the_reason_says_why(name, parameters):
    chunker = made(name, parameters)
    source = load_sample("article")
    chunking = run_and_time_chunker(chunker, Document.from_text(source.text, "spacy"), tools())
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
    chunking = run_and_time_chunker(
        made("breakpoint", {"threshold": threshold}), Document.from_text(source.text, "spacy"), tools()
    )
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
    assert (
        run_and_time_chunker(read.build(), document, tools()).chunks
        == run_and_time_chunker(chunker, document, tools()).chunks
    )


def with_front_matter(drawn):
    """Return a generated text with front matter, its fence, and its headings."""
    fence, between = drawn.choice([("---", ": "), ("+++", " = ")])
    names = drawn.sample(["title", "author", "tags", "date"], drawn.randint(1, 4))
    fields = [f"{name}{between}{drawn.randrange(99)}. Words.{' More words.' * drawn.choice([0, 0, 9])}" for name in names]
    titles = [f"Part {number}" for number in range(drawn.randint(0, 3))]
    body = [f"{'#' * drawn.randint(1, 3)} {title}\n\nText of it. More." for title in titles]
    lines = [
        fence,
        drawn.choice(["\n", "\n\n"]).join(fields) + drawn.choice(["", "\n"]),
        fence,
        drawn.choice(["", "Before."]),
    ]
    return "\n".join([*lines, "\n\n".join(body)]).replace("\n", drawn.choice(["\n", "\r\n", "\r"])), fence, titles


@pytest.mark.full
@pytest.mark.slow
def test_no_chunk_is_a_fence_of_front_matter_and_no_heading_is_made_of_it():
    drawn = random.Random(4)
    for _ in range(100):
        text, fence, titles = with_front_matter(drawn)
        assert [heading.title for heading in headings(text)] == titles
        document = Document.from_text(text, drawn.choice(["sentencex:en", "lines", "paragraphs", "regex"]))
        for kind in {**CHUNKERS, **MODEL_ASKING_CLASS_BY_NAME}:
            chunker = made(kind, drawn.choice([parameters for name, parameters in SETTINGS if name == kind]))
            chunking = run_and_time_chunker(chunker, document, tools(tokenizer=drawn.choice(["words", "characters"])))
            spans = [span for chunk in chunking.chunks for span in chunk.spans]
            assert fence not in [text[slice(*span)].strip() for span in spans], chunker
            assert {title for chunk in chunking.chunks for title in chunk_heading_path(document, chunk)} <= {*titles}
            assert not spans[0].start


def test_settings_cover_every_chunker():
    assert {name for name, _ in SETTINGS} == {*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME}


@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_the_hooks_answer_for_every_chunker(name, parameters):
    chunker = made(name, parameters)
    assert chunker.describe()
    remarks = {spec.name: chunker.remark(spec.name) for spec in chunker.fields(chunker.model_dump())}
    assert {parameter for parameter, remark in remarks.items() if remark} <= {"amount", "caution"}
    assert all(remark == "" or remark.endswith(".") for remark in remarks.values())
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
        spans = [
            chunk.spans[0] for chunk in run_and_time_chunker(build_chunker(name, parameters), document, with_tokens).chunks
        ]
        places = [place for start, end in spans for place in range(start, end) if not text[place].isspace()]
        assert places == [place for place, character in enumerate(text) if not character.isspace()]
