"""The library as its users hold it: what `chunk` takes, what it gives, and one sentence for what it cannot take."""

import doctest
import pickle
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkers
from chunkers import (
    ADAPTERS,
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    SHARED_CACHE,
    Breakpoint,
    Chunk,
    Chunking,
    Document,
    EmbeddingCache,
    InputError,
    ParameterError,
    Recipe,
    Span,
    build_chunker,
    chunk,
)
from chunkers.recipes.chunker_registry import chunker_class
from chunkers.recipes.result_export import ledger_to_csv, to_dict, to_json
from tests.support import HashEmbedder, cut

TEXT = "The tide comes in. Bread needs salt. The tide goes out."
SENTENCES = ["The tide comes in.", "Bread needs salt.", "The tide goes out."]
SPANS = [(0, 18), (19, 36), (37, 55)]


def result(name="fixed_sentences", **arguments):
    return chunk(TEXT, name, **{"embedder": HashEmbedder(), "sentences": "regex", "tokenizer": "words"} | arguments)


def test_the_examples_of_the_docstring_are_true():
    ran = doctest.testmod(chunkers)
    assert ran.attempted >= 4
    assert not ran.failed


ODD = (
    st.none()
    | st.integers()
    | st.floats()
    | st.binary(max_size=5)
    | st.just(10**5000)
    | st.sampled_from([object(), int, Decimal(1), {"a": 1}, {1, 2}, (), [[]], range(3), len, b"x" * 10**6])
    | st.lists(st.none() | st.integers() | st.text(max_size=3), max_size=3)
)
ARGUMENTS = ["text", "chunker", "sentences", "embedder", "tokenizer", "cache", "size", "max_size", "size_unit", "colour"]


@given(argument=st.sampled_from(ARGUMENTS), value=ODD)
@settings(max_examples=300, deadline=None)
def test_what_cannot_be_meant_is_one_sentence(argument, value):
    arguments = {"text": TEXT, "chunker": "fixed_sentences", "embedder": HashEmbedder(), "sentences": "regex"}
    try:
        chunk(**arguments | {argument: value})
    except InputError as error:
        message = str(error)
    else:
        message = "The value was good."
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"text": 123}, "text: the text must be a str; got 123."),
        ({"text": b"x"}, "text: the text must be a str; got b'x'."),
        ({"chunker": []}, "chunker must be one of fixed_sentences, "),
        (
            {"tokenizer": ["a"]},
            "tokenizer must be one of all-MiniLM-L6-v2, cl100k_base, o200k_base, characters, words; got ['a'].",
        ),
        ({"embedder": 3}, "embedder must be a name or an object with a method encode(texts); got 3."),
        ({"sentences": 3}, "sentences must be the name of a splitter, or a sequence of sentences or their spans; got 3."),
        (
            {"sentences": np.array(4)},
            "sentences must be the name of a splitter, or a sequence of sentences or their spans; got array(4).",
        ),
        ({"cache": {}}, "cache must be an EmbeddingCache or None; got {}."),
        (
            {"chunker": Breakpoint(), "amount": 50},
            "breakpoint: a chunker object already has its parameters; got amount as well. To set parameters here, pass "
            "the chunker's name instead of the object.",
        ),
    ],
)
def test_the_sentence_names_the_argument_the_rule_and_the_value(arguments, said):
    with pytest.raises(InputError) as error:
        chunk(**{"text": TEXT} | arguments)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("name", [*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS])
def test_a_constructor_says_what_building_says(name):
    for wrong in ({"colour": 1}, {"min_size": "x", "size": "x", "amount": "x", "eps": "x", "clusters": "x"}):
        with pytest.raises(ParameterError) as error:
            chunker_class(name)(**wrong)
        assert str(error.value).startswith(name)
        assert "\n" not in str(error.value)


def test_the_constructor_refuses_a_wrong_value_in_one_sentence():
    with pytest.raises(ParameterError, match=r"^breakpoint: amount must lie between 1 and 100 for the percentile threshold"):
        CHUNKERS["breakpoint"](amount=500)
    with pytest.raises(ParameterError, match=r"^fixed_sentences: size must not be true or false; got True\.$"):
        CHUNKERS["fixed_sentences"](size=True)


