"""Tested changes that keep an answer whole where a column fails a question, at the same limit on what is retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from chunkers import Cancelled, Chunker, Chunking, InputError, Span, Tools
from chunkers.contract.base import run
from chunkers.results.embedded import EmbeddedAs, embedded_text
from chunkers.support.arrays import IntArray, VectorArray
from evaluation.asking.answer import chunks_holding, judge
from evaluation.asking.ask import Asked, Limit, Passages, ask, embed_question, embed_texts, prepare
from evaluation.asking.remedy_grid import Variation, variations
from evaluation.retrieval.budget import Measuring
from evaluation.search.nearest import ROUNDING
from evaluation.search.ranking import Method
from evaluation.search.reranker import Reranker
from evaluation.segmentation.chunk_facts import against_known
from evaluation.segmentation.measures import cuts_of

WANTED = 3
"""Maximum number of remedies for one failure, each of another kind."""

_TEXTS_AT_ONCE = 16
"""Chunks that are embedded before it is asked again whether the answer is out of reach."""


class Posed(NamedTuple):
    """A question and the place of its answer."""

    question: str
    answer: Span


@dataclass(frozen=True, eq=False)
class Failure:
    """A column whose chunks do not give a question its answer whole.

    Attributes
    ----------
    posed
        The question that fails.
    others
        The other questions about the text, whose fates a remedy may change.
    known
        The known boundaries, in code points; None if the text has none.
    """

    chunker: Chunker
    chunking: Chunking
    posed: Posed
    method: Method
    limit: Limit
    embedded_as: EmbeddedAs = "plain"
    others: tuple[Posed, ...] = ()
    known: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting of the grid, cut.

    Attributes
    ----------
    chunking
        None if no chunk has all of the answer, or the text is not cut at all.
    changed
        Number of places where a chunk begins or ends in one result and not in the other.
    """

    variation: Variation
    chunking: Chunking | None
    changed: int


@dataclass(frozen=True)
class Remedy:
    """A setting whose retrieved chunks have the answer whole.

    Attributes
    ----------
    changed
        As in `Trial`.
    chunks, tokens
        The number of its chunks, and the median of their tokens.
    others, won, lost
        The number of other questions; those whose answer becomes whole; those whose answer no longer is.
    marks
        Known boundaries found before, found now, and all of them; None if the text has none.
    """

    variation: Variation
    changed: int
    chunks: int
    tokens: float
    others: int
    won: int
    lost: int
    marks: tuple[int, int, int] | None


def trials(failure: Failure, tools: Tools) -> list[Trial]:
    """Cut the text by every setting of the grid that needs no embedding beyond the cached ones.

    The order is that of the least change: the fewest changed cuts first, of equals in the order of the grid.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    """
    document, answer = failure.chunking.document, failure.posed.answer
    grid = variations(failure.chunker, tools.embedder)
    cached = replace(tools, cached_only=True, deciding=lambda done, total: None)
    before = _edges(failure.chunking)
    found = []
    for number, variation in enumerate(grid):
        tools.decided(number, len(grid))
        try:
            chunking = run(variation.chunker, document, cached)
        except (Cancelled, InputError):
            # The next step raises it again if it was the user who asked to stop.
            continue
        spans = [chunk.spans for chunk in chunking.chunks]
        holds = len(spans) > 1 and chunks_holding(document.text, spans, answer)
        found.append(Trial(variation, chunking if holds else None, len(before ^ _edges(chunking))))
    return sorted(found, key=lambda trial: trial.changed)


def _edges(chunking: Chunking) -> set[tuple[bool, int]]:
    """Return the places where spans begin and where they end."""
    return {
        (ends, place)
        for chunk in chunking.chunks
        for span in chunk.spans
        for ends, place in ((False, span.start), (True, span.end))
    }


def remedies(
    failure: Failure, tried: Sequence[Trial], tools: Tools, ruler: Measuring, reranker: Reranker | None = None
) -> Iterator[Remedy]:
    """Yield up to `WANTED` remedies of different kinds, least change first; of each kind that of the least change.

    The page's verdict decides: the answer is whole in a chunk that is retrieved within the failure's limit. If the limit is
    a number of chunks, the answer must also be whole within the tokens that the column retrieves now, so that larger chunks
    alone do not win. A text without a cut is no remedy. Chunks are embedded only as far as the verdict needs them.

    Parameters
    ----------
    tried
        The result of `trials`.
    ruler
        Counts the tokens of ranges of the text.

    Raises
    ------
    ChunkingError
        As `Tools.embed` does.
    Cancelled
        If the user asked to stop.
    """
    questions = _Questions(failure, tools, ruler, reranker)
    kinds: set[str] = set()
    for trial in tried:
        if trial.chunking is None or trial.variation.kind in kinds:
            continue
        if tools.cancelled():
            raise Cancelled
        if questions.is_out_of_reach(trial.chunking):
            continue
        passages = questions.prepared(trial.chunking)
        if not questions.is_whole(passages, failure.posed):
            continue
        kinds.add(trial.variation.kind)
        yield _remedy(failure, trial, trial.chunking, questions, passages)
        if len(kinds) == WANTED:
            return


def _remedy(failure: Failure, trial: Trial, chunking: Chunking, questions: _Questions, passages: Passages) -> Remedy:
    before = [questions.was_whole(other) for other in failure.others]
    after = [questions.is_whole(passages, other) for other in failure.others]
    pairs = [*zip(before, after, strict=True)]
    marks = None
    if failure.known:
        found = [against_known(cuts_of(one), failure.known)[0] for one in (failure.chunking, chunking)]
        marks = (found[0], found[1], len(failure.known))
    return Remedy(
        trial.variation,
        trial.changed,
        len(chunking.chunks),
        float(np.median(_lengths(passages.spans, questions.ruler))),
        len(pairs),
        pairs.count((False, True)),
        pairs.count((True, False)),
        marks,
    )


