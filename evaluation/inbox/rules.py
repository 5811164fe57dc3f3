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
from chunkers.text import GIVEN_SPLITTER, headings, outline_of
from evaluation.inbox.checked_chunking import HAIR, CheckedChunking, Fault, RuleFindings, has_prose
from evaluation.inbox.dependent_chunks import dangling_start, without_lead_in
from evaluation.search import NEAR_DUPLICATE_SIMILARITY as COUNTED_ALIKE
from evaluation.search import SHINGLE_WORDS, find_near_duplicates, repeated_runs
from evaluation.segmentation import chunks_beyond_embedder_limit

# English abbreviations that end with a full stop and mostly stand inside a sentence.


_LETTERS = " ".join(f"{letter}." for letter in ascii_lowercase + "äöü")

ABBREVIATIONS = frozenset(
    (
        "Adm. Bros. Co. Corp. Dr. Gen. Gov. Inc. Jr. Ltd. Messrs. Mr. Mrs. Ms. Mt. Ph.D. Prof. Rep. Rev. Sen. St. co. "
        "E.G. E.g. I.E. I.e. a.m. e.g. i.e. p.m. v.s. vs. "
        "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. "
        "Ak. Ala. Ariz. Ark. Calif. Colo. Conn. D.C. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Md. "
        "Mich. Minn. Miss. Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. Pa. S.C. Tenn. Va. "
        f"Wash. Wis. {_LETTERS}"
    ).split()
)
"""The abbreviations that spaCy's English tokenizer keeps together with their full stop."""


TINY = 0.1
"""Share of the median chunk below which a chunk is tiny."""

OVERSIZED = 5
"""Multiple of the median chunk above which a chunk is oversized."""

FLAT = 0.02
"""Interquartile range of the scores below which their curve counts as flat."""

LONG_PARAGRAPH, FEW_STOPS = 600, 3
"""Characters above which a paragraph should have more than one sentence, or stops within it from which on it should."""

FAR = 2
"""Number of chunks after its heading from which on a chunk of the same section is far from the heading."""

ALIKE = 0.6
"""Jaccard similarity of shingles from which chunks are reported as near-duplicates."""

LEAST_COMPARED = 20
"""Characters of the shortest chunk that is compared with others."""

MOST_SHOWN = 50
"""Characters of another chunk that a reason quotes."""

FEWEST = 4
"""Number of chunks, or scores, below which a median or a quartile means nothing."""


LANGUAGES_OF_WORDS = "English, German, French, Spanish and Chinese"
"""Languages whose words the rules know; `python -m benchmarks.rules` measures the rules on each."""


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
    find: Callable[[CheckedChunking], RuleFindings]
    cause: Literal["chunker", "splitter", "document"] = "chunker"
    limits: str = ""
    example: str = ""

    @property
    def explanation(self) -> str:
        """Why the rule matters, an example and its limits, in sentences."""
        example_phrase = f"Example: “{self.example}”" if self.example else ""
        return " ".join(filter(None, (self.why, example_phrase, self.limits)))


def _inside_sentence(case: CheckedChunking) -> RuleFindings:
    document = case.chunking.document
    for cut in case.cuts:
        number = document.sentence_at(cut)
        start, end = document.sentences[number]
        prose = case.prose_around(cut) if start < cut < end else None
        if prose is None:
            continue
        # A splitter does not know all blocks: of what it took for one sentence, the part in this block is meant.
        start, end = max(start, prose.start), min(end, prose.end)
        # A full stop alone says nothing that the sentence lacks without it.
        halves = document.text[start:cut], document.text[cut:end]
        if all(re.search(r"\w", half) for half in halves) and has_prose(document.text[start:end]):
            # Worst in the middle, where each half needs the other.
            score = 0.7 + 0.3 * (1 - abs(2 * (cut - start) / (end - start) - 1))
            yield (
                Span(start, end),
                score,
                f"sentence {number + 1:,} is cut after {cut - start:,} of its {end - start:,} characters",
            )


