"""Chunks made by another program, located in their text."""

from chunkers.found_again.chunk_location import ODDITY_KINDS, LocatedChunks, Oddity, locate_chunks
from chunkers.found_again.inspection_of_given_chunks import (
    DocumentNames,
    document_names,
    inspect,
    read_given_chunks,
    select_document_chunks,
)
from chunkers.found_again.unordered_chunk_location import Place, Placement, UnorderedLocator
