"""A recipe as a chunker of Chonkie: called with a text, it returns Chonkie's chunks.

>>> chunker = SeamarkChunker('{"chunker": "fixed_sentences", "parameters": {"size": 1}}')
>>> [(chunk.text, chunk.start_index, chunk.end_index) for chunk in chunker("One sentence. Another.")]
[('One sentence.', 0, 13), ('Another.', 14, 22)]
"""

from chunkers import EmbeddingCache, Encoder, Recipe, load_tokenizer
from chunkers.recipes import AnyLanguageModel
from chunkers.results import metadata_of_all_chunks
from integrations.recipe_cutter import Cutter, RecipeOrSource, missing_library_error

try:
    from chonkie.chunker.base import BaseChunker
    from chonkie.types import Chunk
except ImportError as error:
    raise missing_library_error(__name__, "chonkie", "chonkie", error) from error


class SeamarkChunker(BaseChunker):
    """Chonkie chunker that cuts texts according to a chunking recipe.

    The recipe's tokenizer determines ``token_count``. The metadata have the fields in
    `chunkers.results.chunk_fields.METADATA_FIELD_DESCRIPTIONS`, and text that a chunk repeats from elsewhere is its
    ``context``.

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
        # Chonkie's own tokenizer is not asked; this one is there without a network.
        super().__init__("character")
        self._cut = Cutter.of(recipe, embedder, cache, language_model)

    @property
    def recipe(self) -> Recipe:
        """Chunking recipe that the chunker applies."""
        return self._cut.recipe

    def chunk(self, text: str) -> list[Chunk]:
        """Return the chunks of a text.

        Raises InputError as `chunkers.Recipe.run` does.
        """
        chunking = self._cut(text)
        chunk_token_counts = load_tokenizer(self.recipe.tokenizer).count([*chunking.texts])
        return [
            Chunk(
                text=chunk.text,
                start_index=chunk.start,
                end_index=chunk.end,
                token_count=count,
                context=chunk.context or None,
                metadata=metadata,
            )
            for chunk, count, metadata in zip(chunking, chunk_token_counts, metadata_of_all_chunks(chunking), strict=True)
        ]
