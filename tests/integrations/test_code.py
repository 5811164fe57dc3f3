"""Every program that the page shows runs as it stands and gives the page's chunks, or says how the library's differ."""

import json
import subprocess

import pytest

from chunkers import CHUNKERS, InputError, ModelError, Recipe, build_chunker
from chunkers.recipes.chunker_registry import ADAPTERS
from integrations.original_chunkers import (
    MAX_CHARACTERS_TO_RUN,
    Program,
    chunk_equality_and_first_difference,
    original_chunker_for_recipe,
    run_original_chunker,
)
from integrations.original_chunkers import Original as Shown
from integrations.recipe_code import TITLE_BY_TOOL, python_literal, recipe_code_for_tool
from sample_docs import load_sample
from seamark.__main__ import main

LINES = load_sample("stubs").text.split("\n")
TEXT = "\n\n".join("\n".join(LINES[start : start + 5]) for start in range(0, len(LINES), 5))
SETTINGS = {
    "recursive": {"size": 120, "overlap": 30},
    "fixed_words": {"size": 40, "overlap": 5},
    "structure": {"max_size": 60},
    "fixed_tokens": {"size": 30, "overlap": 4},
    "fixed_characters": {"size": 250, "overlap": 50},
    "breakpoint": {"amount": 70, "buffer": 1},
    "double_pass": {"vector": "re-embed"},
}


def recipe_of(name, sentences="sentencex", tokenizer="words", **settings):
    chunker = build_chunker(name, {**SETTINGS.get(name, {}), **settings})
    return Recipe(chunker=name, parameters=chunker.model_dump(), sentences=sentences, embedder="tfidf", tokenizer=tokenizer)


@pytest.fixture
def document(tmp_path, monkeypatch):
    """Stand in a folder that has the text as a program looks for it, line ends of Windows included."""
    text = TEXT.replace("\n", "\r\n", 3)
    (tmp_path / "document.txt").write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    return text


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("tool", TITLE_BY_TOOL)
def test_the_code_gives_the_chunks_of_the_page(tool, chunker, document, capsys):
    recipe = recipe_of(chunker)
    wanted = [*recipe.run(document).texts]
    code = recipe_code_for_tool(tool, recipe)
    if tool == "command_line":
        program, *arguments = in_a_shell(code)
        assert program == "seamark"
        assert main(arguments) == 0
        assert [chunk["text"] for chunk in json.loads(capsys.readouterr().out)["chunks"]] == wanted
        return
    names = {}
    exec(compile(code, "copied", "exec"), names)
    assert names["chunks"] == wanted


def in_a_shell(code):
    """Return the words of a command as a shell reads them."""
    told = subprocess.run(["sh", "-c", f"printf '%s\\0' {code}"], capture_output=True, check=True).stdout
    return told.decode().split("\0")[:-1]


SAME = [
    ("langchain", recipe_of("recursive")),
    ("langchain", recipe_of("recursive", size=25, overlap=5, unit="words", separators="langchain")),
    ("langchain", recipe_of("recursive", size=25, overlap=0, unit="tokens", separators="markdown")),
    ("langchain", recipe_of("recursive", size=25, unit="tokens", overlap=3, tokenizer="all-MiniLM-L6-v2")),
    ("langchain", recipe_of("fixed_characters")),
    ("langchain", recipe_of("breakpoint", sentences="regex")),
    ("langchain", recipe_of("breakpoint", sentences="regex", threshold="gradient", amount=80)),
    ("langchain", recipe_of("langchain_semantic")),
    ("llama_index", recipe_of("breakpoint")),
    ("llama_index", recipe_of("llama_index_semantic", breakpoint_percentile_threshold=70)),
    ("llama_index", recipe_of("double_pass")),
    ("llama_index", recipe_of("llama_index_double_merging", initial_threshold=0.1)),
    ("haystack", recipe_of("fixed_sentences", sentences="paragraphs", size=2, overlap=1)),
    ("chonkie", recipe_of("fixed_characters")),
    ("chonkie", recipe_of("fixed_tokens", tokenizer="characters", size=300)),
    ("chonkie", recipe_of("chonkie_semantic", threshold=0.5)),
]


@pytest.mark.parametrize(
    ("tool", "recipe"), SAME, ids=lambda argument: argument if isinstance(argument, str) else argument.chunker
)
def test_the_library_s_own_class_gives_the_same(tool, recipe, document):
    original = original_chunker_for_recipe(tool, recipe)
    names = {}
    exec(compile(str(original.program), "copied", "exec"), names)
    ours = recipe.run(document)
    assert names["chunks"] == run_original_chunker(original, document)
    same, sentence = chunk_equality_and_first_difference(ours, names["chunks"])
    assert same, sentence
    assert sentence == f"the same {len(ours)} chunks"
    if original.adapter_and_parameters is not None:
        name, parameters = original.adapter_and_parameters
        assert ADAPTERS[name].name == name
        column = Recipe(chunker=name, parameters=dict(parameters), **recipe.model_dump(include={"sentences", "embedder"}))
        assert chunk_equality_and_first_difference(ours, column.run(document)) == (True, sentence)


