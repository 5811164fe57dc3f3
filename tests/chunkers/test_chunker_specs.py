"""A chunker as every command line names it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import InputError, Recipe
from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_refused_old_options,
    format_parameters,
    parse_chunker_spec,
)

VALUES = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text() | st.lists(st.text(), max_size=3)


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), VALUES, max_size=4))
def test_parameters_are_read_as_they_were_written(parameters):
    written = format_parameters(parameters)
    assert parse_chunker_spec(f"recursive:{written}" if written else "recursive").parameters == parameters


@pytest.mark.parametrize(
    ("written", "parameters"),
    [
        ("recursive", {}),
        ("recursive:size=512,unit=tokens", {"size": 512, "unit": "tokens"}),
        ("x:chunks=none,words=a,b,c=2", {"chunks": None, "words": "a,b", "c": 2}),
        ('x:separators=["a,b=1","c"],d={"e":[1]}', {"separators": ["a,b=1", "c"], "d": {"e": [1]}}),
        ("x:a=1.2.3,b=2x", {"a": "1.2.3", "b": "2x"}),
        ("x:a=", {"a": ""}),
    ],
)
def test_a_name_has_its_parameters_behind_it(written, parameters):
    spec = parse_chunker_spec(written)
    assert (spec.name, spec.parameters) == (written.partition(":")[0], parameters)


def test_a_recipe_is_named_by_its_file_and_may_be_changed(tmp_path):
    made = Recipe(chunker="fixed_sentences", parameters={"size": 3}, sentences="lines", embedder="tfidf", tokenizer="words")
    like = Recipe(chunker="recursive")
    for name in ("plain.json", "a:size=4.json"):
        file = tmp_path / name
        file.write_text(made.to_json())
        spec = parse_chunker_spec(str(file))
        assert spec.recipe_of(spec.build(), like).settings() == made.settings()
    spec = parse_chunker_spec(f"{tmp_path / 'plain.json'}:size=5")
    recipe = spec.recipe_of(spec.build(), like)
    assert (recipe.settings()["size"], recipe.sentences) == (5, "lines")


def test_a_chunker_by_its_name_is_as_the_others_are():
    like = Recipe(chunker="recursive", sentences="lines", embedder="tfidf", tokenizer="words")
    spec = parse_chunker_spec("fixed_sentences:size=5")
    recipe = spec.recipe_of(spec.build(), like)
    assert (recipe.chunker, recipe.settings()["size"], recipe.sentences) == ("fixed_sentences", 5, "lines")


def test_a_file_of_chunks_may_stand_for_a_chunker(tmp_path):
    file = tmp_path / "chunks.json"
    file.write_text(json.dumps(["One.", "Two."]))
    assert parse_chunker_spec(f"chunks:{file}").build().name == "your_chunks"
    with pytest.raises(InputError, match=r"chunks:.*: it has none\. Name a chunker or the file of a recipe\."):
        parse_chunker_spec(f"chunks:{file}", "it has none")


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("", "A chunker must be its name"),
        ("size=5", "Parameters stand behind the chunker's name, as in recursive:size=5; got 'size=5' alone."),
        ("recursive:size", "recursive:size: a parameter must have the form KEY=VALUE; got 'size'."),
        ("nowhere.json", "nowhere.json: the file cannot be read"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(written, sentence):
    with pytest.raises(InputError) as refused:
        parse_chunker_spec(written)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--recipe", "a.json"], "--recipe is written in another way now: --chunker a.json."),
        (["--set", "size=5", "--set", "b=2"], "--set is written in another way now: --chunker NAME:size=5."),
        (["--recipe", "a.json", "text.md"], "--recipe is written in another way now: --chunker a.json."),
        (["--chunks", "a.json"], "--chunks is written in another way now: --chunker chunks:a.json."),
        (["--recipe"], "--recipe is written in another way now: --chunker …."),
    ],
)
def test_an_option_of_before_says_what_to_write(arguments, sentence):
    parser = Parser()
    add_chunker_option(parser, several=True)
    add_refused_old_options(parser, "--chunks")
    with pytest.raises(InputError) as refused:
        parser.parse_args(arguments)
    assert str(refused.value) == sentence
    assert "--recipe" not in parser.format_help()
