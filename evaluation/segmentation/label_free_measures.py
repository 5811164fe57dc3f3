"""Measures that need neither known boundaries nor questions, from block integrity to edit stability, not summed into one."""

import random
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from typing import Any

from chunkers import Chunker, Chunking, Document, InputError, Span, Tools
from chunkers.contract import run_and_time_chunker
from chunkers.support import VectorArray, pluralize, raise_if_cancelled
from chunkers.text import GIVEN_SPLITTER, parse_block_outline
from evaluation.segmentation.boundary_measures import NO_CUT_BASELINE_NAME, chunk_number_per_sentence, every_n_sentences_name
from evaluation.segmentation.chunk_statistics import (
    SizeBounds,
    SizeCompliance,
    chunk_sizes,
    count_fitting_short_long_chunks,
    find_chunker_else_embedder_bounds,
)
from evaluation.segmentation.cohesion import (
    SURROUNDING_SENTENCES,
    Contrast,
    cosine_of_chunks_with_surroundings,
    mean_cosines_inside_and_across,
)

# Block integrity: which lists, tables, code blocks, formulas and headings a chunking leaves whole.


@dataclass(frozen=True)
class WholeBlocks:
    """Number of blocks that chunks keep whole, and number of all blocks."""

    count: int
    total: int

    @property
    def share(self) -> float | None:
        """Share of blocks that chunks keep whole, from 0 to 1; None if there are no blocks."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True)
class BlockIntegrity:
    """Numbers of blocks that a chunking keeps whole, by kind.

    A heading is whole if it stays with the start of the next block.
    """

    kinds: Mapping[str, WholeBlocks]

    @property
    def whole_blocks_of_all_kinds(self) -> WholeBlocks:
        """Number of blocks of any kind that chunks keep whole, and number of all blocks."""
        return WholeBlocks(
            sum(whole.count for whole in self.kinds.values()), sum(whole.total for whole in self.kinds.values())
        )

    def words(self) -> str:
        """Return the counts as a phrase, such as “1 of 2 tables, 3 of 3 lists”; empty if there are no blocks."""
        return ", ".join(
            f"{whole.count:,} of {whole.total:,} {kind}{'s' * (whole.total != 1)}" for kind, whole in self.kinds.items()
        )


def count_whole_blocks_by_kind(chunking: Chunking) -> BlockIntegrity:
    """Count the blocks of each kind, such as tables, that lie whole inside one span of a chunk.

    Source: block integrity of Moura Junior, Lelong and Blangero, “Adaptive Chunking: Optimizing Chunking-Method Selection
    for RAG” (LREC 2026): the share of blocks that are not split. Their measure counts paragraphs and tolerates cuts up to 5
    characters from a block's end; here paragraphs may be cut, and there is no tolerance.
    """
    return count_whole_spans(
        spans_to_keep_whole(chunking.document.text), [span for chunk in chunking.chunks for span in chunk.spans]
    )


def spans_to_keep_whole(text: str) -> list[tuple[str, Span]]:
    """Return the spans of blocks that chunks should keep whole, such as tables, each with the kind of block.

    The spans are those of lists, tables, code blocks and formulas, and of headings. A heading's span includes the first
    character of the next block, so that a heading at the end of a chunk is not whole. There are no spans for texts that
    `chunkers.text.blocks_and_headings` does not parse.
    """
    outermost_blocks = parse_block_outline(text).blocks
    heading_spans_into_next_block = (
        (block.kind, Span(block.span.start, block.span.end if after is None else after.span.start + 1))
        for block, after in zip_longest(outermost_blocks, outermost_blocks[1:])
        if block.kind == "heading"
    )
    return [*((block.kind, block.span) for block in parse_block_outline(text).whole_blocks), *heading_spans_into_next_block]


def count_whole_spans(kinds_and_spans: Sequence[tuple[str, Span]], spans_of_all_chunks: Sequence[Span]) -> BlockIntegrity:
    """For each kind, count the spans that lie wholly within a single chunk; chunks may overlap."""
    pieces_in_text_order = sorted(spans_of_all_chunks)
    piece_start_offsets = [piece.start for piece in pieces_in_text_order]
    # How far the pieces reach that begin no later than each.
    furthest_ends_so_far = [*accumulate((piece.end for piece in pieces_in_text_order), max)]
    whole_blocks_by_kind: dict[str, WholeBlocks] = {}
    for block_kind, (start, end) in kinds_and_spans:
        begun_piece_count = bisect_right(piece_start_offsets, start)
        is_span_whole = begun_piece_count > 0 and furthest_ends_so_far[begun_piece_count - 1] >= end
        kind_counts_so_far = whole_blocks_by_kind.get(block_kind, WholeBlocks(0, 0))
        whole_blocks_by_kind[block_kind] = WholeBlocks(
            kind_counts_so_far.count + is_span_whole, kind_counts_so_far.total + 1
        )
    return BlockIntegrity(whole_blocks_by_kind)


EXPLANATION_BY_MEASURE = {
    "chunks": "Number of chunks.",
    "blocks whole": "Share of lists, tables, code blocks, formulas and headings (with the text below) kept whole.",
    "size kept": "Share of chunks within the requested sizes or, without any, within the embedder's maximum input.",
    "inside": "Mean cosine of two sentences in the same chunk. It is higher for short chunks, whatever their cuts.",
    "across": "Mean cosine of two sentences in neighbouring chunks. It is higher for short chunks too.",
    "contrast": "Inside minus across: how much more alike sentences are within chunks than across cuts.",
    "context": f"Mean cosine of a chunk and the {SURROUNDING_SENTENCES} sentences on either side: "
    "high if it fits its surroundings, low if it stands apart.",
    "changed": "Mean share of chunks that change when one sentence is inserted; lower is better.",
    "at worst": "The largest share of changed chunks over all places.",
    "at least": "The unavoidable share: the one chunk with the new sentence. Compare the other two with it.",
}
"""Description of each measure; the last three are of edit stability."""


_SENTENCES_PER_BASELINE_CHUNK = 4

BASELINE_SETTINGS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (NO_CUT_BASELINE_NAME, {"chunks": 1}),
    (every_n_sentences_name(_SENTENCES_PER_BASELINE_CHUNK), {"size": _SENTENCES_PER_BASELINE_CHUNK}),
)
"""The trivial answers, which stand in every table: their names, and the settings of `fixed_sentences`."""


@dataclass(frozen=True)
class LabelFreeMeasures:
    """Measures of a chunking that need no known boundaries.

    Attributes
    ----------
    blocks
        Counts of whole blocks.
    sizes
        Counts of chunks within the required sizes; None if no sizes are required or sizes cannot be counted.
    contrast, coherence
        Measures of the sentences' vectors; None without vectors. ``coherence`` is also None if no chunk has surroundings.
    """

    chunks: int
    blocks: BlockIntegrity
    sizes: SizeCompliance | None
    contrast: Contrast | None
    coherence: float | None


def measure_without_labels(
    chunking: Chunking, vectors: VectorArray | None = None, measured_size_compliance: SizeCompliance | None = None
) -> LabelFreeMeasures:
    """Compute the measures of a chunking that need no known boundaries.

    Parameters
    ----------
    vectors
        Sentence vectors, shape (n, dimension); None if there are none.
    measured_size_compliance
        As from `count_size_compliance`.
    """
    whole_block_counts = count_whole_blocks_by_kind(chunking)
    if vectors is None:
        return LabelFreeMeasures(len(chunking.chunks), whole_block_counts, measured_size_compliance, None, None)
    chunk_number_by_sentence = chunk_number_per_sentence(chunking)
    return LabelFreeMeasures(
        len(chunking.chunks),
        whole_block_counts,
        measured_size_compliance,
        mean_cosines_inside_and_across(vectors, chunk_number_by_sentence),
        cosine_of_chunks_with_surroundings(vectors, chunk_number_by_sentence),
    )


def count_size_compliance(
    chunking: Chunking, chunker: Chunker, tools: Tools, size_bounds: SizeBounds | None = None
) -> SizeCompliance | None:
    """Count the chunks within the given size bounds, else the chunker's, else the embedder's maximum input.

    Returns None if there are no size bounds, or if the tokenizer that counts the chunks is missing.

    Raises
    ------
    InputError
        If the bounds are invalid.
    """
    applied_size_bounds = size_bounds or find_chunker_else_embedder_bounds(chunker, tools.embedder)
    if applied_size_bounds is None:
        return None
    try:
        sizes_of_chunks = chunk_sizes(applied_size_bounds.unit, chunking, tools.tokenizer, tools.embedder)
    except InputError:
        return None
    return count_fitting_short_long_chunks(sizes_of_chunks, applied_size_bounds)


def sentence_vectors(document: Document, tools: Tools) -> VectorArray | None:
    """Return the sentences' vectors, shape (n, dimension), embedding them if missing; None without an embedder."""
    if tools.embedder is None:
        return None
    return replace(tools, embedder=tools.embedder.for_document(document)).embed(document.sentence_texts)