def test_a_chunker_can_be_given_itself():
    assert chunk(TEXT, build_chunker("fixed_sentences", {"size": 1}), sentences="regex").texts == tuple(SENTENCES)


# What comes back.


def test_a_result_is_the_sequence_of_its_chunks():
    made = result(size=1)
    assert isinstance(made, Sequence)
    assert len(made) == 3
    assert list(made) == list(made.chunks)
    assert made[1] == made.chunks[1] == Chunk((Span(19, 36),), "Bread needs salt.")
    assert made[-2:] == made.chunks[-2:]
    assert made.texts == tuple(SENTENCES)
    assert made[0] in made
    with pytest.raises(IndexError):
        made[3]
    assert len(chunk("", "fixed_sentences")) == 0


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_result_is_short_to_look_at(name):
    made = chunk(TEXT * 100, name, embedder=HashEmbedder(), sentences="regex", tokenizer="words")
    assert len(repr(made)) < 150
    assert "\n" not in repr(made)
    assert repr(made).startswith(f"<Chunking by {name}: {len(made):,} chunk")
    assert repr(made.document) in repr(made)
    assert "tide" not in repr(made)


def test_spans_and_chunks_are_their_values_to_look_at():
    assert repr(result(size=1)[0]) == "Chunk(spans=(Span(start=0, end=18),), text='The tide comes in.')"


@pytest.mark.parametrize("name", CHUNKERS)
def test_two_runs_are_equal_whatever_time_they_took(name):
    one, other = result(name), result(name)
    assert one.timing != other.timing
    assert one == other
    assert hash(one) == hash(other)
    assert one != chunk(TEXT + " More.", name, embedder=HashEmbedder(), sentences="regex", tokenizer="words")


@pytest.mark.parametrize("threshold", ["slope", "gradient"])
def test_an_undefined_score_equals_another(threshold):
    arguments = {"threshold": threshold, "sentences": ["The tide comes in.", "Bread needs salt. The tide goes out."]}
    assert result("breakpoint", **arguments) == result("breakpoint", **arguments)


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_result_and_its_chunker_can_be_pickled(name):
    made = result(name)
    back = pickle.loads(pickle.dumps(made))
    assert back == made
    assert back.recipe == made.recipe
    assert back.timing == made.timing
    chunker = build_chunker(name, {})
    assert pickle.loads(pickle.dumps(chunker)) == chunker


@pytest.mark.parametrize("name", CHUNKERS)
def test_gaps_are_a_sequence_that_can_be_added_to_and_sliced(name):
    gaps = result(name).gaps
    assert isinstance(gaps, Sequence)
    nothing = ()
    assert gaps + nothing == nothing + gaps == gaps == tuple(gaps)
    assert gaps + gaps == tuple(gaps) * 2
    assert gaps[:1] == tuple(gaps)[:1]
    assert hash(gaps) == hash(tuple(gaps))
    assert gaps != list(gaps)


@pytest.mark.parametrize("name", ["fixed_words", "fixed_characters", "fixed_tokens", "recursive"])
def test_a_ledger_is_not_written_before_it_is_read(name, monkeypatch):
    written = []
    cls = CHUNKERS[name]
    write = cls._all_gaps
    monkeypatch.setattr(cls, "_all_gaps", lambda *given: written.append(1) or write(*given))
    made = result(name)
    assert all([made.texts, repr(made), len(made), list(made), made.recipe])
    assert not written
    assert made.gaps[:] is not None
    assert made == made
    assert written == [1]


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_result_carries_its_recipe(name):
    made = result(name)
    recipe = made.recipe
    assert recipe == Recipe.of(build_chunker(name, {}), "regex", HashEmbedder(), "words")
    assert to_dict(made) == to_dict(made, recipe)
    assert to_json(made) == to_json(made, recipe)
    assert recipe.run(TEXT, embedder=HashEmbedder()) == made