@pytest.mark.parametrize(
    ("tool", "recipe"),
    [
        ("haystack", recipe_of("fixed_words")),
        ("haystack", recipe_of("recursive")),
        ("haystack", recipe_of("fixed_sentences", "lines")),
    ],
    ids=lambda argument: argument if isinstance(argument, str) else argument.chunker,
)
def test_where_it_cuts_otherwise_the_first_difference_is_said(tool, recipe, document):
    ours = recipe.run(document)
    same, sentence = chunk_equality_and_first_difference(
        ours, run_original_chunker(original_chunker_for_recipe(tool, recipe), document)
    )
    assert not same
    assert " is the first that differs: ours is “" in sentence or " are the same, then " in sentence


def test_a_difference_is_told_in_words():
    ours = Recipe(chunker="fixed_sentences", parameters={"size": 1}, sentences="lines").run("A.\nB.\nC.")
    assert chunk_equality_and_first_difference(ours, ["A.\n", " B.", "", "C."]) == (True, "the same 3 chunks")
    assert chunk_equality_and_first_difference(ours, ["A.", "B.\nC."]) == (
        False,
        "2 chunks where ours are 3; chunk 2 is the first that differs: ours is “B.” (3 to 5), theirs is “B. C.” (3 to 8)",
    )
    assert (
        chunk_equality_and_first_difference(ours, ["A.", "B."])[1]
        == "2 chunks where ours are 3; the first 2 are the same, then ours go on with “C.” (6 to 8)"
    )
    assert chunk_equality_and_first_difference(ours, ["A.", "x", "C."])[1].endswith(
        "theirs is no part of the text as it stands"
    )


def test_a_setting_that_the_library_lacks_has_no_original():
    assert original_chunker_for_recipe("langchain", recipe_of("breakpoint", min_size=3)) is None
    assert original_chunker_for_recipe("langchain", recipe_of("breakpoint", threshold="depth", amount=None)) is None
    assert original_chunker_for_recipe("llama_index", recipe_of("breakpoint", amount=70.5)) is None
    assert original_chunker_for_recipe("llama_index", recipe_of("double_pass", initial_threshold=-0.5)) is None
    assert original_chunker_for_recipe("haystack", recipe_of("fixed_sentences")) is None
    assert original_chunker_for_recipe("langchain", recipe_of("recursive", parent_size=500)) is None
    assert original_chunker_for_recipe("haystack", recipe_of("recursive", parent_size=500)) is None
    assert original_chunker_for_recipe("chonkie", recipe_of("kmeans")) is None


@pytest.mark.parametrize("tool", TITLE_BY_TOOL)
def test_the_language_model_that_a_recipe_names_is_in_its_code(tool):
    code = recipe_code_for_tool(tool, Recipe(chunker="lumber", language_model="openai:some model"))
    wanted = "--language-model 'openai:some model'" if tool == "command_line" else '"openai:some model"'
    assert wanted in code


def test_the_code_names_the_installed_package():
    recipe = recipe_of("fixed_words")
    assert "\nfrom seamark import chunk\n" in recipe_code_for_tool("python", recipe)
    assert "\nfrom seamark.integrations.langchain import SeamarkTextSplitter\n" in recipe_code_for_tool("langchain", recipe)


def test_haystack_is_told_to_report_nothing_before_it_is_run(monkeypatch):
    monkeypatch.delenv("HAYSTACK_TELEMETRY_ENABLED", raising=False)
    seen = Shown("Nobody's Chunker", Program(("import os",), 'chunks = [os.environ["HAYSTACK_TELEMETRY_ENABLED"]]'), "none")
    assert run_original_chunker(seen, "A.") == ["False"]


def test_no_text_in_a_recipe_is_run():
    hostile = 'x", __import__("os").abort(), "\\\n\u2028\'\U0001f600'
    assert eval(python_literal(hostile)) == hostile
    assert eval(python_literal({hostile: [hostile, None, True, 0.1]})) == {hostile: [hostile, None, True, 0.1]}
    recipe = Recipe(chunker="fixed_sentences", sentences=hostile, embedder=hostile, tokenizer=hostile)
    for tool in TITLE_BY_TOOL:
        code = recipe_code_for_tool(tool, recipe)
        if tool == "command_line":
            assert in_a_shell(code).count(hostile) == 3
        else:
            compile(code, "copied", "exec")
            assert code.count(python_literal(hostile)) == 3


def test_what_cannot_be_run_here_is_a_sentence():
    missing = Shown("Nobody's Chunker", Program(("import not_there",), "chunks = []"), "not-there")
    with pytest.raises(
        ModelError, match=r"^Nobody's Chunker must be installed .* Install it with 'pip install not-there'\.$"
    ):
        run_original_chunker(missing, "A.")
    failing = Shown("Nobody's Chunker", Program((), "chunks = 1 / 0"), "not-there")
    with pytest.raises(ModelError, match=r"could not cut this text: ZeroDivisionError: division by zero\. "):
        run_original_chunker(failing, "A.")
    with pytest.raises(InputError, match="may have at most 100,000 characters; it has 100,001"):
        run_original_chunker(failing, "a" * (MAX_CHARACTERS_TO_RUN + 1))
