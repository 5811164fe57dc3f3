"""Files next to the documents: a baseline of scores that must be reached, and the known problems, which are not reported."""

import hashlib
import json
import math
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Self

from pydantic import BaseModel, Field, ValidationError

from chunkers import Chunking, Document, InputError
from chunkers.files.json_and_table_files import parse_json_file_bytes
from chunkers.support import first_field_and_error, short_repr
from chunkers.text import run_parser_in_reader_process
from evaluation.checking.problems import BOUNDARIES_RULE, RETRIEVAL_RULE, Check, CheckedDocument, Problem
from evaluation.questions import Corpus, Question, TokenRuler
from evaluation.retrieval import evaluate_retrieval, mean_and_deviation
from evaluation.search import cut_and_index_corpus
from evaluation.segmentation import HIGHER_IS_BETTER, MarkedDocument, score_chunking

TOLERATED_SCORE_LOSS = 0.01
"""Tolerated loss in a score: embeddings differ in their last digits between machines, so a close cut may move."""

LONGEST_BASELINE = 10_000
"""Maximum number of characters of a baseline's JSON."""

TOP_K = 5
"""Chunks that each question retrieves."""

BASELINE_SCORE_DIRECTIONS: Mapping[str, Mapping[str, bool]] = {
    BOUNDARIES_RULE: {name: HIGHER_IS_BETTER[name] for name in ("pk", "window_diff", "f1", "boundary_similarity")},
    RETRIEVAL_RULE: dict.fromkeys(("recall", "precision", "iou"), True),
}
"""The scores of each kind that a baseline has, and whether more is better."""

ScoresByKind = Mapping[str, Mapping[str, float]]
"""The scores of each kind by name; a kind that was not measured, or a score that is undefined, is left out."""