# Edit stability: how many chunks change when one sentence is inserted.


DEFAULT_EDIT_COUNT = 20
"""Places at which a sentence is inserted, unless another number is asked for."""

MAX_RECHUNKED_CHARACTERS = 50_000_000
"""Maximum number of edits × characters of the text, all of which is cut anew after each: 160 edits of 300 kB."""

FALLBACK_INSERTED_SENTENCE = "This sentence was not here before."
"""Sentence to insert into a text that has no other sentence to take."""

_SEPARATOR_BY_SPLITTER = {"lines": "\n", "paragraphs": "\n\n"}
"""Separator between the inserted sentence and its neighbours, by splitter; a space for all others."""

_PROSE_BLOCK_KINDS = ("paragraph", "quotation")
"""The kinds of blocks in which a sentence may be inserted."""

_UNFINISHED_SENTENCE_MARKS = ",;:-–—|#"
"""Marks after which a sentence goes on."""


@dataclass(frozen=True)
class EditEffect:
    """Effect of one inserted sentence on the chunks.

    Attributes
    ----------
    preceding_sentence_number
        Number, from 0, of the sentence after which the new sentence is inserted.
    changed, chunks
        Number of chunks of the edited text that match no chunk of the original, and number of all its chunks. Each original
        chunk can match only one chunk.
    """

    preceding_sentence_number: int
    changed: int
    chunks: int

    @property
    def changed_chunk_share(self) -> float:
        """Share of the edited text's chunks that changed, from 0 to 1."""
        return self.changed / self.chunks


