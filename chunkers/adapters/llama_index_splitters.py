"""LlamaIndex's two semantic splitters."""

from itertools import pairwise
from typing import Any, ClassVar

from pydantic import Field

from chunkers.adapters.base import Adapter
from chunkers.contract import Tools
from chunkers.text import Document


class _LlamaIndex(Adapter):
    """Base class of the adapters for LlamaIndex's splitters."""

    source: ClassVar[str] = "llama-index-core"
    package: ClassVar[str] = "llama-index-core"
    module: ClassVar[str] = "llama_index.core.node_parser"
    requirement: ClassVar[str] = "llama-index-core==0.14.25"

    def _node_texts(
        self, splitter_class: type[Any], sentence_texts: list[str], document: Document, tools: Tools
    ) -> list[str]:
        """Return the texts of the nodes that a splitter makes of these sentences."""
        from llama_index.core import Document as LlamaIndexDocument

        from chunkers.adapters.llama_index_embeddings import LlamaIndexEmbedding

        node_parser = splitter_class(
            embed_model=LlamaIndexEmbedding(lambda texts: tools.embed(texts).tolist()),
            sentence_splitter=lambda _: sentence_texts,
            **self.model_dump(),
        )
        semantic_splitter_nodes = node_parser.build_semantic_nodes_from_documents([LlamaIndexDocument(text=document.text)])
        return [node.get_content() for node in semantic_splitter_nodes]


class LlamaIndexSemantic(_LlamaIndex):
    """Adapter for LlamaIndex's SemanticSplitterNodeParser, run on the document's own sentences.

    The parameters have LlamaIndex's names and defaults.
    """

    name: ClassVar[str] = "llama_index_semantic"
    title: ClassVar[str] = "LlamaIndex: SemanticSplitter"
    idea: ClassVar[str] = "LlamaIndex's own code: cuts at a percentile of the distance between neighbours."
    library: ClassVar[str] = "LlamaIndex's SemanticSplitter"

    breakpoint_percentile_threshold: int = Field(
        95,
        ge=1,
        le=100,
        title="Percentile of distance",
        description="The share of gaps, in per cent, that stay uncut.",
        json_schema_extra={"step": 1, "offered": [10, 99], "main": True},
    )
    buffer_size: int = Field(
        1,
        ge=0,
        le=20,
        title="Buffer size",
        description="Sentences joined on each side before embedding.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5], "main": True},
    )

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the nodes that LlamaIndex's SemanticSplitterNodeParser makes."""
        from llama_index.core.node_parser import SemanticSplitterNodeParser

        # It joins sentences with nothing between them, so each sentence includes the white space after it.
        starts_and_text_end = [*document.starts, len(document.text)]
        sentence_texts_with_spacing = [document.text[start:following] for start, following in pairwise(starts_and_text_end)]
        return self._node_texts(SemanticSplitterNodeParser, sentence_texts_with_spacing, document, tools)


class LlamaIndexDoubleMerging(_LlamaIndex):
    """Adapter for LlamaIndex's SemanticDoubleMergingSplitterNodeParser, with an embedding model instead of spaCy vectors.

    The parameters have LlamaIndex's names and defaults, which were chosen for spaCy's vectors.
    """

    name: ClassVar[str] = "llama_index_double_merging"
    title: ClassVar[str] = "LlamaIndex: double merging"
    idea: ClassVar[str] = "LlamaIndex's own code: grows chunks sentence by sentence, then merges them."
    library: ClassVar[str] = "LlamaIndex's double merging"

    initial_threshold: float = Field(
        0.6,
        ge=0,
        le=1,
        title="Initial threshold",
        description="Two sentences open a chunk unless they are less similar than this.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "main": True},
    )
    appending_threshold: float = Field(
        0.8,
        ge=0,
        le=1,
        title="Appending threshold",
        description="A sentence joins when it is more similar than this to the last two.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "main": True},
    )
    merging_threshold: float = Field(
        0.8,
        ge=0,
        le=1,
        title="Merging threshold",
        description="Pass two merges chunks that are more similar than this.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "main": True},
    )
    max_chunk_size: int = Field(
        1000,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="No join makes a chunk longer than this.",
        json_schema_extra={"unit": "characters", "step": 100, "offered": [100, 10_000]},
    )
    merging_range: int = Field(
        1,
        ge=1,
        le=2,
        title="Look-ahead range",
        description="How many chunks beyond the next pass two may look at.",
        json_schema_extra={"unit": "chunks", "step": 1},
    )

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the nodes that LlamaIndex's double-merging splitter makes."""
        from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser

        # It asks for the sentences two at a time; embedding them in batches beforehand is far faster.
        tools.embed(document.sentence_texts)
        return self._node_texts(SemanticDoubleMergingSplitterNodeParser, document.sentence_texts, document, tools)
