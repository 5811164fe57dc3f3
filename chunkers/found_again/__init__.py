"""Chunks made by another program, located in their text."""

from chunkers.found_again.located_chunks import DocumentNames, document_names, inspect, read_chunks, select_document_chunks
from chunkers.found_again.locating import ODDITY_KINDS, LocatedChunks, Oddity, locate_chunks
from chunkers.found_again.locating_unordered import Place, Placement, UnorderedLocator
