"""Numbers about chunks that the page shows: sizes, also against those asked for, changes, and known boundaries met."""

import statistics
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from chunkers import Chunk, Chunker, Chunking, Document, Embedder, InputError, Tokenizer, load_tokenizer
from chunkers.support import pluralize
from evaluation.segmentation.boundary_measures import count_matching_boundaries, cut_offsets


@dataclass(frozen=True)
class SizeStatistics:
    """Minimum, median, mean and maximum of the chunks' sizes in one unit."""

    unit: str
    least: float
    median: float
    mean: float
    most: float


def summarize_chunk_sizes_by_unit(chunking: Chunking, tokenizer: Tokenizer) -> tuple[SizeStatistics, ...]:
    """Return statistics of chunk sizes in sentences, words, characters and tokens; empty if there are no chunks.

    If the tokenizer's files are missing, tokens are left out.
    """
    chunk_texts = [chunk.text for chunk in chunking.chunks]
    if not chunk_texts:
        return ()
    sizes_by_unit = {
        "sentences": count_sentences_of_each_chunk(chunking),
        "words": load_tokenizer("words").count(chunk_texts),
        "characters": [len(text) for text in chunk_texts],
    }
    with suppress(InputError):
        sizes_by_unit["tokens"] = tokenizer.count(chunk_texts)
    return tuple(
        SizeStatistics(unit, min(values), statistics.median(values), statistics.fmean(values), max(values))
        for unit, values in sizes_by_unit.items()
    )


def count_sentences_of_each_chunk(chunking: Chunking) -> list[int]:
    """Return the number of sentences that each chunk overlaps."""
    document = chunking.document
    sentence_count_of_each_chunk = []
    for chunk in chunking.chunks:
        chunk_sentence_count, next_uncounted_sentence_number = 0, 0
        for span_start_offset, span_end_offset in chunk.spans:
            first_sentence_number, last_sentence_number = (
                document.sentence_at(span_start_offset),
                document.sentence_at(span_end_offset - 1),
            )
            chunk_sentence_count += max(
                last_sentence_number + 1 - max(first_sentence_number, next_uncounted_sentence_number), 0
            )
            next_uncounted_sentence_number = last_sentence_number + 1
        sentence_count_of_each_chunk.append(chunk_sentence_count)
    return sentence_count_of_each_chunk


@dataclass(frozen=True)
class DiscontinuousChunks:
    """Number of chunks with several separate spans, and number of breaks between these spans.

    Attributes
    ----------
    chunks
        Number of chunks with several separate spans.
    breaks
        Number of breaks in the text order within these chunks.
    """

    chunks: int
    breaks: int

    @classmethod
    def of(cls, chunking: Chunking) -> "DiscontinuousChunks":
        """Count a result's chunks with several separate spans, and the breaks between these spans."""
        extra_span_counts = [len(chunk.spans) - 1 for chunk in chunking.chunks if len(chunk.spans) > 1]
        return cls(len(extra_span_counts), sum(extra_span_counts))

    def words(self, chunk_count: int) -> str:
        """Return the counts as a phrase, such as ``2 of 9 chunks, 3 order breaks``."""
        return f"{self.chunks:,} of {pluralize(chunk_count, 'chunk')}, {pluralize(self.breaks, 'order break')}"


def list_overlong_chunks_with_unread_tokens(chunking: Chunking, embedder: Embedder | None) -> list[tuple[Chunk, int, int]]:
    """Return the chunks longer than an embedder reads, with their tokens and the number of tokens that it does not read.

    The list is empty without an embedder, and if the embedder's files, which are needed for counting, are missing.
    """
    if embedder is None or embedder.max_tokens is None:
        return []
    try:
        chunk_token_counts = embedder.lengths([chunk.text for chunk in chunking.chunks])
    except InputError:
        # The page has already reported that the files are missing.
        return []
    return [
        (chunk, length, length - embedder.max_tokens)
        for chunk, length in zip(chunking.chunks, chunk_token_counts, strict=True)
        if length > embedder.max_tokens
    ]


@dataclass(frozen=True)
class TruncatedChunks:
    """Chunks longer than an embedder's maximum input, and the share of their tokens that the embedder does not read.

    Attributes
    ----------
    chunks
        Number of chunks longer than the embedder reads.
    share
        Share of the tokens of these chunks that the embedder does not read, from 0 to 1.
    """

    chunks: int
    share: float

    @classmethod
    def of(cls, chunking: Chunking, embedder: Embedder | None) -> "TruncatedChunks | None":
        """Count the chunks that exceed the embedder's input; None if none does or tokens cannot be counted."""
        overlong_chunks = list_overlong_chunks_with_unread_tokens(chunking, embedder)
        if not overlong_chunks:
            return None
        return cls(
            len(overlong_chunks),
            sum(unread for _, _, unread in overlong_chunks) / sum(length for _, length, _ in overlong_chunks),
        )

    def words(self, embedder: Embedder) -> str:
        """Return a phrase on the chunks that exceed the embedder's maximum input."""
        chunk_word, possessive_word = ("chunk", "its") if self.chunks == 1 else ("chunks", "their")
        return (
            f"{self.chunks:,} {chunk_word} longer than the {embedder.max_tokens:,} tokens that {embedder.name} reads: "
            f"{format_percentage_1_to_99(self.share)} of {possessive_word} tokens not seen"
        )