def test_a_result_without_a_recipe_needs_one_to_be_exported():
    made = cut(build_chunker("fixed_sentences", {}), TEXT)
    assert made.made_by is None
    with pytest.raises(InputError, match=r"^recipe: to cut another text the same way, a result must have a recipe"):
        _ = made.recipe
    with pytest.raises(
        InputError, match=r"^recipe must be given for a result that was not made by chunkers\.run_chunker; got None\.$"
    ):
        to_json(made)


def test_the_exports_are_at_the_top():
    made = result()
    assert chunkers.to_json(made) == to_json(made)
    assert chunkers.ledger_to_csv(made) == ledger_to_csv(made)
    assert chunkers.to_jsonl(made).count("\n") == chunkers.to_csv(made).count("\r\n") - 1 == len(made)
    assert chunkers.to_parquet(made)
    assert {name for name in vars(chunkers.recipes.result_export) if name.startswith("to_")} <= set(chunkers.__all__)


# Embeddings are shared.


class Counting:
    """An embedder of the caller's that counts the texts."""

    def __init__(self):
        self.embedded = 0

    def encode(self, texts):
        self.embedded += len(texts)
        return HashEmbedder().encode(texts)


def test_calls_share_embeddings():
    embedder = Counting()
    for name in CHUNKERS:
        chunk(
            TEXT,
            name,
            embedder=embedder,
            sentences="regex",
            tokenizer="words",
            **{"buffer": 0} if name == "target_size" else {},
        )
    # The sentences, and the pieces of `optimal`, which are the whole text.
    assert embedder.embedded == 3 + 1
    assert result("breakpoint", embedder=embedder).timing.cached == 3


def test_a_recipe_shares_them_too():
    embedder = Counting()
    made = result("breakpoint", embedder=embedder)
    assert made.recipe.run(TEXT, embedder=embedder) == made
    assert embedder.embedded == 3


def test_the_shared_cache_can_be_cleared_and_another_given():
    embedder, mine = Counting(), EmbeddingCache()
    result("breakpoint", embedder=embedder, cache=mine)
    result("breakpoint", embedder=embedder, cache=mine)
    assert embedder.embedded == len(mine) == 3
    result("breakpoint", embedder=embedder)
    assert embedder.embedded == 6
    SHARED_CACHE.clear()
    assert len(SHARED_CACHE) == 0
    result("breakpoint", embedder=embedder)
    assert embedder.embedded == 9


def test_an_embedder_may_itself_cut_texts():
    class Nested:
        def encode(self, texts):
            return HashEmbedder().encode([chunk(text, "breakpoint", embedder=HashEmbedder()).texts[0] for text in texts])

    assert len(result("breakpoint", embedder=Nested())) > 0


# Sentences that the caller gives.


@pytest.mark.parametrize(
    "sentences", [SENTENCES, tuple(SENTENCES), SPANS, [list(span) for span in SPANS], [Span(*span) for span in SPANS]]
)
def test_given_sentences_are_those_of_the_splitter(sentences):
    made = result(sentences=sentences, size=1)
    assert made.document.sentences == tuple(Span(*span) for span in SPANS)
    assert made.texts == tuple(SENTENCES)
    assert made.document.splitter == made.recipe.sentences == "given"
    assert made.recipe.run(TEXT, embedder=HashEmbedder(), sentences=sentences) == made
    with pytest.raises(InputError, match=r"^sentences must be passed again, because they came from the caller; got only"):
        made.recipe.run(TEXT, embedder=HashEmbedder())


def test_white_space_around_given_sentences_is_left_out_and_within_may_differ():
    text = "  One\n two. \n\n Three.  "
    expected = (Span(2, 11), Span(15, 21))
    for sentences in (["One two. ", "", "  Three."], [(0, 13), (13, 13), (13, 23)], [(2, 11), (11, 14), (15, 21)]):
        assert Document.from_text(text, sentences).sentences == expected
    assert Document(text, ((0, 13), (13, 23))).sentences == expected


