"""A chunking that the rules check, with what several rules ask about it, such as which of its chunks are worthless."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from chunkers import Chunking, Embedder, Span
from chunkers.results import find_chunk_indices_with_children
from chunkers.text import Block, detect_language, parse_block_outline
from evaluation.segmentation import cut_offsets

# Faults that make a chunk worthless in an index: nothing to read, broken characters, page furniture.


MOST_DIGIT_SHARE_OF_EMPTY_CHUNK = 0.1
"""Share of digits up to which a chunk without letters is empty, as page numbers behind dots; above, it may be a table."""

LEAST_BROKEN_CHARACTER_COUNT = 2
"""Number of broken characters from which on a chunk is unreadable, if they are at least half of its non-ASCII ones."""

LEAST_FURNITURE_SHARE_OF_CHUNK = 0.8
"""Share of a chunk's characters in lines of page furniture from which on the chunk is boilerplate."""

LEAST_FURNITURE_LINE_REPETITIONS = 3
"""Number of times that a line without a sentence stands in a document of which it is furniture."""

MOST_FURNITURE_LINE_CHARACTERS = 80
"""Characters up to which a repeated line is furniture."""

MOST_MENU_ENTRY_WORDS = 4
"""Words up to which something between separators may be an entry of a menu."""

LEAST_FURNITURE_LINES_COUNTING_REPEATED = 3
"""Number of lines of furniture that a chunk must have before repeated lines count among them."""

_LETTER = re.compile(r"[^\W\d_]")
_MARKUP = re.compile(
    r"!\[\]\([^)\s]*\)?|\[\]\([^)\s]*\)?|<[^<>]*(?:>|\Z)|&[a-z]+;|[^\s(]{0,80}\.(?:png|jpe?g|gif|svg|webp)\)"
)

_UNMAPPED_GLYPH_CODES = re.compile(r"\(?cid:\d{1,5}\)?")
"""Numbers of glyphs without a character, as readers of PDF leave them."""

_BASE64_DATA = re.compile(r"[A-Za-z0-9+/]{60,}={0,2}")
"""Data in base 64, if it also has small and capital letters and a digit."""

_REPLACEMENT_OR_CONTROL_CHARACTER = re.compile("[\ufffd\u0000-\u0008\u000b\u000e-\u001b\u0080-\u0084\u0086-\u009f]")
_PRIVATE_USE_CHARACTER = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_HAN = re.compile("[\u4e00-\u9fff]")


def _windows_1252_character_class(lowest_byte: int, highest_byte: int) -> str:
    """Return the Windows-1252 characters of the bytes from ``lowest_byte`` to ``highest_byte``, as a regex class."""
    windows_1252_characters = (
        bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(lowest_byte, highest_byte + 1)
    )
    return "[" + "".join(map(re.escape, windows_1252_characters)) + "]"


_MISREAD_CONTINUATION_BYTE_CLASS = _windows_1252_character_class(0x80, 0xBF)
_MISREAD_UTF_8 = re.compile(
    f"(?:{_windows_1252_character_class(0xC2, 0xDF)}{_MISREAD_CONTINUATION_BYTE_CLASS}"
    f"|{_windows_1252_character_class(0xE0, 0xEF)}{_MISREAD_CONTINUATION_BYTE_CLASS}{{2}}"
    f"|{_windows_1252_character_class(0xF0, 0xF4)}{_MISREAD_CONTINUATION_BYTE_CLASS}{{3}})+"
)
"""Characters in UTF-8 that were read as Windows-1252 or Latin-1, once or twice."""

_STATEMENT_END_PATTERN = re.compile(r"[.!…。！]['\"”’»)\]]*\Z")
"""End of a statement; the title of an article may be a question."""

_MENU_ENTRY_SEPARATOR = re.compile(r"\s[·›»]\s")

