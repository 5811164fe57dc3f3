"""An object with a method encode is an embedder; what it returns is converted, or refused in one sentence."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import CHUNKERS, Embedder, InputError, ModelError, Recipe, Tools, build_chunker, chunk, load_embedder
from chunkers.embedders.base import unique_object_token
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text.bundled_model import checked_model_folder
from chunkers.text.tokenizers import load_tokenizer
from tests.support import HashEmbedder

TEXT = "The tide comes in. Bread needs salt. The tide goes out. Salt is dear. The moon pulls. Flour is cheap."
EMBEDDING = sorted(name for name, chunker in CHUNKERS.items() if chunker.embeds)


class Own:
    """Nothing but encode: the vectors of the tests' embedder, changed by a function."""

    def __init__(self, change=lambda rows: rows):
        self.change = change
        self.calls = 0

    def encode(self, texts):
        self.calls += 1
        return self.change(HashEmbedder().encode(texts))


def halves(rows):
    """Return vectors that have the same value in every kind of number: zeros and ones."""
    made = np.zeros(rows.shape)
    made[np.arange(len(rows)), rows.argmax(axis=1)] = 1
    return made


def tensor(rows, **options):
    import torch

    return torch.tensor(rows, **options)


FORMS = {
    "float64": lambda rows: rows.astype(np.float64),
    "float16": lambda rows: rows.astype(np.float16),
    "integers": lambda rows: rows.astype(np.int8),
    "columns first": np.asfortranarray,
    "lists": lambda rows: rows.tolist(),
    "tuples of arrays": tuple,
}
TENSORS = {
    "tensor": lambda rows: tensor(rows, requires_grad=True),
    "tensors": lambda rows: [tensor(row) for row in rows],
    "bfloat16": lambda rows: tensor(rows).bfloat16(),
}


@pytest.mark.parametrize("name", EMBEDDING)
@pytest.mark.parametrize("form", [*FORMS, *(pytest.param(form, marks=pytest.mark.model) for form in TENSORS)])
def test_every_form_gives_every_chunker_the_same_chunks(name, form):
    change = (FORMS | TENSORS)[form]
    expected = chunk(TEXT, name, embedder=Own(halves), sentences="regex", tokenizer="words")
    chunking = chunk(TEXT, name, embedder=Own(lambda rows: change(halves(rows))), sentences="regex", tokenizer="words")
    assert chunking.chunks == expected.chunks
    assert [gap.reason for gap in chunking.gaps] == [gap.reason for gap in expected.gaps]


def spoiled(rows, value):
    rows = rows.copy()
    rows[-1, -1] = value
    return rows


BAD = {
    "too few": (lambda rows: rows[:-1], "one row for each text; it returned"),
    "too many": (lambda rows: np.vstack([rows, rows]), "one row for each text; it returned"),
    "none at all": (lambda rows: [], "a two-dimensional array"),
    "one dimension": (
        lambda rows: rows[0],
        "a two-dimensional array, with one row for each text; it returned an array of shape (8,)",
    ),
    "three dimensions": (
        lambda rows: rows[None],
        "a two-dimensional array, with one row for each text; it returned an array of shape (1,",
    ),
    "empty rows": (lambda rows: rows[:, :0], "at least one number for each text"),
    "ragged": (lambda rows: [*rows.tolist(), [1.0]], "all of the same"),
    "None": (lambda rows: None, "it returned None."),
    "Nones": (lambda rows: [None] * len(rows), "it returned [None"),
    "words": (lambda rows: [["a"] * 8] * len(rows), "it returned [['a'"),
    "a generator": (lambda rows: (row for row in rows), "it returned <generator"),
    "NaN": (lambda rows: spoiled(rows, np.nan), "finite numbers; for the text"),
    "infinity": (lambda rows: spoiled(rows, np.inf), "finite numbers; for the text"),
    "seven times too long": (lambda rows: rows * 7, "of length 1, or zeros for a text without known words; the vector of"),
    "whole numbers": (lambda rows: np.rint(rows * 127).astype(np.int8), "of length 1, or zeros"),
    "huge": (lambda rows: np.full(rows.shape, 1e300), "of length 1, or zeros"),
    "nearly nothing": (lambda rows: rows * 1e-9, "of length 1, or zeros"),
    "complex": (lambda rows: rows + 0j, "one row of numbers for each text"),
}


@pytest.mark.parametrize("name", EMBEDDING)
@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_unit_vector_for_each_text_is_one_sentence_from_every_chunker(name, bad):
    change, words = BAD[bad]
    with pytest.raises(ModelError) as error:
        chunk(TEXT, name, embedder=Own(change), sentences="regex", tokenizer="words")
    message = str(error.value)
    assert message.startswith("own:Own: encode must return ")
    assert words in message
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.slow
@given(
    rows=st.lists(
        st.lists(st.floats(width=32) | st.integers(-300, 300) | st.none(), max_size=4) | st.none() | st.floats(),
        max_size=7,
    )
)
@settings(max_examples=200, deadline=None)
def test_whatever_comes_is_vectors_or_a_sentence(rows):
    tools = Tools(Own(lambda _: rows), load_tokenizer("words"))
    texts = [str(number) for number in range(max(1, len(rows)))]
    try:
        vectors = tools.embed(texts)
    except ModelError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert message.startswith("own:Own: encode must return ")
        return
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), len(rows[0]))
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-3))


