"""Small, fallible rules for suspicious cuts; the findings are ranked for review."""

import math
import re
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from string import ascii_lowercase
from typing import Literal

import numpy as np

from chunkers import Chunking, Embedder, Span
from chunkers.support import format_number, pluralize
from chunkers.text import GIVEN_SPLITTER, headings, parse_block_outline
from evaluation.findings.dependent_chunks import find_dangling_starts, find_missing_lead_ins
from evaluation.findings.examined_chunking import (
    DEFAULT_NARROW_MARGIN,
    ChunkFaultKind,
    ExaminedChunking,
    FindingPartsIterator,
    has_more_words_than_links,
)
from evaluation.search import NEAR_DUPLICATE_SIMILARITY as COUNTED_ALIKE
from evaluation.search import SHINGLE_WORDS, find_near_duplicate_texts, find_repeated_word_runs
from evaluation.segmentation import list_overlong_chunks_with_unread_tokens

# English abbreviations that end with a full stop and mostly stand inside a sentence.


_SINGLE_LETTER_ABBREVIATIONS_TEXT = " ".join(f"{letter}." for letter in ascii_lowercase + "äöü")

ABBREVIATIONS = frozenset(
    (
        "Adm. Bros. Co. Corp. Dr. Gen. Gov. Inc. Jr. Ltd. Messrs. Mr. Mrs. Ms. Mt. Ph.D. Prof. Rep. Rev. Sen. St. co. "
        "E.G. E.g. I.E. I.e. a.m. e.g. i.e. p.m. v.s. vs. "
        "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. "
        "Ak. Ala. Ariz. Ark. Calif. Colo. Conn. D.C. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Md. "
        "Mich. Minn. Miss. Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. Pa. S.C. Tenn. Va. "
        f"Wash. Wis. {_SINGLE_LETTER_ABBREVIATIONS_TEXT}"
    ).split()
)
"""The abbreviations that spaCy's English tokenizer keeps together with their full stop."""


TINY_MEDIAN_SHARE = 0.1
"""Share of the median chunk below which a chunk is tiny."""

OVERSIZED_MEDIAN_MULTIPLE = 5
"""Multiple of the median chunk above which a chunk is oversized."""

FLAT_INTERQUARTILE_RANGE = 0.02
"""Interquartile range of the scores below which their curve counts as flat."""

LONG_PARAGRAPH, LEAST_PARAGRAPH_STOPS = 600, 3
"""Characters above which a paragraph should have more than one sentence, or stops within it from which on it should."""

CHUNKS_MAKING_HEADING_FAR = 2
"""Number of chunks after its heading from which on a chunk of the same section is far from the heading."""

NEAR_DUPLICATE_SHARE = 0.6
"""Jaccard similarity of shingles from which chunks are reported as near-duplicates."""

LEAST_COMPARED_CHARACTERS = 20
"""Characters of the shortest chunk that is compared with others."""

MOST_QUOTED_CHARACTERS = 50
"""Characters of another chunk that a reason quotes."""

FEWEST_VALUES_FOR_QUARTILES = 4
"""Number of chunks, or scores, below which a median or a quartile means nothing."""


LANGUAGES_OF_RULES_PHRASE = "English, German, French, Spanish and Chinese"
"""Languages whose words the rules know; `python -m benchmarks.standalone_chunk_rules` measures the rules on each."""


@dataclass(frozen=True)
class Finding:
    """Suspicious passage found by a rule.

    Attributes
    ----------
    rule
        The name of the rule that found the passage.
    span
        The passage to look at, in code points.
    score
        Certainty and severity, from 0 to 1; findings are ranked by it.
    reason
        Explanation of the finding in words and numbers.
    """

    rule: str
    span: Span
    score: float
    reason: str


@dataclass(frozen=True)
class Rule:
    """Rule for suspicious passages.

    Attributes
    ----------
    title
        What it finds.
    why
        Why it matters.
    find
        The function that finds the passages.
    cause
        What makes the passages. Only those that the chunker makes can be removed by its settings.
    limits
        Languages, known mistakes, and when to switch the rule off; empty for a rule without a language.
    example
        Text with a cut, shown as ``|``, that the rule reports; empty if the title says it.
    """

    title: str
    why: str
    find: Callable[[ExaminedChunking], FindingPartsIterator]
    cause: Literal["chunker", "splitter", "document"] = "chunker"
    limits: str = ""
    example: str = ""

    @property
    def explanation(self) -> str:
        """Why the rule matters, an example and its limits, in sentences."""
        example_phrase = f"Example: “{self.example}”" if self.example else ""
        return " ".join(filter(None, (self.why, example_phrase, self.limits)))


