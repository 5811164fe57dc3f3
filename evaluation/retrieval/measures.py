"""How well the chunks that a question finds hold its excerpts: recall, precision, IoU and precision_Ω.

Source: Chroma's technical report (2024) and its code. Ranges are measured in characters, as that code does, and in tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from chunkers import Span, Tools
from evaluation.retrieval.corpus import Corpus, Ruler
from evaluation.retrieval.found_documents import AT, document_scores, evidence_scores
from evaluation.retrieval.index import Index, Search, search
from evaluation.retrieval.questions import Question
from evaluation.retrieval.ranges import characters, intersection, union
from evaluation.segmentation.measures import Score

MEASURES = ("recall", "precision", "precision_omega", "iou")
"""The measures of a question; more is better in all of them."""

_NO_EXCERPT = "the question has no excerpt"

Length = Callable[[Sequence[tuple[int, int]]], float]


def found_scores(excerpts: Sequence[Span], retrieved: Sequence[Span], length: Length) -> dict[str, Score]:
    """Return recall, precision and IoU of the ranges that were retrieved.

    With t_e the excerpts, t_r what was retrieved, h what is in both: recall = |h| / |t_e|, precision = |h| / |t_r|, IoU =
    |h| / (|t_r| + |t_e| - |h|). In |t_r| text counts as often as it was retrieved; elsewhere once.
    """
    wanted = length(union(excerpts))
    if not wanted:
        return dict.fromkeys(("recall", "precision", "iou"), Score.without(_NO_EXCERPT))
    hit = length(intersection(excerpts, retrieved))
    given = length(retrieved)
    precision = Score(hit / given) if given else Score.without("nothing was retrieved")
    return {"recall": Score(hit / wanted), "precision": precision, "iou": Score(hit / (given + wanted - hit))}


def precision_omega(excerpts: Sequence[Span], chunks: Iterable[Sequence[Span]], length: Length) -> Score:
    """Return the IoU of the excerpts and all ``chunks`` that touch one, text that several of them share counted once."""
    wanted = length(union(excerpts))
    if not wanted:
        return Score.without(_NO_EXCERPT)
    held = union(span for chunk in chunks if intersection(excerpts, chunk) for span in chunk)
    hit = length(intersection(excerpts, held))
    return Score(hit / (length(held) + wanted - hit))


@dataclass(frozen=True)
class Answer:
    """What one question found.

    Attributes
    ----------
    ranked
        Numbers of the chunks, best first: as many as were searched for, the top k and more.
    characters, tokens
        The measures of the top k, by name.
    documents, evidence
        Recall, precision and F1 at each number of chunks, by name.
    """

    question: Question
    ranked: tuple[int, ...]
    characters: Mapping[str, Score]
    tokens: Mapping[str, Score]
    documents: dict[int, dict[str, Score]]
    evidence: dict[int, dict[str, Score]]


@dataclass(frozen=True)
class Evaluation:
    """What all questions found, measured over the first ``top_k`` chunks of each."""

    search: Search
    answers: tuple[Answer, ...]
    top_k: int

    @property
    def index(self) -> Index:
        """What was searched."""
        return self.search.index

    def values(self, measure: str, unit: str = "characters") -> npt.NDArray[np.float64]:
        """Return a measure of every question, shape (questions,), NaN where it is undefined."""
        scores = [getattr(answer, unit)[measure].value for answer in self.answers]
        return np.array([np.nan if value is None else value for value in scores], dtype=np.float64)

    def retrieved_size(self, length: Length) -> float:
        """Return the mean length of what a question retrieves; what overlaps counts as often as it was retrieved."""
        sizes = [
            length([span for number in answer.ranked[: self.top_k] for span in self.index.chunks[number]])
            for answer in self.answers
        ]
        return float(np.mean(sizes)) if sizes else 0.0

    def over(self, top_k: int, ruler: Ruler) -> Evaluation:
        """Measure over another number of chunks; what does not depend on it stays, as it costs most."""
        index = self.index
        answers = []
        for answer in self.answers:
            excerpts = _on_axis(index.corpus, answer.question)
            retrieved = [span for number in answer.ranked[:top_k] for span in index.chunks[number]]
            answers.append(
                replace(
                    answer,
                    characters={**answer.characters, **found_scores(excerpts, retrieved, characters)},
                    tokens={**answer.tokens, **found_scores(excerpts, retrieved, ruler)},
                )
            )
        return Evaluation(self.search, tuple(answers), top_k)

    def at_k(self, what: Literal["documents", "evidence"]) -> dict[int, dict[str, Score]]:
        """Return mean recall, precision and F1 of the ``documents`` or the ``evidence`` at every number of chunks."""
        found = [getattr(answer, what) for answer in self.answers]
        return {k: {name: _mean_of([one[k][name] for one in found]) for name in ("recall", "precision", "f1")} for k in AT}


def evaluate(index: Index, questions: Sequence[Question], tools: Tools, ruler: Ruler, top_k: int = 5) -> Evaluation:
    """Search the index for every question and measure what comes back; raises as `Tools.embed` does."""
    return measure(search(index, questions, tools, max(top_k, *AT)), ruler, top_k)


def measure(found: Search, ruler: Ruler, top_k: int = 5) -> Evaluation:
    """Measure what a search found; it must have gone as deep as ``top_k`` and the greatest of `AT`."""
    answers = tuple(
        _answer(found.index, question, row, top_k, ruler)
        for question, row in zip(found.questions, found.ranked.tolist(), strict=True)
    )
    return Evaluation(found, answers, top_k)


def _answer(index: Index, question: Question, ranked: Sequence[int], top_k: int, ruler: Ruler) -> Answer:
    corpus = index.corpus
    excerpts = _on_axis(corpus, question)
    chunks = [index.chunks[number] for number in ranked]
    retrieved = [span for chunk in chunks[:top_k] for span in chunk]
    near = index.near(excerpts)

    def scores(length: Length) -> dict[str, Score]:
        return found_scores(excerpts, retrieved, length) | {"precision_omega": precision_omega(excerpts, near, length)}

    return Answer(
        question,
        tuple(ranked),
        scores(characters),
        scores(ruler),
        document_scores(corpus, excerpts, chunks),
        evidence_scores(corpus, excerpts, chunks),
    )


def _on_axis(corpus: Corpus, question: Question) -> list[Span]:
    return [corpus.on_axis(excerpt.document, excerpt.span) for excerpt in question.excerpts]


def _mean_of(scores: Sequence[Score]) -> Score:
    values = [score.value for score in scores if score.value is not None]
    return Score(float(np.mean(values))) if values else Score.without("it is undefined for every question")


def mean_and_deviation(values: npt.NDArray[np.float64]) -> tuple[float, float] | None:
    """Return mean and population standard deviation, undefined values left out; None where no value is left."""
    kept = values[~np.isnan(values)]
    return (float(kept.mean()), float(kept.std())) if len(kept) else None
