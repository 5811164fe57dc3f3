"""The other libraries' chunkers, run with this project's embedder and sentences."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from langchain_experimental.text_splitter import SemanticChunker
from llama_index.core import Document as LlamaDocument
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser

from chunkers import Document, Embedder
from chunkers.adapters.langchain_embeddings import LangChainEmbeddings
from chunkers.adapters.llama_index_embeddings import LlamaIndexEmbedding

TEXTS_PER_BATCH = 32
"""Texts per batch after sorting by length, as sentence-transformers does with a list of texts."""


class CountingEncoder:
    """An uncached embedder that counts its texts, with the interface of the reference libraries."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedded = 0
        self._embedder = embedder

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the texts' unit vectors as lists of floats, which both libraries expect."""
        self.embedded += len(texts)
        longest_first_indices = sorted(range(len(texts)), key=lambda i: len(texts[i]), reverse=True)
        vectors: list[npt.NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(texts)
        for batch_start in range(0, len(longest_first_indices), TEXTS_PER_BATCH):
            text_indices_of_batch = longest_first_indices[batch_start : batch_start + TEXTS_PER_BATCH]
            for text_index, vector in zip(
                text_indices_of_batch, self._embedder.encode([texts[i] for i in text_indices_of_batch]), strict=True
            ):
                vectors[text_index] = vector
        return [vector.tolist() for vector in vectors]


def cut_with_langchain_breakpoint(
    text: str, encoder: CountingEncoder, *, neighbouring_sentence_count: int, percentile: float
) -> list[str]:
    """Cut with LangChain's SemanticChunker at a percentile; its sentences equal those of the splitter ``regex``."""
    chunker = SemanticChunker(
        LangChainEmbeddings(encoder.encode),
        buffer_size=neighbouring_sentence_count,
        breakpoint_threshold_type="percentile",
        breakpoint_threshold_amount=percentile,
    )
    return chunker.split_text(text)


def cut_with_llama_index_merging(
    text: str,
    encoder: CountingEncoder,
    *,
    initial: float,
    appending_threshold: float,
    merging_threshold: float,
    max_chunk_characters: int,
) -> list[str]:
    """Cut with LlamaIndex's double merging with an embedding model, on the sentences of the splitter ``regex``."""
    parser = SemanticDoubleMergingSplitterNodeParser.from_defaults(
        embed_model=LlamaIndexEmbedding(encoder.encode),
        initial_threshold=initial,
        appending_threshold=appending_threshold,
        merging_threshold=merging_threshold,
        max_chunk_size=max_chunk_characters,
        sentence_splitter=lambda whole: Document.from_text(whole, "regex").sentence_texts,
    )
    nodes = parser.build_semantic_nodes_from_documents([LlamaDocument(text=text)])
    return [node.get_content() for node in nodes]
