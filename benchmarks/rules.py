"""Rules for chunks that stand alone, measured on chunks that two readers labelled before the rules were written.

``tests/fixtures/labels`` has the texts, the labels and the guidelines. Chunks on which the readers disagree are left out.
The rules were tuned on one half of the labels; the other half was held out.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from sklearn.metrics import cohen_kappa_score

from benchmarks.harness import benchmark, markdown_table, option
from chunkers import Chunk, Chunking, Document, Span
from evaluation.findings.examined_chunking import ExaminedChunking
from evaluation.findings.rules import RULES

LABELS = Path(__file__).parents[1] / "tests" / "fixtures" / "labels"
LANGUAGES = ("en", "de", "fr", "es", "zh")

ON_PASSAGES = {"dangling_start": "dangling", "without_lead_in": "cut_off"}
"""Names of the labels of the rules that are measured on passages."""

ON_PAGES = ("near_duplicate", "empty", "boilerplate", "unreadable")

LEAST_CHUNKS, LEAST_POSITIVES = 120, 15
"""Labelled chunks, and those with the label, without which a language is not supported by a rule."""

LEAST_RIGHT, LEAST_FOUND = 0.8, 0.6
"""Share of what a rule reports that must be right, and of the labels that it must find."""


class ChunkLabel(NamedTuple):
    """Two readers' labels of a chunk, and the rule's own verdict."""

    chunk: str
    first: bool
    second: bool
    reported: bool

    @property
    def is_held_out(self) -> bool:
        """True for the half of the chunks, drawn by a hash, on which no rule was tuned."""
        return hashlib.sha256(self.chunk.encode()).digest()[0] % 2 == 1


class RuleScore(NamedTuple):
    """Agreement of a rule with the labels on which both readers agree."""

    labelled: int
    positives: int
    reported: int
    right: int

    @classmethod
    def from_labels(cls, labels: Sequence[ChunkLabel]) -> Self:
        """Count the labels on which the readers agree."""
        agreed = [label for label in labels if label.first == label.second]
        reported = [label for label in agreed if label.reported]
        return cls(len(agreed), sum(label.first for label in agreed), len(reported), sum(label.first for label in reported))

    @property
    def precision(self) -> float:
        """Precision: the share of the rule's findings that are right."""
        return self.right / self.reported if self.reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the labels that the rule finds."""
        return self.right / self.positives if self.positives else 1.0

    @property
    def is_supported(self) -> bool:
        """True if there are enough labels, and the rule reaches both required shares."""
        enough = self.labelled >= LEAST_CHUNKS and self.positives >= LEAST_POSITIVES
        return enough and self.precision >= LEAST_RIGHT and self.recall >= LEAST_FOUND


def labels_and_findings(rule: str, language: str) -> list[ChunkLabel]:
    """Return the labels of a rule in a language, with what the rule reports."""
    texts = _labelled_passages(language) if rule in ON_PASSAGES else _labelled_pages(language)
    return [label for document, rows in texts for label in _document_labels(rule, document, rows)]


def cohens_kappa(labels: Sequence[ChunkLabel]) -> float:
    """Return Cohen's kappa of the two readers; 1 if they agree on everything, even on a single kind of label."""
    if all(label.first == label.second for label in labels):
        return 1.0
    return float(cohen_kappa_score([label.first for label in labels], [label.second for label in labels]))


def _document_labels(rule: str, document: Document, rows: Sequence[dict[str, Any]]) -> Iterator[ChunkLabel]:
    spans = [Span(row["start"], row["end"]) for row in rows]
    chunking = Chunking(document, tuple(Chunk.of(document, span) for span in spans), ())
    starts = [finding[0].start for finding in RULES[rule].find(ExaminedChunking(chunking))]
    for row, (start, end) in zip(rows, spans, strict=True):
        answers = row.get(ON_PASSAGES.get(rule, "label"))
        if answers is not None:
            first, second = answers if rule in ON_PASSAGES else [answer == rule for answer in answers]
            yield ChunkLabel(row["id"], first, second, any(start <= place < end for place in starts))


def _labelled_passages(language: str) -> Iterator[tuple[Document, list[dict[str, Any]]]]:
    rows = _read_json_lines(f"{language}.jsonl")
    for passage in re.split(r"(?m)^@@ ", (LABELS / "passages" / f"{language}.md").read_text("utf-8"))[1:]:
        head, _, text = passage.partition("\n")
        name = head.split()[0]
        document = Document.from_text(text.rstrip("\n"), f"sentencex:{language}")
        yield document, [row for row in rows if row["id"].partition(":")[0] == name]


def _labelled_pages(language: str) -> Iterator[tuple[Document, list[dict[str, Any]]]]:
    text = (LABELS / "pages" / f"{language}.md").read_bytes().decode("utf-8")
    yield Document.from_text(text, f"sentencex:{language}"), _read_json_lines(f"pages_{language}.jsonl")


def _read_json_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LABELS / name).read_text("utf-8").splitlines()]


@benchmark(
    option("--rule", choices=(*ON_PASSAGES, *ON_PAGES), help="measure only this rule"),
)
def main(rule: str | None) -> int:
    """Print a row for each rule and language; return 1 if a pair is not supported."""
    rows, is_missed = [], False
    for name in [rule] if rule else (*ON_PASSAGES, *ON_PAGES):
        for language in LANGUAGES:
            labels = labels_and_findings(name, language)
            score, held_out = (
                RuleScore.from_labels(labels),
                RuleScore.from_labels([label for label in labels if label.is_held_out]),
            )
            is_missed |= not score.is_supported
            rows.append(
                (
                    f"`{name}`",
                    language,
                    f"{score.labelled}",
                    f"{score.positives}",
                    f"{cohens_kappa(labels):.2f}",
                    f"{score.right} of {score.reported}",
                    f"{score.right} of {score.positives}",
                    f"{held_out.precision:.0%}",
                    f"{held_out.recall:.0%}",
                    "yes" if score.is_supported else "no",
                )
            )
    heads = (
        "rule",
        "language",
        "chunks",
        "labels",
        "kappa",
        "right",
        "found",
        "held out, right",
        "held out, found",
        "supported",
    )
    print(markdown_table(heads, rows))
    return int(is_missed)


if __name__ == "__main__":
    raise SystemExit(main())