def _find_cut_sentences(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    document = examined_chunking.chunking.document
    for cut_offset in examined_chunking.cuts:
        cut_sentence_index = document.sentence_at(cut_offset)
        sentence_start, sentence_end = document.sentences[cut_sentence_index]
        prose_span_around_cut = (
            examined_chunking.prose_span_around_offset(cut_offset) if sentence_start < cut_offset < sentence_end else None
        )
        if prose_span_around_cut is None:
            continue
        # A splitter does not know all blocks: of what it took for one sentence, the part in this block is meant.
        sentence_start, sentence_end = (
            max(sentence_start, prose_span_around_cut.start),
            min(sentence_end, prose_span_around_cut.end),
        )
        # A full stop alone says nothing that the sentence lacks without it.
        sentence_halves_at_cut = document.text[sentence_start:cut_offset], document.text[cut_offset:sentence_end]
        if all(re.search(r"\w", half) for half in sentence_halves_at_cut) and has_more_words_than_links(
            document.text[sentence_start:sentence_end]
        ):
            # Worst in the middle, where each half needs the other.
            cut_centrality_score = 0.7 + 0.3 * (
                1 - abs(2 * (cut_offset - sentence_start) / (sentence_end - sentence_start) - 1)
            )
            yield (
                Span(sentence_start, sentence_end),
                cut_centrality_score,
                f"sentence {cut_sentence_index + 1:,} is cut after {cut_offset - sentence_start:,} of its "
                f"{sentence_end - sentence_start:,} characters",
            )


def _find_cut_blocks(
    block_kind: str, fixed_finding_score: float, examined_chunking: ExaminedChunking
) -> FindingPartsIterator:
    text = examined_chunking.chunking.document.text
    for block in parse_block_outline(text).whole_blocks:
        if block.kind != block_kind:
            continue
        block_start, block_end = block.span
        cuts_inside_block = [cut for cut in examined_chunking.cuts if block_start < cut < block_end]
        if cuts_inside_block:
            cut_count_phrase = "once" if len(cuts_inside_block) == 1 else f"{len(cuts_inside_block):,} times"
            block_line_count = text.count("\n", block_start, block_end) + 1
            yield block.span, fixed_finding_score, f"a {block_kind} of {block_line_count:,} lines is cut {cut_count_phrase}"


_ORDINAL = re.compile(r"(?:\S+\s+){0,2}\d{1,2}\.")


def _find_false_sentence_ends(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    document = examined_chunking.chunking.document
    all_cut_offsets = set(examined_chunking.cuts)
    for later_sentence_index in range(1, len(document.sentences)):
        earlier_sentence, later_sentence = (
            document.sentences[later_sentence_index - 1],
            document.sentences[later_sentence_index],
        )
        earlier_sentence_text, later_sentence_text = (
            document.text[earlier_sentence.start : earlier_sentence.end],
            document.text[later_sentence.start : later_sentence.end],
        )
        bad_split_place_phrase = _false_sentence_end_phrase(
            earlier_sentence_text, later_sentence_text, has_no_space_at_split=earlier_sentence.end == later_sentence.start
        )
        if bad_split_place_phrase and examined_chunking.prose_span_around_offset(earlier_sentence.end) is not None:
            bad_split_score = 0.9 if later_sentence.start in all_cut_offsets else 0.4
            chunk_begins_there_phrase = ", and a chunk begins there" if later_sentence.start in all_cut_offsets else ""
            yield (
                Span(earlier_sentence.start, later_sentence.end),
                bad_split_score,
                f"sentences {later_sentence_index:,} and {later_sentence_index + 1:,} part "
                f"{bad_split_place_phrase}{chunk_begins_there_phrase}",
            )


def _false_sentence_end_phrase(text_before: str, text_after: str, has_no_space_at_split: bool) -> str:
    """Return the place at which a sentence wrongly ends; empty if its end looks right."""
    if not text_before.endswith("."):
        return ""
    if has_no_space_at_split and text_before[-2:-1].isdigit() and text_after[0].isdigit():
        return "inside a decimal"
    last_word_before_split = text_before.split()[-1].lstrip("([{\"'“„«")
    if last_word_before_split in ABBREVIATIONS:
        return f"after the abbreviation {last_word_before_split}"
    if len(last_word_before_split) == 2 and last_word_before_split[0].isupper() and last_word_before_split[0] != "I":
        return f"after the initial {last_word_before_split}"
    if _ORDINAL.fullmatch(text_before):
        return f"after the number {last_word_before_split}"
    return ""


def _find_stranded_headings(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    for possible_heading_block, following_block in pairwise(
        parse_block_outline(examined_chunking.chunking.document.text).blocks
    ):
        if possible_heading_block.kind == "heading":
            cut_index_after_heading = bisect_left(examined_chunking.cuts, possible_heading_block.span.end)
            if (
                cut_index_after_heading < len(examined_chunking.cuts)
                and examined_chunking.cuts[cut_index_after_heading] <= following_block.span.start
            ):
                yield (
                    possible_heading_block.span,
                    0.75,
                    f"a heading of level {possible_heading_block.level} ends a chunk, and what it announces begins the next",
                )


def _find_heading_distant_chunks(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    all_headings = headings(examined_chunking.chunking.document.text)
    heading_starts = [heading.span.start for heading in all_headings]
    if not all_headings or not examined_chunking.cuts:
        return
    chunk_edge_offsets = [
        examined_chunking.chunking.chunks[0].start,
        *examined_chunking.cuts,
        examined_chunking.chunking.document.sentences[-1].end,
    ]
    for chunk_index, (chunk_start, chunk_end) in enumerate(pairwise(chunk_edge_offsets)):
        heading_index = bisect_right(heading_starts, chunk_start) - 1
        chunks_between_count = (
            chunk_index - bisect_right(chunk_edge_offsets, heading_starts[heading_index]) + 1 if heading_index >= 0 else 0
        )
        if chunks_between_count >= CHUNKS_MAKING_HEADING_FAR:
            heading_title = all_headings[heading_index].title
            heading_title_phrase = (
                f"“{heading_title[:60]}{'…' * (len(heading_title) > 60)}”" if heading_title else "without a title"
            )
            yield (
                Span(chunk_start, chunk_end),
                0.25,
                f"the heading of its section, {heading_title_phrase}, is {chunks_between_count:,} chunks before",
            )


def _find_headerless_table_rows(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    text = examined_chunking.chunking.document.text
    table_block_spans = [block.span for block in parse_block_outline(text).whole_blocks if block.kind == "table"]
    table_starts = [table.start for table in table_block_spans]
    for chunk in examined_chunking.chunking.chunks:
        for chunk_span_start, chunk_span_end in chunk.spans:
            cut_table_index = bisect_left(table_starts, chunk_span_start) - 1
            if cut_table_index >= 0 and chunk_span_start < table_block_spans[cut_table_index].end and not chunk.context:
                headerless_rows_span = Span(chunk_span_start, min(chunk_span_end, table_block_spans[cut_table_index].end))
                headerless_line_count = text.count("\n", *headerless_rows_span) + 1
                yield (
                    headerless_rows_span,
                    0.7,
                    f"{pluralize(headerless_line_count, 'line')} of a table begin{'s' * (headerless_line_count == 1)} a "
                    "chunk, and its header is in one before",
                )


_SENTENCE_STOP_PATTERN = re.compile(r"[.!?…][\"'”’»)\]]*\s+(?=\S)|[。！？]")


def _find_whole_paragraph_sentences(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    """Find sentences that are whole paragraphs, where the splitter is one that looks for sentences."""
    document = examined_chunking.chunking.document
    if document.splitter in ("lines", "paragraphs", GIVEN_SPLITTER):
        return
    paragraph_spans = [block.span for block in parse_block_outline(document.text).blocks if block.kind == "paragraph"]
    for paragraph_start, paragraph_end in sorted(set(paragraph_spans) & set(document.sentences)):
        if not has_more_words_than_links(document.text[paragraph_start:paragraph_end]):
            continue
        inner_stop_count = len(_SENTENCE_STOP_PATTERN.findall(document.text, paragraph_start, paragraph_end - 1))
        if paragraph_end - paragraph_start > LONG_PARAGRAPH or inner_stop_count >= LEAST_PARAGRAPH_STOPS:
            stop_count_phrase = f"{pluralize(inner_stop_count, 'stop')} in it" if inner_stop_count else "no stop in it"
            unsplit_paragraph_score = 0.3 + 0.4 * min(
                1, max((paragraph_end - paragraph_start) / LONG_PARAGRAPH / 4, inner_stop_count / LEAST_PARAGRAPH_STOPS / 4)
            )
            yield (
                Span(paragraph_start, paragraph_end),
                unsplit_paragraph_score,
                f"a paragraph of {paragraph_end - paragraph_start:,} characters is one sentence, with {stop_count_phrase}",
            )


_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[^\S\r\n]*(?:\r\n|\n|\r(?!\n))")


def _find_near_paragraph_cuts(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    """Find cuts inside a paragraph, one sentence from an end of it that is not cut."""
    document = examined_chunking.chunking.document
    document_sentence_spans = document.sentences
    cut_offset_by_sentence_index = {document.sentence_at(cut): cut for cut in examined_chunking.cuts}
    paragraph_first_sentence_indexes = {
        number
        for number in range(1, len(document_sentence_spans))
        if _BLANK_LINE.search(document.text, document_sentence_spans[number - 1].end, document_sentence_spans[number].start)
    }
    for cut_sentence_index in sorted(cut_offset_by_sentence_index.keys() - paragraph_first_sentence_indexes):
        if cut_offset_by_sentence_index[cut_sentence_index] > document_sentence_spans[cut_sentence_index].start:
            # Inside a sentence, which is another rule's.
            continue
        for paragraph_first_sentence_index, later_or_earlier in (
            (cut_sentence_index + 1, "later"),
            (cut_sentence_index - 1, "earlier"),
        ):
            if (
                paragraph_first_sentence_index in paragraph_first_sentence_indexes
                and paragraph_first_sentence_index not in cut_offset_by_sentence_index
            ):
                stranded_sentence_index, same_paragraph_neighbour_index = (
                    (cut_sentence_index, cut_sentence_index - 1)
                    if paragraph_first_sentence_index > cut_sentence_index
                    else (cut_sentence_index - 1, cut_sentence_index)
                )
                yield (
                    Span(
                        document_sentence_spans[min(stranded_sentence_index, same_paragraph_neighbour_index)].start,
                        document_sentence_spans[max(stranded_sentence_index, same_paragraph_neighbour_index)].end,
                    ),
                    0.55,
                    f"sentence {stranded_sentence_index + 1:,} is cut off the rest of its paragraph, and one sentence "
                    f"{later_or_earlier}, between two "
                    "paragraphs, there is no cut",
                )
                break


def _median_chunk_characters(examined_chunking: ExaminedChunking) -> float | None:
    return (
        statistics.median(examined_chunking.sizes) if len(examined_chunking.sizes) >= FEWEST_VALUES_FOR_QUARTILES else None
    )


def _find_tiny_chunks(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    median_chunk_size = _median_chunk_characters(examined_chunking)
    for chunk, chunk_size in zip(examined_chunking.chunking.chunks, examined_chunking.sizes, strict=True):
        if median_chunk_size is not None and chunk_size < TINY_MEDIAN_SHARE * median_chunk_size:
            yield (
                Span(chunk.start, chunk.end),
                0.65 * (1 - chunk_size / median_chunk_size),
                f"{chunk_size:,} characters, where the median chunk has {median_chunk_size:,g}",
            )


def _find_chunks_far_above_median(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    median_chunk_size = _median_chunk_characters(examined_chunking)
    for chunk_index, (chunk, chunk_size) in enumerate(
        zip(examined_chunking.chunking.chunks, examined_chunking.sizes, strict=True)
    ):
        if (
            median_chunk_size is not None
            and chunk_size > OVERSIZED_MEDIAN_MULTIPLE * median_chunk_size
            and chunk_index not in examined_chunking.numbers_of_chunks_with_children
        ):
            yield (
                Span(chunk.start, chunk.end),
                0.65 * (1 - median_chunk_size / chunk_size),
                f"{chunk_size:,} characters, {chunk_size / median_chunk_size:.1f} times the median chunk",
            )


def _find_truncated_chunks(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    embedder = examined_chunking.embedder
    if embedder is None:
        return
    for chunk, chunk_token_count, unread_token_count in list_overlong_chunks_with_unread_tokens(
        examined_chunking.chunking, embedder
    ):
        yield (
            Span(chunk.start, chunk.end),
            0.5 + 0.4 * unread_token_count / chunk_token_count,
            f"{chunk_token_count:,} tokens, of which {embedder.name} reads {chunk_token_count - unread_token_count:,}",
        )


def _find_cuts_near_threshold(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    document = examined_chunking.chunking.document
    for sentence_gap in examined_chunking.chunking.gaps:
        if not sentence_gap.verdict.is_cut or sentence_gap.score is None or sentence_gap.threshold is None:
            continue
        score_threshold_distance = abs(sentence_gap.score - sentence_gap.threshold)
        if score_threshold_distance <= examined_chunking.narrow_margin:
            next_sentence_index = min(sentence_gap.index + 1, len(document.sentences) - 1)
            sentences_around_gap_span = Span(
                document.sentences[sentence_gap.index].start, document.sentences[next_sentence_index].end
            )
            formatted_score, formatted_threshold = (
                format_number(sentence_gap.score, ".4f"),
                format_number(sentence_gap.threshold, ".4f"),
            )
            nearness_to_threshold = (
                1 - score_threshold_distance / examined_chunking.narrow_margin if examined_chunking.narrow_margin else 1
            )
            yield (
                sentences_around_gap_span,
                0.2 + 0.3 * nearness_to_threshold,
                f"score {formatted_score}, threshold {formatted_threshold}: {score_threshold_distance:.4f} apart",
            )


def _find_flat_curves(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    for curve in examined_chunking.chunking.curves:
        defined_curve_scores = [score for score in curve.scores if not math.isnan(score)]
        if len(defined_curve_scores) < FEWEST_VALUES_FOR_QUARTILES:
            continue
        lower_quartile, upper_quartile = np.percentile(defined_curve_scores, [25, 75]).tolist()
        if upper_quartile - lower_quartile < FLAT_INTERQUARTILE_RANGE:
            score_quartile_range_phrase = f"{format_number(lower_quartile, '.3f')} to {format_number(upper_quartile, '.3f')}"
            document_sentence_spans = examined_chunking.chunking.document.sentences
            yield (
                Span(document_sentence_spans[0].start, document_sentence_spans[-1].end),
                0.8,
                f"half of the scores lie within {upper_quartile - lower_quartile:.3f} of each other, "
                f"{score_quartile_range_phrase}",
            )


def _find_worthless_chunks(
    fault: ChunkFaultKind, fixed_finding_score: float, examined_chunking: ExaminedChunking
) -> FindingPartsIterator:
    for chunk, chunk_fault in zip(examined_chunking.chunking.chunks, examined_chunking.chunk_faults, strict=True):
        if chunk_fault is not None and chunk_fault.fault == fault:
            yield Span(chunk.start, chunk.end), fixed_finding_score, chunk_fault.reason


def _find_near_duplicate_chunks(examined_chunking: ExaminedChunking) -> FindingPartsIterator:
    """Find chunks that say what another chunk says, except worthless ones, which other rules report."""
    runs_repeated_in_document = find_repeated_word_runs(examined_chunking.chunking.document.text)
    chunks_to_compare, furthest_chunk_end = [], 0
    for chunk_index, (chunk, fault_of_worthless_chunk) in enumerate(
        zip(examined_chunking.chunking.chunks, examined_chunking.chunk_faults, strict=True)
    ):
        if chunk_index in examined_chunking.numbers_of_chunks_with_children:
            # It says what its children say.
            continue
        # Only what the document repeats, or chunks share by overlap, can be alike.
        has_overlap_or_repeated_text = (
            chunk.start < furthest_chunk_end
            or len(chunk.spans) > 1
            or runs_repeated_in_document.repeated_share_of_passage(chunk.start, chunk.end) >= NEAR_DUPLICATE_SHARE
        )
        if (
            fault_of_worthless_chunk is None
            and len(chunk.text) >= LEAST_COMPARED_CHARACTERS
            and has_overlap_or_repeated_text
        ):
            chunks_to_compare.append(chunk)
        furthest_chunk_end = max(furthest_chunk_end, chunk.end)
    nearest_match_by_chunk: dict[int, tuple[float, int]] = {}
    for first_chunk_index, second_chunk_index, similarity in find_near_duplicate_texts(
        [chunk.text for chunk in chunks_to_compare], NEAR_DUPLICATE_SHARE
    ).pairs:
        for chunk_index, other_chunk_index in (
            (first_chunk_index, second_chunk_index),
            (second_chunk_index, first_chunk_index),
        ):
            if similarity > nearest_match_by_chunk.get(chunk_index, (0.0, 0))[0]:
                nearest_match_by_chunk[chunk_index] = similarity, other_chunk_index
    for chunk_index, (similarity, other_chunk_index) in sorted(nearest_match_by_chunk.items()):
        chunk, other_text = chunks_to_compare[chunk_index], " ".join(chunks_to_compare[other_chunk_index].text.split())
        shortened_other_chunk_text = (
            other_text if len(other_text) <= MOST_QUOTED_CHARACTERS else f"{other_text[:MOST_QUOTED_CHARACTERS]}…"
        )
        yield (
            Span(chunk.start, chunk.end),
            0.3 + 0.3 * similarity,
            f"{similarity:.0%} of the runs of {SHINGLE_WORDS} words in it and in the chunk "
            f"“{shortened_other_chunk_text}” are the same",
        )


RULES: dict[str, Rule] = {
    "inside_sentence": Rule("Cut inside a sentence", "Neither half says what the sentence says.", _find_cut_sentences),
    "inside_code": Rule(
        "Cut inside code",
        "Half a block of code does not run, and explains little.",
        partial(_find_cut_blocks, "code block", 0.85),
    ),
    "inside_table": Rule(
        "Cut inside a table", "Rows without their header are numbers without names.", partial(_find_cut_blocks, "table", 0.8)
    ),
    "inside_formula": Rule(
        "Cut inside a formula", "Half a formula means nothing, or another thing.", partial(_find_cut_blocks, "formula", 0.95)
    ),
    "inside_list": Rule(
        "Cut inside a list",
        "Items after the cut have lost the sentence that introduces them.",
        partial(_find_cut_blocks, "list", 0.6),
    ),
    "without_header": Rule(
        "Table without its header", "The chunk has rows whose columns nobody can name.", _find_headerless_table_rows
    ),
    "stranded_heading": Rule(
        "Stranded heading", "It says nothing where it is, and what follows has lost its subject.", _find_stranded_headings
    ),
    "far_from_heading": Rule(
        "Chunk without its heading",
        "What it is about is said only chunks before; the heading path in front of it would say it again.",
        _find_heading_distant_chunks,
    ),
    "off_a_paragraph": Rule(
        "Cut inside a paragraph, one sentence off its end",
        "The author's own boundary is next to it; the sentence in between is now with another subject.",
        _find_near_paragraph_cuts,
    ),
    "bad_split": Rule(
        "Bad sentence split",
        "The chunker was given half a sentence, whatever it decides.",
        _find_false_sentence_ends,
        cause="splitter",
    ),
    "whole_paragraph": Rule(
        "Paragraph taken for one sentence",
        "No boundary was found in it, so no chunker can cut it; another splitter or language may find some.",
        _find_whole_paragraph_sentences,
        cause="splitter",
    ),
    "dangling_start": Rule(
        "Dangling start",
        "The chunk begins by pointing back, and nobody who finds it alone knows at what.",
        find_dangling_starts,
        limits=f"In {LANGUAGES_OF_RULES_PHRASE}, by the first words of its first sentence; it misses what points back "
        "later. Switch it off for dialogues, and where neighbouring chunks are retrieved together.",
        example="The pump has two valves. | They must be closed first.",
    ),
    "without_lead_in": Rule(
        "Cut off from its lead-in",
        "Items, steps or a consequence without the sentence that governs them say less, or the opposite.",
        find_missing_lead_ins,
        limits=f"In {LANGUAGES_OF_RULES_PHRASE}. A lead-in ends in a colon or announces what follows; a condition counts as "
        "cut off only "
        "inside a sentence. Switch it off where chunks repeat their lead-in.",
        example="Do not open the cover if: | - the lamp is red",
    ),
    "near_duplicate": Rule(
        "Near-duplicate",
        "Copies of one text fill the top results, and leave no place for another answer.",
        _find_near_duplicate_chunks,
        cause="document",
        limits=f"By runs of {SHINGLE_WORDS} words, or characters of Chinese, within one document, from "
        f"{100 * NEAR_DUPLICATE_SHARE:.0f} % in common on; a paraphrase is not found. "
        "Retrieval measures what those of all documents cost your questions, from "
        f"{100 * COUNTED_ALIKE:.0f} % on. "
        "Switch it off for catalogues and forms, whose entries are alike by nature.",
        example="Shop A opens at nine on weekdays. | Shop B opens at nine on weekdays.",
    ),
    "empty": Rule(
        "Nothing to read",
        "Lines, blank cells and pictures without a description answer nothing, yet take a place in the index.",
        partial(_find_worthless_chunks, "empty", 0.7),
        limits="In any language: a chunk without letters and with hardly a digit. Switch it off for tables of signs.",
        example="| * * * |",
    ),
    "boilerplate": Rule(
        "Menu, notice or footer",
        "Page furniture matches many questions and answers none.",
        partial(_find_worthless_chunks, "boilerplate", 0.5),
        cause="document",
        limits=f"By rows of links, short lines that are repeated in the document, and words of notices in "
        f"{LANGUAGES_OF_RULES_PHRASE}. One page alone shows little of it. Switch it off for indexes and link lists.",
        example="Home › News › Guides | © 2025 · Imprint · Privacy",
    ),
    "unreadable": Rule(
        "Broken characters",
        "What is wrongly decoded can be neither read nor found.",
        partial(_find_worthless_chunks, "unreadable", 0.85),
        cause="document",
        limits="In any language: UTF-8 decoded as Windows-1252 or GBK, replacement and private characters, numbers of "
        "glyphs, "
        "base 64. One broken character is not reported. Switch it off for texts about encodings.",
        example="The cafÃ© isnâ€™t open.",
    ),
    "tiny": Rule("Tiny chunk", "It is found by chance, and answers nothing when it is.", _find_tiny_chunks),
    "oversized": Rule(
        "Oversized chunk", "It is about so much that it resembles no question.", _find_chunks_far_above_median
    ),
    "unread": Rule("Longer than is read", "What the embedder does not read cannot be found.", _find_truncated_chunks),
    "by_a_hair": Rule(
        "Cut by a hair", "A slightly different text or threshold would not be cut here.", _find_cuts_near_threshold
    ),
    "flat": Rule("Flat curve", "The scores hardly differ, so the cuts are close to chance.", _find_flat_curves),
}
"""The rules by name. To add one, write a function and a line here."""


def find_suspicious_cuts(
    chunking: Chunking, embedder: Embedder | None = None, narrow_margin: float = DEFAULT_NARROW_MARGIN
) -> list[Finding]:
    """Apply every rule to a chunking and return the findings, most suspicious first.

    Parameters
    ----------
    chunking
        The result to check.
    embedder
        The embedder that will read the chunks. With None, the rule that needs an embedder is skipped.
    narrow_margin
        Distance from the threshold, in units of the score, within which a cut counts as made by a hair.
    """
    chunking_to_check = ExaminedChunking(chunking, embedder, narrow_margin)
    findings_of_all_rules = [Finding(name, *parts) for name, rule in RULES.items() for parts in rule.find(chunking_to_check)]
    return sorted(findings_of_all_rules, key=lambda finding: (-finding.score, finding.span, finding.rule))


def finding_count_per_rule(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the number of findings per rule, without rules that found nothing."""
    return {name: count for name in RULES if (count := sum(finding.rule == name for finding in findings))}
