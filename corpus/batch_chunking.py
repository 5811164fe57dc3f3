"""A batch of documents in, a batch of their chunks out, both in Arrow's form, and the schemas of the two tables."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, get_args

import pyarrow as pa

from chunkers import Chunker, Chunking, Document, ModelError, Recipe, Tools, load_tokenizer, run_chunker
from chunkers.language_models import Asking
from chunkers.recipes import propositions_arrow_type
from chunkers.results import Gap, table_rows
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.support import MAX_FILE_BYTES, Cancelled, InputError, message_with_document_name, one_line_message, short_repr
from chunkers.text import PartKind, TextParts, clear_outline_caches, too_large_error
from integrations.recipe_cutter import RecipeOrSource, recipe_of

# The two tables: documents as they come in, and chunks as they go out. docs/corpora.md describes the columns.

CHUNK_TABLE_SCHEMA_VERSION = 3
"""The number of the schema of `CHUNKS`; another one when a column is added or removed, or changes what it means."""

_TEXT_LIST_TYPE = pa.list_(pa.string())

PARTS_COLUMN_TYPE = pa.struct([("kind", pa.string()), ("starts", pa.list_(pa.int64())), ("labels", _TEXT_LIST_TYPE)])
"""Start of each page or chapter of a document, in code points, with its label; ``kind`` is page or chapter."""

DOCUMENTS = pa.schema([("id", pa.string()), ("text", pa.string()), ("parts", PARTS_COLUMN_TYPE)])
"""Schema of a batch of documents; ``parts`` is optional, and other columns are ignored."""

CHUNKS = pa.schema(
    [
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("chunk", pa.int64(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        # No list of fixed size: Spark has none.
        pa.field("spans", pa.list_(pa.list_(pa.int64())), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        ("context", pa.string()),
        ("title", pa.string()),
        ("summary", pa.string()),
        ("propositions", propositions_arrow_type()),
        ("embedded_as", pa.string()),
        pa.field("characters", pa.int64(), nullable=False),
        pa.field("words", pa.int64(), nullable=False),
        pa.field("tokens", pa.int64(), nullable=False),
        *(field for kind in get_args(PartKind) for field in ((kind, pa.int64()), (f"{kind}s", _TEXT_LIST_TYPE))),
        pa.field("heading_path", _TEXT_LIST_TYPE, nullable=False),
        ("cut_score", pa.float64()),
        ("cut_threshold", pa.float64()),
        ("cut_reason", pa.string()),
    ]
)
"""A row for each chunk, in the order of the documents and of their chunks."""


def parse_pages_or_chapters_cell(parts_value: Mapping[str, Any] | None, document_name: str) -> TextParts | None:
    """Convert a value of the column ``parts`` to a document's pages or chapters.

    Raises
    ------
    InputError
        If the value is malformed.
    """
    if parts_value is None:
        return None
    if parts_value.get("kind") not in get_args(PartKind):
        raise InputError(
            f"{document_name}: the kind of parts must be one of {', '.join(get_args(PartKind))}; got "
            f"{short_repr(parts_value.get('kind'))}."
        )
    try:
        return TextParts(parts_value["kind"], tuple(parts_value["starts"] or ()), tuple(parts_value["labels"] or ()))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{document_name}: the parts must be in ascending order, each with a start and a label; got "
            f"{short_repr(parts_value)}."
        ) from error


def document_pages_or_chapters_cell(pages_or_chapters: TextParts | None) -> dict[str, Any] | None:
    """Convert a document's pages or chapters to a value of the column ``parts``."""
    return (
        None
        if pages_or_chapters is None
        else {
            "kind": pages_or_chapters.kind,
            "starts": list(pages_or_chapters.starts),
            "labels": list(pages_or_chapters.labels),
        }
    )


# The callable that cuts one batch after another.

ArrowBatchOrTable = TypeVar("ArrowBatchOrTable", pa.RecordBatch, pa.Table)

ProblemCallback = Callable[[str, str], None]
"""Takes the id of a document that cannot be cut, and a sentence that says why."""

ID_BYTES = 16
"""Bytes of a chunk's id: two of a thousand million chunks have the same one with a probability below 1 to 10²⁰."""


