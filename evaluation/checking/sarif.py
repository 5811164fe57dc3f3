"""A check as SARIF 2.1.0, which code hosts show next to the lines (OASIS, Static Analysis Results Interchange Format)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chunkers import __version__
from evaluation.checking.problems import ALL_RULES, MOST_PROBLEMS, Problem
from evaluation.checking.report import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_SUPPRESSED = {"known": "external", "ignored": "inSource"}
"""SARIF's names for our reasons to suppress a problem; code hosts hide suppressed ones."""


def as_sarif(report: Report) -> dict[str, Any]:
    """Return the check as a SARIF log with a single run and columns in code points."""
    rules = [*report.levels]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Seamark",
                        "version": __version__,
                        "rules": [_rule(name, level) for name, level in report.levels.items()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not report.complaints,
                        "exitCode": report.status,
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": complaint}} for complaint in report.complaints
                        ],
                    }
                ],
                "results": [
                    _result(problem, rules.index(problem.rule), number)
                    for problem, number in _numbered([*report.problems, *report.quiet[:MOST_PROBLEMS]])
                ],
            }
        ],
    }


def _rule(name: str, level: str) -> dict[str, Any]:
    rule = ALL_RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.title}. {rule.why}"},
        "defaultConfiguration": {"level": level},
    }


def _numbered(problems: Sequence[Problem]) -> Iterator[tuple[Problem, int]]:
    """Yield each problem with its number, from 1, among the problems of the same file, rule and passage."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for problem in problems:
        key = (problem.file, problem.rule, _identifying_text(problem))
        seen[key] += 1
        yield problem, seen[key]


def _identifying_text(problem: Problem) -> str:
    """Return the text that identifies a problem: the same passage under the same rule is the same problem."""
    return problem.passage or problem.message


def _result(problem: Problem, index: int, number: int) -> dict[str, Any]:
    message = f"{problem.message} ({problem.where})" if problem.where else problem.message
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(problem.file)}}
    if problem.place is not None:
        line, column, last_line, last_column = problem.place
        physical["region"] = {"startLine": line, "startColumn": column, "endLine": last_line, "endColumn": last_column}
    fingerprinted = f"{problem.rule}\0{_identifying_text(problem)}".encode("utf-8", "surrogatepass")
    # A second one with the same passage would be taken for the first.
    again = f":{number}" if number > 1 else ""
    quiet = {"suppressions": [{"kind": _SUPPRESSED[problem.quiet]}]} if problem.quiet else {}
    return {
        "ruleId": problem.rule,
        "ruleIndex": index,
        "level": problem.level,
        "message": {"text": message},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"passage/v1": f"{hashlib.sha256(fingerprinted).hexdigest()}{again}"},
        **quiet,
    }


def uri(file: str) -> str:
    """Return a file path as a URI: a relative path stays relative, an absolute path gets the scheme ``file:``."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
