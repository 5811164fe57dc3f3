"""The session's uploaded files of chunks, which columns show; links do not include them."""

from collections.abc import Iterable

from chunkers import Chunker, Document, InputError
from chunkers.methods import ChunkFile, YourChunks, YourCuts
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME
from chunkers.support import pluralize
from viz.state.choices import Choices, ColumnChoice
from viz.state.session_state import record_columns_for_undo, session

MAX_STORED_CHARACTERS = 60_000_000
"""Most characters of all chunk files in a session."""

NO_FILE_MESSAGE = "Choose a file of chunks in this column's settings; the chunks are then located in the text."
NO_USER_CUTS_MESSAGE = "Press “Cut it yourself”, below the strips, and click where you would cut."
FILE_MISSING_MESSAGE = (
    "The chunks of this column are in a file, which no link carries: choose it again in the column's settings."
)


def chunk_file_of(column: ColumnChoice) -> ChunkFile | None:
    """Return the file whose chunks a column shows; None if the column shows no file or the session lacks the file."""
    return (
        session.chunk_files.get(column.parameters.get("file", "")) if column.chunker in GIVEN_CHUNKS_CLASS_BY_NAME else None
    )


def external_chunker_and_input_hint(column: ColumnChoice) -> tuple[YourChunks | YourCuts, str]:
    """Return the chunker of a column of external chunks or own cuts, and a hint if the chunker still needs input.

    Raises
    ------
    ParameterError
        If the column's file identity or cuts are invalid.
    """
    if column.chunker == YourCuts.name:
        own_cuts_chunker = YourCuts.build(**column.parameters)
        return own_cuts_chunker, "" if own_cuts_chunker.cuts else NO_USER_CUTS_MESSAGE
    chunk_file = chunk_file_of(column)
    if chunk_file is None:
        chunker = YourChunks.build(**column.parameters)
        return chunker, FILE_MISSING_MESSAGE if chunker.file else NO_FILE_MESSAGE
    return YourChunks.from_file(chunk_file), ""


def chunker_with_file_if_available(chunker: Chunker) -> Chunker:
    """Return a chunker of external chunks with its file, if the session has it; return other chunkers unchanged."""
    if (
        not isinstance(chunker, YourChunks)
        or chunker.chunk_file_if_loaded is not None
        or chunker.file not in session.chunk_files
    ):
        return chunker
    return YourChunks.from_file(session.chunk_files[chunker.file])


def lacks_chunk_file(chunker: Chunker) -> bool:
    """Return whether a chunker of external chunks lacks its file."""
    return isinstance(chunker, YourChunks) and chunker.chunk_file_if_loaded is None


def no_chunk_in_text_message(chunker: YourChunks, document: Document) -> str:
    """Return the message that none of the file's chunks is in the text, with a suggestion."""
    chunk_file = chunker.chunk_file_if_loaded
    assert chunk_file is not None
    located_chunks = chunk_file.located_chunks_if_cached(document)
    file_chunk_count = len(chunk_file.chunks) if located_chunks is None else located_chunks.given_chunk_count
    file_gives_text = chunk_file.rebuild_document_text(document.name) is not None
    advice_phrase = "; the text that they give can be opened in this column's settings" if file_gives_text else ""
    return (
        f"0 of {pluralize(file_chunk_count, 'chunk')} of {chunk_file.name} found in this text: they may be of "
        f"another{advice_phrase}."
    )


def add_chunk_file_to_session(file: ChunkFile, columns_whose_files_stay: Iterable[ColumnChoice] = ()) -> None:
    """Add a file of chunks to the session; drop files that no page, ``columns_whose_files_stay`` or undoable change uses.

    Raises
    ------
    InputError
        If the files together would have too many characters.
    """
    last_undoable_change = session.undo
    columns_that_may_use_files = [
        *columns_whose_files_stay,
        *(
            ()
            if last_undoable_change is None
            else (*last_undoable_change.columns_before, *last_undoable_change.columns_after)
        ),
    ]
    columns_that_may_use_files += [column for choices in session.choices.values() for column in choices.columns]
    used_file_by_identity = {
        used_file.identity: used_file
        for column in columns_that_may_use_files
        if (used_file := chunk_file_of(column)) is not None
    }
    session_files_character_count = sum(
        chunk_file.character_count_of_chunks for chunk_file in {**used_file_by_identity, file.identity: file}.values()
    )
    if session_files_character_count > MAX_STORED_CHARACTERS:
        raise InputError(
            f"{file.name}: the chunk files of a session may have at most {MAX_STORED_CHARACTERS:,} characters in total; "
            f"with this file they would have {session_files_character_count:,}. Remove a column with another file first."
        )
    # If a file comes again, the first object stays: it has cached where its chunks are, and its columns' results are cached.
    session.chunk_files = {file.identity: file, **used_file_by_identity}


def show_chunk_file_in_column(file: ChunkFile, page_key: str, choices: Choices, column_index: int) -> None:
    """Show the chunks of a file in column ``column_index`` of a page; the user can undo the change.

    Raises InputError as `add_chunk_file_to_session` does.
    """
    add_chunk_file_to_session(file)
    with record_columns_for_undo(page_key, f"Column {column_index + 1} shows the chunks of {file.name}"):
        choices.columns[column_index] = ColumnChoice(YourChunks.name, {"file": file.identity})
