"""The clustering chunker of Chroma's report."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from chunkers.adapters.base import Adapter
from chunkers.contract import Tools
from chunkers.text import Document


class ChromaCluster(Adapter):
    """Adapter for Chroma's ClusterSemanticChunker, with Chroma's own initial pieces, parameter names and defaults.

    Chroma's chunker is on no package index and is installed from its repository. It counts cl100k tokens with tiktoken,
    which downloads its token table on first use.
    """

    name: ClassVar[str] = "chroma_cluster"
    title: ClassVar[str] = "Chroma: ClusterSemanticChunker"
    idea: ClassVar[str] = "Chroma's own code: groups small pieces so that their total similarity is the greatest."
    source: ClassVar[str] = "chunking_evaluation; Chroma technical report (2024)"
    library: ClassVar[str] = "Chroma's ClusterSemanticChunker"
    package: ClassVar[str] = "chunking_evaluation"
    module: ClassVar[str] = "chunking_evaluation.chunking"
    requirement: ClassVar[str] = "git+https://github.com/brandonstarxel/chunking_evaluation.git"

    max_chunk_size: int = Field(
        400,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="Divided by the size of a piece, the most pieces that a chunk may have.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [50, 2000], "main": True},
    )
    min_chunk_size: int = Field(
        50,
        ge=1,
        le=1_000_000,
        title="Piece size",
        description="Size of the pieces that the text is first split into; at most the maximum size.",
        json_schema_extra={"unit": "tokens", "step": 5, "offered": [10, 200], "main": True},
    )

    @model_validator(mode="after")
    def _check_chunk_size_order(self) -> Self:
        if self.min_chunk_size > self.max_chunk_size:
            raise ValueError(
                f"min_chunk_size must be at most max_chunk_size ({self.max_chunk_size}); got {self.min_chunk_size}. Lower "
                "min_chunk_size or raise max_chunk_size."
            )
        return self

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks that Chroma's chunker makes."""
        from chunking_evaluation.chunking import ClusterSemanticChunker

        chunker = ClusterSemanticChunker(embedding_function=tools.embed, **self.model_dump())
        return list(chunker.split_text(document.text))
