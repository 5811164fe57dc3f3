"""Problems: places in the chunks of a document that break a rule, unless a comment in the document turns the rule off."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from chunkers import Chunk, Chunker, Chunking, Document, InputError, Span, Tools, run_chunker
from chunkers.results import EmbeddedAs, embedded_text
from chunkers.support import short_repr
from chunkers.text import document_format_of_name, parse_block_outline
from evaluation.findings.rules import RULES, find_suspicious_cuts
from evaluation.segmentation import SizeBounds, chunk_sizes, find_chunker_else_embedder_bounds

# Comments in a document that have a check ignore problems at one place.


_IGNORE_COMMENT_PATTERN = re.compile(r"<!--\s*seamark:\s*ignore\b([^<>]*?)-->")
_RULE_NAME_SEPARATOR_PATTERN = re.compile(r"[\s,]+")


class IgnoredPassage(NamedTuple):
    """Comment that turns off rules for a passage; an empty set of rules means all rules."""

    span: Span
    rules: frozenset[str]

    def turns_off_rule(self, rule: str, span: Span) -> bool:
        """Return whether the comment turns off a rule for a span.

        The span must overlap the comment's passage.
        """
        return (not self.rules or rule in self.rules) and span.start < self.span.end and self.span.start < span.end


def parse_ignore_comments(text: str, known_rules: Collection[str]) -> tuple[list[IgnoredPassage], list[tuple[Span, str]]]:
    """Return the passages and rules that ``ignore`` comments exclude, and the unknown rule names in the comments.

    A comment ``<!-- seamark: ignore RULE, RULE -->`` on lines of its own applies to the next block or list item. Without a
    rule, it turns off all rules. Comments inside code are not read.
    """
    if "seamark:" not in text:
        return [], []
    html_block_spans = [block.span for block in parse_block_outline(text).blocks_without_sentences if block.kind == "HTML"]
    non_html_block_spans = sorted(
        {
            block.span
            for block in (*parse_block_outline(text).blocks, *parse_block_outline(text).nested_blocks)
            if block.kind != "HTML"
        },
        key=lambda span: (span.start, -span.end),
    )
    ignored_passages, unknown_rules_with_spans = [], []
    for html_block_span in html_block_spans:
        for comment_match in _IGNORE_COMMENT_PATTERN.finditer(text, *html_block_span):
            comment_span = Span(*comment_match.span())
            rule_names_in_comment = [name for name in _RULE_NAME_SEPARATOR_PATTERN.split(comment_match[1]) if name]
            unknown_rules_with_spans += [(comment_span, name) for name in rule_names_in_comment if name not in known_rules]
            known_rules_in_comment = frozenset(name for name in rule_names_in_comment if name in known_rules)
            next_block_index = bisect_left(non_html_block_spans, comment_span.end, key=lambda other: other.start)
            # A comment whose words are all wrong is about nothing, not about all.
            if next_block_index < len(non_html_block_spans) and (known_rules_in_comment or not rule_names_in_comment):
                ignored_passages.append(IgnoredPassage(non_html_block_spans[next_block_index], known_rules_in_comment))
    return ignored_passages, unknown_rules_with_spans


ProblemLevel = Literal["error", "warning", "note"]

PROBLEM_LEVELS: tuple[ProblemLevel, ...] = ("error", "warning", "note")
"""Severities of a problem, the gravest first; an error fails the check."""

OFF_LEVEL = "off"
"""The level of a rule that is not looked at."""

MOST_PROBLEMS = 5_000
"""Maximum number of problems of a check that a report has, the gravest first; the others are counted."""

BOUNDARIES_RULE, RETRIEVAL_RULE = "boundaries", "retrieval"
"""The rules on scores, which a stored baseline must know."""


_LINE_END = re.compile(r"\r\n|\r|\n")
"""The ends of lines that editors count; a text has others, such as those between paragraphs in Unicode."""


class CheckRule(NamedTuple):
    """Rule that chunks are checked against: its title, why it matters, and its default severity level."""

    title: str
    why: str
    level: ProblemLevel


_BROKEN_BLOCK_RULES = ("inside_code", "inside_table", "inside_formula", "inside_list")
_BROKEN_PASSAGE_RULES = (*_BROKEN_BLOCK_RULES, "inside_sentence")
"""Rules about passages that should have stayed whole."""
_ERROR_RULES = (*_BROKEN_BLOCK_RULES, "stranded_heading", "unread")
_NOTE_RULES = (
    "dangling_start",
    "boilerplate",
    "far_from_heading",
    "off_a_paragraph",
    "bad_split",
    "whole_paragraph",
    "by_a_hair",
    "flat",
)


def _default_severity_level(name: str) -> ProblemLevel:
    return "error" if name in _ERROR_RULES else "note" if name in _NOTE_RULES else "warning"


CHECK_RULE_BY_NAME: Mapping[str, CheckRule] = {
    "size": CheckRule("Size not kept", "A chunk is smaller or larger than is asked for.", "error"),
    **{name: CheckRule(rule.title, rule.explanation, _default_severity_level(name)) for name, rule in RULES.items()},
    BOUNDARIES_RULE: CheckRule(
        "Boundaries worse than the baseline", "Known boundaries are met less well than before.", "error"
    ),
    RETRIEVAL_RULE: CheckRule(
        "Retrieval worse than the baseline", "Questions find less of what answers them than before.", "error"
    ),
}
"""Every rule by name: the sizes asked for, those of `evaluation.findings`, and the scores."""


class FileRange(NamedTuple):
    """A range of lines and columns in a file, counted from 1 in code points; the end column is exclusive."""

    line: int
    column: int
    last_line: int
    last_column: int


@dataclass(frozen=True)
class Problem:
    """Violation of a rule in a checked document.

    Attributes
    ----------
    place
        Lines and columns of the problem; None if it concerns the whole file, or if the file is not plain text.
    where
        The page or chapter in words; empty if the document has none.
    passage
        The affected text, by which the problem is recognised after lines have moved.
    suppression_reason
        Why the problem is not reported: ``known``, or ``ignored`` by a comment; empty if it is reported.
    """

    rule: str
    level: ProblemLevel
    file: str
    message: str
    place: FileRange | None = None
    where: str = ""
    passage: str = ""
    suppression_reason: Literal["", "known", "ignored"] = ""

    @property
    def identity(self) -> str:
        """Text that identifies the problem: the same passage under the same rule is the same problem."""
        return self.passage or self.message


@dataclass(frozen=True)
class CheckedDocument:
    """Checked document with its chunks and problems, or the reason why it could not be checked."""

    file: str
    chunking: Chunking | None
    problems: tuple[Problem, ...] = ()
    complaint: str = ""
    remarks: tuple[str, ...] = ()
    """Sentences on comments in it that mean nothing."""


class _Violation(NamedTuple):
    rule: str
    span: Span
    message: str
    avoidable: bool = True


@dataclass(frozen=True)
class Check:
    """Chunker, rules and size limits against which documents are checked.

    Attributes
    ----------
    levels
        Level of each rule, one of `PROBLEM_LEVELS` or `OFF_LEVEL`; other rules have their level in `CHECK_RULE_BY_NAME`.
    bounds
        Required chunk sizes; None for the sizes that the chunker's parameters set, if any.
    embedded_as
        Form in which a chunk is embedded; the embedder must be able to read the whole of this text.
    """

    chunker: Chunker
    tools: Tools
    levels: Mapping[str, str]
    bounds: SizeBounds | None = None
    embedded_as: EmbeddedAs = "plain"

    def level(self, rule: str, *, is_avoidable: bool = True) -> ProblemLevel | None:
        """Return the severity level of a rule; None if the rule is turned off.

        A problem that no chunk of the required size could avoid is a note, unless the user set a level for the rule.
        """
        level_name = self.levels.get(rule, CHECK_RULE_BY_NAME[rule].level if is_avoidable else "note")
        return next((level for level in PROBLEM_LEVELS if level == level_name), None)

    def check_document(self, document: Document, document_file_path: str) -> CheckedDocument:
        """Cut a document and return its rule violations in text order.

        Raises
        ------
        InputError
            If the document cannot be cut or the chunk sizes cannot be counted.
        """
        chunking = run_chunker(self.chunker, document, replace(self.tools), self.embedded_as)
        document_line_locator = _Lines(document, document_file_path)
        # Only what is read as it is can have comments of Markdown.
        ignored_passages, unknown_rules_with_spans = (
            parse_ignore_comments(document.text, CHECK_RULE_BY_NAME)
            if document_format_of_name(document_file_path) is None
            else ([], [])
        )
        document_problems = []
        for violation in sorted(self._violations_of_all_rules(chunking), key=lambda finding: (finding.span, finding.rule)):
            violation_severity_level = self.level(violation.rule, is_avoidable=violation.avoidable)
            if violation_severity_level is not None:
                suppression_kind: Literal["", "ignored"] = (
                    "ignored"
                    if any(comment.turns_off_rule(violation.rule, violation.span) for comment in ignored_passages)
                    else ""
                )
                document_problems.append(
                    Problem(
                        violation.rule,
                        violation_severity_level,
                        document_file_path,
                        violation.message,
                        document_line_locator.file_range_of(violation.span),
                        document_line_locator.page_or_part_phrase(violation.span),
                        document.text[slice(*violation.span)],
                        suppression_kind,
                    )
                )
        unknown_ignored_rule_remarks = tuple(
            f"{document_file_path}:{document_line_locator.line_number(span.start)}: a comment may only ignore rules; "
            f"{short_repr(name)} is none."
            for span, name in unknown_rules_with_spans
        )
        return CheckedDocument(document_file_path, chunking, tuple(document_problems), remarks=unknown_ignored_rule_remarks)

    def _violations_of_all_rules(self, chunking: Chunking) -> Iterator[_Violation]:
        suspicious_cut_findings = find_suspicious_cuts(chunking)
        oversize_phrase_by_passage = self._oversize_phrase_by_passage(
            chunking, [finding.span for finding in suspicious_cut_findings if finding.rule in _BROKEN_PASSAGE_RULES]
        )
        # What is read is said of the text that is embedded, which may be longer than the chunk.
        for finding in suspicious_cut_findings:
            finding_reason_sentence = f"{finding.reason[0].upper()}{finding.reason[1:]}".rstrip(".")
            is_violation_avoidable = (
                finding.rule not in _BROKEN_PASSAGE_RULES or finding.span not in oversize_phrase_by_passage
            )
            finding_reason_sentence += (
                "" if is_violation_avoidable else f"; it cannot be whole: {oversize_phrase_by_passage[finding.span]}"
            )
            yield _Violation(finding.rule, finding.span, f"{finding_reason_sentence}.", is_violation_avoidable)
        if self.level("unread") is not None:
            yield from self._truncated_chunk_violations(chunking)
        if self.level("size") is not None:
            yield from self._size_violations(chunking)

    def _oversize_phrase_by_passage(self, chunking: Chunking, divided_passage_spans: Sequence[Span]) -> dict[Span, str]:
        """Return the blocks and sentences that are too long for a chunk of the requested size, with their sizes in words."""
        chunk_size_bounds = self.bounds or find_chunker_else_embedder_bounds(self.chunker)
        if not divided_passage_spans or chunk_size_bounds is None or chunk_size_bounds.most is None:
            return {}
        divided_passages_as_chunking = replace(
            chunking, chunks=tuple(Chunk.of(chunking.document, span) for span in divided_passage_spans)
        )
        passage_spans_with_sizes = zip(
            divided_passage_spans,
            chunk_sizes(chunk_size_bounds.unit, divided_passages_as_chunking, self.tools.tokenizer, self.tools.embedder),
            strict=True,
        )
        maximum_size, limit_phrase = (
            chunk_size_bounds.most,
            f"{chunk_size_bounds.unit}, where a chunk has {chunk_size_bounds.words()}",
        )
        return {span: f"{size:,} {limit_phrase}" for span, size in passage_spans_with_sizes if size > maximum_size}

    def _truncated_chunk_violations(self, chunking: Chunking) -> Iterator[_Violation]:
        embedder = self.tools.embedder
        # Late chunking reads the text in windows, so that no chunk is too long.
        if embedder is None or embedder.max_tokens is None or self.embedded_as == "late":
            return
        max_embedder_tokens, document = embedder.max_tokens, chunking.document
        embedded_chunk_texts = [embedded_text(document, chunk, self.embedded_as) for chunk in chunking.chunks]
        for chunk, untruncated_token_count in zip(chunking.chunks, embedder.lengths(embedded_chunk_texts), strict=True):
            if untruncated_token_count > max_embedder_tokens:
                yield _Violation(
                    "unread",
                    Span(chunk.start, chunk.end),
                    f"The chunk is embedded as {untruncated_token_count:,} tokens, of which {embedder.name} reads "
                    f"{max_embedder_tokens:,}.",
                )

    def _size_violations(self, chunking: Chunking) -> Iterator[_Violation]:
        size_bounds = self.bounds or find_chunker_else_embedder_bounds(self.chunker)
        if size_bounds is None:
            return
        size_of_each_chunk = chunk_sizes(size_bounds.unit, chunking, self.tools.tokenizer, self.tools.embedder)
        for chunk, chunk_size in zip(chunking.chunks, size_of_each_chunk, strict=True):
            if chunk_size < (size_bounds.least or 0) or (size_bounds.most is not None and chunk_size > size_bounds.most):
                singular_or_plural_size_unit = size_bounds.unit.removesuffix("s") if chunk_size == 1 else size_bounds.unit
                yield _Violation(
                    "size",
                    Span(chunk.start, chunk.end),
                    f"The chunk has {chunk_size:,} {singular_or_plural_size_unit}; asked for are {size_bounds.words()}.",
                )


class _Lines:
    """Finds the lines of a file in which a stretch of its text lies."""

    def __init__(self, document: Document, file: str) -> None:
        self._document = document
        self._is_plain_text = document_format_of_name(file) is None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self._document.text))]

    def line_number(self, offset: int) -> int:
        """Return the number of the line that contains a code point, counted from 1."""
        return bisect_right(self._line_starts, offset)

    def file_range_of(self, span: Span) -> FileRange | None:
        if not self._is_plain_text:
            return None
        first_line_index = bisect_right(self._line_starts, span.start) - 1
        last_line_index = bisect_right(self._line_starts, max(span.start, span.end - 1)) - 1
        return FileRange(
            first_line_index + 1,
            span.start - self._line_starts[first_line_index] + 1,
            last_line_index + 1,
            span.end - self._line_starts[last_line_index] + 1,
        )

    def page_or_part_phrase(self, span: Span) -> str:
        document_parts = self._document.parts
        if document_parts is None:
            return ""
        part_labels = document_parts.labels_of_overlapped_parts([(span.start, span.end)])
        return f"{document_parts.kind}{'s' * (len(part_labels) > 1)} {', '.join(part_labels)}" if part_labels else ""


def parse_severity_levels(rule_and_level_texts: Sequence[str]) -> dict[str, str]:
    """Return the user's severity levels by rule, of words of the form RULE=LEVEL.

    Raises
    ------
    InputError
        If a word has another form, or a rule or level does not exist.
    """
    severity_level_by_rule = {}
    for rule_and_level in rule_and_level_texts:
        rule_name, equals_sign_or_empty, severity_level = rule_and_level.partition("=")
        if not equals_sign_or_empty:
            raise InputError(f"--level must have the form RULE=LEVEL; got {rule_and_level!r}.")
        if rule_name not in CHECK_RULE_BY_NAME:
            raise InputError(
                f"--level must name one of the rules {', '.join(CHECK_RULE_BY_NAME)}; got {short_repr(rule_name)}."
            )
        if severity_level not in (*PROBLEM_LEVELS, OFF_LEVEL):
            raise InputError(
                f"--level: the level of {rule_name} must be one of {', '.join((*PROBLEM_LEVELS, OFF_LEVEL))}; got "
                f"{short_repr(severity_level)}."
            )
        severity_level_by_rule[rule_name] = severity_level
    return severity_level_by_rule
