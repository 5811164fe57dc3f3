"""A recipe as a component of Haystack.

>>> from haystack import Document
>>> splitter = SeamarkDocumentSplitter('{"chunker": "fixed_sentences", "parameters": {"size": 1}}')
>>> [one.content for one in splitter.run([Document(content="One sentence. Another.")])["documents"]]
['One sentence.', 'Another.']
"""

from copy import deepcopy
from typing import Any

from chunkers import EmbeddingCache, Encoder, InputError, Recipe
from chunkers.recipes import AnyLanguageModel
from chunkers.results import metadata_of_all_chunks
from integrations.recipe_cutter import Cutter, RecipeOrSource, missing_library_error

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise missing_library_error(__name__, "haystack", "haystack-ai", error) from error


@component
class SeamarkDocumentSplitter:
    """Haystack component that splits documents according to a chunking recipe.

    Chunks keep the ``meta`` of their document. They also have the fields in
    `chunkers.results.chunk_fields.METADATA_FIELD_DESCRIPTIONS`, and, as with Haystack's own splitters, ``source_id``,
    ``split_id`` and ``split_idx_start``.

    Parameters
    ----------
    recipe
        A recipe as exported by the page, in any form that `integrations.recipe_of` takes.
    embedder, cache, language_model
        As in `integrations.Cutter`. A pipeline file stores only the recipe. To load the file, Haystack needs the name of
        this module: ``Pipeline.loads(written, allowed_modules=["integrations.haystack"])``.

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
        self._cut = Cutter.of(recipe, embedder, cache, language_model)

    @property
    def recipe(self) -> Recipe:
        """Chunking recipe that the splitter applies."""
        return self._cut.recipe

    def to_dict(self) -> dict[str, Any]:
        """Return the splitter as a dictionary for a Haystack pipeline file.

        Raises
        ------
        InputError
            If the splitter has the caller's own embedder or language model, which cannot be stored in a file.
        """
        for argument_name in ("embedder", "language_model"):
            if getattr(self._cut, argument_name) is not None:
                raise InputError(
                    f"{argument_name}: a pipeline can be saved only with the {argument_name} named in its recipe; this "
                    "splitter was given an "
                    f"object instead. Leave {argument_name} out."
                )
        splitter_as_dictionary: dict[str, Any] = default_to_dict(self, recipe=self.recipe.model_dump())
        return splitter_as_dictionary

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SeamarkDocumentSplitter":
        """Return the splitter described by the output of `to_dict`."""
        restored_splitter: SeamarkDocumentSplitter = default_from_dict(cls, data)
        return restored_splitter

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents and return one document per chunk.

        Raises
        ------
        InputError
            If a document has no text, or its text cannot be cut; see `chunkers.Recipe.run`.
        """
        chunk_documents = []
        for document in documents:
            if document.content is None:
                raise InputError(f"documents: every document must have text as its content; {document.id} has none.")
            chunking = self._cut(document.content)
            for chunk_number, (chunk, chunk_metadata) in enumerate(
                zip(chunking, metadata_of_all_chunks(chunking), strict=True)
            ):
                split_metadata = {"source_id": document.id, "split_id": chunk_number, "split_idx_start": chunk.start}
                chunk_documents.append(
                    Document(content=chunk.text, meta={**deepcopy(document.meta), **chunk_metadata, **split_metadata})
                )
        return {"documents": chunk_documents}
