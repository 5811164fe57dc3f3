"""A recipe says all that it takes to get the same chunks again, and refuses what it cannot mean."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkers import (
    ADAPTERS,
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    PRESETS,
    Document,
    InputError,
    ParameterError,
    Recipe,
    build_chunker,
    load_embedder,
    load_tokenizer,
)
from chunkers.recipes.chunker_registry import chunker_class
from chunkers.recipes.presets import presets_for_chunker
from chunkers.text.bundled_model import WEIGHTS_HASH
from chunkers.text.encodings import canonical_encoding
from tests.support import HashEmbedder, cut


def test_what_a_recipe_holds():
    chunker = build_chunker("breakpoint", {"amount": 0.125, "threshold": "slope"})
    written = json.loads(Recipe.of(chunker, "spacy", load_embedder(), "words").to_json())
    assert list(written) == ["recipe", "chunker", "parameters", "sentences", "embedder", "tokenizer", "versions"]
    assert written["recipe"] == 1
    assert written["parameters"] == {
        "threshold": "slope",
        "amount": 0.125,
        "buffer": 0,
        "min_size": None,
        "max_size": None,
        "size_unit": "characters",
        "oversize": "weakest_gap",
    }
    assert (written["sentences"], written["embedder"], written["tokenizer"]) == ("spacy", "all-MiniLM-L6-v2", "words")
    assert written["versions"]["all-MiniLM-L6-v2"] == WEIGHTS_HASH


@pytest.mark.parametrize(
    ("chunker", "sentences", "packages"),
    [
        ("fixed_sentences", "lines", set()),
        ("fixed_sentences", "spacy", {"spacy"}),
        ("recursive", "lines", set()),
        ("structure", "lines", {"markdown-it-py"}),
        ("double_pass", "lines", {"hash", "numpy"}),
    ],
)
def test_versions_are_of_what_decided(chunker, sentences, packages):
    recipe = Recipe.of(build_chunker(chunker, {}), sentences, HashEmbedder(), "words")
    assert set(recipe.versions) == {"seamark"} | packages


@pytest.mark.model
def test_a_recipe_runs_by_itself():
    text = "The tide comes in. The tide goes out. Bread needs flour. Bread needs salt."
    chunker = build_chunker("breakpoint", {"amount": 60})
    recipe = Recipe.from_json(Recipe.of(chunker, "regex", load_embedder(), "words").to_json())
    chunking = recipe.run(text, "name")
    assert [chunk.text for chunk in chunking.chunks] == [text[:37], text[38:]]
    assert chunking.document.name == "name"


def test_what_is_left_out_has_its_default():
    assert Recipe.from_json('{"chunker": "recursive"}').build() == build_chunker("recursive", {})


def test_an_amount_left_out_or_none_is_the_thresholds_own():
    for parameters in ({"threshold": "interquartile"}, {"threshold": "interquartile", "amount": None}):
        assert build_chunker("breakpoint", parameters).amount == 1.5


def test_an_embedders_defaults_stand_between_the_given_and_the_declared():
    embedder = HashEmbedder(defaults={"double_pass": {"initial_threshold": 0.7, "merging_threshold": 0.8}})
    chunker = build_chunker("double_pass", {"merging_threshold": 0.6}, embedder)
    declared = build_chunker("double_pass", {})
    assert (chunker.initial_threshold, chunker.merging_threshold) == (0.7, 0.6)
    assert chunker.appending_threshold == declared.appending_threshold


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "recipe: the file must be valid JSON"),
        ("[" * 10**5, "recipe: the file must be valid JSON"),
        ("[]", "recipe: the whole"),
        (None, "recipe: the JSON must be passed as a string; got None."),
        ("{}", "recipe: chunker is invalid"),
        ('{"chunker": "recursive", "recipe": 2}', "recipe: recipe must be 1; got 2."),
        ('{"chunker": "recursive", "colour": "red"}', "recipe: colour"),
        ('{"chunker": "recursive", "parameters": []}', "recipe: parameters"),
        ('{"chunker": "recursive", "parameters": {"size": "x"}}', "recursive: size must be a whole number; got 'x'."),
        ('{"chunker": "recursive", "parameters": {"size": 5, "overlap": 5}}', "overlap must be less than size (5); got 5."),
        (
            '{"chunker": "recursive", "parameters": {"size": 9, "parent_size": 9}}',
            "parent_size must be more than size (9); got 9.",
        ),
        ('{"chunker": "breakpoint", "parameters": {"amount": NaN}}', "breakpoint: amount must be a finite number; got nan."),
        ('{"chunker": "sharp"}', "chunker must be one of fixed_sentences, fixed_words"),
    ],
)
def test_refused(text, words):
    with pytest.raises(InputError) as error:
        Recipe.from_json(text)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@given(key=st.text(max_size=200), value=st.none() | st.integers())
def test_whatever_the_keys_the_sentence_is_a_short_line(key, value):
    data = {"chunker": "recursive", "versions": {key: value}}
    with pytest.raises(InputError, match=r"^recipe: versions\.") as error:
        Recipe.from_json(json.dumps(data))
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("value", [10**5000, 3, 0.5, None, [], {}, b"percentile"], ids=lambda value: type(value).__name__)
def test_a_threshold_that_is_no_name_is_refused_by_its_rule(value):
    with pytest.raises(ParameterError, match=r"^breakpoint: threshold must be one of 'percentile', .*; got "):
        build_chunker("breakpoint", {"threshold": value})


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300).filter(lambda name: "/" not in name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "refuse",
    [
        chunker_class,
        load_tokenizer,
        load_embedder,
        canonical_encoding,
        lambda name: Document.from_text("One. Two.", name),
        lambda name: Document.from_text("One. Two.", f"sentencex:{name}"),
        lambda name: build_chunker("recursive", {name: 1}),
        lambda name: build_chunker("recursive", {"size": name}),
    ],
)
@given(name=NAMES.map("no such name, as {}".format))
@example(name="long " * 2000)
@example(name="~nobody of that name/")
@example(name="null\0 character")
def test_whatever_the_name_the_sentence_is_a_short_line(refuse, name):
    with pytest.raises(InputError) as error:
        refuse(name)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 700


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_is_of_its_chunker(preset):
    chunker = build_chunker(preset.chunker, preset.parameters)
    assert preset in presets_for_chunker(preset.chunker)
    assert cut(chunker, "One.\nTwo.").chunks


@pytest.mark.parametrize("name", [*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS])
def test_every_bound_is_a_rule_and_every_offer_within_it(name):
    chunker = chunker_class(name)
    for spec in chunker.fields():
        assert spec.title
        assert spec.help
        if spec.offered:
            assert spec.low <= spec.offered[0] < spec.offered[1] <= spec.high
        for bound, beyond in ((spec.low, -1), (spec.high, 1)):
            if bound is not None:
                with pytest.raises(ParameterError, match=spec.name):
                    build_chunker(name, {spec.name: bound + beyond})
        if spec.kind == "choice":
            assert spec.default in spec.choices
            assert [build_chunker(name, {spec.name: choice}) for choice in spec.choices]


def test_a_chunker_is_a_value():
    chunker = build_chunker("recursive", {"size": 50})
    assert chunker == build_chunker("recursive", {"size": 50}) != build_chunker("recursive", {"size": 51})
    assert len({chunker, build_chunker("recursive", {"size": 50})}) == 1
    with pytest.raises(ValueError, match="frozen"):
        chunker.size = 60
