"""LlamaIndex's embedding interface; import this module only if LlamaIndex is installed."""

from collections.abc import Callable

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr


class LlamaIndexEmbedding(BaseEmbedding):
    """Implementation of LlamaIndex's embedding interface with a function from texts to vectors."""

    _embed: Callable[[list[str]], list[list[float]]] = PrivateAttr()

    def __init__(self, embed_texts: Callable[[list[str]], list[list[float]]]) -> None:
        # The function makes its own batches; LlamaIndex would batch ten texts at a time.
        super().__init__(embed_batch_size=2048)
        self._embed = embed_texts

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embed(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)
