"""A recipe gives the same chunks wherever it runs: here, on the command line, and inside every library."""

import json

import pytest

from chunkers import CHUNKERS, Recipe
from chunkers.commands.chunk_command import main
from chunkers.results.chunk_fields import metadata_of_all_chunks
from sample_docs import load_sample, sample_titles
from tests.lanes import mostly_full

haystack = pytest.importorskip("haystack")

from chonkie.types import Chunk as ChonkieChunk  # noqa: E402
from langchain_core.documents import Document as LangChainDocument  # noqa: E402
from llama_index.core import Document as LlamaIndexDocument  # noqa: E402
from llama_index.core.schema import NodeRelationship  # noqa: E402

from integrations.chonkie import SeamarkChunker  # noqa: E402
from integrations.haystack import SeamarkDocumentSplitter  # noqa: E402
from integrations.langchain import SeamarkTextSplitter  # noqa: E402
from integrations.llama_index import SeamarkNodeParser  # noqa: E402

SMALL = {"recursive": {"size": 120, "overlap": 30}, "fixed_words": {"size": 40, "overlap": 5}, "structure": {"max_size": 60}}
"""Settings with more chunks, and more that overlap, than the defaults give in a short text."""

ALREADY = {"author": "Ada"}
"""Metadata of the document before chunking."""


def recipes_for(sample):
    """Return a recipe of every chunker with the sample's own splitter."""
    sentences = load_sample(sample).sentences
    return [
        Recipe(chunker=name, parameters=SMALL.get(name, {}), sentences=sentences, embedder="tfidf", tokenizer="words")
        for name in CHUNKERS
    ]


def on_the_command_line(recipe, text, folder, capsys):
    file, written = folder / "text.txt", folder / "x.recipe.json"
    file.write_bytes(text.encode())
    written.write_text(recipe.to_json(), encoding="utf-8")
    assert main([str(file), "--chunker", str(written), "--encoding", "utf-8"]) == 0
    return json.loads(capsys.readouterr().out)["chunks"]


def check(recipe, text, folder, capsys):
    current_page = recipe.run(text)
    wanted, places = [*current_page.texts], [(chunk.start, chunk.end) for chunk in current_page]
    told = metadata_of_all_chunks(current_page)
    assert wanted

    printed = on_the_command_line(recipe, text, folder, capsys)
    assert [row["text"] for row in printed] == wanted
    assert [[tuple(span) for span in row["spans"]] for row in printed] == [[*chunk.spans] for chunk in current_page]

    splitter = SeamarkTextSplitter(recipe)
    assert splitter.split_text(text) == wanted
    parent = LangChainDocument(page_content=text, metadata=ALREADY)
    made = splitter.split_documents([parent])
    assert [child.page_content for child in made] == wanted
    assert [child.metadata for child in made] == [{**ALREADY, **fields} for fields in told]

    document = LlamaIndexDocument(text=text, metadata=ALREADY)
    nodes = SeamarkNodeParser(recipe).get_nodes_from_documents([document])
    assert [node.text for node in nodes] == wanted
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == places
    assert [node.metadata for node in nodes] == [{**ALREADY, **fields} for fields in told]
    assert {node.ref_doc_id for node in nodes} == {document.id_}
    nexts = [node.relationships.get(NodeRelationship.NEXT) for node in nodes]
    assert [following and following.node_id for following in nexts] == [*(node.node_id for node in nodes[1:]), None]

    source = haystack.Document(content=text, meta=ALREADY)
    pieces = SeamarkDocumentSplitter(recipe).run(documents=[source])["documents"]
    assert [piece.content for piece in pieces] == wanted
    assert [piece.meta["split_idx_start"] for piece in pieces] == [start for start, _ in places]
    assert all(piece.meta["source_id"] == source.id and piece.meta["author"] == "Ada" for piece in pieces)

    cut = SeamarkChunker(recipe)(text)
    assert [part.text for part in cut] == wanted
    assert [(part.start_index, part.end_index) for part in cut] == places
    assert all(isinstance(part, ChonkieChunk) and part.token_count == len(part.text.split()) for part in cut)


def test_the_bundled_model_gives_the_same_chunks_everywhere(tmp_path, capsys):
    made = Recipe(chunker="breakpoint", parameters={"amount": 70}, sentences="lines", tokenizer="words")
    assert made.embedder == "all-MiniLM-L6-v2"
    check(made, load_sample("stubs").text, tmp_path, capsys)


@pytest.mark.parametrize("sample", mostly_full(sample_titles(), {"stubs", "table"}))
def test_every_chunker_gives_the_same_chunks_of_a_sample_everywhere(sample, tmp_path, capsys):
    for recipe in recipes_for(sample):
        check(recipe, load_sample(sample).text, tmp_path, capsys)
