"""Chonkie's semantic chunker."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from chunkers.adapters.base import Adapter
from chunkers.contract import Tools
from chunkers.text import Document


class ChonkieSemantic(Adapter):
    """Adapter for Chonkie's SemanticChunker, with Chonkie's own sentences, parameter names and defaults."""

    name: ClassVar[str] = "chonkie_semantic"
    title: ClassVar[str] = "Chonkie: SemanticChunker"
    idea: ClassVar[str] = "Chonkie's own code, on its own sentences: cuts at the valleys of a smoothed similarity."
    source: ClassVar[str] = "chonkie"
    library: ClassVar[str] = "Chonkie's SemanticChunker"
    package: ClassVar[str] = "chonkie"
    module: ClassVar[str] = "chonkie"
    requirement: ClassVar[str] = "chonkie==1.7.0"

    threshold: float = Field(
        0.8,
        ge=0.01,
        le=0.99,
        title="Threshold",
        description="The share of the valleys that become cuts, the deepest first; the cosine above which groups merge.",
        json_schema_extra={"step": 0.01, "main": True},
    )
    chunk_size: int = Field(
        2048,
        ge=1,
        le=1_000_000,
        title="Chunk size",
        description="The most that a chunk may hold; one longer sentence stays whole.",
        json_schema_extra={"unit": "tokens", "step": 16, "offered": [16, 4096], "main": True},
    )
    similarity_window: int = Field(
        3,
        ge=1,
        le=100,
        title="Similarity window",
        description="How many sentences are joined and compared with the one after them.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 10], "main": True},
    )
    min_sentences_per_chunk: int = Field(
        1,
        ge=1,
        le=10_000,
        title="Minimum chunk size",
        description="The least distance between two cuts.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 20]},
    )
    min_characters_per_sentence: int = Field(
        24,
        ge=1,
        le=10_000,
        title="Shortest sentence",
        description="A shorter sentence is joined with its neighbour.",
        json_schema_extra={"unit": "characters", "step": 1, "offered": [1, 200]},
    )
    skip_window: int = Field(
        0,
        ge=0,
        le=100,
        title="Look-ahead range",
        description="How many groups beyond the next a group may skip to merge with a similar one; 0 merges none.",
        json_schema_extra={"unit": "groups", "step": 1, "offered": [0, 5]},
    )
    filter_window: int = Field(
        5,
        ge=3,
        le=101,
        title="Smoothing window",
        description="How many similarities the Savitzky-Golay filter looks at; an odd number.",
        json_schema_extra={"step": 2, "offered": [3, 21]},
    )
    filter_polyorder: int = Field(
        3,
        ge=0,
        le=10,
        title="Smoothing polynomial order",
        description="Degree of the filter's polynomial; below the window.",
        json_schema_extra={"step": 1},
    )
    filter_tolerance: float = Field(
        0.2,
        ge=0.01,
        le=0.99,
        title="Valley tolerance",
        description="How far from zero the slope of the smoothed similarity may be at a valley.",
        json_schema_extra={"step": 0.01},
    )

    @model_validator(mode="after")
    def _check_filter_settings(self) -> Self:
        if self.filter_window % 2 == 0:
            raise ValueError(f"filter_window must be odd; got {self.filter_window}.")
        if self.filter_polyorder >= self.filter_window:
            raise ValueError(
                f"filter_polyorder must be less than filter_window ({self.filter_window}); got {self.filter_polyorder}. "
                "Lower filter_polyorder or raise filter_window."
            )
        return self

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks that Chonkie makes."""
        from chonkie import SemanticChunker

        from chunkers.adapters.chonkie_embeddings import ChonkieEmbeddings

        chunker = SemanticChunker(ChonkieEmbeddings(tools), **self.model_dump())
        return [chunk.text for chunk in chunker.chunk(document.text)]
