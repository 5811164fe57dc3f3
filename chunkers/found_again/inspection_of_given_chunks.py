"""Chunks made by another program, located in their text, with notes on altered and lost ones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from chunkers.files import external_chunks
from chunkers.files.external_chunks import GivenChunk
from chunkers.found_again.chunk_location import locate_chunks
from chunkers.results import Chunk, Chunking
from chunkers.support import MAX_FILE_BYTES, MOST_CHUNKS, InputError, raise_if_extra_missing, short_repr
from chunkers.text import DEFAULT_SPLITTER, Document, GivenSentences, Span, run_parser_in_reader_process


def inspect(
    text: str | Document,
    chunks: Any,
    *,
    maker: str = "the file",
    document: str | None = None,
    sentences: str | GivenSentences = DEFAULT_SPLITTER,
) -> Chunking:
    """Locate another program's chunks in the text; return a result with notes on inexact matches.

    A chunk that states its position is expected there; if its text is not there, the nearest occurrence is taken. Chunks
    without a stated position are searched for in order. White space is ignored. If a chunk has additional text around
    it, such as a line that describes the document, the passage that occurs in the text becomes the chunk and the rest
    its ``context``. A chunk that does not occur in the text is searched for with small changes, as in
    `chunkers.text.quotation_search`; a chunk that is still not found is left out and named in a note.

    Parameters
    ----------
    text
        The text that was cut, or its document.
    chunks
        A path to a file, or chunks: texts, spans, mappings, or objects of LangChain, LlamaIndex, Haystack, Chonkie or
        Docling; see `read_given_chunks`.
    maker
        Name of the program that made the chunks, for reasons and notes.
    document
        Name of the document whose chunks to use, if there are chunks of several documents.
    sentences
        Sentence splitter or sentences; see `Document.from_text`.

    Raises
    ------
    InputError
        If there are no chunks, or a chunk is invalid; if the chunks are from several documents and none is selected.
    """
    searched_document = text if isinstance(text, Document) else Document.from_text(text, sentences)
    if isinstance(chunks, str | Path):
        given_chunks = read_given_chunks(_read_bytes(Path(chunks)), Path(chunks).name)
    elif isinstance(chunks, Iterable) and not isinstance(chunks, bytes | Mapping):
        given_chunks = [
            _given_chunk_from_python_object(chunk, f"chunk {number:,}") for number, chunk in enumerate(chunks, start=1)
        ]
    else:
        raise InputError(f"chunks must be a path, or a sequence of chunks; got {short_repr(chunks)}.")
    return locate_chunks(
        searched_document, select_document_chunks(given_chunks, document, searched_document.name), maker
    ).chunking


def read_given_chunks(file_bytes: bytes, name: str, cancelled: Callable[[], bool] = bool) -> list[GivenChunk]:
    """Return the chunks in a file of JSON, JSON lines, CSV or Parquet, recognised by its content.

    A row has a text, under one of the names in `TEXTS`, or a position, as ``spans`` or as a start and an end under the names
    in `STARTS` and `ENDS`, or both. Positions and the document's name may be in ``metadata`` or ``meta``. JSON may also be a
    list of texts or spans, or an object that has the list as ``chunks``, ``nodes``, ``documents`` or ``data``. The
    output of LangChain's ``dumps``, LlamaIndex's ``to_dict`` and ``to_json``, Haystack's and Chonkie's ``to_dict`` and
    Docling's ``model_dump`` consists of such rows.

    The file is read in another process; see `chunkers.text.reader_process`.

    Parameters
    ----------
    cancelled
        Called repeatedly while the file is read; returns true to stop.

    Raises
    ------
    InputError
        If the file is too large, empty or in another format, or a chunk has neither text nor position; the message names
        the chunk.
    Cancelled
        If the user asked to stop.
    """
    if len(file_bytes) > MAX_FILE_BYTES:
        raise InputError(
            f"{name}: a file of chunks may have at most {MAX_FILE_BYTES:,} bytes; this file has {len(file_bytes):,}. Use a "
            "smaller file."
        )
    if file_bytes.startswith(b"PAR1"):
        raise_if_extra_missing("corpus", "Parquet", "pyarrow")
    return run_parser_in_reader_process(
        external_chunks.read_chunk_file, file_bytes, name, cancelled, _build_given_chunk_from_row
    )


def _build_given_chunk_from_row(row: Sequence[Any]) -> GivenChunk:
    """Return the chunk of a row as the other process sends it."""
    chunk_text, stated_chunk_spans, document_name, chunk_identifier = row
    return GivenChunk(chunk_text, tuple([Span(*span) for span in stated_chunk_spans]), document_name, chunk_identifier)


def _given_chunk_from_python_object(raw_chunk: Any, chunk_label: str) -> GivenChunk:
    if isinstance(raw_chunk, Chunk):
        return GivenChunk(raw_chunk.text if len(raw_chunk.spans) == 1 else None, raw_chunk.spans)
    return external_chunks.as_given_chunk(raw_chunk, chunk_label)


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error.strerror}. Check its path and permissions.") from error


def document_names(given_chunks: Iterable[GivenChunk]) -> list[str]:
    """Return the distinct document names that the chunks state, in order of first appearance."""
    return list(dict.fromkeys(chunk.document for chunk in given_chunks if chunk.document is not None))


class DocumentNames:
    """Names of the documents in a file of chunks, in order of first appearance."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)
        self._names_by_file_name: dict[str, list[str]] = {}
        self._names_by_stem: dict[str, list[str]] = {}
        for name in self._names:
            self._names_by_file_name.setdefault(_last_path_part(name), []).append(name)
            self._names_by_stem.setdefault(_stem(name), []).append(name)

    def names_matching(self, name: str) -> list[str]:
        """Return the document names in the file that may refer to a document called ``name``.

        If the file has the same name, only that name is returned. Otherwise, a name matches if one path ends with the
        other, such as ``/data/notes/a.md`` and ``a.md``. If no name matches in this way, a file extension that only one
        of the paths has is ignored, such as in ``notes/a.md`` and ``a``.
        """
        if name in self._names:
            return [name]
        path_parts, path_parts_without_ending = _path_parts(name), _path_parts_without_ending(name)
        names_sharing_file_name = self._names_by_file_name.get(_last_path_part(name), ())
        return [
            candidate for candidate in names_sharing_file_name if _have_same_last_parts(path_parts, _path_parts(candidate))
        ] or [
            *(
                other
                for other in self._names_by_stem.get(_last_path_part(name), ())
                if _have_same_last_parts(path_parts, _path_parts_without_ending(other))
            ),
            *(
                other
                for other in self._names_by_file_name.get(_stem(name), ())
                if _have_same_last_parts(path_parts_without_ending, _path_parts(other))
            ),
        ]


