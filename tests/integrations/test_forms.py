"""Forms of a recipe that the integrations accept and refuse, and the recipe inside a library's pipeline."""

import importlib
import pickle
import sys
from copy import deepcopy

import pytest

from chunkers import ADAPTERS, InputError, Recipe, chunk
from chunkers.results.chunk_fields import METADATA_FIELD_DESCRIPTIONS, metadata_of_all_chunks, to_documents
from integrations import Cutter, recipe_of
from tests.support import HashEmbedder, ScriptedModel, asking

RECIPE = Recipe(chunker="fixed_sentences", parameters={"size": 1}, sentences="lines", tokenizer="words")
TEXT = "No.\nNo. Indeed, no.\nNo.\nNo."
"""Chunks that lie inside others: a search by their text finds the wrong place."""

MODULES = {
    "langchain": ("langchain_text_splitters", "SeamarkTextSplitter"),
    "llama_index": ("llama_index.core.bridge.pydantic", "SeamarkNodeParser"),
    "haystack": ("haystack", "SeamarkDocumentSplitter"),
    "chonkie": ("chonkie.chunker.base", "SeamarkChunker"),
}


@pytest.mark.parametrize("form", ["recipe", "values", "json", "file", "path", "result"])
def test_a_recipe_is_taken_in_any_form(form, tmp_path):
    file = tmp_path / "x.recipe.json"
    file.write_text(RECIPE.to_json(), encoding="utf-8")
    forms = {
        "recipe": RECIPE,
        "values": RECIPE.model_dump(),
        "json": f"\n{RECIPE.to_json()}",
        "file": str(file),
        "path": file,
        "result": RECIPE.run(TEXT),
    }
    taken = recipe_of(forms[form])
    assert taken.model_copy(update={"parameters": {}, "versions": {}}) == RECIPE.model_copy(update={"parameters": {}})
    assert taken.build() == RECIPE.build()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3, "recipe must be a Recipe, its JSON or the path of a recipe file; got 3."),
        ("nowhere.json", "nowhere.json: the file cannot be read: No such file or directory."),
        ("{", "recipe: the file must be valid JSON; this one is not (Expecting property name"),
        ({"chunker": object()}, "recipe: every value must be JSON serializable; "),
        ({"chunker": "none"}, "chunker must be one of "),
        (Recipe(chunker="fixed_sentences", parameters={"size": 0}), "fixed_sentences: size must be at least 1; got 0."),
    ],
)
def test_what_is_no_recipe_is_one_sentence(given, said):
    with pytest.raises(InputError) as refused:
        recipe_of(given)
    assert str(refused.value).startswith(said)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("name", MODULES)
def test_a_missing_library_is_named_with_how_to_install_it(name, monkeypatch):
    module, _ = MODULES[name]
    monkeypatch.delitem(sys.modules, f"integrations.{name}", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"^integrations\.{name} needs the package \w+, .*'pip install [\w-]+'\.$"):
        importlib.import_module(f"integrations.{name}")


@pytest.mark.parametrize("name", MODULES)
def test_the_caller_s_own_embedder_is_asked(name):
    module, called = MODULES[name]
    pytest.importorskip(module)
    made = getattr(importlib.import_module(f"integrations.{name}"), called)
    recipe = Recipe(chunker="breakpoint", parameters={"amount": 50}, sentences="lines", tokenizer="words")
    embedder = HashEmbedder()
    splitter = made(recipe=recipe, embedder=embedder)
    text = "\n".join(f"Line {number}." for number in range(9))
    wanted = [*Cutter(recipe, HashEmbedder())(text).texts]
    assert len(wanted) > 1
    assert texts_from(splitter, name, text) == wanted
    assert splitter.recipe == recipe


@pytest.mark.parametrize("name", MODULES)
def test_the_caller_s_own_language_model_is_asked(name):
    module, called = MODULES[name]
    pytest.importorskip(module)
    made = getattr(importlib.import_module(f"integrations.{name}"), called)
    recipe = Recipe(chunker="lumber", sentences="paragraphs", tokenizer="words", embedder="tfidf")
    text = "\n\n".join(f"{topic} says one thing. Then {topic} says more." for topic in "aabbbc")

    def model():
        return asking(ScriptedModel(lambda before, after: before[0] != after[0]))

    wanted = [*Cutter(recipe, language_model=model())(text).texts]
    assert [piece.count("more.") for piece in wanted] == [2, 3, 1]
    splitter = made(recipe=recipe, language_model=model())
    assert texts_from(splitter, name, text) == wanted
    if name == "haystack":
        with pytest.raises(InputError, match=r"^language_model: a pipeline can be saved only"):
            splitter.to_dict()


