"""Chonkie's embeddings interface; import this module only if Chonkie is installed."""

from collections.abc import Callable

from chonkie import BaseEmbeddings

from chunkers.contract import Tools
from chunkers.support import VectorArray


class ChonkieEmbeddings(BaseEmbeddings):
    """Implementation of Chonkie's embeddings interface with a run's embedder and tokenizer."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._tools = tools

    def embed(self, text: str) -> VectorArray:
        """Return a text's embedding."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str]) -> list[VectorArray]:
        """Return one embedding per text."""
        return list(self._tools.embed(texts))

    @property
    def dimension(self) -> int:
        """Number of dimensions of an embedding."""
        return len(self.embed(""))

    def get_tokenizer(self) -> Callable[[str], int]:
        """Return a token-counting function, which is all that Chonkie's SemanticChunker needs as a tokenizer."""
        return lambda text: self._tools.count_tokens([text])[0]