class Chunks:
    """Callable that cuts batches of documents into chunks according to a chunking recipe.

    A document's rows do not depend on the other documents of the batch: nothing is kept from one document to the next, not
    even vectors. Pickling keeps only the recipe and the options, so each process loads the model once, when it first needs
    the model.

    Parameters
    ----------
    recipe
        A recipe in any form: a `Recipe`, a result, its JSON, or the path of a file with it.
    device
        Device on which torch runs the model; a key of `chunkers.embedders.sentence_models.DEVICE_DESCRIPTIONS`.
    problems
        Called with the id of each document that cannot be cut and a sentence on the reason; the document then has no rows.
        Without ``problems``, the first such document raises an error. Must support pickling if this object is pickled.
    asking
        Access to the language model that the recipe calls, with a spending limit. The limit holds within one process, so
        that an object with ``asking`` cannot be pickled.

    Raises
    ------
    InputError
        If the recipe is invalid, refers to something missing, or calls a language model and ``asking`` is missing.
    """

    def __init__(
        self,
        recipe: RecipeOrSource,
        device: str = "auto",
        problems: ProblemCallback | None = None,
        asking: "Asking | None" = None,
    ) -> None:
        self._recipe = recipe_of(recipe)
        self._device = device
        self._problems = problems
        self._chunker: Chunker = self._recipe.build()
        model_asking_recipe_part = (
            "embedded_as context" if self._recipe.embedded_as == "context" else self._chunker.name * self._chunker.asks
        )
        self._asking = asking if model_asking_recipe_part else None
        if model_asking_recipe_part and asking is None:
            raise InputError(
                f"{model_asking_recipe_part} asks a language model, which is possible only in one process with a spending "
                "limit. Run in one process, with --language-model and --spend."
            )
        self._tokenizer = load_tokenizer(self._recipe.tokenizer)
        self._embedder = self._recipe.embedder_for(self._chunker, device)

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to rebuild the object in another process; raises InputError if it asks a language model."""
        if self._asking is not None:
            raise InputError(
                "A run that asks a language model must stay in one process, because processes cannot share a spending "
                "limit. Use one process."
            )
        return type(self), (self._recipe, self._device, self._problems)

    @property
    def recipe(self) -> Recipe:
        """Chunking recipe with all parameters and versions, and with the model's revision once the model is loaded."""
        return Recipe.of(
            self._chunker,
            self._recipe.sentences,
            self._embedder,
            self._tokenizer.name,
            self._recipe.embedded_as,
            None if self._asking is None else self._asking.model,
        )

    @property
    def asks_language_model(self) -> bool:
        """True if the recipe calls a language model."""
        return self._asking is not None

    @property
    def embedding_model_identity(self) -> str:
        """Embedding model as ``name@revision``; empty if the chunker needs no model."""
        if self._embedder is None or not self._chunker.embeds:
            return ""
        return f"{self._embedder.name}@{self._embedder.revision}"

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow schema of the chunk table, with the recipe in its metadata.

        To build the schema, the embedding model is loaded if the chunker needs one.

        The keys are ``seamark.schema``, the schema's version number; ``seamark.recipe``, the recipe as JSON with the
        versions of its dependencies; and ``seamark.model``.
        """
        self.load_embedding_model()
        table_metadata_by_key = {
            "schema": str(CHUNK_TABLE_SCHEMA_VERSION),
            "recipe": json.dumps(self.recipe.model_dump(), ensure_ascii=False),
            "model": self.embedding_model_identity,
        }
        return CHUNKS.with_metadata({f"seamark.{name}": text for name, text in table_metadata_by_key.items()})

    def load_embedding_model(self) -> None:
        """Load the embedding model if the chunker needs one. Raise ModelError if loading fails."""
        if self._embedder is not None and self._chunker.embeds:
            self._embedder.ensure_model_built_and_loaded()

    def __call__(self, documents: ArrowBatchOrTable) -> ArrowBatchOrTable:
        """Cut a batch.

        Parameters
        ----------
        documents
            A RecordBatch or a Table with the columns of `DOCUMENTS`.

        Returns
        -------
        The chunks, in the same form, with the columns of `CHUNKS`.

        Raises
        ------
        InputError
            If a column is missing, or if a document cannot be cut and there is no ``problems`` callback.
        ModelError
            If the model cannot be loaded or used.
        """
        return self.cut_batch(documents, self._problems)

    def cut_batch(self, documents: ArrowBatchOrTable, report_problem: ProblemCallback | None) -> ArrowBatchOrTable:
        """Return the chunks of a batch of documents, calling ``report_problem`` for each document that fails.

        If ``report_problem`` is None, the first document that fails raises its error.
        """
        chunk_table_rows: list[dict[str, Any]] = []
        for document_id, text, pages_or_chapters in _documents_in_batch(documents):
            try:
                chunk_table_rows += self._cut_document_into_rows(document_id, text, pages_or_chapters)
            except (ModelError, Cancelled):
                raise
            except InputError as error:
                problem_message = message_with_document_name(str(document_id), error)
                if report_problem is None:
                    raise InputError(problem_message) from error
                report_problem(str(document_id), problem_message)
            except Exception as error:
                # A fault that one document of millions brings to light must not end the run of the others.
                if report_problem is None:
                    raise
                report_problem(
                    str(document_id),
                    f"{document_id}: cutting it failed with {type(error).__name__}: {one_line_message(error)}",
                )
        # The outlines that it keeps for a page are of no use to the next batch.
        clear_outline_caches()
        return type(documents).from_pylist(chunk_table_rows, schema=self.schema)

    def cut_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return an iterator over the chunks of each batch, as Spark's ``mapInArrow`` expects.

        Raises the same errors as calling the object.
        """
        return map(self, batches)

    def _cut_document_into_rows(
        self, document_name: object, text: object, pages_or_chapters: Mapping[str, Any] | None
    ) -> list[dict[str, Any]]:
        if not isinstance(document_name, str):
            raise InputError(f"The id of a document must be a string; got {short_repr(document_name)}.")
        if isinstance(text, str) and len(text) > MAX_FILE_BYTES:
            raise too_large_error(document_name, len(text))
        # That of one document: vectors may depend, in their last bits, on what is embedded with them.
        tools = Tools(self._embedder, self._tokenizer, EmbeddingCache(), asking=self._asking)
        parsed_pages_or_chapters = parse_pages_or_chapters_cell(pages_or_chapters, document_name)
        document = Document.from_text(text, self._recipe.sentences, document_name, parsed_pages_or_chapters)  # type: ignore[arg-type]
        chunking = run_chunker(self._chunker, document, tools, self._recipe.embedded_as)
        chunk_table_rows = table_rows(chunking, None)
        token_count_of_each_chunk = replace(tools, embedder=None).count_tokens(chunking.texts) if chunk_table_rows else []
        ids_of_document_chunks = chunk_ids_of_document(
            document_name, self._recipe_hash, [chunk.spans for chunk in chunking.chunks]
        )
        gaps_before_chunks = cut_gaps_before_chunks(chunking)
        return [
            {
                **row,
                "document_id": document_name,
                "chunk_id": chunk_id,
                "start": chunk.start,
                "end": chunk.end,
                "tokens": count,
                "context": chunk.context or None,
                "cut_score": None if gap is None else gap.score,
                "cut_threshold": None if gap is None else gap.threshold,
                "cut_reason": None if gap is None else gap.reason,
            }
            for row, chunk, count, chunk_id, gap in zip(
                chunk_table_rows,
                chunking.chunks,
                token_count_of_each_chunk,
                ids_of_document_chunks,
                gaps_before_chunks,
                strict=True,
            )
        ]

    @cached_property
    def _recipe_hash(self) -> bytes:
        """Hash of the recipe, ignoring library versions."""
        recipe_without_versions = self.recipe.model_dump(exclude={"versions"})
        return hashlib.blake2b(json.dumps(recipe_without_versions, sort_keys=True).encode(), digest_size=ID_BYTES).digest()


