"""A finished check: its findings and its status, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chunkers import Recipe
from chunkers.support.numbers import counted
from evaluation.checking.baseline import Scores
from evaluation.checking.problems import ALL_RULES, LEVELS, MOST_PROBLEMS, Checked, Level, Problem


@dataclass(frozen=True)
class Report:
    """Results of checking all documents.

    Attributes
    ----------
    levels
        Level of each rule that was checked.
    general
        Problems that concern no single document: scores worse than a baseline.
    """

    recipe: Recipe
    levels: dict[str, Level]
    documents: Sequence[Checked]
    scores: Scores
    general: Sequence[Problem] = ()

    @cached_property
    def all(self) -> list[Problem]:
        """All problems to report, most serious first, then in document order."""
        problems = [problem for document in self.documents for problem in document.problems if not problem.quiet]
        return sorted([*self.general, *problems], key=lambda problem: LEVELS.index(problem.level))

    @cached_property
    def quiet(self) -> list[Problem]:
        """Problems left out of the report because they are known or ignored by a comment."""
        return [problem for document in self.documents for problem in document.problems if problem.quiet]

    @property
    def quiet_counts(self) -> dict[str, int]:
        """Number of known problems and of problems ignored by a comment; zero counts are left out."""
        return {**Counter(problem.quiet for problem in self.quiet)}

    @property
    def problems(self) -> list[Problem]:
        """Problems to list in the report, at most `MOST_PROBLEMS`."""
        return self.all[:MOST_PROBLEMS]

    @cached_property
    def counts(self) -> dict[Level, int]:
        """Number of reported problems by severity level, most serious first."""
        counts = Counter(problem.level for problem in self.all)
        return {level: counts[level] for level in LEVELS}

    @property
    def complaints(self) -> list[str]:
        """A sentence for each document that could not be checked."""
        return [*dict.fromkeys(document.complaint for document in self.documents if document.complaint)]

    @property
    def status(self) -> int:
        """Exit status: 2 if a document could not be checked, 1 if there is an error, 0 otherwise."""
        return 2 if self.complaints else 1 if self.counts["error"] else 0

    @property
    def verdict(self) -> str:
        """Verdict in words: whether the check passed, failed, or could not check every document."""
        return ("passed", "failed", "could not check everything")[self.status]


def as_text(report: Report) -> str:
    """Format the report as text: one line per problem, in the style of compilers, with the verdict last."""
    lines = [f"{_spot(problem)}: {problem.level}: {problem.message} [{problem.rule}]" for problem in report.problems]
    left = len(report.all) - len(report.problems)
    if left:
        lines.append(f"{counted(left, 'more problem')} not listed")
    for kind, scores in report.scores.items():
        lines.append(f"{kind}: " + ", ".join(f"{name} {value:.4f}" for name, value in scores.items()))
    chunks = sum(len(document.chunking.chunks) for document in report.documents if document.chunking is not None)
    by_level = ", ".join(counted(count, level) for level, count in report.counts.items())
    checked = f"{counted(len(report.documents), 'document')}, {counted(chunks, 'chunk')}"
    quiet = "".join(f", {count:,} {why}" for why, count in sorted(report.quiet_counts.items(), reverse=True))
    lines.append(f"{checked}: {by_level}{quiet}; {report.verdict}")
    return "\n".join("".join(letter if letter.isprintable() else " " for letter in line) for line in lines) + "\n"


def _spot(problem: Problem) -> str:
    if problem.place is not None:
        return f"{problem.file}:{problem.place.line}:{problem.place.column}"
    return f"{problem.file}, {problem.where}" if problem.where else problem.file


def as_json(report: Report) -> dict[str, Any]:
    """Return the whole report as JSON-compatible values."""
    return {
        "seamark_check": 1,
        "status": report.status,
        "verdict": report.verdict,
        "recipe": report.recipe.model_dump(),
        "rules": {name: {"level": level, "title": ALL_RULES[name].title} for name, level in report.levels.items()},
        "counts": {**report.counts, **report.quiet_counts},
        "scores": {kind: {**scores} for kind, scores in report.scores.items()},
        "documents": [
            {
                "file": document.file,
                "chunks": None if document.chunking is None else len(document.chunking.chunks),
                **({"complaint": document.complaint} if document.complaint else {}),
            }
            for document in report.documents
        ],
        "problems": [
            {
                "rule": problem.rule,
                "level": problem.level,
                "file": problem.file,
                "message": problem.message,
                **({} if problem.place is None else problem.place._asdict()),
                **({"where": problem.where} if problem.where else {}),
            }
            for problem in report.problems
        ],
        "not_listed": len(report.all) - len(report.problems),
    }
