"""A finished check: its findings and its status, as text, JSON, JUnit's XML and SARIF."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as etree

from chunkers import Recipe, __version__
from chunkers.support import pluralize
from evaluation.checking.baseline_and_known_problems import ScoresByKind
from evaluation.checking.problems import (
    BOUNDARIES_RULE,
    CHECK_RULE_BY_NAME,
    MOST_PROBLEMS,
    PROBLEM_LEVELS,
    RETRIEVAL_RULE,
    CheckedDocument,
    Problem,
    ProblemLevel,
)


@dataclass(frozen=True)
class CheckReport:
    """Results of checking all documents.

    Attributes
    ----------
    levels
        Level of each rule that was checked.
    score_problems
        Problems that concern no single document: scores worse than a baseline.
    """

    recipe: Recipe
    levels: dict[str, ProblemLevel]
    documents: Sequence[CheckedDocument]
    scores: ScoresByKind
    score_problems: Sequence[Problem] = ()

    @cached_property
    def unsuppressed_problems(self) -> list[Problem]:
        """All problems to report, most serious first, then in document order."""
        unsuppressed_problems_of_documents = [
            problem for document in self.documents for problem in document.problems if not problem.suppression_reason
        ]
        return sorted(
            [*self.score_problems, *unsuppressed_problems_of_documents],
            key=lambda problem: PROBLEM_LEVELS.index(problem.level),
        )

    @cached_property
    def suppressed_problems(self) -> list[Problem]:
        """Problems left out of the report because they are known or ignored by a comment."""
        return [problem for document in self.documents for problem in document.problems if problem.suppression_reason]

    @property
    def suppressed_counts(self) -> dict[str, int]:
        """Number of known problems and of problems ignored by a comment; zero counts are left out."""
        return {**Counter(problem.suppression_reason for problem in self.suppressed_problems)}

    @property
    def listed_problems(self) -> list[Problem]:
        """Problems to list in the report, at most `MOST_PROBLEMS`."""
        return self.unsuppressed_problems[:MOST_PROBLEMS]

    @cached_property
    def reported_count_by_severity(self) -> dict[ProblemLevel, int]:
        """Number of reported problems by severity level, most serious first."""
        problem_count_by_level = Counter(problem.level for problem in self.unsuppressed_problems)
        return {level: problem_count_by_level[level] for level in PROBLEM_LEVELS}

    @property
    def unchecked_document_sentences(self) -> list[str]:
        """A sentence for each document that could not be checked."""
        return [*dict.fromkeys(document.complaint for document in self.documents if document.complaint)]

    @property
    def exit_status(self) -> int:
        """Exit status: 2 if a document could not be checked, 1 if there is an error, 0 otherwise."""
        return 2 if self.unchecked_document_sentences else 1 if self.reported_count_by_severity["error"] else 0

    @property
    def verdict(self) -> str:
        """Verdict in words: whether the check passed, failed, or could not check every document."""
        return ("passed", "failed", "could not check everything")[self.exit_status]


def check_report_as_text(report: CheckReport) -> str:
    """Format the report as text: one line per problem, in the style of compilers, with the verdict last."""
    text_lines = [
        f"{_problem_place_phrase(problem)}: {problem.level}: {problem.message} [{problem.rule}]"
        for problem in report.listed_problems
    ]
    unlisted_problem_count = len(report.unsuppressed_problems) - len(report.listed_problems)
    if unlisted_problem_count:
        text_lines.append(f"{pluralize(unlisted_problem_count, 'more problem')} not listed")
    for score_kind, scores_of_kind in report.scores.items():
        text_lines.append(f"{score_kind}: " + ", ".join(f"{name} {value:.4f}" for name, value in scores_of_kind.items()))
    chunk_count = sum(len(document.chunking.chunks) for document in report.documents if document.chunking is not None)
    level_counts_phrase = ", ".join(pluralize(count, level) for level, count in report.reported_count_by_severity.items())
    checked_amounts_phrase = f"{pluralize(len(report.documents), 'document')}, {pluralize(chunk_count, 'chunk')}"
    suppressed_counts_phrase = "".join(
        f", {count:,} {why}" for why, count in sorted(report.suppressed_counts.items(), reverse=True)
    )
    text_lines.append(f"{checked_amounts_phrase}: {level_counts_phrase}{suppressed_counts_phrase}; {report.verdict}")
    return "\n".join("".join(letter if letter.isprintable() else " " for letter in line) for line in text_lines) + "\n"


def _problem_place_phrase(problem: Problem) -> str:
    if problem.place is not None:
        return f"{problem.file}:{problem.place.line}:{problem.place.column}"
    return f"{problem.file}, {problem.where}" if problem.where else problem.file


def build_check_report_dictionary(report: CheckReport) -> dict[str, Any]:
    """Return the whole report as JSON-compatible values."""
    return {
        "seamark_check": 1,
        "status": report.exit_status,
        "verdict": report.verdict,
        "recipe": report.recipe.model_dump(),
        "rules": {name: {"level": level, "title": CHECK_RULE_BY_NAME[name].title} for name, level in report.levels.items()},
        "counts": {**report.reported_count_by_severity, **report.suppressed_counts},
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
            for problem in report.listed_problems
        ],
        "not_listed": len(report.unsuppressed_problems) - len(report.listed_problems),
    }


# A check as JUnit's XML, which continuous integration shows as tests: one for each document and rule.


_FORBIDDEN_XML_CHARACTERS = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may have, not even by number."""