class Baseline(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Minimum scores that a check requires, as stored in a baseline file.

    ``documents`` is a hash that identifies the texts, their known boundaries and the questions, since scores on others
    cannot be compared.
    """

    seamark_baseline: Literal[1] = 1
    documents: str = Field(max_length=64)
    scores: dict[Literal["boundaries", "retrieval"], dict[str, float]]

    @classmethod
    def parse_baseline_file(cls, file_bytes: bytes, name: str) -> Self:
        """Return the baseline stored in a file, which is parsed in a separate process.

        Raises
        ------
        InputError
            If the file is not a baseline; the message names the position of the error.
        """
        (baseline_json_value,) = run_parser_in_reader_process(
            parse_json_file_bytes, file_bytes, name, max_json_characters=LONGEST_BASELINE
        )
        try:
            validated_baseline = cls.model_validate(baseline_json_value)
        except ValidationError as error:
            faulty_field_path, first_error_detail = first_field_and_error(error, "the file")
            raise InputError(
                f"{name}: the baseline must be in the format that --write-baseline writes; {faulty_field_path} is invalid: "
                f"{first_error_detail['msg']}."
            ) from error
        for score_kind, scores_of_kind in validated_baseline.scores.items():
            for score_name in scores_of_kind:
                if score_name not in BASELINE_SCORE_DIRECTIONS[score_kind]:
                    raise InputError(
                        f"{name}: a score of {score_kind} must be one of "
                        f"{', '.join(BASELINE_SCORE_DIRECTIONS[score_kind])}; got {score_name!r}."
                    )
        return validated_baseline

    def to_json_text(self) -> str:
        """Return the baseline as indented JSON that ends with a line break."""
        return self.model_dump_json(indent=2) + "\n"

    def worse_score_messages(self, scores: ScoresByKind, tolerance: float) -> Iterator[tuple[str, str]]:
        """Yield a message for each score that is undefined or worse than the baseline by more than ``tolerance``.

        Each message comes with the kind of the score.
        """
        for score_kind, baseline_values in self.scores.items():
            for score_name, baseline_value in baseline_values.items():
                score_value = scores.get(score_kind, {}).get(score_name)
                more_is_better = BASELINE_SCORE_DIRECTIONS[score_kind][score_name]
                if score_value is None:
                    yield score_kind, f"{score_name} is undefined now; the baseline has {baseline_value:.4f}."
                elif (baseline_value - score_value if more_is_better else score_value - baseline_value) > tolerance:
                    yield (
                        score_kind,
                        f"{score_name} must be {'at least' if more_is_better else 'at most'} {baseline_value:.4f}, "
                        f"give or take {tolerance:g}; it is {score_value:.4f}.",
                    )


def documents_and_questions_hash(
    marked_documents: Sequence[MarkedDocument], documents: Sequence[Document], questions: Sequence[Question]
) -> str:
    """Return a hash of the texts with known boundaries and of the corpus with its questions."""
    hashed_texts_and_questions = [
        [[marked_text.document.text, list(marked_text.known)] for marked_text in marked_documents],
        [document.text for document in documents] if questions else [],
        [[question.text, [[part.document, list(part.span)] for part in question.excerpts]] for question in questions],
    ]
    return hashlib.sha256(json.dumps(hashed_texts_and_questions).encode("utf-8", "surrogatepass")).hexdigest()


def mean_boundary_scores(marked_documents_with_chunkings: Sequence[tuple[MarkedDocument, Chunking]]) -> dict[str, float]:
    """Return the mean of each boundary score over all documents with known boundaries, ignoring undefined values."""
    scores_of_each_document = [score_chunking(marked, chunking) for marked, chunking in marked_documents_with_chunkings]
    defined_values_by_score = {
        name: [value for row in scores_of_each_document if (value := row[name].value) is not None]
        for name in BASELINE_SCORE_DIRECTIONS[BOUNDARIES_RULE]
    }
    return {name: statistics.fmean(values) for name, values in defined_values_by_score.items() if values}


def mean_retrieval_scores(corpus: Corpus, questions: Sequence[Question], check_settings: Check) -> dict[str, float]:
    """Return the mean of each retrieval score of the `TOP_K` chunks, measured in tokens, over all questions.

    Raises
    ------
    InputError
        If a text cannot be embedded.
    """
    searchable_chunks = cut_and_index_corpus(
        corpus, check_settings.chunker, check_settings.tools, check_settings.embedded_as
    )
    corpus_token_ruler = TokenRuler(corpus.joined_document.text, check_settings.tools.tokenizer)
    retrieval_evaluation = evaluate_retrieval(searchable_chunks, questions, check_settings.tools, corpus_token_ruler, TOP_K)
    means_with_deviations = {
        name: mean_and_deviation(retrieval_evaluation.values(name, "tokens"))
        for name in BASELINE_SCORE_DIRECTIONS[RETRIEVAL_RULE]
    }
    return {name: mean[0] for name, mean in means_with_deviations.items() if mean is not None and math.isfinite(mean[0])}


# Known problems, in a file next to the documents, so that a check reports only new ones.


_LONGEST_SHOWN_IDENTITY = 60
_PASSAGE_HASH_DIGITS = 16


class KnownProblem(BaseModel, frozen=True, extra="forbid"):
    """Known problem to ignore: its rule, a hash of its passage, and the beginning of the passage for human readers."""

    rule: str = Field(max_length=64)
    passage: str = Field(max_length=64)
    text: str = Field("", max_length=1_000)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the entry that recognises a problem even after its line number or measured values have changed."""
        passage_or_message_line = " ".join(problem.identity.split())
        shortened_passage_or_message = (
            passage_or_message_line
            if len(passage_or_message_line) <= _LONGEST_SHOWN_IDENTITY
            else passage_or_message_line[: _LONGEST_SHOWN_IDENTITY - 1] + "…"
        )
        digest = hashlib.sha256(problem.identity.encode("utf-8", "surrogatepass")).hexdigest()[:_PASSAGE_HASH_DIGITS]
        return cls(rule=problem.rule, passage=digest, text=shortened_passage_or_message.encode("utf-8", "replace").decode())


class KnownProblems(BaseModel, frozen=True, extra="forbid"):
    """List of known problems that a check ignores, by file name."""

    seamark_known: Literal[1] = 1
    files: dict[str, list[KnownProblem]]

    @classmethod
    def parse_known_problems(cls, data: bytes, name: str) -> Self:
        """Return the known problems listed in a file of JSON.

        Raises
        ------
        InputError
            If the file is not a list of known problems; the message names the position of the error.
        """
        try:
            return cls.model_validate_json(data.decode("utf-8-sig", "replace"))
        except ValidationError as error:
            faulty_field_path, first_error_detail = first_field_and_error(error, "the file")
            raise InputError(
                f"{name}: known problems must be in the format that --write-known writes; {short_repr(faulty_field_path)} "
                f"is invalid: {first_error_detail['msg']}."
            ) from error

    @classmethod
    def from_checked_documents(cls, checked_documents: Sequence[CheckedDocument]) -> Self:
        """Return a list of known problems with every problem in these documents that no comment ignores."""
        return cls(
            files={
                _name_relative_to_working_folder(checked.file): problems
                for checked in checked_documents
                if (problems := _entries_of_unignored_problems(checked))
            }
        )

    def to_json(self) -> str:
        """Return the known problems as JSON, with one problem per line for readable diffs."""
        json_file_entries = []
        for file_name, problems_of_file in sorted(self.files.items()):
            problem_json_lines = ",\n".join(
                f"      {json.dumps(problem.model_dump(), ensure_ascii=False)}" for problem in problems_of_file
            )
            json_file_entries.append(f"    {json.dumps(file_name, ensure_ascii=False)}: [\n{problem_json_lines}\n    ]")
        joined_json_file_entries = ",\n".join(json_file_entries)
        return f'{{\n  "seamark_known": 1,\n  "files": {{\n{joined_json_file_entries}\n  }}\n}}\n'

    def copy_with_known_problems_marked(self, checked_document: CheckedDocument) -> CheckedDocument:
        """Return a copy of a document's check in which known problems are marked.

        Each entry of the list covers one problem.
        """
        remaining_count_by_problem = Counter(
            (known.rule, known.passage)
            for known in self.files.get(_name_relative_to_working_folder(checked_document.file), ())
        )
        problems_with_known_marked = []
        for problem in checked_document.problems:
            problem_as_known_entry = KnownProblem.of(problem)
            is_known = (
                not problem.suppression_reason
                and remaining_count_by_problem[problem_as_known_entry.rule, problem_as_known_entry.passage] > 0
            )
            remaining_count_by_problem[problem_as_known_entry.rule, problem_as_known_entry.passage] -= is_known
            problems_with_known_marked.append(replace(problem, suppression_reason="known") if is_known else problem)
        return replace(checked_document, problems=tuple(problems_with_known_marked))

    def count_problems_gone(self, checked_documents: Sequence[CheckedDocument]) -> int:
        """Return the number of known problems that no longer occur in these documents."""
        successfully_cut_documents = [checked for checked in checked_documents if checked.chunking is not None]
        listed_known_problem_count = sum(
            len(self.files.get(_name_relative_to_working_folder(checked.file), ())) for checked in successfully_cut_documents
        )
        return listed_known_problem_count - sum(
            problem.suppression_reason == "known"
            for checked in successfully_cut_documents
            for problem in self.copy_with_known_problems_marked(checked).problems
        )


def _entries_of_unignored_problems(checked_document: CheckedDocument) -> list[KnownProblem]:
    return [KnownProblem.of(problem) for problem in checked_document.problems if problem.suppression_reason != "ignored"]


def _name_relative_to_working_folder(file: str) -> str:
    """Return a file's name as the list has it: from the working folder, where the check runs, however it was given."""
    return os.path.relpath(file).replace(os.sep, "/")
