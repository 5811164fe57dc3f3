"""A chunker that cuts nothing: it locates chunks made by another program in the text."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

from pydantic import Field, PrivateAttr, field_validator

from chunkers.adapters.piece_location import count_characters_outside
from chunkers.contract import Chunker, Tools
from chunkers.files.external_chunks import GivenChunk, rebuild_text
from chunkers.found_again import DocumentNames, LocatedChunks, document_names, locate_chunks, select_document_chunks
from chunkers.results import Chunking
from chunkers.support import InputError, pluralize, short_repr
from chunkers.text import Document

_IDENTITY_DIGITS = 24
_MOST_NAMES_IN_MESSAGE = 8


@dataclass(frozen=True, eq=False)
class ChunkFile:
    """The contents of a file of chunks.

    Attributes
    ----------
    name
        Name of the file, for reasons and notes.
    chunks
        All chunks in the file.
    document
        Name of the selected document, if the file has several; None to select by the name of the text.
    """

    name: str
    chunks: tuple[GivenChunk, ...]
    document: str | None = None
    _last_found: list[tuple[str, LocatedChunks]] = field(default_factory=list, init=False, repr=False)
    _texts: list[tuple[str, str | None]] = field(default_factory=list, init=False, repr=False)

    @cached_property
    def identity(self) -> str:
        """Hash of the file's name, the selected document and all chunks, without the chunks' own identifiers."""
        identity_hasher = hashlib.sha256()
        for hashed_tuple in ((self.name, self.document), *(chunk[:3] for chunk in self.chunks)):
            identity_hasher.update(json.dumps(hashed_tuple).encode() + b"\n")
        # A letter first, as a link takes what looks like a number for one.
        return f"c{identity_hasher.hexdigest()[:_IDENTITY_DIGITS]}"

    @cached_property
    def document_names_in_file(self) -> list[str]:
        """Names of the documents that the chunks belong to."""
        return document_names(self.chunks)

    @cached_property
    def character_count_of_chunks(self) -> int:
        """Total number of characters of all chunks."""
        return sum(len(chunk.text or "") for chunk in self.chunks)

    def copy_with_other_document_selected(self, document_name: str | None) -> "ChunkFile":
        """Return a copy of the file of chunks with another document selected."""
        return ChunkFile(self.name, self.chunks, document_name)

    def locate_in(self, document: Document, report_progress: Callable[[int, int], None]) -> LocatedChunks:
        """Locate the file's chunks in a document, as `chunkers.found_again.chunk_location.locate_chunks` does.

        The latest result is cached.

        Raises
        ------
        InputError
            If the file has chunks of several documents and the right document is unclear.
        """
        located_chunks = self.located_chunks_if_cached(document)
        if located_chunks is None:
            located_chunks = locate_chunks(
                document, self._select_chunks_for_document(document.name), self.name, report_progress
            )
            # At once, as several threads may ask, and what is returned is not read from there again: it may be another's.
            self._last_found[:] = [(f"{document.identity} {document.name}", located_chunks)]
        return located_chunks

    def located_chunks_if_cached(self, document: Document) -> LocatedChunks | None:
        """Return the cached result of `locate_in`; None if that result is for another document."""
        document_key_and_chunks = next(iter(self._last_found), None)
        return (
            document_key_and_chunks[1]
            if document_key_and_chunks is not None and document_key_and_chunks[0] == f"{document.identity} {document.name}"
            else None
        )

    def _select_chunks_for_document(self, name: str) -> Sequence[GivenChunk]:
        try:
            return select_document_chunks(self.chunks, self.document, name)
        except InputError as error:
            if self.document is None and len(self.document_names_in_file) > 1:
                raise InputError(
                    f"{self.name}: {self._no_match_reason(name)}. Choose one of the file's documents."
                ) from error
            raise InputError(f"{self.name}: {error}") from error

    def _no_match_reason(self, document_name: str) -> str:
        """Return the reason why none of the file's documents can be matched with a text."""
        document_count_phrase = f"its chunks are of {pluralize(len(self.document_names_in_file), 'document')}, and"
        if matching_names := self._find_matching_document_names(document_name):
            return f"{document_count_phrase} {_document_names_phrase(matching_names)} all match {short_repr(document_name)}"
        return f"{document_count_phrase} none of these is called {short_repr(document_name)}"

    def chunks_by_document(self, wanted_document_names: Sequence[str]) -> dict[str, Sequence[GivenChunk]]:
        """Return the file's chunks for each of several documents, keyed by document name.

        For a single document, the chunks are those that `locate_in` searches for. For several documents, every chunk must
        name its document.

        Raises
        ------
        InputError
            If a document has no chunks or the right chunks are unclear; the message names the document.
        """
        if len(wanted_document_names) <= 1:
            return {name: self._select_chunks_for_document(name) for name in wanted_document_names}
        if nameless_chunk_count := len(self._chunks_by_document_name.get(None, ())):
            raise InputError(
                f"{self.name}: with several documents, every chunk must name its document in the field document, source, "
                f"file_name or filename; {nameless_chunk_count:,} of {len(self.chunks):,} chunks do not."
            )
        matching_names_by_document_name = {name: self._find_matching_document_names(name) for name in wanted_document_names}
        if document_names_without_chunks := [
            name for name, matches in matching_names_by_document_name.items() if not matches
        ]:
            raise InputError(
                f"{self.name}: the file must have chunks of all {len(wanted_document_names):,} documents, because all "
                "chunkers are measured "
                f"on the same documents; it has no chunks of {_document_names_phrase(document_names_without_chunks)}. Add "
                "the missing chunks, or remove the documents."
            )
        for wanted_document_name, matching_names in matching_names_by_document_name.items():
            if len(matching_names) > 1:
                raise InputError(
                    f"{self.name}: the file must have exactly one document that matches {short_repr(wanted_document_name)}; "
                    f"{_document_names_phrase(matching_names)} all match. Keep only one of them in the file."
                )
        for document_name_in_file, colliding_document_count in Counter(
            matches[0] for matches in matching_names_by_document_name.values()
        ).items():
            if colliding_document_count > 1:
                wanted_names_sharing_match_phrase = _document_names_phrase(
                    [
                        name
                        for name, matches in matching_names_by_document_name.items()
                        if matches[0] == document_name_in_file
                    ]
                )
                raise InputError(
                    f"{self.name}: the file must have a separate document for each of "
                    f"{wanted_names_sharing_match_phrase}; it has only "
                    f"{short_repr(document_name_in_file)}, which matches all of them. Give each document its full name in "
                    "the file."
                )
        return {name: self._chunks_by_document_name[matches[0]] for name, matches in matching_names_by_document_name.items()}

    @cached_property
    def _chunks_by_document_name(self) -> dict[str | None, list[GivenChunk]]:
        chunks_by_document_name: dict[str | None, list[GivenChunk]] = {}
        for chunk in self.chunks:
            chunks_by_document_name.setdefault(chunk.document, []).append(chunk)
        return chunks_by_document_name

    @cached_property
    def _find_matching_document_names(self) -> Callable[[str], list[str]]:
        return DocumentNames(self.document_names_in_file).names_matching

    def rebuild_document_text(self, name: str) -> str | None:
        """Reconstruct the text that the chunks were cut from; None if the chunks do not cover all of it.

        Parameters
        ----------
        name
            Name of the current text, which selects the chunks if the file has chunks of several documents.
        """
        cached_name_and_text = next(iter(self._texts), None)
        if cached_name_and_text is not None and cached_name_and_text[0] == name:
            return cached_name_and_text[1]
        whole_rebuilt_text = None
        with suppress(InputError):
            newly_rebuilt_text = rebuild_text(self._select_chunks_for_document(name))
            whole_rebuilt_text = (
                newly_rebuilt_text.text if newly_rebuilt_text is not None and newly_rebuilt_text.is_whole else None
            )
        self._texts[:] = [(name, whole_rebuilt_text)]
        return whole_rebuilt_text