SCORE_RULES = (BOUNDARIES_RULE, RETRIEVAL_RULE)


def check_report_as_junit(report: CheckReport) -> str:
    """Return the check as JUnit XML, with a test suite per document and a test case per rule.

    A test case fails if the rule has a problem of level error.
    """
    test_suites_element = etree.Element("testsuites", name="seamark check")
    non_score_rule_names = [name for name in report.levels if name not in SCORE_RULES]
    for document in report.documents:
        test_suites_element.append(
            _build_junit_suite_element(
                document.file,
                non_score_rule_names,
                [problem for problem in document.problems if not problem.suppression_reason],
                document.complaint,
            )
        )
    measured_rule_names = {*report.scores, *(problem.rule for problem in report.score_problems)}
    baseline_score_rule_names = [name for name in report.levels if name in SCORE_RULES and name in measured_rule_names]
    if baseline_score_rule_names:
        test_suites_element.append(
            _build_junit_suite_element("baseline", baseline_score_rule_names, report.score_problems, "")
        )
    for count_attribute_name in ("tests", "failures", "errors"):
        test_suites_element.set(
            count_attribute_name, str(sum(int(suite.get(count_attribute_name, "0")) for suite in test_suites_element))
        )
    etree.indent(test_suites_element)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(test_suites_element, encoding="unicode") + "\n"


def _build_junit_suite_element(
    file: str, rule_names: list[str], problems: Sequence[Problem], why_not_checked: str
) -> etree.Element:
    test_suite_element = etree.Element("testsuite", name=_replace_non_xml_characters(file))
    if why_not_checked:
        test_case_element = etree.SubElement(
            test_suite_element, "testcase", classname=_replace_non_xml_characters(file), name="readable"
        )
        etree.SubElement(test_case_element, "error", message=_replace_non_xml_characters(why_not_checked))
    for rule_name in () if why_not_checked else rule_names:
        test_case_element = etree.SubElement(
            test_suite_element, "testcase", classname=_replace_non_xml_characters(file), name=rule_name
        )
        rule_problems = [problem for problem in problems if problem.rule == rule_name]
        error_problems_of_rule = [problem for problem in rule_problems if problem.level == "error"]
        if error_problems_of_rule:
            rule_failure_element = etree.SubElement(
                test_case_element,
                "failure",
                message=_replace_non_xml_characters(CHECK_RULE_BY_NAME[rule_name].title),
                type=rule_name,
            )
            rule_failure_element.text = _junit_lines_of_problems(error_problems_of_rule)
        elif rule_problems:
            etree.SubElement(test_case_element, "system-out").text = _junit_lines_of_problems(rule_problems)
    failure_element_count, error_element_count = (
        len(test_suite_element.findall("*/failure")),
        len(test_suite_element.findall("*/error")),
    )
    test_suite_element.attrib.update(
        tests=str(len(test_suite_element)), failures=str(failure_element_count), errors=str(error_element_count)
    )
    return test_suite_element