def _inside_block(kind: str, score: float, case: CheckedChunking) -> RuleFindings:
    text = case.chunking.document.text
    for block in outline_of(text).special:
        if block.kind != kind:
            continue
        start, end = block.span
        inside = [cut for cut in case.cuts if start < cut < end]
        if inside:
            times = "once" if len(inside) == 1 else f"{len(inside):,} times"
            lines = text.count("\n", start, end) + 1
            yield block.span, score, f"a {kind} of {lines:,} lines is cut {times}"


_ORDINAL = re.compile(r"(?:\S+\s+){0,2}\d{1,2}\.")


def _bad_split(case: CheckedChunking) -> RuleFindings:
    document = case.chunking.document
    cuts = set(case.cuts)
    for number in range(1, len(document.sentences)):
        before, after = document.sentences[number - 1], document.sentences[number]
        earlier_text, later_text = document.text[before.start : before.end], document.text[after.start : after.end]
        why = _bad_split_words(earlier_text, later_text, touching=before.end == after.start)
        if why and case.prose_around(before.end) is not None:
            score = 0.9 if after.start in cuts else 0.4
            cut_phrase = ", and a chunk begins there" if after.start in cuts else ""
            yield Span(before.start, after.end), score, f"sentences {number:,} and {number + 1:,} part {why}{cut_phrase}"


def _bad_split_words(left: str, right: str, touching: bool) -> str:
    """Return the place at which a sentence wrongly ends; empty if its end looks right."""
    if not left.endswith("."):
        return ""
    if touching and left[-2:-1].isdigit() and right[0].isdigit():
        return "inside a decimal"
    last = left.split()[-1].lstrip("([{\"'“„«")
    if last in ABBREVIATIONS:
        return f"after the abbreviation {last}"
    if len(last) == 2 and last[0].isupper() and last[0] != "I":
        return f"after the initial {last}"
    if _ORDINAL.fullmatch(left):
        return f"after the number {last}"
    return ""


def _stranded_heading(case: CheckedChunking) -> RuleFindings:
    for block, after in pairwise(outline_of(case.chunking.document.text).blocks):
        if block.kind == "heading":
            place = bisect_left(case.cuts, block.span.end)
            if place < len(case.cuts) and case.cuts[place] <= after.span.start:
                yield (
                    block.span,
                    0.75,
                    f"a heading of level {block.level} ends a chunk, and what it announces begins the next",
                )


def _far_from_heading(case: CheckedChunking) -> RuleFindings:
    all_headings = headings(case.chunking.document.text)
    heading_starts = [heading.span.start for heading in all_headings]
    if not all_headings or not case.cuts:
        return
    edges = [case.chunking.chunks[0].start, *case.cuts, case.chunking.document.sentences[-1].end]
    for number, (start, end) in enumerate(pairwise(edges)):
        heading_index = bisect_right(heading_starts, start) - 1
        chunks_between = number - bisect_right(edges, heading_starts[heading_index]) + 1 if heading_index >= 0 else 0
        if chunks_between >= FAR:
            title = all_headings[heading_index].title
            title_words = f"“{title[:60]}{'…' * (len(title) > 60)}”" if title else "without a title"
            yield Span(start, end), 0.25, f"the heading of its section, {title_words}, is {chunks_between:,} chunks before"


def _without_header(case: CheckedChunking) -> RuleFindings:
    text = case.chunking.document.text
    tables = [block.span for block in outline_of(text).special if block.kind == "table"]
    table_starts = [table.start for table in tables]
    for chunk in case.chunking.chunks:
        for start, end in chunk.spans:
            place = bisect_left(table_starts, start) - 1
            if place >= 0 and start < tables[place].end and not chunk.context:
                rows_span = Span(start, min(end, tables[place].end))
                count = text.count("\n", *rows_span) + 1
                yield (
                    rows_span,
                    0.7,
                    f"{pluralize(count, 'line')} of a table begin{'s' * (count == 1)} a chunk, "
                    "and its header is in one before",
                )


_STOP = re.compile(r"[.!?…][\"'”’»)\]]*\s+(?=\S)|[。！？]")