_FURNITURE_WORDS = re.compile(
    r"©|\bcookies?\b|\ball rights reserved\b|\bprivacy\b|\bterms of (?:use|service)\b|\bnewsletter\b|\bunsubscribe\b"
    r"|\bimprint\b|\bimpressum\b|\bdatenschutz|\balle rechte vorbehalten\b|\babmeldung\b|\bagb\b"
    r"|\bmentions légales\b|\bconfidentialité\b|\btous droits réservés\b|\binfolettre\b|\bdésinscription\b"
    r"|\baviso legal\b|\bprivacidad\b|\btodos los derechos reservados\b|\bboletín\b|\bdarse de baja\b"
    r"|版权所有|隐私|使用条款|退订|简报",
    re.IGNORECASE,
)
"""Words of notices and footers in English, German, French, Spanish and Chinese."""

_DIGITS = re.compile(r"\d+")

ChunkFaultKind = Literal["empty", "unreadable", "boilerplate"]
"""Faults, of which the first that holds is reported."""


class Worthless(NamedTuple):
    """Fault of a chunk, and its reason in words and numbers."""

    fault: ChunkFaultKind
    reason: str


def fault_of_each_chunk(text: str, chunk_texts: Sequence[str]) -> list[Worthless | None]:
    """Return the fault of each chunk of a document; None for a chunk without one.

    Parameters
    ----------
    text
        The document, in which the lines of menus and footers are repeated.
    chunk_texts
        The chunks' texts.
    """
    line_occurrence_counts = Counter(_DIGITS.sub("0", line.strip()) for line in text.splitlines())
    return [_chunk_fault(chunk, line_occurrence_counts) for chunk in chunk_texts]


def _chunk_fault(text: str, line_occurrence_counts: Counter[str]) -> Worthless | None:
    if is_chunk_without_words(text):
        return Worthless("empty", f"none of its {len(text):,} characters is a letter that can be read")
    if reason_why_unreadable := unreadable_reason(text):
        return Worthless("unreadable", reason_why_unreadable)
    furniture_character_share = _boilerplate_share(text, line_occurrence_counts)
    if furniture_character_share >= LEAST_FURNITURE_SHARE_OF_CHUNK:
        return Worthless("boilerplate", f"{furniture_character_share:.0%} of it are lines of menus, notices or footers")
    return None


def is_chunk_without_words(text: str) -> bool:
    """Return whether a chunk has nothing to read: no letters, and hardly a digit."""
    text_without_markup = _MARKUP.sub("", text) if "<" in text or "(" in text or "&" in text else text
    if (
        _LETTER.search(text_without_markup)
        or _PRIVATE_USE_CHARACTER.search(text_without_markup)
        or _REPLACEMENT_OR_CONTROL_CHARACTER.search(text_without_markup)
        or any(char > "\U0001f000" for char in text_without_markup)
    ):
        return False
    visible_character_count = sum(not char.isspace() for char in text_without_markup)
    return sum(map(str.isdigit, text_without_markup)) <= MOST_DIGIT_SHARE_OF_EMPTY_CHUNK * visible_character_count


def unreadable_reason(text: str) -> str:
    """Return the reason why broken characters make a chunk unreadable; empty if they do not."""
    meaningless_character_count = (
        sum(map(len, _find_glyph_codes_and_base64(text)))
        + len(_PRIVATE_USE_CHARACTER.findall(text))
        + len(_REPLACEMENT_OR_CONTROL_CHARACTER.findall(text))
    )
    if meaningless_character_count and 2 * meaningless_character_count >= (
        visible_character_count := len("".join(text.split()))
    ):
        return (
            f"{meaningless_character_count:,} of its {visible_character_count:,} characters are codes or signs without a "
            "meaning"
        )
    if text.isascii():
        return ""
    non_ascii_character_count = sum(char > "\x7f" for char in text)
    misread_runs, found_replacement_or_control_characters = (
        _MISREAD_UTF_8.findall(text),
        _REPLACEMENT_OR_CONTROL_CHARACTER.findall(text),
    )
    distinct_misread_characters = set("".join(misread_runs))
    broken_character_count = sum(map(len, misread_runs)) + sum(
        char not in distinct_misread_characters for char in found_replacement_or_control_characters
    )
    if (
        len(misread_runs) + len(found_replacement_or_control_characters) >= LEAST_BROKEN_CHARACTER_COUNT
        and 2 * broken_character_count >= non_ascii_character_count
    ):
        return (
            f"{broken_character_count:,} of its {non_ascii_character_count:,} characters outside ASCII are wrongly decoded"
        )
    if _is_misread_chinese(text):
        return "its characters are Chinese in UTF-8, wrongly decoded as GBK"
    return ""