def test_zeros_stand_for_a_text_that_means_nothing():
    result = chunk(TEXT, "breakpoint", embedder=Own(np.zeros_like), sentences="regex")
    assert len(result.chunks) == 1


def test_half_precision_is_scaled_to_length_one():
    tools = Tools(Own(lambda rows: rows.astype(np.float16)), load_tokenizer("words"))
    lengths = np.linalg.norm(tools.embed(["a", "b", "c"]).astype(np.float64), axis=1)
    assert lengths == pytest.approx([1, 1, 1], abs=1e-6)


def test_vectors_of_length_one_are_left_as_they_are():
    embedder = HashEmbedder()
    assert (Tools(embedder, load_tokenizer("words")).embed(["a", "b"]) == embedder.encode(["a", "b"])).all()


def test_what_it_raises_itself_is_not_hidden():
    def fails(rows):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        chunk(TEXT, "breakpoint", embedder=Own(fails), sentences="regex")


@pytest.mark.parametrize("given", [3, None, [], b"bytes", Own, object(), lambda texts: texts])
def test_what_has_no_encode_is_refused(given):
    with pytest.raises(InputError, match=r"^embedder must be (a name or )?an object with a method encode\(texts\); got "):
        chunk(TEXT, "breakpoint", embedder=given)


def embedded(cache, embedder, texts=("one", "two")):
    return Tools(embedder, load_tokenizer("words"), cache).embed(texts)


def test_two_objects_do_not_share_vectors_but_one_shares_with_itself():
    cache = EmbeddingCache()
    one, other = Own(), Own(lambda rows: rows[:, ::-1])
    first = embedded(cache, one)
    assert (embedded(cache, other) == first[:, ::-1]).all()
    assert (embedded(cache, one) == first).all()
    assert (one.calls, other.calls) == (1, 1)


def test_objects_of_the_same_declared_revision_share():
    class Declared(Own):
        name, revision = "model", "7"

    class Elsewhere(Own):
        name, revision = "model", "7"

    cache = EmbeddingCache()
    one, two, other = Declared(), Declared(), Elsewhere()
    embedded(cache, one)
    embedded(cache, two)
    embedded(cache, other)
    assert (one.calls, two.calls, other.calls) == (1, 0, 1)


def test_a_subclass_without_revision_is_told_from_its_like_too():
    class Mine(Embedder):
        def __init__(self, sign):
            self.sign = sign

        def encode(self, texts):
            return self.sign * HashEmbedder().encode(texts)

    cache = EmbeddingCache()
    assert Mine(1).name == "Mine"
    embedder = Mine(1)
    assert (embedded(cache, embedder) == -embedded(cache, Mine(-1))).all()


@pytest.mark.slow
def test_no_object_has_the_token_of_one_that_is_gone():
    tokens = set()
    for _ in range(300):
        tokens.add(unique_object_token(Own()))
    gc.collect()
    assert len(tokens) == 300


def test_an_object_without_weak_references_shares_nothing():
    class Slotted:
        __slots__ = ()

        def encode(self, texts):
            return HashEmbedder().encode(texts)

    cache = EmbeddingCache()
    slotted = Slotted()
    assert (embedded(cache, slotted) == embedded(cache, slotted)).all()
    assert len(cache) == 4


def test_its_name_is_never_that_of_another_embedder():
    class Named(Own):
        name = "tfidf"

    assert load_embedder(Named()).name == "own:tfidf"
    assert load_embedder(Own()).name == "own:Own"


def test_a_recipe_names_it_and_says_that_it_is_to_be_given():
    own = load_embedder(Own())
    recipe = Recipe.from_json(Recipe.of(build_chunker("breakpoint", {}), "regex", own, "words").to_json())
    assert recipe.embedder == "own:Own"
    with pytest.raises(InputError, match=r"^embedder: own:Own was an object of your own"):
        recipe.run(TEXT)


def test_a_cache_of_two_dimensions_is_one_sentence():
    class Changing(Own):
        name, revision = "model", "7"

    cache = EmbeddingCache()
    embedded(cache, Changing(), ["one"])
    embedded(cache, Changing(lambda rows: np.eye(1, 4).repeat(len(rows), 0)), ["two"])
    with pytest.raises(
        ModelError,
        match="must have the same number of dimensions; a new vector has 4, and the cached vectors have 8",
    ):
        embedded(cache, Changing(), ["one", "two"])


@pytest.mark.model
def test_a_model_of_sentence_transformers_is_one_as_it_is():
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(checked_model_folder()), device="cpu", local_files_only=True)
    arguments = {"amount": 60, "sentences": "regex", "tokenizer": "words", "cache": EmbeddingCache()}
    own, named = chunk(TEXT, "breakpoint", embedder=model, **arguments), chunk(TEXT, "breakpoint", **arguments)
    assert own.texts == named.texts
    # Batches are padded differently, as its own lengths are not known.
    assert own.curves[0].scores == pytest.approx(named.curves[0].scores, abs=1e-5)