def _whole_paragraph(case: CheckedChunking) -> RuleFindings:
    """Find sentences that are whole paragraphs, where the splitter is one that looks for sentences."""
    document = case.chunking.document
    if document.splitter in ("lines", "paragraphs", GIVEN_SPLITTER):
        return
    paragraphs = [block.span for block in outline_of(document.text).blocks if block.kind == "paragraph"]
    for start, end in sorted(set(paragraphs) & set(document.sentences)):
        if not has_prose(document.text[start:end]):
            continue
        stops = len(_STOP.findall(document.text, start, end - 1))
        if end - start > LONG_PARAGRAPH or stops >= FEW_STOPS:
            stops_phrase = f"{pluralize(stops, 'stop')} in it" if stops else "no stop in it"
            score = 0.3 + 0.4 * min(1, max((end - start) / LONG_PARAGRAPH / 4, stops / FEW_STOPS / 4))
            yield Span(start, end), score, f"a paragraph of {end - start:,} characters is one sentence, with {stops_phrase}"


_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[^\S\r\n]*(?:\r\n|\n|\r(?!\n))")


def _off_a_paragraph(case: CheckedChunking) -> RuleFindings:
    """Find cuts inside a paragraph, one sentence from an end of it that is not cut."""
    document = case.chunking.document
    sentences = document.sentences
    cuts = {document.sentence_at(cut): cut for cut in case.cuts}
    paragraph_starts = {
        number
        for number in range(1, len(sentences))
        if _BLANK_LINE.search(document.text, sentences[number - 1].end, sentences[number].start)
    }
    for number in sorted(cuts.keys() - paragraph_starts):
        if cuts[number] > sentences[number].start:
            # Inside a sentence, which is another rule's.
            continue
        for end, where in ((number + 1, "later"), (number - 1, "earlier")):
            if end in paragraph_starts and end not in cuts:
                stranded, neighbour_sentence = (number, number - 1) if end > number else (number - 1, number)
                yield (
                    Span(
                        sentences[min(stranded, neighbour_sentence)].start, sentences[max(stranded, neighbour_sentence)].end
                    ),
                    0.55,
                    f"sentence {stranded + 1:,} is cut off the rest of its paragraph, and one sentence {where}, between two "
                    "paragraphs, there is no cut",
                )
                break


def _median_size(case: CheckedChunking) -> float | None:
    return statistics.median(case.sizes) if len(case.sizes) >= FEWEST else None


def _tiny(case: CheckedChunking) -> RuleFindings:
    median = _median_size(case)
    for chunk, size in zip(case.chunking.chunks, case.sizes, strict=True):
        if median is not None and size < TINY * median:
            yield (
                Span(chunk.start, chunk.end),
                0.65 * (1 - size / median),
                f"{size:,} characters, where the median chunk has {median:,g}",
            )


def _oversized(case: CheckedChunking) -> RuleFindings:
    median = _median_size(case)
    for number, (chunk, size) in enumerate(zip(case.chunking.chunks, case.sizes, strict=True)):
        if median is not None and size > OVERSIZED * median and number not in case.parents:
            yield (
                Span(chunk.start, chunk.end),
                0.65 * (1 - median / size),
                f"{size:,} characters, {size / median:.1f} times the median chunk",
            )


def _unread(case: CheckedChunking) -> RuleFindings:
    embedder = case.embedder
    if embedder is None:
        return
    for chunk, length, unread in chunks_beyond_embedder_limit(case.chunking, embedder):
        yield (
            Span(chunk.start, chunk.end),
            0.5 + 0.4 * unread / length,
            f"{length:,} tokens, of which {embedder.name} reads {length - unread:,}",
        )


def _by_a_hair(case: CheckedChunking) -> RuleFindings:
    document = case.chunking.document
    for gap in case.chunking.gaps:
        if not gap.verdict.is_cut or gap.score is None or gap.threshold is None:
            continue
        distance = abs(gap.score - gap.threshold)
        if distance <= case.hair:
            next_sentence = min(gap.index + 1, len(document.sentences) - 1)
            span = Span(document.sentences[gap.index].start, document.sentences[next_sentence].end)
            score, threshold = format_number(gap.score, ".4f"), format_number(gap.threshold, ".4f")
            nearness = 1 - distance / case.hair if case.hair else 1
            yield span, 0.2 + 0.3 * nearness, f"score {score}, threshold {threshold}: {distance:.4f} apart"