def texts_from(splitter, name, text):
    match name:
        case "langchain":
            return splitter.split_text(text)
        case "llama_index":
            from llama_index.core import Document

            return [node.text for node in splitter([Document(text=text)])]
        case "haystack":
            from haystack import Document

            return [document.content for document in splitter.run([Document(content=text)])["documents"]]
    return [piece.text for piece in splitter.chunk_batch([text, text], show_progress=False)[1]]


def test_repeated_texts_lie_where_they_were_cut():
    pytest.importorskip("llama_index.core")
    from llama_index.core import Document

    from integrations.llama_index import SeamarkNodeParser

    nodes = SeamarkNodeParser(RECIPE).get_nodes_from_documents([Document(text=TEXT)])
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [(0, 3), (4, 19), (20, 23), (24, 27)]
    from llama_index.core.schema import MetadataMode

    assert [node.get_content(MetadataMode.EMBED) for node in nodes] == TEXT.split("\n")


def test_a_pipeline_of_llamaindex_takes_it_as_a_step_and_copies_it():
    pytest.importorskip("llama_index.core")
    from llama_index.core import Document
    from llama_index.core.ingestion import IngestionPipeline

    from integrations.llama_index import SeamarkNodeParser

    parser = SeamarkNodeParser(RECIPE)
    for step in (parser, pickle.loads(pickle.dumps(parser)), deepcopy(parser)):
        nodes = IngestionPipeline(transformations=[step]).run(documents=[Document(text=TEXT)])
        assert [node.text for node in nodes] == TEXT.split("\n")
    assert parser.to_dict()["recipe"] == RECIPE.model_dump()


def test_a_pipeline_of_haystack_is_written_and_read_with_its_recipe():
    haystack = pytest.importorskip("haystack")
    from integrations.haystack import SeamarkDocumentSplitter

    pipeline = haystack.Pipeline()
    pipeline.add_component("splitter", SeamarkDocumentSplitter(RECIPE))
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=[SeamarkDocumentSplitter.__module__])
    assert again.get_component("splitter").recipe == RECIPE
    made = again.run({"splitter": {"documents": [haystack.Document(content=TEXT)]}})
    assert [document.content for document in made["splitter"]["documents"]] == TEXT.split("\n")
    with pytest.raises(InputError, match="embedder"):
        SeamarkDocumentSplitter(RECIPE, embedder=HashEmbedder()).to_dict()
    with pytest.raises(InputError, match="must have text as its content"):
        SeamarkDocumentSplitter(RECIPE).run([haystack.Document()])


@pytest.mark.parametrize("library", ["langchain", "llama_index", "haystack"])
def test_a_result_gives_the_documents_of_a_library(library):
    text = "# Guide\n\nOne.\n\n## Install\n\nTwo."
    result = chunk(text, "structure", max_size=3, tokenizer="words", embedded_as="heading_path")
    made = to_documents(result, library)
    contents = {"langchain": "page_content", "llama_index": "text", "haystack": "content"}
    assert [getattr(document, contents[library]) for document in made] == [*result.texts]
    kept = [document.meta if library == "haystack" else document.metadata for document in made]
    assert kept == metadata_of_all_chunks(result)
    assert kept[-1]["heading_path"] == "Guide > Install"
    assert kept[-1]["embedded_as"].startswith("Guide > Install\n\n")
    assert all(
        key in METADATA_FIELD_DESCRIPTIONS and isinstance(value, str | int)
        for metadata in kept
        for key, value in metadata.items()
    )


def test_clusters_say_all_their_ranges():
    result = chunk("A a.\nB b.\nA a.\nB b.", "kmeans", clusters=2, embedder="tfidf", sentences="lines")
    assert [metadata["spans"] for metadata in metadata_of_all_chunks(result)] == ["0-4, 10-14", "5-9, 15-19"]


def test_an_unknown_library_is_one_sentence():
    with pytest.raises(InputError, match=r"^library must be one of langchain, llama_index, haystack; got 'pinecone'\.$"):
        to_documents(RECIPE.run(TEXT), "pinecone")


@pytest.mark.parametrize("name", ["langchain_semantic", "llama_index_semantic", "chonkie_semantic"])
def test_an_adapter_s_recipe_runs_in_every_library_too(name):
    if ADAPTERS[name].version() is None:
        pytest.skip(f"{name} is not installed")
    recipe = Recipe(chunker=name, embedder="tfidf", tokenizer="words")
    text = " ".join(f"Sentence {number} of the {number % 3} kind." for number in range(12))
    wanted = [*recipe.run(text).texts]
    for library, (_, called) in MODULES.items():
        made = getattr(importlib.import_module(f"integrations.{library}"), called)
        assert texts_from(made(recipe), library, text) == wanted
