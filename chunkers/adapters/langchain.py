"""LangChain's semantic chunker."""

from typing import ClassVar, Literal

from pydantic import Field

from chunkers.adapters.base import Adapter
from chunkers.building_blocks.thresholds import ThresholdChunker
from chunkers.contract import Tools
from chunkers.text import Document


class LangChainSemantic(ThresholdChunker, Adapter):
    """Adapter for LangChain's SemanticChunker, with LangChain's own sentences, which end at ``.``, ``?`` or ``!``.

    The parameters are declared as in `Breakpoint`, so that both chunkers can be set alike.
    """

    name: ClassVar[str] = "langchain_semantic"
    title: ClassVar[str] = "LangChain: SemanticChunker"
    idea: ClassVar[str] = "LangChain's own code, on its own sentences, which end after . ? or ! and white space."
    source: ClassVar[str] = "langchain-experimental"
    library: ClassVar[str] = "LangChain's SemanticChunker"
    package: ClassVar[str] = "langchain-experimental"
    module: ClassVar[str] = "langchain_experimental.text_splitter"
    requirement: ClassVar[str] = "langchain-experimental==0.4.2"

    threshold: Literal["percentile", "standard_deviation", "interquartile", "gradient"] = Field(
        "percentile",
        title="Threshold type",
        description="How the line is drawn; LangChain's breakpoint_threshold_type.",
        json_schema_extra={"main": True},
    )
    amount: float = Field(95, title="Threshold amount", json_schema_extra={"main": True})
    buffer: int = Field(
        1,
        ge=0,
        le=20,
        title="Buffer size",
        description="Sentences joined on each side before embedding; LangChain's buffer_size.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5], "main": True},
    )

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks that LangChain's SemanticChunker makes."""
        from langchain_experimental.text_splitter import SemanticChunker

        from chunkers.adapters.langchain_embeddings import LangChainEmbeddings

        chunker = SemanticChunker(
            LangChainEmbeddings(lambda texts: tools.embed(texts).tolist()),
            buffer_size=self.buffer,
            breakpoint_threshold_type=self.threshold,
            breakpoint_threshold_amount=self.amount,
        )
        return chunker.split_text(document.text)