def _flat(case: CheckedChunking) -> RuleFindings:
    for curve in case.chunking.curves:
        scores = [score for score in curve.scores if not math.isnan(score)]
        if len(scores) < FEWEST:
            continue
        low, high = np.percentile(scores, [25, 75]).tolist()
        if high - low < FLAT:
            between = f"{format_number(low, '.3f')} to {format_number(high, '.3f')}"
            sentences = case.chunking.document.sentences
            yield (
                Span(sentences[0].start, sentences[-1].end),
                0.8,
                f"half of the scores lie within {high - low:.3f} of each other, {between}",
            )


def _worthless(fault: Fault, score: float, case: CheckedChunking) -> RuleFindings:
    for chunk, worthless in zip(case.chunking.chunks, case.worthless, strict=True):
        if worthless is not None and worthless.fault == fault:
            yield Span(chunk.start, chunk.end), score, worthless.reason


def _near_duplicate(case: CheckedChunking) -> RuleFindings:
    """Find chunks that say what another chunk says, except worthless ones, which other rules report."""
    runs = repeated_runs(case.chunking.document.text)
    chunks, furthest_end = [], 0
    for number, (chunk, worthless) in enumerate(zip(case.chunking.chunks, case.worthless, strict=True)):
        if number in case.parents:
            # It says what its children say.
            continue
        # Only what the document repeats, or chunks share by overlap, can be alike.
        may_be_alike = chunk.start < furthest_end or len(chunk.spans) > 1 or runs.share(chunk.start, chunk.end) >= ALIKE
        if worthless is None and len(chunk.text) >= LEAST_COMPARED and may_be_alike:
            chunks.append(chunk)
        furthest_end = max(furthest_end, chunk.end)
    nearest: dict[int, tuple[float, int]] = {}
    for first, second, similarity in find_near_duplicates([chunk.text for chunk in chunks], ALIKE).pairs:
        for number, other in ((first, second), (second, first)):
            if similarity > nearest.get(number, (0.0, 0))[0]:
                nearest[number] = similarity, other
    for number, (similarity, other) in sorted(nearest.items()):
        chunk, other_text = chunks[number], " ".join(chunks[other].text.split())
        shown = other_text if len(other_text) <= MOST_SHOWN else f"{other_text[:MOST_SHOWN]}…"
        yield (
            Span(chunk.start, chunk.end),
            0.3 + 0.3 * similarity,
            f"{similarity:.0%} of the runs of {SHINGLE_WORDS} words in it and in the chunk “{shown}” are the same",
        )


