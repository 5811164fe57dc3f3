"""Tested changes that remove a finding of the inbox of suspicious cuts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunkers import Chunking, Span, Tools
from chunkers.contract.base import run
from evaluation.inbox.case import HAIR
from evaluation.inbox.rules import FEWEST, Finding, inbox
from evaluation.remedies.search import Column, Questions, Remedy, Trial, least_changes, trials
from evaluation.retrieval.budget import Measuring
from evaluation.search.reranker import Reranker

BY_MEDIAN = frozenset({"tiny", "oversized"})
"""Rules that compare chunks with the median, and find nothing where there are too few chunks for one."""


@dataclass(frozen=True, eq=False)
class Suspect(Column):
    """Chunker's result with suspicious cuts; ``hair`` is the margin within which a decision counts as narrow."""

    hair: float = HAIR


class Findings(NamedTuple):
    """Suspicious passages of a chunking by rule, and the number of its chunks."""

    passages: Mapping[str, Sequence[Span]]
    chunks: int

    @property
    def total(self) -> int:
        """Total number of findings over all rules."""
        return sum(map(len, self.passages.values()))

    def lacks(self, finding: Finding) -> bool:
        """Return whether a finding is gone: its rule still applies, but finds nothing that overlaps the passage."""
        start, end = finding.span
        if finding.rule in BY_MEDIAN and self.chunks < FEWEST:
            return False
        return not any(span.start < end and start < span.end for span in self.passages.get(finding.rule, ()))


def findings_of(chunking: Chunking, tools: Tools, hair: float = HAIR) -> Findings:
    """Return the suspicious passages of a chunking, by rule."""
    passages: dict[str, list[Span]] = {}
    for finding in inbox(chunking, tools.embedder, hair):
        passages.setdefault(finding.rule, []).append(finding.span)
    return Findings(passages, len(chunking.chunks))


def try_findings(suspect: Suspect, tools: Tools) -> list[Trial[Findings]]:
    """Cut the text with every alternative setting, and keep the suspicious passages of each result."""
    return trials(suspect, tools, lambda chunking: findings_of(chunking, tools, suspect.hair))


def remove_finding(
    suspect: Suspect,
    finding: Finding,
    tried: Sequence[Trial[Findings]],
    tools: Tools,
    ruler: Measuring,
    reranker: Reranker | None = None,
) -> Iterator[Remedy]:
    """Yield the smallest setting changes that remove a suspicious finding, one of each kind.

    There are at most `WANTED` of them.

    Parameters
    ----------
    tried
        The result of `try_findings`.
    ruler
        Counts the tokens of ranges of the text.

    Raises
    ------
    ChunkingError
        As in `Tools.embed`, which embeds chunks for the other questions.
    Cancelled
        If the user asked to stop.
    """
    questions = Questions(suspect, tools, ruler, reranker)
    before = findings_of(suspect.chunking, tools, suspect.hair).total - 1
    for trial, new_findings in least_changes(tried, lambda findings: findings.lacks(finding), tools):
        chunking = run(trial.variation.chunker, suspect.chunking.document, tools)
        yield questions.remedy(trial, chunking, (before, new_findings.total))