class YourChunks(Chunker):
    """Chunker that locates another program's chunks, read from a file, in the text."""

    name: ClassVar[str] = "your_chunks"
    title: ClassVar[str] = "Your chunks"
    idea: ClassVar[str] = "Chunks that something else made, from a file: nothing is cut, they are found in the text again."
    source: ClassVar[str] = "whatever made them"
    elsewhere: ClassVar[bool] = True

    file: str = Field(
        "", title="Chunk file", description="The identity of the file of chunks; the file itself must be at hand."
    )
    _file: ChunkFile | None = PrivateAttr(None)
    _chunks_by_name: Mapping[str, Sequence[GivenChunk]] | None = PrivateAttr(None)
    _found: dict[str, LocatedChunks] = PrivateAttr(default_factory=dict)

    @field_validator("file")
    @classmethod
    def _check_file_identity_format(cls, value: str) -> str:
        if value and not (
            len(value) == _IDENTITY_DIGITS + 1 and value[0] == "c" and set(value[1:]) <= set("0123456789abcdef")
        ):
            raise ValueError(
                f"file must be a chunk file's identity, c and {_IDENTITY_DIGITS} hex digits; got {short_repr(value)}."
            )
        return value

    @classmethod
    def from_file(cls, chunk_file: ChunkFile) -> Self:
        """Return the chunker for a file of chunks."""
        new_chunker = cls(file=chunk_file.identity)
        new_chunker._file = chunk_file
        return new_chunker

    def __eq__(self, other: object) -> bool:
        """Return whether the other finds the chunks of the same file, whether or not the file is at hand."""
        return isinstance(other, YourChunks) and self.file == other.file

    def for_documents(self, names: Sequence[str]) -> "YourChunks":
        """Return the chunker for the named documents. Raise InputError if the file has no chunks for one of the documents.

        Raises
        ------
        InputError
            If the file is not available, and as in `ChunkFile.chunks_by_document`.
        """
        chunker_for_documents = YourChunks.from_file(self._loaded_chunk_file_or_raise())
        chunker_for_documents._chunks_by_name = self._loaded_chunk_file_or_raise().chunks_by_document(names)
        return chunker_for_documents

    @property
    def chunk_file_if_loaded(self) -> ChunkFile | None:
        """The file of chunks; None if only its identity is known."""
        return self._file

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Locate the file's chunks in the document and return a result with the located chunks.

        Raises
        ------
        InputError
            If the file is not available, or has chunks of several documents and the right document is unclear.
        """
        chunk_file = self._loaded_chunk_file_or_raise()
        if self._chunks_by_name is None:
            return chunk_file.locate_in(document, tools.decided).chunking
        given_chunks_of_document = self._chunks_by_name.get(document.name, ())
        # Runs are kept on disk, where the names of files have no place.
        located_chunks = locate_chunks(document, given_chunks_of_document, "the file", tools.decided)
        if document.sentences and not located_chunks.chunking.chunks:
            raise InputError(
                f"{chunk_file.name}: the chunks of {short_repr(document.name)} must occur in that document; not one of "
                f"{pluralize(len(given_chunks_of_document), 'chunk')} does. Open the text from which the chunks were cut."
            )
        self._found[document.name] = located_chunks
        return located_chunks.chunking

    def caveat(self) -> str:
        """Return a sentence on chunks not found, altered or ambiguous, and on uncovered text; empty if there are none."""
        oddity_count_by_kind = Counter(
            oddity.kind for found_again in self._found.values() for oddity in found_again.oddities
        )
        given_chunk_count = sum(found_again.given_chunk_count for found_again in self._found.values())
        uncovered_character_count = 0
        for chunking in (found_again.chunking for found_again in self._found.values()):
            located_chunk_spans = [span for chunk in chunking.chunks for span in chunk.spans]
            uncovered_character_count += count_characters_outside(chunking.document.text, located_chunk_spans)
        chunk_count_by_oddity = {
            "not in the text, and left out": oddity_count_by_kind["lost"],
            "altered, and measured as the text has them": oddity_count_by_kind["altered"],
            "in the text more than once, and perhaps meant elsewhere": oddity_count_by_kind["ambiguous"],
            "with a context around them, and measured without": oddity_count_by_kind["context"],
        }
        oddities_phrase = "; ".join(f"{what}: {count:,}" for what, count in chunk_count_by_oddity.items() if count)
        caveat_sentences = [f"Of {pluralize(given_chunk_count, 'chunk')}, {oddities_phrase}."] if oddities_phrase else []
        caveat_sentences += (
            [f"Characters in no chunk, which are not searched: {uncovered_character_count:,}."]
            if uncovered_character_count
            else []
        )
        return " ".join(caveat_sentences)

    def describe(self) -> str:
        """Return the name of the file of chunks."""
        if self._file is None:
            return "a file that is not at hand" if self.file else "no file"
        return self._file.name

    def _loaded_chunk_file_or_raise(self) -> ChunkFile:
        if self._file is None:
            raise InputError(
                "your_chunks: the file of chunks must be passed again, because recipes, links and kept runs do not contain "
                "it. Call inspect(text, chunks)."
            )
        return self._file


def _document_names_phrase(names: Sequence[str]) -> str:
    return ", ".join(map(short_repr, names[:_MOST_NAMES_IN_MESSAGE])) + (
        " and more" if len(names) > _MOST_NAMES_IN_MESSAGE else ""
    )
