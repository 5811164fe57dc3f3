"""A recipe as LangChain's ``TextSplitter``.

>>> splitter = SeamarkTextSplitter('{"chunker": "fixed_sentences", "parameters": {"size": 1}}')
>>> splitter.split_text("One sentence. Another.")
['One sentence.', 'Another.']
"""

from copy import deepcopy
from typing import Any

from chunkers import EmbeddingCache, Encoder, Recipe
from chunkers.recipes import AnyLanguageModel
from chunkers.results import metadata_of_all_chunks
from integrations.recipe_cutter import Cutter, RecipeOrSource, missing_library_error

try:
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter
except ImportError as error:
    raise missing_library_error(__name__, "langchain_text_splitters", "langchain-text-splitters", error) from error


class SeamarkTextSplitter(TextSplitter):
    """LangChain text splitter that cuts texts and documents according to a chunking recipe.

    Chunks keep the metadata of their document. They also have the fields in
    `chunkers.results.chunk_fields.METADATA_FIELD_DESCRIPTIONS`, such as LangChain's ``start_index``, and ``heading_path``.
    The recipe sets sizes and overlap; LangChain's defaults have no effect.

    Parameters
    ----------
    recipe
        A recipe as exported by the page, in any form that `integrations.recipe_of` takes.
    embedder, cache, language_model
        As in `integrations.Cutter`.

    Raises
    ------
    InputError
        If the recipe is invalid.
    """

    def __init__(
        self,
        recipe: RecipeOrSource,
        embedder: Encoder | None = None,
        cache: EmbeddingCache | None = None,
        language_model: AnyLanguageModel | None = None,
    ) -> None:
        super().__init__(add_start_index=True)
        self._cut = Cutter.of(recipe, embedder, cache, language_model)

    @property
    def recipe(self) -> Recipe:
        """Chunking recipe that the splitter applies."""
        return self._cut.recipe

    def split_text(self, text: str) -> list[str]:
        """Return the chunks of a text as strings.

        Raises InputError as `chunkers.Recipe.run` does.
        """
        return [*self._cut(text).texts]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """Return one document per chunk of each text, with the metadata of the text and the chunk.

        Raises the same errors as `split_text`.
        """
        chunk_documents = []
        for text, text_metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
            chunking = self._cut(text)
            chunk_documents += [
                Document(page_content=chunk.text, metadata={**deepcopy(text_metadata), **metadata})
                for chunk, metadata in zip(chunking, metadata_of_all_chunks(chunking), strict=True)
            ]
        return chunk_documents
