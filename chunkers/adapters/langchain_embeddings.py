"""LangChain's embeddings interface; import this module only if LangChain is installed."""

from collections.abc import Callable

from langchain_core.embeddings import Embeddings


class LangChainEmbeddings(Embeddings):
    """Implementation of LangChain's embeddings interface with a function from texts to vectors."""

    def __init__(self, embed: Callable[[list[str]], list[list[float]]]) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one embedding per text."""
        return self._embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """Return a text's embedding."""
        return self._embed([text])[0]
