"""Questions won and lost between two columns, by recall, on the documents that have an answer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chunkers import InputError, load_tokenizer
from chunkers.commands.arguments import document_reader, file_bytes, is_folder, named_files, one_line, say
from chunkers.storage.cache import EmbeddingCache
from chunkers.support.arrays import FloatArray
from chunkers.text.reading import FileText
from evaluation.commands.budgets import budgets_of, difference_as_json
from evaluation.commands.retrieval import Column, corpus_of, end_progress, indexes, read_folder
from evaluation.questions.corpus import Ruler
from evaluation.questions.excerpts import Excerpt
from evaluation.questions.reading import Question, read_questions
from evaluation.retrieval.budget import evaluate_at
from evaluation.retrieval.measures import evaluate, mean_and_deviation
from evaluation.statistics.paired import Difference, compare_all


@dataclass(frozen=True, eq=False)
class WonAndLost:
    """Recall of each question on both sides, at the top k and at every budget.

    Attributes
    ----------
    recalls
        For each amount of text, such as ``k = 5``, the recalls of both sides, shape (2, questions).
    """

    questions: tuple[Question, ...]
    documents: int
    recalls: dict[str, FloatArray]

    @classmethod
    def measured(cls, options: argparse.Namespace, columns: Sequence[Column], cache: EmbeddingCache) -> WonAndLost:
        """Return the recalls of the questions on both sides, as ``seamark retrieval`` measures them.

        Raises
        ------
        InputError
            If no question is usable.
        """
        texts = _documents(options)
        whole = corpus_of(texts, "lines", options.exact_ends)
        name = options.questions.name
        read = read_questions(file_bytes(str(options.questions)), name, whole)
        for sentence in (*read.problems, *read.changes):
            say(sentence)
        read.needed(name)
        numbers = sorted({excerpt.document for question in read.usable for excerpt in question.excerpts})
        if not numbers:
            raise InputError(f"{name}: at least one question must have an excerpt; none has.")
        place = {number: at for at, number in enumerate(numbers)}
        questions = tuple(
            Question(question.text, tuple(Excerpt(place[number], span) for number, span in question.excerpts))
            for question in read.usable
        )
        answering = [texts[number] for number in numbers]
        length = sum(len(file.text) for _, file in answering)
        say(
            f"{len(questions):,} questions on {len(numbers):,} of {len(texts):,} documents, with {length:,} characters, "
            "which are cut and embedded for both sides."
        )
        return cls(questions, len(numbers), _recalls(options, columns, answering, questions, cache))

    def differences(self) -> dict[str, Difference | None]:
        """Return the difference of the mean recalls, B minus A, at each amount; None with too few questions."""
        rows = np.array([after - before for before, after in self.recalls.values()])
        return dict(zip(self.recalls, compare_all(rows), strict=True))

    def changed(self, amount: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the questions that B wins and of those that it loses, by recall."""
        before, after = self.recalls[amount]
        return [*np.flatnonzero(after > before + 1e-9).tolist()], [*np.flatnonzero(after < before - 1e-9).tolist()]

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values."""
        differences = self.differences()
        return {
            "documents": self.documents,
            "questions": [question.text for question in self.questions],
            "at": [
                {
                    "amount": amount,
                    "recall": [
                        [None if np.isnan(recall) else recall for recall in side] for side in self.recalls[amount].tolist()
                    ],
                    "won": self.changed(amount)[0],
                    "lost": self.changed(amount)[1],
                    "difference": difference_as_json(difference),
                }
                for amount, difference in differences.items()
            ],
        }

    def words(self, most: int) -> str:
        """Return the result in words, with at most ``most`` of the questions won and lost."""
        lines = []
        for amount, difference in self.differences().items():
            won, lost = self.changed(amount)
            means = (mean_and_deviation(side) for side in self.recalls[amount])
            phrase = " to ".join("undefined" if mean is None else f"{100 * mean[0]:.1f}" for mean in means)
            verdict = "Too few questions for an interval." if difference is None else difference.words("B", "A", "recall")
            lines.append(f"Recall at {amount}: {phrase}; {len(won):,} questions won, {len(lost):,} lost. {verdict}")
        first = next(iter(self.recalls))
        for what, numbers in zip(("won", "lost"), self.changed(first), strict=True):
            lines += [f"  {what} at {first}: {one_line(self.questions[number].text)}" for number in numbers[:most]]
            if len(numbers) > most:
                lines.append(f"  {what}: and {len(numbers) - most:,} more")
        return "\n".join(lines)


def _documents(options: argparse.Namespace) -> list[tuple[str, FileText]]:
    if is_folder(Path(options.corpus)):
        return read_folder(Path(options.corpus), options.encoding)
    read = document_reader(options.encoding)
    return [(name, read(file_bytes(path, name), name)) for path, name in named_files([options.corpus])]


def _recalls(
    options: argparse.Namespace,
    columns: Sequence[Column],
    texts: Sequence[tuple[str, FileText]],
    questions: Sequence[Question],
    cache: EmbeddingCache,
) -> dict[str, FloatArray]:
    """Return the recalls at each amount of text, in tokens of B's tokenizer."""
    budgets = budgets_of(options)
    tokenizer = load_tokenizer(columns[1].recipe.tokenizer)
    ruler = Ruler(corpus_of(texts, "lines", options.exact_ends).whole.text, tokenizer)
    recalls: dict[str, list[FloatArray]] = {}
    for _, _, index, tools in indexes(options, columns, texts, cache):
        at_k = evaluate(index, questions, tools, ruler, options.top_k)
        end_progress()
        unit = "tokens" if budgets is None else budgets.unit
        recalls.setdefault(f"k = {options.top_k:,}", []).append(at_k.values("recall", unit))
        if budgets is not None:
            at = evaluate_at(index, questions, tools, ruler, budgets)
            for size in budgets.sizes:
                recalls.setdefault(f"{size:,} {unit}", []).append(at.values("recall", size, unit))
    return {amount: np.array(values) for amount, values in recalls.items()}