def _junit_lines_of_problems(problems: list[Problem]) -> str:
    return "\n".join(_replace_non_xml_characters(f"{_junit_place_prefix(problem)}{problem.message}") for problem in problems)


def _junit_place_prefix(problem: Problem) -> str:
    problem_place_phrase = problem.where if problem.place is None else f"line {problem.place.line}"
    return f"{problem_place_phrase}: " if problem_place_phrase else ""


def _replace_non_xml_characters(text: str) -> str:
    return _FORBIDDEN_XML_CHARACTERS.sub("\ufffd", text)


# A check as SARIF 2.1.0, which code hosts show next to the lines (OASIS, Static Analysis Results Interchange Format).


SARIF_SCHEMA_ADDRESS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_SARIF_KIND_BY_SUPPRESSION = {"known": "external", "ignored": "inSource"}
"""SARIF's names for our reasons to suppress a problem; code hosts hide suppressed ones."""


def build_sarif_log_dictionary(report: CheckReport) -> dict[str, Any]:
    """Return the check as a SARIF log with a single run and columns in code points."""
    active_rule_names = [*report.levels]
    return {
        "$schema": SARIF_SCHEMA_ADDRESS,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Seamark",
                        "version": __version__,
                        "rules": [_sarif_rule(name, level) for name, level in report.levels.items()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not report.unchecked_document_sentences,
                        "exitCode": report.exit_status,
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": complaint}}
                            for complaint in report.unchecked_document_sentences
                        ],
                    }
                ],
                "results": [
                    _sarif_result(problem, active_rule_names.index(problem.rule), number)
                    for problem, number in _problems_with_repeat_numbers(
                        [*report.listed_problems, *report.suppressed_problems[:MOST_PROBLEMS]]
                    )
                ],
            }
        ],
    }


def _sarif_rule(name: str, level: str) -> dict[str, Any]:
    check_rule_definition = CHECK_RULE_BY_NAME[name]
    return {
        "id": name,
        "shortDescription": {"text": f"{check_rule_definition.title}."},
        "fullDescription": {"text": check_rule_definition.why},
        "help": {"text": f"{check_rule_definition.title}. {check_rule_definition.why}"},
        "defaultConfiguration": {"level": level},
    }


def _problems_with_repeat_numbers(problems: Sequence[Problem]) -> Iterator[tuple[Problem, int]]:
    """Yield each problem with its number, from 1, among the problems of the same file, rule and passage."""
    problem_count_by_key: Counter[tuple[str, str, str]] = Counter()
    for problem in problems:
        file_rule_and_passage_key = (problem.file, problem.rule, problem.identity)
        problem_count_by_key[file_rule_and_passage_key] += 1
        yield problem, problem_count_by_key[file_rule_and_passage_key]


def _sarif_result(problem: Problem, rule_index: int, occurrence_number: int) -> dict[str, Any]:
    message_with_page_or_part = f"{problem.message} ({problem.where})" if problem.where else problem.message
    physical_location: dict[str, Any] = {"artifactLocation": {"uri": file_uri(problem.file)}}
    if problem.place is not None:
        line_number, column_number, last_line_number, last_column_number = problem.place
        physical_location["region"] = {
            "startLine": line_number,
            "startColumn": column_number,
            "endLine": last_line_number,
            "endColumn": last_column_number,
        }
    problem_bytes_to_hash = f"{problem.rule}\0{problem.identity}".encode("utf-8", "surrogatepass")
    # A second one with the same passage would be taken for the first.
    repeated_problem_suffix = f":{occurrence_number}" if occurrence_number > 1 else ""
    suppressions_property = (
        {"suppressions": [{"kind": _SARIF_KIND_BY_SUPPRESSION[problem.suppression_reason]}]}
        if problem.suppression_reason
        else {}
    )
    return {
        "ruleId": problem.rule,
        "ruleIndex": rule_index,
        "level": problem.level,
        "message": {"text": message_with_page_or_part},
        "locations": [{"physicalLocation": physical_location}],
        "partialFingerprints": {
            "passage/v1": f"{hashlib.sha256(problem_bytes_to_hash).hexdigest()}{repeated_problem_suffix}"
        },
        **suppressions_property,
    }


def file_uri(file_path: str) -> str:
    """Return a file path as a URI: a relative path stays relative, an absolute path gets the scheme ``file:``."""
    path = Path(file_path)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
