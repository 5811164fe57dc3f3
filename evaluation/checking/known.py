"""Known problems, in a file next to the documents, so that a check reports only new ones."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkers import InputError
from chunkers.support.errors import first_fault, shown
from evaluation.checking.problems import Checked, Problem

_LONGEST_SHOWN = 60
_DIGITS = 16


class KnownProblem(BaseModel):
    """Known problem to ignore: its rule, a hash of its passage, and the beginning of the passage for human readers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str = Field(max_length=64)
    passage: str = Field(max_length=64)
    text: str = Field("", max_length=1_000)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the entry that recognises a problem even after its line number or measured values have changed."""
        identifying_text = problem.passage or problem.message
        words = " ".join(identifying_text.split())
        text = words if len(words) <= _LONGEST_SHOWN else words[: _LONGEST_SHOWN - 1] + "…"
        digest = hashlib.sha256(identifying_text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        return cls(rule=problem.rule, passage=digest, text=text.encode("utf-8", "replace").decode())


class KnownProblems(BaseModel):
    """List of known problems that a check ignores, by file name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seamark_known: Literal[1] = 1
    files: dict[str, list[KnownProblem]]

    @classmethod
    def from_json(cls, text: str, name: str) -> Self:
        """Return the known problems listed in the JSON text of a file.

        Raises
        ------
        InputError
            If the text is not a list of known problems; the message names the position of the error.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            place, detail = first_fault(error, "the file")
            raise InputError(
                f"{name}: known problems must be in the format that --write-known writes; {shown(place)} is invalid: "
                f"{detail['msg']}."
            ) from error

    @classmethod
    def of(cls, documents: Sequence[Checked]) -> Self:
        """Return a list of known problems with every problem in these documents that no comment ignores."""
        return cls(files={_name(checked.file): problems for checked in documents if (problems := _found(checked))})

    def to_json(self) -> str:
        """Return the known problems as JSON, with one problem per line for readable diffs."""
        files = []
        for file, problems in sorted(self.files.items()):
            rows = ",\n".join(f"      {json.dumps(problem.model_dump(), ensure_ascii=False)}" for problem in problems)
            files.append(f"    {json.dumps(file, ensure_ascii=False)}: [\n{rows}\n    ]")
        listed = ",\n".join(files)
        return f'{{\n  "seamark_known": 1,\n  "files": {{\n{listed}\n  }}\n}}\n'

    def without(self, checked: Checked) -> Checked:
        """Return a copy of a document's check in which known problems are marked.

        Each entry of the list covers one problem.
        """
        left = Counter((known.rule, known.passage) for known in self.files.get(_name(checked.file), ()))
        problems = []
        for problem in checked.problems:
            key = KnownProblem.of(problem)
            is_known = not problem.quiet and left[key.rule, key.passage] > 0
            left[key.rule, key.passage] -= is_known
            problems.append(replace(problem, quiet="known") if is_known else problem)
        return replace(checked, problems=tuple(problems))

    def gone(self, documents: Sequence[Checked]) -> int:
        """Return the number of known problems that no longer occur in these documents."""
        gone = 0
        for checked in documents:
            if checked.chunking is not None:
                remaining = sum(problem.quiet == "known" for problem in self.without(checked).problems)
                gone += len(self.files.get(_name(checked.file), ())) - remaining
        return gone


def _found(checked: Checked) -> list[KnownProblem]:
    return [KnownProblem.of(problem) for problem in checked.problems if problem.quiet != "ignored"]


def _name(file: str) -> str:
    """Return a file's name as the list has it: from the working folder, where the check runs, however it was given."""
    return os.path.relpath(file).replace(os.sep, "/")