@dataclass(frozen=True)
class ChunkFacts:
    """Facts about a chunking result, shown above its chunks."""

    cuts: tuple[int, ...]
    sizes: tuple[SizeStatistics, ...]
    discontinuous_chunks: DiscontinuousChunks
    truncated_chunks: TruncatedChunks | None

    @classmethod
    def of(cls, chunking: Chunking, tokenizer: Tokenizer, embedder: Embedder | None) -> "ChunkFacts":
        """Return the facts about a chunking result that are shown above its chunks.

        This tokenizes the whole text.
        """
        return cls(
            tuple(cut_offsets(chunking)),
            summarize_chunk_sizes_by_unit(chunking, tokenizer),
            DiscontinuousChunks.of(chunking),
            TruncatedChunks.of(chunking, embedder),
        )


@dataclass(frozen=True)
class BoundaryChanges:
    """Numbers of boundaries that a parameter change added, removed and moved."""

    added: int
    removed: int
    moved: int

    def added_removed_moved_in_words(self) -> str:
        """Return the counts as a phrase, such as ``2 added, 1 moved``."""
        boundary_change_phrases = [f"{count} {what}" for what, count in vars(self).items() if count]
        return ", ".join(boundary_change_phrases) if boundary_change_phrases else "no boundary"


MOVE_LIMIT_SENTENCES = 2
"""Maximum number of sentences that a boundary may shift and still count as moved."""


def count_added_removed_moved_boundaries(
    document: Document, boundaries_before: Sequence[int], boundaries_after: Sequence[int]
) -> BoundaryChanges:
    """Count the boundaries that a change added, removed and moved.

    A removed and an added boundary within `MOVE_LIMIT_SENTENCES` sentences of each other count as one moved boundary.
    """
    removed_boundary_sentences = [
        document.sentence_at(offset) for offset in sorted(set(boundaries_before) - set(boundaries_after))
    ]
    added_boundary_sentences = [
        document.sentence_at(offset) for offset in sorted(set(boundaries_after) - set(boundaries_before))
    ]
    moved_boundary_count = count_matching_boundaries(
        added_boundary_sentences, removed_boundary_sentences, MOVE_LIMIT_SENTENCES
    )
    return BoundaryChanges(
        len(added_boundary_sentences) - moved_boundary_count,
        len(removed_boundary_sentences) - moved_boundary_count,
        moved_boundary_count,
    )


def count_found_missed_added(cuts: Collection[int], known_boundaries: Collection[int]) -> tuple[int, int, int]:
    """Count the known boundaries found, the known boundaries missed, and the cuts elsewhere."""
    found_boundary_count = len(set(cuts) & set(known_boundaries))
    return found_boundary_count, len(known_boundaries) - found_boundary_count, len(set(cuts)) - found_boundary_count


def format_percentage_1_to_99(share: float) -> str:
    """Format a share as a whole percentage, at least 1 % and at most 99 %."""
    return f"{min(max(round(share * 100), 1), 99)}\N{NO-BREAK SPACE}%"


# Size compliance: how many chunks have a size that is asked for.


SIZE_UNITS = ("characters", "words", "tokens", "sentences")
"""Units of a size."""


@dataclass(frozen=True)
class SizeBounds:
    """Required minimum and maximum chunk size, both inclusive; None for no bound.

    Attributes
    ----------
    unit
        One of `SIZE_UNITS`, or “tokens read” for the embedder's own count, special tokens included.
    """

    least: int | None
    most: int | None
    unit: str

    def words(self) -> str:
        """Return the bounds as a phrase, such as “50 to 512 tokens”."""
        if self.least is None:
            return f"at most {self.most:,} {self.unit}"
        if self.most is None:
            return f"at least {self.least:,} {self.unit}"
        return f"{self.least:,} to {self.most:,} {self.unit}"


