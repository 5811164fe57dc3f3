"""The embedding interface of Chonkie; import it only where Chonkie is installed."""

from __future__ import annotations

from collections.abc import Callable

from chonkie import BaseEmbeddings

from chunkers.contract.tools import Tools
from chunkers.support.arrays import VectorArray


class ChonkieEmbeddings(BaseEmbeddings):
    """The tools' embedder and tokenizer behind Chonkie's interface."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._tools = tools

    def embed(self, text: str) -> VectorArray:
        """Return the text's vector."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str]) -> list[VectorArray]:
        """Return one vector per text."""
        return list(self._tools.embed(texts))

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return len(self.embed(""))

    def get_tokenizer(self) -> Callable[[str], int]:
        """Return the function that counts a text's tokens, which is all that Chonkie's SemanticChunker needs."""
        return lambda text: self._tools.count_tokens([text])[0]