def chunk_ids_of_document(
    document_id: str, recipe_hash: bytes, spans_by_chunk: Iterable[Iterable[tuple[int, int]]]
) -> list[str]:
    """Return an id for each chunk of a document, hashed from the document's id, the recipe and the chunk's spans.

    Some libraries make several chunks with the same spans; from the second one on, the hash includes a number.
    """
    document_and_recipe_hasher = hashlib.blake2b(recipe_hash, digest_size=ID_BYTES)
    document_and_recipe_hasher.update(document_id.encode() + b"\0")
    count_by_spans_text: Counter[str] = Counter()
    hashed_chunk_ids = []
    for spans_of_one_chunk in spans_by_chunk:
        span_offsets_as_text = ",".join(f"{start}-{end}" for start, end in spans_of_one_chunk)
        count_by_spans_text[span_offsets_as_text] += 1
        chunk_id_hasher = document_and_recipe_hasher.copy()
        chunk_id_hasher.update(
            (
                span_offsets_as_text
                if count_by_spans_text[span_offsets_as_text] == 1
                else f"{span_offsets_as_text}#{count_by_spans_text[span_offsets_as_text]}"
            ).encode()
        )
        hashed_chunk_ids.append(chunk_id_hasher.hexdigest())
    return hashed_chunk_ids


def cut_gaps_before_chunks(chunking: Chunking) -> list[Gap | None]:
    """Return the gap cut before each chunk; None for the first chunk and for chunks to which no single gap belongs."""
    document, chunks = chunking.document, chunking.chunks
    cut_gaps = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    if len(cut_gaps) == len(chunks) - 1 and all(len(chunk.spans) == 1 for chunk in chunks):
        # Chunks that repeat the end of the one before begin before the cut.
        return [None, *cut_gaps]
    cut_gap_by_start = {gap.start_after(document): gap for gap in cut_gaps}
    return [cut_gap_by_start.get(chunk.start) if number else None for number, chunk in enumerate(chunks)]


def _documents_in_batch(documents: pa.RecordBatch | pa.Table) -> Iterator[tuple[object, object, Any]]:
    """Yield id, text and parts of each document, one at a time: Arrow's own lists would hold all texts twice."""
    id_text_parts_columns = []
    for column_name in ("id", "text", "parts"):
        if column_name in documents.schema.names:
            id_text_parts_columns.append(documents.column(column_name))
        elif column_name != "parts":
            raise InputError(
                "A batch of documents must have the columns id and text; this batch has "
                f"{', '.join(documents.schema.names)}."
            )
    for row_index in range(documents.num_rows):
        document_id, text, *pages_or_chapters = (column[row_index].as_py() for column in id_text_parts_columns)
        yield document_id, text, pages_or_chapters[0] if pages_or_chapters else None