def _path_parts(name: str) -> tuple[str, ...]:
    # Windows writes its paths with the other slash.
    return PurePosixPath(name.replace("\\", "/")).parts


def _last_path_part(name: str) -> str:
    return "".join(_path_parts(name)[-1:])


def _stem(name: str) -> str:
    return PurePosixPath(_last_path_part(name)).stem


def _path_parts_without_ending(document_path: str) -> tuple[str, ...]:
    return (*_path_parts(document_path)[:-1], _stem(document_path))


def _have_same_last_parts(first_path_parts: tuple[str, ...], second_path_parts: tuple[str, ...]) -> bool:
    compared_part_count = min(len(first_path_parts), len(second_path_parts))
    return first_path_parts[-compared_part_count:] == second_path_parts[-compared_part_count:]


def select_document_chunks(
    given_chunks: Sequence[GivenChunk], wanted_document_name: str | None, text_name: str
) -> Sequence[GivenChunk]:
    """Return the chunks of the wanted document, of the document named like the text, or of the only document.

    Raises
    ------
    InputError
        If there are no chunks or too many; if the chunks are from several documents and the right document is unclear.
    """
    wanted_document_chunks = _chunks_of_document(given_chunks, wanted_document_name, text_name)
    if not wanted_document_chunks:
        raise InputError("chunks must contain at least one chunk; got none.")
    if len(wanted_document_chunks) > MOST_CHUNKS:
        raise InputError(
            f"chunks may contain at most {MOST_CHUNKS:,} chunks; got {len(wanted_document_chunks):,}. Pass fewer chunks."
        )
    return wanted_document_chunks


def _chunks_of_document(
    given_chunks: Sequence[GivenChunk], wanted_document_name: str | None, text_name: str
) -> Sequence[GivenChunk]:
    stated_document_names = document_names(given_chunks)
    if wanted_document_name is None and len(stated_document_names) > 1:
        document_names_matching_text = DocumentNames(stated_document_names).names_matching(text_name)
        if len(document_names_matching_text) != 1:
            raise InputError(
                f"chunks: document must be one of the documents in the file, "
                f"{short_repr(', '.join(document_names_matching_text or stated_document_names))}; got "
                "none. Pass one of these names."
            )
        wanted_document_name = document_names_matching_text[0]
    if wanted_document_name is None:
        return given_chunks
    # "README" means that one alone where there is a "README.md" beside it.
    names_matching_wanted_document = (
        [wanted_document_name]
        if wanted_document_name in stated_document_names
        else [candidate for candidate in stated_document_names if _stem(candidate) == wanted_document_name]
    )
    if len(names_matching_wanted_document) > 1:
        raise InputError(
            f"chunks: document must match exactly one document of the file; {short_repr(wanted_document_name)} matches "
            f"{short_repr(', '.join(names_matching_wanted_document))}. Pass the full name of the document."
        )
    chosen_chunks = [
        chunk for chunk in given_chunks if chunk.document is None or chunk.document in names_matching_wanted_document
    ]
    if not chosen_chunks:
        raise InputError(
            f"chunks: document must be one of {short_repr(', '.join(stated_document_names))}; got "
            f"{short_repr(wanted_document_name)}."
        )
    return chosen_chunks
