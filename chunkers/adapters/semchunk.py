"""The chunker of the library semchunk."""

from typing import ClassVar

from pydantic import Field

from chunkers.adapters.base import Adapter
from chunkers.contract import Tools
from chunkers.text import Document


class Semchunk(Adapter):
    """Adapter for the semchunk library's ``chunk`` function, which counts tokens with the selected tokenizer.

    semchunk splits at the separators that it ranks as most meaningful, and joins pieces that fit, without embeddings.
    The tests use a stand-in with semchunk's interface; version 3.2.0 itself was tested manually.
    """

    name: ClassVar[str] = "semchunk"
    title: ClassVar[str] = "semchunk"
    idea: ClassVar[str] = "semchunk's own code: splits at line breaks, then spaces and marks, until the pieces fit."
    source: ClassVar[str] = "semchunk, by Isaacus"
    library: ClassVar[str] = "semchunk"
    package: ClassVar[str] = "semchunk"
    module: ClassVar[str] = "semchunk"
    requirement: ClassVar[str] = "semchunk"
    embeds: ClassVar[bool] = False

    chunk_size: int = Field(
        250,
        ge=1,
        le=1_000_000,
        title="Chunk size",
        description="The most that a chunk may hold; semchunk has no default.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [50, 2000], "main": True},
    )

    def piece_texts(self, document: Document, tools: Tools) -> list[str]:
        """Return the texts of the chunks that semchunk makes."""
        from semchunk import chunk

        # It remembers counters and all that they counted for good, which would keep the text.
        return list(chunk(document.text, self.chunk_size, lambda text: tools.count_tokens([text])[0], memoize=False))
