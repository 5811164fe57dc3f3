"""The second step of ``diff``: the questions that a change of chunkers wins and loses, on the documents with an answer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkers import InputError, load_tokenizer
from chunkers.commands.arguments import file_bytes, one_line, say
from chunkers.storage.cache import EmbeddingCache
from evaluation.changes.changed_chunks import dollar_words, dollars_for
from evaluation.changes.won_questions import WonAndLost, recalls, tokens_to_embed
from evaluation.commands.budgets import budgets_of, difference_as_json
from evaluation.commands.corpus_documents import documents_of
from evaluation.commands.retrieval import Column, corpus_of, end_progress, indexes
from evaluation.questions.corpus import Ruler
from evaluation.questions.excerpts import Excerpt
from evaluation.questions.reading import Question, read_questions
from evaluation.retrieval.measures import mean_and_deviation


@dataclass(frozen=True, eq=False)
class QuestionChanges:
    """Questions won and lost, with the number of documents that were searched."""

    questions: tuple[Question, ...]
    documents: int
    changes: WonAndLost

    @classmethod
    def measured(cls, options: argparse.Namespace, columns: Sequence[Column], cache: EmbeddingCache) -> QuestionChanges:
        """Measure the questions on both sides as ``seamark retrieval`` does, after an estimate of what is embedded.

        Raises
        ------
        InputError
            If no question is usable.
        """
        texts = []
        for document_name, file in documents_of(options.corpus, options.encoding):
            if isinstance(file, InputError):
                say(f"{file} The document is left out.")
            else:
                texts.append((document_name, file))
        name = options.questions.name
        read = read_questions(file_bytes(str(options.questions)), name, corpus_of(texts, "lines", options.exact_ends))
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
        say(
            f"{len(questions):,} questions on {len(numbers):,} of {len(texts):,} documents. "
            f"{_estimate(options, columns, [file.text for _, file in answering])}"
        )
        budgets = budgets_of(options)
        ruler = Ruler(
            corpus_of(answering, "lines", options.exact_ends).whole.text, load_tokenizer(columns[1].recipe.tokenizer)
        )
        sides = []
        for _, _, index, tools, _ in indexes(options, columns, answering, cache):
            sides.append(recalls(index, questions, tools, ruler, options.top_k, budgets))
            end_progress()
        return cls(questions, len(numbers), WonAndLost(*sides))

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values."""
        changes = self.changes
        sides = changes.before, changes.after
        return {
            "documents": self.documents,
            "questions": [question.text for question in self.questions],
            "at": [
                {
                    "amount": amount,
                    "recall": [[None if np.isnan(recall) else recall for recall in side[amount].tolist()] for side in sides],
                    "won": changes.changed(amount)[0],
                    "lost": changes.changed(amount)[1],
                    "difference": difference_as_json(difference),
                }
                for amount, difference in changes.differences().items()
            ],
        }

    def words(self, most: int) -> str:
        """Return the result in words, with at most ``most`` of the questions won and lost."""
        changes = self.changes
        lines = []
        for amount, difference in changes.differences().items():
            won, lost = changes.changed(amount)
            means = (mean_and_deviation(side[amount]) for side in (changes.before, changes.after))
            phrase = " to ".join("undefined" if mean is None else f"{100 * mean[0]:.1f}" for mean in means)
            verdict = "Too few questions for an interval." if difference is None else difference.words("B", "A", "recall")
            lines.append(f"Recall at {amount}: {phrase}; {len(won):,} questions won, {len(lost):,} lost. {verdict}")
        first = next(iter(changes.before))
        for what, numbers in zip(("won", "lost"), changes.changed(first), strict=True):
            lines += [f"  {what} at {first}: {one_line(self.questions[number].text)}" for number in numbers[:most]]
            if len(numbers) > most:
                lines.append(f"  {what}: and {len(numbers) - most:,} more")
        return "\n".join(lines)


def _estimate(options: argparse.Namespace, columns: Sequence[Column], texts: Sequence[str]) -> str:
    """Return a sentence on the tokens that both sides embed: of their chunks, and of texts that a chunker compares."""
    tokens = sum(
        tokens_to_embed(
            int(sum(load_tokenizer(recipe.tokenizer).count(texts))),
            chunker,
            options.search,
            options.embedded_as or recipe.embedded_as,
        )
        for _, recipe, chunker in columns
    )
    dollars = dollars_for(tokens, options.price)
    cost = "" if dollars is None else f", {dollar_words(dollars)}"
    cached = "" if options.cache is None else ", less what the cache has"
    return f"About {tokens:,} tokens are embedded for both sides{cost}{cached}."