@dataclass(frozen=True)
class EditStability:
    """Changes in the chunks caused by a series of one or more edits."""

    edits: tuple[EditEffect, ...]

    @property
    def mean_changed_chunk_share(self) -> float:
        """Mean share of chunks that an edit changes."""
        return sum(edit.changed_chunk_share for edit in self.edits) / len(self.edits)

    @property
    def edit_changing_most_chunks(self) -> EditEffect:
        """Edit that changed the greatest share of chunks; the first one in case of ties."""
        return max(self.edits, key=lambda edit: edit.changed_chunk_share)

    @property
    def inevitable(self) -> float:
        """Lowest possible mean share of changed chunks, since the chunk with the new sentence always changes."""
        return sum(1 / edit.chunks for edit in self.edits) / len(self.edits)

    def words(self) -> str:
        """Return a sentence that summarises the stability of chunks under edits."""
        most_disruptive_edit = self.edit_changing_most_chunks
        return (
            f"Of {pluralize(len(self.edits), 'inserted sentence')}, each changes {self.mean_changed_chunk_share:.1%} of the "
            f"chunks on average and {most_disruptive_edit.changed_chunk_share:.1%} at worst, after sentence "
            f"{most_disruptive_edit.preceding_sentence_number + 1:,}; "
            f"one chunk, which must change, is {self.inevitable:.1%}."
        )


def check_edit_count(document: Document, edit_count: int) -> None:
    """Raise InputError if there are no edits or no sentences, or if the edits would take too long."""
    if edit_count < 1:
        raise InputError(f"Edit stability needs at least 1 edit; got {edit_count:,}.")
    if not document.sentences:
        raise InputError(f"{document.name}: edit stability needs a text with at least one sentence; this one has none.")
    character_count_over_all_edits = edit_count * len(document.text)
    if character_count_over_all_edits > MAX_RECHUNKED_CHARACTERS:
        raise InputError(
            f"{document.name}: edits × characters must be at most {MAX_RECHUNKED_CHARACTERS:,}; {edit_count:,} × "
            f"{len(document.text):,} is {character_count_over_all_edits:,}. Use fewer edits or a shorter text."
        )