RULES: dict[str, Rule] = {
    "inside_sentence": Rule("Cut inside a sentence", "Neither half says what the sentence says.", _inside_sentence),
    "inside_code": Rule(
        "Cut inside code",
        "Half a block of code does not run, and explains little.",
        partial(_inside_block, "code block", 0.85),
    ),
    "inside_table": Rule(
        "Cut inside a table", "Rows without their header are numbers without names.", partial(_inside_block, "table", 0.8)
    ),
    "inside_formula": Rule(
        "Cut inside a formula", "Half a formula means nothing, or another thing.", partial(_inside_block, "formula", 0.95)
    ),
    "inside_list": Rule(
        "Cut inside a list",
        "Items after the cut have lost the sentence that introduces them.",
        partial(_inside_block, "list", 0.6),
    ),
    "without_header": Rule("Table without its header", "The chunk has rows whose columns nobody can name.", _without_header),
    "stranded_heading": Rule(
        "Stranded heading", "It says nothing where it is, and what follows has lost its subject.", _stranded_heading
    ),
    "far_from_heading": Rule(
        "Chunk without its heading",
        "What it is about is said only chunks before; the heading path in front of it would say it again.",
        _far_from_heading,
    ),
    "off_a_paragraph": Rule(
        "Cut inside a paragraph, one sentence off its end",
        "The author's own boundary is next to it; the sentence in between is now with another subject.",
        _off_a_paragraph,
    ),
    "bad_split": Rule(
        "Bad sentence split", "The chunker was given half a sentence, whatever it decides.", _bad_split, cause="splitter"
    ),
    "whole_paragraph": Rule(
        "Paragraph taken for one sentence",
        "No boundary was found in it, so no chunker can cut it; another splitter or language may find some.",
        _whole_paragraph,
        cause="splitter",
    ),
    "dangling_start": Rule(
        "Dangling start",
        "The chunk begins by pointing back, and nobody who finds it alone knows at what.",
        dangling_start,
        limits=f"In {LANGUAGES_OF_WORDS}, by the first words of its first sentence; it misses what points back later. "
        "Switch it "
        "off for dialogues, and where neighbouring chunks are retrieved together.",
        example="The pump has two valves. | They must be closed first.",
    ),
    "without_lead_in": Rule(
        "Cut off from its lead-in",
        "Items, steps or a consequence without the sentence that governs them say less, or the opposite.",
        without_lead_in,
        limits=f"In {LANGUAGES_OF_WORDS}. A lead-in ends in a colon or announces what follows; a condition counts as "
        "cut off only "
        "inside a sentence. Switch it off where chunks repeat their lead-in.",
        example="Do not open the cover if: | - the lamp is red",
    ),
    "near_duplicate": Rule(
        "Near-duplicate",
        "Copies of one text fill the top results, and leave no place for another answer.",
        _near_duplicate,
        cause="document",
        limits=f"By runs of {SHINGLE_WORDS} words, or characters of Chinese, within one document, from {100 * ALIKE:.0f} % "
        "in common on; a paraphrase is not found. Retrieval measures what those of all documents cost your questions, from "
        f"{100 * COUNTED_ALIKE:.0f} % on. "
        "Switch it off for catalogues and forms, whose entries are alike by nature.",
        example="Shop A opens at nine on weekdays. | Shop B opens at nine on weekdays.",
    ),
    "empty": Rule(
        "Nothing to read",
        "Lines, blank cells and pictures without a description answer nothing, yet take a place in the index.",
        partial(_worthless, "empty", 0.7),
        limits="In any language: a chunk without letters and with hardly a digit. Switch it off for tables of signs.",
        example="| * * * |",
    ),
    "boilerplate": Rule(
        "Menu, notice or footer",
        "Page furniture matches many questions and answers none.",
        partial(_worthless, "boilerplate", 0.5),
        cause="document",
        limits=f"By rows of links, short lines that are repeated in the document, and words of notices in "
        f"{LANGUAGES_OF_WORDS}. One page alone shows little of it. Switch it off for indexes and link lists.",
        example="Home › News › Guides | © 2025 · Imprint · Privacy",
    ),
    "unreadable": Rule(
        "Broken characters",
        "What is wrongly decoded can be neither read nor found.",
        partial(_worthless, "unreadable", 0.85),
        cause="document",
        limits="In any language: UTF-8 decoded as Windows-1252 or GBK, replacement and private characters, numbers of "
        "glyphs, "
        "base 64. One broken character is not reported. Switch it off for texts about encodings.",
        example="The cafÃ© isnâ€™t open.",
    ),
    "tiny": Rule("Tiny chunk", "It is found by chance, and answers nothing when it is.", _tiny),
    "oversized": Rule("Oversized chunk", "It is about so much that it resembles no question.", _oversized),
    "unread": Rule("Longer than is read", "What the embedder does not read cannot be found.", _unread),
    "by_a_hair": Rule("Cut by a hair", "A slightly different text or threshold would not be cut here.", _by_a_hair),
    "flat": Rule("Flat curve", "The scores hardly differ, so the cuts are close to chance.", _flat),
}
"""The rules by name. To add one, write a function and a line here."""


def find_suspicious_cuts(chunking: Chunking, embedder: Embedder | None = None, hair: float = HAIR) -> list[Finding]:
    """Apply every rule to a chunking and return the findings, most suspicious first.

    Parameters
    ----------
    chunking
        The result to check.
    embedder
        The embedder that will read the chunks. With None, the rule that needs an embedder is skipped.
    hair
        Distance from the threshold, in units of the score, within which a cut counts as made by a hair.
    """
    case = CheckedChunking(chunking, embedder, hair)
    findings = [Finding(name, *parts) for name, rule in RULES.items() for parts in rule.find(case)]
    return sorted(findings, key=lambda finding: (-finding.score, finding.span, finding.rule))


def findings_per_rule(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the number of findings per rule, without rules that found nothing."""
    return {name: count for name in RULES if (count := sum(finding.rule == name for finding in findings))}