def _find_glyph_codes_and_base64(text: str) -> list[str]:
    glyph_codes = _UNMAPPED_GLYPH_CODES.findall(text) if "cid:" in text else []
    return glyph_codes + [
        word for word in _BASE64_DATA.findall(text) if not (word.islower() or word.isupper() or word.isalpha())
    ]


def _is_misread_chinese(text: str) -> bool:
    misread_han_count = len(_HAN.findall(text))
    if misread_han_count < 10:
        return False
    redecoded_text = text.encode("gb18030", "ignore").decode("utf-8", "ignore")
    return 2 * len(_HAN.findall(redecoded_text)) >= misread_han_count


def _boilerplate_share(text: str, line_occurrence_counts: Counter[str]) -> float:
    """Return the share of a chunk's characters in lines of page furniture; 0 for a chunk with a heading."""
    chunk_lines_with_letters = [stripped for line in text.splitlines() if _LETTER.search(stripped := line.strip())]
    if not chunk_lines_with_letters or any(line.startswith("#") for line in chunk_lines_with_letters):
        return 0.0
    certain_furniture_flags = [
        _is_certain_boilerplate_line(line, line_occurrence_counts) for line in chunk_lines_with_letters
    ]
    certain_or_repeated_flags = [
        is_known or _is_repeated_boilerplate_line(line, line_occurrence_counts)
        for line, is_known in zip(chunk_lines_with_letters, certain_furniture_flags, strict=True)
    ]
    counted_furniture_flags = (
        certain_or_repeated_flags
        if sum(certain_or_repeated_flags) >= LEAST_FURNITURE_LINES_COUNTING_REPEATED
        else certain_furniture_flags
    )
    return sum(
        len(line) for line, is_counted in zip(chunk_lines_with_letters, counted_furniture_flags, strict=True) if is_counted
    ) / sum(map(len, chunk_lines_with_letters))


def _is_repeated_boilerplate_line(line: str, line_occurrence_counts: Counter[str]) -> bool:
    is_possible_furniture_line = (
        len(line) <= MOST_FURNITURE_LINE_CHARACTERS and "|" not in line and not _STATEMENT_END_PATTERN.search(line)
    )
    return is_possible_furniture_line and line_occurrence_counts[_DIGITS.sub("0", line)] >= LEAST_FURNITURE_LINE_REPETITIONS


def _is_certain_boilerplate_line(line: str, line_occurrence_counts: Counter[str]) -> bool:
    """Return whether a line is a row of links, a path or menu, or a notice."""
    if line.count("](") >= 3 and not has_more_words_than_links(line):
        return True
    is_statement = _STATEMENT_END_PATTERN.search(line) is not None
    menu_entry_texts = _MENU_ENTRY_SEPARATOR.split(line)
    if (
        len(menu_entry_texts) >= 3
        and not is_statement
        and all(len(entry.split()) <= MOST_MENU_ENTRY_WORDS for entry in menu_entry_texts)
    ):
        return True
    may_be_notice = line_occurrence_counts[_DIGITS.sub("0", line)] > 1 or (
        len(line) <= MOST_FURNITURE_LINE_CHARACTERS and not is_statement
    )
    return may_be_notice and _FURNITURE_WORDS.search(line) is not None