def measure_chunk_changes_by_edits(
    chunker: Chunker,
    document: Document,
    tools: Tools,
    max_edits: int = DEFAULT_EDIT_COUNT,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> EditStability:
    """Insert sentences one at a time, cut the text again, and return the shares of chunks that change.

    Parameters
    ----------
    chunker, document, tools
        The chunker, the document and the services. The text is split into sentences again after each edit.
    max_edits
        Maximum number of edits, limited by the number of sentences.
    seed
        Seed for the random choice of positions and sentences.
    progress
        Called with (done, to do) after each edit.

    Raises
    ------
    InputError
        If the edits would take too long or the chunker rejects the text.
    Cancelled
        If the user asked to stop.
    """
    check_edit_count(document, max_edits)
    original_chunk_texts = Counter(run_and_time_chunker(chunker, document, replace(tools)).texts)
    measured_edits = []
    planned_sentence_insertions = plan_random_sentence_insertions(document, max_edits, seed)
    for edit_number, (preceding_sentence_number, inserted_sentence) in enumerate(planned_sentence_insertions, start=1):
        raise_if_cancelled(tools.cancelled)
        edited_chunk_texts = Counter(
            run_and_time_chunker(
                chunker, insert_sentence(document, preceding_sentence_number, inserted_sentence), replace(tools)
            ).texts
        )
        measured_edits.append(
            EditEffect(
                preceding_sentence_number, (edited_chunk_texts - original_chunk_texts).total(), edited_chunk_texts.total()
            )
        )
        if progress is not None:
            progress(edit_number, len(planned_sentence_insertions))
    return EditStability(tuple(measured_edits))


def plan_random_sentence_insertions(document: Document, max_edits: int, seed: int) -> list[tuple[int, str]]:
    """Return random edits: the numbers of the sentences to insert after, ascending, each with the sentence to insert.

    Both are drawn from complete sentences of prose, outside lists, tables, code, formulas and headings. In a text without
    prose, a sentence is inserted after any sentence.
    """
    random_generator = random.Random(seed)
    prose_sentence_numbers = _prose_sentence_numbers(document)
    possible_preceding_sentences = prose_sentence_numbers or range(len(document.sentences))
    planned_sentence_insertions = []
    for preceding_sentence_number in sorted(
        random_generator.sample(possible_preceding_sentences, min(max_edits, len(possible_preceding_sentences)))
    ):
        # The sentence itself would be said twice running.
        other_sentence_numbers = [number for number in prose_sentence_numbers if number != preceding_sentence_number]
        planned_sentence_insertions.append(
            (
                preceding_sentence_number,
                document.sentence_texts[random_generator.choice(other_sentence_numbers)]
                if other_sentence_numbers
                else FALLBACK_INSERTED_SENTENCE,
            )
        )
    return planned_sentence_insertions


def _prose_sentence_numbers(document: Document) -> list[int]:
    """Return the numbers of the sentences of the text's prose, ascending, each text once."""
    non_prose_blocks = [block for block in parse_block_outline(document.text).blocks if block.kind not in _PROSE_BLOCK_KINDS]
    # Blocks lie within each other or apart, so that what an outer one holds adds nothing.
    excluded_spans: list[Span] = []
    for block in sorted([*non_prose_blocks, *parse_block_outline(document.text).whole_blocks], key=lambda block: block.span):
        if not excluded_spans or block.span.end > excluded_spans[-1].end:
            excluded_spans.append(block.span)
    excluded_span_starts = [span.start for span in excluded_spans]
    sentence_number_by_text: dict[str, int] = {}
    for sentence_number, (start, sentence_end) in enumerate(document.sentences):
        sentence_text = document.text[start:sentence_end]
        begun_excluded_span_count = bisect_left(excluded_span_starts, sentence_end)
        if begun_excluded_span_count and excluded_spans[begun_excluded_span_count - 1].end > start:
            continue
        if sentence_text[-1] not in _UNFINISHED_SENTENCE_MARKS and (
            document.splitter in _SEPARATOR_BY_SPLITTER or not sentence_text[-1].isalnum()
        ):
            sentence_number_by_text.setdefault(sentence_text, sentence_number)
    return [*sentence_number_by_text.values()]


def insert_sentence(document: Document, preceding_sentence_number: int, sentence: str) -> Document:
    """Return the document with ``sentence`` inserted after sentence number ``preceding_sentence_number``."""
    original_text, insertion_offset = document.text, document.sentences[preceding_sentence_number].end
    separator_before_inserted_sentence = _SEPARATOR_BY_SPLITTER.get(document.splitter, " ")
    separator_and_sentence = separator_before_inserted_sentence + sentence
    text_with_inserted_sentence = (
        original_text[:insertion_offset] + separator_and_sentence + original_text[insertion_offset:]
    )
    if document.splitter != GIVEN_SPLITTER:
        return Document.from_text(text_with_inserted_sentence, document.splitter, document.name)
    inserted_span = Span(
        insertion_offset + len(separator_before_inserted_sentence), insertion_offset + len(separator_and_sentence)
    )
    shifted_later_spans = [
        Span(start + len(separator_and_sentence), stop + len(separator_and_sentence))
        for start, stop in document.sentences[preceding_sentence_number + 1 :]
    ]
    return Document(
        text_with_inserted_sentence,
        (*document.sentences[: preceding_sentence_number + 1], inserted_span, *shifted_later_spans),
        document.name,
    )