class _Questions:
    """The questions about a text, asked of the column and of other chunks of the same text."""

    def __init__(self, failure: Failure, tools: Tools, ruler: Measuring, reranker: Reranker | None) -> None:
        self.failure, self.tools, self.ruler, self.reranker = failure, tools, ruler, reranker
        self._column = self.prepared(failure.chunking)
        self._vectors: dict[str, VectorArray | None] = {}
        self._asked: dict[Posed, Asked] = {}
        vector = self._vector(failure.posed.question)
        self._scores: dict[str, float] = {}
        """Cosine of the failing question and each text embedded so far."""
        if vector is not None and self._column.vectors is not None:
            self._scores.update(zip(self._column.texts, (self._column.vectors @ vector).tolist(), strict=True))
        self._column_scores = np.array([self._scores.get(text, -1.0) for text in self._column.texts])
        self._starts = np.array([spans[0].start for spans in self._column.spans])
        self._ends = np.array([spans[-1].end for spans in self._column.spans])

    def prepared(self, chunking: Chunking) -> Passages:
        return prepare(chunking, self.tools, self.failure.method, self.failure.embedded_as)

    def _vector(self, question: str) -> VectorArray | None:
        if question not in self._vectors:
            embeds = self.failure.method != "bm25" and self.tools.embedder is not None
            self._vectors[question] = embed_question(self.failure.chunking, self.tools, question) if embeds else None
        return self._vectors[question]

    def _ask(self, passages: Passages, question: str, limit: Limit) -> Asked:
        return ask(passages, question, self._vector(question), self.failure.method, limit, self.ruler, self.reranker)

    def _now(self, posed: Posed) -> Asked:
        """Return the chunks that the column retrieves for a question."""
        if posed not in self._asked:
            self._asked[posed] = self._ask(self._column, posed.question, self.failure.limit)
        return self._asked[posed]

    def was_whole(self, posed: Posed) -> bool:
        """Return whether the column retrieves an answer whole."""
        return judge(self._now(posed), posed.answer).fate == "whole"

    def is_whole(self, passages: Passages, posed: Posed) -> bool:
        """Return whether other chunks give an answer whole within the limit and the tokens that the column retrieves now."""
        limit = self.failure.limit
        if judge(self._ask(passages, posed.question, limit), posed.answer).fate != "whole":
            return False
        if limit.top is None:
            return True
        tokens = self._now(posed).tokens
        return tokens > 0 and judge(self._ask(passages, posed.question, Limit(tokens=tokens)), posed.answer).fate == "whole"

    def is_out_of_reach(self, chunking: Chunking) -> bool:
        """Return whether the chunks that rank above the answer's leave no room for it; embed no more than it takes to know.

        The most promising chunks are embedded first: those where the column's chunks are most like the question. False where
        something else than the cosine alone decides on the rank.
        """
        failure, ruler = self.failure, self.ruler
        if failure.method != "embedding" or self.tools.embedder is None or self.reranker is not None:
            return False
        document, answer = chunking.document, failure.posed.answer
        spans = [chunk.spans for chunk in chunking.chunks]
        texts = [embedded_text(document, chunk, failure.embedded_as) for chunk in chunking.chunks]
        holding = chunks_holding(document.text, spans, answer)
        budget = failure.limit.tokens or self._now(failure.posed).tokens
        room = budget - min(ruler(_until(spans[chunk], answer.end)) for chunk in holding)
        self._embed(chunking, [texts[chunk] for chunk in holding])
        best = max(self._scores[texts[chunk]] for chunk in holding) + ROUNDING
        lengths = _lengths(spans, ruler)
        promises = {text: self._promise(one) for text, one in zip(texts, spans, strict=True) if text not in self._scores}
        missing = sorted(promises, key=promises.__getitem__, reverse=True)
        while True:
            above = np.array([self._scores.get(text, -np.inf) > best for text in texts])
            if lengths[above].sum() > room or (failure.limit.top is not None and above.sum() >= failure.limit.top):
                return True
            if not missing:
                return False
            self._embed(chunking, missing[:_TEXTS_AT_ONCE])
            del missing[:_TEXTS_AT_ONCE]

    def _embed(self, chunking: Chunking, texts: Sequence[str]) -> None:
        vector = self._vector(self.failure.posed.question)
        missing = [*dict.fromkeys(text for text in texts if text not in self._scores)]
        if missing:
            assert vector is not None
            scores = embed_texts(chunking, self.tools, missing) @ vector
            self._scores.update(zip(missing, scores.tolist(), strict=True))

    def _promise(self, spans: Sequence[Span]) -> float:
        """Return the score of the most similar chunk of the column that overlaps a chunk."""
        overlapping = (self._starts < spans[-1].end) & (self._ends > spans[0].start)
        return float(np.max(self._column_scores, where=overlapping, initial=-1.0))


def _until(spans: Sequence[Span], end: int) -> list[Span]:
    """Return the beginning of a chunk up to a place of the text."""
    return [Span(span.start, min(span.end, end)) for span in spans if span.start < end]


def _lengths(chunks: Sequence[Sequence[Span]], ruler: Measuring) -> IntArray:
    """Return the tokens of every chunk, shape (chunks,)."""
    firsts = np.cumsum([0, *(len(spans) for spans in chunks)])[:-1]
    return np.asarray(np.add.reduceat(ruler.each([span for spans in chunks for span in spans]), firsts))
