"""The originals decide: LangChain and LlamaIndex, given the same sentences and the same embedder."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langchain_experimental.text_splitter import SemanticChunker
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser

from chunkers import Document, Tools, build_chunker, load_tokenizer
from chunkers.building_blocks.recursive_splitting import SEPARATORS_BY_PRESET, text_size_function
from chunkers.contract.base import run_and_time_chunker
from chunkers.results.parent_chunks import find_chunk_indices_with_children
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import tools as fake_tools


class LangChainEmbeddings(Embeddings):
    def __init__(self, tools):
        self.tools = tools

    def embed_documents(self, texts):
        return self.tools.embed(texts).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


class LlamaEmbedding(BaseEmbedding):
    def __init__(self, tools):
        super().__init__(embed_batch_size=32)
        self._tools = tools

    def _get_text_embedding(self, text):
        return self._tools.embed([text])[0].tolist()

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def joined(document, chunking):
    """Return the chunks as the references give them: their sentences joined by single spaces."""
    starts = [span.start for span in document.sentences]
    return [
        " ".join(
            text for start, text in zip(starts, document.sentence_texts, strict=True) if chunk.start <= start < chunk.end
        )
        for chunk in chunking.chunks
    ]


AMOUNTS = {
    "percentile": (60, 80, 95),
    "standard_deviation": (0.5, 1, 2),
    "interquartile": (0.3, 0.7, 1.5),
    "gradient": (60, 80, 95),
}


@pytest.mark.parametrize("sample", samples())
@pytest.mark.parametrize(
    ("threshold", "amount"), [(name, amount) for name, amounts in AMOUNTS.items() for amount in amounts]
)
def test_breakpoint_is_langchains_semantic_chunker(sample, threshold, amount, real_tools):
    # A trailing line end would give LangChain an empty last sentence, which is no sentence here.
    text = load_sample(sample).text.strip()
    document = Document.from_text(text, "regex")
    ours = run_and_time_chunker(
        build_chunker("breakpoint", {"threshold": threshold, "amount": amount, "buffer": 1}), document, real_tools
    )
    theirs = SemanticChunker(
        LangChainEmbeddings(real_tools), breakpoint_threshold_type=threshold, breakpoint_threshold_amount=amount
    )
    assert joined(document, ours) == theirs.split_text(text)


DOUBLE = [
    {"initial_threshold": 0.4, "appending_threshold": 0.4, "merging_threshold": 0.3, "look_ahead": 1, "max_size": 1000},
    {"initial_threshold": 0.3, "appending_threshold": 0.5, "merging_threshold": 0.35, "look_ahead": 2, "max_size": 700},
    {"initial_threshold": 0.5, "appending_threshold": 0.35, "merging_threshold": 0.25, "look_ahead": 1, "max_size": 250},
    {"initial_threshold": 0.2, "appending_threshold": 0.2, "merging_threshold": 0.45, "look_ahead": 2, "max_size": 4000},
]


@pytest.mark.parametrize("sample", samples())
@pytest.mark.parametrize("setting", DOUBLE, ids=range(len(DOUBLE)))
def test_double_pass_re_embedding_is_llamaindexs(sample, setting, real_tools):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    ours = run_and_time_chunker(build_chunker("double_pass", {"vector": "re-embed", **setting}), document, real_tools)
    theirs = SemanticDoubleMergingSplitterNodeParser(
        embed_model=LlamaEmbedding(real_tools),
        initial_threshold=setting["initial_threshold"],
        appending_threshold=setting["appending_threshold"],
        merging_threshold=setting["merging_threshold"],
        max_chunk_size=setting["max_size"],
        merging_range=setting["look_ahead"],
        sentence_splitter=lambda text: document.sentence_texts,
    )
    nodes = theirs.build_semantic_nodes_from_documents([LlamaDocument(text=source.text)])
    assert joined(document, ours) == [node.text for node in nodes]


def langchain_recursive(size, overlap, unit, separators, tools):
    others = {"chunk_size": size, "chunk_overlap": overlap, "length_function": text_size_function(unit, tools)}
    if separators == "markdown":
        return RecursiveCharacterTextSplitter.from_language(Language.MARKDOWN, **others)
    names = ["\n\n", "\n", ".", "?", "!", " ", ""] if separators == "chroma" else None
    return RecursiveCharacterTextSplitter(separators=names, **others)


@pytest.mark.parametrize("sample", samples())
@pytest.mark.parametrize("separators", ["chroma", "langchain", "markdown"])
@pytest.mark.parametrize(("size", "overlap", "unit"), [(200, 0, "characters"), (90, 40, "characters"), (40, 15, "words")])
def test_recursive_is_langchains(sample, size, overlap, unit, separators):
    text = load_sample(sample).text
    tools = fake_tools()
    parameters = {"size": size, "overlap": overlap, "unit": unit, "separators": separators}
    ours = run_and_time_chunker(build_chunker("recursive", parameters), Document.from_text(text, "lines"), tools)
    theirs = langchain_recursive(size, overlap, unit, separators, tools).split_text(text)
    assert [chunk.text for chunk in ours.chunks] == theirs


@pytest.mark.parametrize("overlap", [0, 20])
@pytest.mark.parametrize("unit", ["characters", "words"])
def test_parents_and_children_are_those_of_a_parent_document_retriever(unit, overlap):
    text = load_sample("article").text
    tools = fake_tools()
    parameters = {"size": 40, "overlap": overlap, "unit": unit, "separators": "langchain", "parent_size": 150}
    ours = run_and_time_chunker(build_chunker("recursive", parameters), Document.from_text(text, "lines"), tools)
    parents, children = (langchain_recursive(size, overlap, unit, "langchain", tools) for size in (150, 40))
    theirs = parents.split_text(text)
    assert [ours.chunks[number].text for number in find_chunk_indices_with_children(ours.chunks)] == theirs
    every = [*theirs, *(child for parent in theirs for child in children.split_text(parent))]
    assert sorted(ours.texts) == sorted(every)


@given(
    text=st.lists(
        st.sampled_from(
            ["a", "bb ", "c.", "\n", "\n\n", "? ", "dd dd ", "🌊", "x" * 30, "\n# H ", "\n---\n", "```\n", "\n***\n"]
        ),
        max_size=60,
    ).map("".join),
    size=st.integers(2, 40),
    share=st.floats(0, 0.9),
    unit=st.sampled_from(["characters", "words", "tokens"]),
    separators=st.sampled_from(list(SEPARATORS_BY_PRESET)),
)
@settings(max_examples=300, deadline=None)
def test_recursive_is_langchains_on_any_text(text, size, share, unit, separators):
    tools = Tools(None, load_tokenizer("words" if unit == "words" else "characters"))
    overlap = int(size * share)
    parameters = {"size": size, "overlap": overlap, "unit": unit, "separators": separators}
    ours = run_and_time_chunker(build_chunker("recursive", parameters), Document.from_text(text), tools)
    theirs = langchain_recursive(size, overlap, unit, separators, tools).split_text(text)
    assert [chunk.text for chunk in ours.chunks] == theirs
    assert not ours.document.is_split


def test_the_separators_for_markdown_are_langchains():
    separators, is_regex = SEPARATORS_BY_PRESET["markdown"]
    assert is_regex
    assert separators == RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)
