"""Text returned for a retrieved chunk: the chunk, its neighbours, its parent, or the section, page or chapter around it.

Small chunks are found more surely, and a reader needs what is around them: search for the small, return the large. What is
returned counts in every measure, and fills a budget, not what was searched. A passage that several chunks of a question
return is given once, with the best ranked of them, so that nothing is there twice; a later chunk gives what is new of it,
perhaps nothing. Only chunks that return themselves count as often as they overlap, as everywhere else.

A budget that is full inside what a chunk returns cuts that off there, as it does with a chunk: of a long section it gives
the beginning, wherever in it the chunk lies.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Literal, TypeVar

from chunkers import Document, InputError, Span
from chunkers.support import short_repr
from chunkers.text import headings
from evaluation.questions import Corpus, union_of_ranges
from evaluation.search.index import Indexed

ReturnedTextKind = Literal["chunk", "window", "section", "page", "parent"]

_KINDS_WITHOUT_SIZE: tuple[ReturnedTextKind, ...] = ("chunk", "page", "parent")

MOST_NEIGHBOURS = 20
"""Maximum number of neighbours on either side."""

DEEPEST_HEADING_LEVEL = 6
"""The deepest level of a heading."""

_SearchIndex = TypeVar("_SearchIndex", bound=Indexed)


@dataclass(frozen=True)
class ReturnedText:
    """Choice of the text returned for a retrieved chunk: the chunk, its neighbours, its section, page or parent.

    Attributes
    ----------
    kind
        ``chunk``: the chunk itself. ``window``: the chunk and its neighbours, in the order in which chunks begin.
        ``section``: the text from the heading above the chunk to the next heading, ignoring headings deeper than ``size``;
        text before the first heading is a section too. ``page``: the page of a PDF or the chapter of a book. A chunk in
        several sections or pages returns all of them. ``parent``: the parent, of chunks in two levels; only the children
        are searched, as by LangChain's ParentDocumentRetriever.
    size
        Number of neighbours on either side, or the deepest heading level that counts; 0 for the others.
    """

    kind: ReturnedTextKind = "chunk"
    size: int = 0

    @classmethod
    def parse(cls, setting_text: str) -> "ReturnedText":
        """Parse a setting for the text to return, such as ``chunk``, ``window:2``, ``section:1``, ``page`` or ``parent``.

        Raises
        ------
        InputError
            If the setting does not exist or the number is out of range.
        """
        returned_text_kind, colon_or_empty, setting_number_text = setting_text.partition(":")
        setting_number = (
            int(setting_number_text)
            if setting_number_text.isascii() and setting_number_text.isdigit() and len(setting_number_text) <= 4
            else None
        )
        if returned_text_kind == "window" and setting_number is not None:
            if not 1 <= setting_number <= MOST_NEIGHBOURS:
                raise InputError(f"The number of neighbours must be from 1 to {MOST_NEIGHBOURS}; got {setting_number:,}.")
            return cls("window", setting_number)
        if returned_text_kind == "section" and (setting_number is not None or not colon_or_empty):
            if setting_number is not None and not 1 <= setting_number <= DEEPEST_HEADING_LEVEL:
                raise InputError(
                    f"The heading level of a section must be from 1 to {DEEPEST_HEADING_LEVEL}; got {setting_number:,}."
                )
            return cls("section", setting_number or DEEPEST_HEADING_LEVEL)
        for kind_without_size in _KINDS_WITHOUT_SIZE:
            if setting_text == kind_without_size:
                return cls(kind_without_size)
        raise InputError(
            f"The returned text must be chunk, window:N, section, section:N, page or parent; got {short_repr(setting_text)}."
        )

    def __str__(self) -> str:
        """Return the word that `parse` reads."""
        if self.kind == "window" or (self.kind == "section" and self.size < DEEPEST_HEADING_LEVEL):
            return f"{self.kind}:{self.size}"
        return self.kind

    @property
    def said(self) -> str:
        """Note shown next to a chunker's name, such as ``its section``; empty if chunks return themselves."""
        if self.kind == "window":
            return f"{self.size} neighbour{'s' * (self.size != 1)} on either side"
        if self.kind == "section":
            return "its section" if self.size == DEEPEST_HEADING_LEVEL else f"its section of level {self.size}"
        return {"page": "its page or chapter", "parent": "its parent"}.get(self.kind, "")

    @property
    def searches_only_children(self) -> bool:
        """True if parents are returned, not searched."""
        return self.kind == "parent"


RETURN_CHUNK_ITSELF = ReturnedText()
"""Default: the chunk itself."""