def test_no_sentences_are_those_of_no_text():
    assert chunk(" \n", "fixed_sentences", sentences=[]).chunks == ()
    assert Document("", ()).sentences == ()


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        (
            [(0, 18), (10, 36), (37, 55)],
            "each span must begin at or after the end of the previous one; span 2 is (10",
        ),
        (
            [(19, 36), (0, 18), (37, 55)],
            "every character except white space must lie in a sentence; 'The tide comes",
        ),
        (
            [(0, 18), (37, 55)],
            "every character except white space must lie in a sentence; 'Bread needs salt.', at character 19",
        ),
        (
            [(0, 18), (19, 36)],
            "every character except white space must lie in a sentence; 'The tide goes out.', at character 37,",
        ),
        (
            [(0, 18), (19, 36), (37, 56)],
            "each span must lie in the text, which has 55 characters; span 3 is (37",
        ),
        ([(-5, 18), (19, 55)], "each span must lie in the text, which has 55 characters; span 1 is (-5, 18)."),
        ([(18, 0)], "each span must lie in the text, which has 55 characters; span 1 is (18, 0)."),
        ([(0.0, 18.0)], "the items must be all strings, or all spans (pairs of whole numbers); item 1 is (0.0, 18.0)."),
        ([(0, 18), None], "the items must be all strings, or all spans (pairs of whole numbers); item 2 is None."),
        (
            [*SENTENCES[:1], (19, 55)],
            "the items must be all strings, or all spans (pairs of whole numbers); item 1 is 'T",
        ),
        (
            SENTENCES[:2],
            "every character except white space must lie in a sentence; 'The tide goes out.', at character 37",
        ),
        (
            SENTENCES[1:],
            "each sentence must follow the previous one in the text; sentence 1, 'Bread needs salt.'",
        ),
        (
            [*SENTENCES, "More."],
            "each sentence must follow the previous one in the text; sentence 4, 'More.', is not at character 55",
        ),
        (
            [*SENTENCES[:2], "the tide goes out."],
            "each sentence must follow the previous one in the text; sentence 3, 'the",
        ),
        (
            [],
            "every character except white space must lie in a sentence; 'The tide comes in. Bread needs s",
        ),
    ],
)
def test_the_first_given_sentence_that_is_wrong_is_named(sentences, said):
    with pytest.raises(InputError) as error:
        chunk(TEXT, "fixed_sentences", sentences=sentences)
    assert str(error.value).startswith(f"sentences: {said}")
    assert str(error.value).endswith(".")
    if sentences and not isinstance(sentences[0], str):
        with pytest.raises(InputError) as error:
            Document(TEXT, tuple(sentences))
        assert str(error.value).startswith(f"sentences: {said}")


@pytest.mark.slow
@given(text=st.text(alphabet="ab .\n\u3000🌊", max_size=30), data=st.data())
@settings(max_examples=300, deadline=None)
def test_given_spans_are_taken_exactly_where_they_hold_all_that_is_visible(text, data):
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    inside = {place for start, end in spans for place in range(start, end)}
    if any(not character.isspace() and place not in inside for place, character in enumerate(text)):
        with pytest.raises(InputError, match=r"^sentences: every character except white space must lie in a sentence; "):
            Document.from_text(text, spans)
        return
    document = Document.from_text(text, spans)
    expected = [text[start:end].strip() for start, end in spans]
    assert document.sentence_texts == [piece for piece in expected if piece]
    assert Document.from_text(text, document.sentence_texts or spans) == document


def test_documents_of_other_given_sentences_are_not_the_same():
    one, other = Document(TEXT, ((0, 55),)), Document(TEXT, tuple(SPANS))
    assert one != other
    assert one.identity != other.identity
    assert one.identity == Document.from_text(TEXT, [TEXT]).identity


def test_a_document_is_short_to_look_at():
    assert repr(Document.from_text(TEXT, "regex")) == "<Document 'text': 55 characters, 3 sentences (regex)>"
    assert Document.from_text(TEXT, "regex") == Document.from_text(TEXT, "regex")
    assert isinstance(result(), Chunking)
