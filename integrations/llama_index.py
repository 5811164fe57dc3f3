"""A recipe as LlamaIndex's ``NodeParser``.

>>> from llama_index.core import Document
>>> parser = SeamarkNodeParser(recipe='{"chunker": "fixed_sentences", "parameters": {"size": 1}}')
>>> [node.text for node in parser.get_nodes_from_documents([Document(text="One sentence. Another.")])]
['One sentence.', 'Another.']
"""

from collections.abc import Sequence
from typing import Any

from chunkers import EmbeddingCache, Encoder, Recipe
from chunkers.recipes import AnyLanguageModel
from chunkers.results import METADATA_FIELD_DESCRIPTIONS, metadata_of_all_chunks
from integrations.recipe_cutter import Cutter, RecipeOrSource, missing_library_error

try:
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.schema import BaseNode, MetadataMode, TextNode
except ImportError as error:
    raise missing_library_error(__name__, "llama_index.core", "llama-index-core", error) from error


class SeamarkNodeParser(NodeParser):
    """LlamaIndex node parser that cuts documents according to a chunking recipe, one node per chunk.

    Nodes have ``start_char_idx`` and ``end_char_idx``, relationships to their document and their neighbours, the document's
    metadata, and the fields in `chunkers.results.chunk_fields.METADATA_FIELD_DESCRIPTIONS`. The last are neither embedded
    nor shown to a model. The document's metadata are, unless the document excludes them.

    Parameters
    ----------
    recipe
        A recipe as exported by the page, in any form that `integrations.recipe_of` takes.
    embedder, cache, language_model
        As in `integrations.Cutter`.
    options
        Options of LlamaIndex's ``NodeParser``.

    Raises
    ------
    InputError
        If the recipe is invalid.
    """

    recipe: Recipe = Field(description="The recipe that cuts.")
    _cut: Cutter = PrivateAttr()

    def __init__(
        self,
        recipe: RecipeOrSource,
        embedder: Encoder | None = None,
        cache: EmbeddingCache | None = None,
        language_model: AnyLanguageModel | None = None,
        **options: Any,
    ) -> None:
        recipe_cutter = Cutter.of(recipe, embedder, cache, language_model)
        super().__init__(recipe=recipe_cutter.recipe, **options)
        self._cut = recipe_cutter

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex stores this class."""
        return "SeamarkNodeParser"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **options: Any) -> list[BaseNode]:
        """Return the nodes of all chunks; raises InputError as `chunkers.Recipe.run` does."""
        chunk_nodes: list[BaseNode] = []
        for parent in nodes:
            chunking = self._cut(parent.get_content(metadata_mode=MetadataMode.NONE))
            chunk_nodes_of_parent = build_nodes_from_splits([*chunking.texts], parent, id_func=self.id_func)
            for chunk_node, chunk, metadata in zip(
                chunk_nodes_of_parent, chunking, metadata_of_all_chunks(chunking), strict=True
            ):
                chunk_node.start_char_idx, chunk_node.end_char_idx = chunk.start, chunk.end
                chunk_node.metadata = metadata
                chunk_node.excluded_embed_metadata_keys = [
                    *chunk_node.excluded_embed_metadata_keys,
                    *METADATA_FIELD_DESCRIPTIONS,
                ]
                chunk_node.excluded_llm_metadata_keys = [
                    *chunk_node.excluded_llm_metadata_keys,
                    *METADATA_FIELD_DESCRIPTIONS,
                ]
            chunk_nodes += chunk_nodes_of_parent
        return chunk_nodes

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:
        """Add relationships and metadata as LlamaIndex does; where a node lies is known, and not looked for by its text."""
        node_character_ranges = [
            (node.start_char_idx, node.end_char_idx) if isinstance(node, TextNode) else None for node in nodes
        ]
        nodes_with_relationships = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, character_range in zip(nodes_with_relationships, node_character_ranges, strict=True):
            if character_range is not None and isinstance(node, TextNode):
                node.start_char_idx, node.end_char_idx = character_range
        return nodes_with_relationships