def has_more_words_than_links(text: str) -> bool:
    """Return whether a text has more words of prose than it has links and images."""
    link_or_image_count = 0
    for _ in range(2):
        # A picture in a link is left out first, then the link.
        text, removed_link_count = _LINK.subn(" ", text)
        link_or_image_count = max(link_or_image_count, removed_link_count)
    return sum(any(map(str.isalpha, word)) for word in _TAG.sub(" ", text).split()) > link_or_image_count


_LINK = re.compile(r"!?\[[^\[\]]*+\](?:\([^()\n]*+\)|\[[^\[\]]*+\])|https?://\S++")
_TAG = re.compile(r"<[^<>]*+>|&[a-z]+;")


DEFAULT_NARROW_MARGIN = 0.01
"""Distance from the threshold within which a cut counts as made by a hair."""


@dataclass(frozen=True)
class ExaminedChunking:
    """Chunking to check, with its embedder and ``narrow_margin``, the margin within which a decision counts as narrow."""

    chunking: Chunking
    embedder: Embedder | None = None
    narrow_margin: float = DEFAULT_NARROW_MARGIN

    @cached_property
    def cuts(self) -> list[int]:
        """Offsets in code points at which the chunks' spans begin, except the first."""
        return cut_offsets(self.chunking)

    @cached_property
    def sizes(self) -> list[int]:
        """Length of each chunk in characters."""
        return [len(chunk.text) for chunk in self.chunking.chunks]

    @cached_property
    def numbers_of_chunks_with_children(self) -> frozenset[int]:
        """Numbers of the chunks that are parents of others."""
        return frozenset(find_chunk_indices_with_children(self.chunking.chunks))

    @cached_property
    def _block_edges(self) -> list[int]:
        """The code points at which blocks begin and end, at every depth, in ascending order."""
        text = self.chunking.document.text
        all_block_spans = (
            block.span
            for block in (
                *parse_block_outline(text).blocks,
                *parse_block_outline(text).nested_blocks,
                *self._blocks_without_prose,
            )
        )
        return sorted({0, *(edge for span in all_block_spans for edge in span), len(text)})

    @cached_property
    def _blocks_without_prose(self) -> list[Block]:
        return [*parse_block_outline(self.chunking.document.text).blocks_without_sentences]

    @cached_property
    def language(self) -> str:
        """Code of the language whose rules the sentence splitter applied, or else of the text's detected language."""
        document = self.chunking.document
        return document.language or detect_language(document.text)

    @cached_property
    def chunk_faults(self) -> list[Worthless | None]:
        """Fault that makes each chunk worthless in an index; None for a chunk without one."""
        chunking = self.chunking
        return fault_of_each_chunk(chunking.document.text, [chunk.text for chunk in chunking.chunks])

    def is_in_prose(self, offset: int) -> bool:
        """Return whether the character at an offset is in none of the blocks without prose."""
        last_started_block_index = bisect_right(self._blocks_without_prose, offset, key=lambda block: block.span.start) - 1
        return last_started_block_index < 0 or self._blocks_without_prose[last_started_block_index].span.end <= offset

    def prose_span_around_offset(self, offset: int) -> Span | None:
        """Return the span of prose around an offset, within its block; None at a block's edge or outside prose."""
        next_ending_block_index = bisect_left(self._blocks_without_prose, offset, key=lambda block: block.span.end)
        if (
            next_ending_block_index < len(self._blocks_without_prose)
            and self._blocks_without_prose[next_ending_block_index].span.start < offset
        ):
            return None
        next_block_edge_index = bisect_left(self._block_edges, offset)
        if next_block_edge_index in (0, len(self._block_edges)) or self._block_edges[next_block_edge_index] == offset:
            return None
        return Span(self._block_edges[next_block_edge_index - 1], self._block_edges[next_block_edge_index])


FindingPartsIterator = Iterator[tuple[Span, float, str]]
"""Findings of a rule: the passage, its score from 0 to 1, and the reason."""
