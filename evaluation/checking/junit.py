"""A check as JUnit's XML, which continuous integration shows as tests: one for each document and rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as etree

from evaluation.checking.problems import ALL_RULES, BOUNDARIES, RETRIEVAL, Problem
from evaluation.checking.report import Report

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may have, not even by number."""

SCORES = (BOUNDARIES, RETRIEVAL)


def as_junit(report: Report) -> str:
    """Return the check as JUnit XML, with a test suite per document and a test case per rule.

    A test case fails if the rule has a problem of level error.
    """
    root = etree.Element("testsuites", name="seamark check")
    totals = {"tests": 0, "failures": 0, "errors": 0}
    rules = [name for name in report.levels if name not in SCORES]
    for document in report.documents:
        suite = _suite(
            document.file, rules, [problem for problem in document.problems if not problem.quiet], document.complaint
        )
        root.append(suite)
    case_names = {*report.scores, *(problem.rule for problem in report.general)}
    scored = [name for name in report.levels if name in SCORES and name in case_names]
    if scored:
        root.append(_suite("baseline", scored, report.general, ""))
    for suite in root:
        for name in totals:
            totals[name] += int(suite.get(name, "0"))
    root.attrib.update({name: str(count) for name, count in totals.items()})
    etree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + etree.tostring(root, encoding="unicode") + "\n"


def _suite(file: str, rules: list[str], problems: Sequence[Problem], complaint: str) -> etree.Element:
    suite = etree.Element("testsuite", name=_text(file))
    failures = errors = 0
    if complaint:
        case = etree.SubElement(suite, "testcase", classname=_text(file), name="readable")
        etree.SubElement(case, "error", message=_text(complaint))
        errors = 1
    for rule in () if complaint else rules:
        case = etree.SubElement(suite, "testcase", classname=_text(file), name=rule)
        mine = [problem for problem in problems if problem.rule == rule]
        grave = [problem for problem in mine if problem.level == "error"]
        if grave:
            failures += 1
            failure = etree.SubElement(case, "failure", message=_text(ALL_RULES[rule].title), type=rule)
            failure.text = _lines(grave)
        elif mine:
            etree.SubElement(case, "system-out").text = _lines(mine)
    suite.attrib.update(tests=str(len(suite)), failures=str(failures), errors=str(errors))
    return suite


def _lines(problems: list[Problem]) -> str:
    return "\n".join(_text(f"{_spot(problem)}{problem.message}") for problem in problems)


def _spot(problem: Problem) -> str:
    spot = problem.where if problem.place is None else f"line {problem.place.line}"
    return f"{spot}: " if spot else ""


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