def copy_index_with_returned_text(index: _SearchIndex, returned_text_setting: ReturnedText) -> _SearchIndex:
    """Return a copy of the index in which each chunk returns the chosen text around it.

    Chunks without a section or page return themselves, and so do chunks in one level, which have no parents. For parents,
    only children must be indexed.
    """
    if returned_text_setting.kind == "parent":
        return replace(index, returns=index.parents)
    if returned_text_setting.kind == "chunk":
        return replace(index, returns=None)
    if returned_text_setting.kind == "window":
        return replace(index, returns=tuple(_windows_of_chunk_neighbours(index, returned_text_setting.size)))
    corpus = index.corpus
    sections_by_document = [_Sections(document, returned_text_setting) for document in corpus.documents]
    returned_spans_by_chunk = []
    for spans_of_one_chunk in index.chunks:
        document_number = corpus.document_number_at(spans_of_one_chunk[0].start)
        document_start_offset = corpus.offsets[document_number]
        chunk_spans_in_document = [
            Span(start - document_start_offset, end - document_start_offset) for start, end in spans_of_one_chunk
        ]
        returned_spans_by_chunk.append(
            tuple(
                corpus.span_in_corpus(document_number, span)
                for span in sections_by_document[document_number].around(chunk_spans_in_document)
            )
        )
    return replace(index, returns=tuple(returned_spans_by_chunk))


def sectionless_documents_note(corpus: Corpus, returned_text_setting: ReturnedText) -> str:
    """Return a sentence on the documents that lack the required sections or pages; empty if there are none."""
    if returned_text_setting.kind not in ("section", "page"):
        return ""
    sectionless_document_names = [
        document.name for document in corpus.documents if not _Sections(document, returned_text_setting).starts
    ]
    if not sectionless_document_names:
        return ""
    if returned_text_setting.kind == "page":
        missing_parts_phrase = "pages or chapters"
    else:
        missing_parts_phrase = (
            "headings that are found"
            if returned_text_setting.size == DEEPEST_HEADING_LEVEL
            else f"headings of level 1 to {returned_text_setting.size} that are found"
        )
    sectionless_document_count = len(sectionless_document_names)
    documents_phrase = (
        f"{sectionless_document_names[0]} has"
        if sectionless_document_count == 1
        else f"{sectionless_document_count:,} of {len(corpus.documents):,} documents have"
    )
    return f"{documents_phrase} no {missing_parts_phrase}: there a chunk returns itself."


def _windows_of_chunk_neighbours(index: Indexed, neighbour_count: int) -> Iterator[tuple[Span, ...]]:
    # Chunks are numbered document by document, each in its reading order.
    for _, same_document_chunks in groupby(index.chunks, key=lambda spans: index.corpus.document_number_at(spans[0].start)):
        document_chunk_list = list(same_document_chunks)
        for chunk_index in range(len(document_chunk_list)):
            window_chunks = document_chunk_list[max(0, chunk_index - neighbour_count) : chunk_index + neighbour_count + 1]
            yield tuple(union_of_ranges(span for spans in window_chunks for span in spans))


@dataclass(frozen=True)
class _Sections:
    """The sections or pages of a document."""

    document: Document
    how: ReturnedText

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Offsets at which the sections or pages begin, leaving out text before the first one."""
        if self.how.kind == "page":
            return () if self.document.parts is None else self.document.parts.starts
        return tuple(heading.span.start for heading in headings(self.document.text) if heading.level <= self.how.size)

    @cached_property
    def _section_spans(self) -> list[Span]:
        """All of them without the white space around them; together they have all other characters."""
        text = self.document.text
        section_edge_offsets = sorted({0, *self.starts, len(text)})
        return [
            Span(start + len(text[start:end]) - len(text[start:end].lstrip()), start + len(text[start:end].rstrip()))
            for start, end in pairwise(section_edge_offsets)
            if text[start:end].strip()
        ]

    @cached_property
    def _starts_and_ends_of_sections(self) -> tuple[list[int], list[int]]:
        return [span.start for span in self._section_spans], [span.end for span in self._section_spans]

    def around(self, spans_of_one_chunk: Sequence[Span]) -> list[Span]:
        """Return the spans of the sections or pages that overlap ``spans_of_one_chunk``, or these spans if none do."""
        if not self.starts:
            return union_of_ranges(spans_of_one_chunk)
        section_starts, section_ends = self._starts_and_ends_of_sections
        return union_of_ranges(
            span
            for start, end in spans_of_one_chunk
            for span in self._section_spans[bisect_right(section_ends, start) : bisect_left(section_starts, end)]
        ) or union_of_ranges(spans_of_one_chunk)