@dataclass(frozen=True)
class SizeCompliance:
    """Numbers of chunks within, below and above the required sizes.

    Attributes
    ----------
    within, short, long
        Number of chunks within the bounds, below the minimum, and above the maximum.
    """

    bounds: SizeBounds
    within: int
    short: int
    long: int

    @property
    def share(self) -> float | None:
        """Share of chunks within the bounds, from 0 to 1; None if there are no chunks."""
        total_chunk_count = self.within + self.short + self.long
        return self.within / total_chunk_count if total_chunk_count else None

    def bounds_and_violations_in_words(self) -> str:
        """Return a phrase with the bounds and the numbers of chunks outside them."""
        out_of_bounds_phrases = [
            f"{count:,} {what}" for count, what in ((self.short, "too small"), (self.long, "too large")) if count
        ]
        return f"{self.bounds.words()}: " + (", ".join(out_of_bounds_phrases) or "all are")


def count_fitting_short_long_chunks(sizes: Sequence[int], bounds: SizeBounds) -> SizeCompliance:
    """Count the chunk sizes within, below and above the bounds.

    Source: size compliance of Moura Junior et al., “Adaptive Chunking” (LREC 2026), who require 100 to 1,100 tokens.

    Raises
    ------
    InputError
        If there is no bound, if a bound is below 0, or if the minimum exceeds the maximum.
    """
    minimum_size, maximum_size = bounds.least, bounds.most
    if minimum_size is None and maximum_size is None:
        raise InputError("Size compliance needs a minimum or a maximum size; got neither.")
    if min(bound for bound in (minimum_size, maximum_size) if bound is not None) < 0 or (minimum_size or 0) > (
        minimum_size or 0 if maximum_size is None else maximum_size
    ):
        raise InputError(
            f"The minimum size must be at least 0 and at most the maximum; got {minimum_size} and {maximum_size}."
        )
    undersized_chunk_count = sum(size < minimum_size for size in sizes) if minimum_size is not None else 0
    oversized_chunk_count = sum(size > maximum_size for size in sizes) if maximum_size is not None else 0
    return SizeCompliance(
        bounds, len(sizes) - undersized_chunk_count - oversized_chunk_count, undersized_chunk_count, oversized_chunk_count
    )


def find_chunker_else_embedder_bounds(chunker: Chunker, embedder: Embedder | None = None) -> SizeBounds | None:
    """Return the size bounds in a chunker's parameters, else the embedder's maximum input; None without either.

    The size of `fixed_sentences` in sentences and a ``target_size``, which is an average, set no bounds.
    """
    minimum_chunk_size, maximum_chunk_size = (
        _first_integer_of_named_parameters(chunker, "min_size", "min_chunk_size"),
        _first_integer_of_named_parameters(chunker, "max_size", "max_chunk_size", "chunk_size"),
    )
    unit_by_parameter_name = {spec.name: spec.unit for spec in chunker.fields(chunker.model_dump())}
    if (
        minimum_chunk_size is None
        and maximum_chunk_size is None
        and getattr(chunker, "fit", "") != "average"
        and unit_by_parameter_name.get("size") != "sentences"
    ):
        maximum_chunk_size = _first_integer_of_named_parameters(chunker, "parent_size", "size")
    if minimum_chunk_size is not None or maximum_chunk_size is not None:
        candidate_size_units = (
            unit_by_parameter_name.get(name) for name in ("max_size", "max_chunk_size", "chunk_size", "size")
        )
        chunker_size_unit = getattr(chunker, "size_unit", None) or getattr(chunker, "unit", None)
        return SizeBounds(
            minimum_chunk_size,
            maximum_chunk_size,
            chunker_size_unit or next(filter(None, candidate_size_units), "characters"),
        )
    if embedder is not None and embedder.max_tokens is not None:
        return SizeBounds(None, embedder.max_tokens, "tokens read")
    return None


def _first_integer_of_named_parameters(chunker: Chunker, *names: str) -> int | None:
    return next((value for name in names if isinstance(value := getattr(chunker, name, None), int)), None)


def chunk_sizes(unit: str, chunking: Chunking, tokenizer: Tokenizer, embedder: Embedder | None = None) -> list[int]:
    """Return the size of every chunk in the given unit, one of `SIZE_UNITS`, or in tokens as the embedder counts them.

    Raises
    ------
    InputError
        If the unit does not exist, or if the tokenizer or embedder for counting cannot be loaded.
    """
    chunk_texts = [chunk.text for chunk in chunking.chunks]
    if unit == "tokens read" and embedder is not None:
        return embedder.lengths(chunk_texts)
    if unit == "characters":
        return [len(text) for text in chunk_texts]
    if unit == "sentences":
        return count_sentences_of_each_chunk(chunking)
    if unit == "words":
        return [*load_tokenizer("words").count(chunk_texts)]
    if unit == "tokens":
        return [*tokenizer.count(chunk_texts)]
    raise InputError(f"unit must be one of {', '.join(SIZE_UNITS)}; got {unit!r}.")
