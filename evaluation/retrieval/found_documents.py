"""Recall, precision and F1 at k of the retrieved documents and of the sentences with evidence.

Source: Qu et al., sections on document retrieval and evidence retrieval.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set

from chunkers import Span
from evaluation.questions.corpus import Corpus
from evaluation.questions.ranges import union
from evaluation.segmentation.measures import Score

AT = (1, 3, 5, 10)
"""The values of k: numbers of chunks."""

SET_SCORES = ("recall", "precision", "f1")
"""The scores at each k."""

NO_EXCERPT = "the question has no excerpt"
NOTHING_RETRIEVED = "nothing was retrieved"
"""Why a score may be undefined."""


def set_scores(wanted: Set[int], retrieved: Set[int]) -> dict[str, Score]:
    """Return recall, precision and F1 of the retrieved items, measured against the wanted ones."""
    if not wanted:
        return dict.fromkeys(SET_SCORES, Score.without(NO_EXCERPT))
    hits = len(wanted & retrieved)
    precision = Score(hits / len(retrieved)) if retrieved else Score.without(NOTHING_RETRIEVED)
    return {
        "recall": Score(hits / len(wanted)),
        "precision": precision,
        "f1": Score(2 * hits / (len(wanted) + len(retrieved))),
    }


def documents_of(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the documents that overlap any of the spans, given in corpus-wide offsets."""
    return {corpus.document_at(start) for start, _ in spans}


def sentences_touched(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the sentences that overlap any of the spans, given in corpus-wide offsets."""
    sentences = corpus.whole.sentences
    ends = corpus.sentence_ends
    return {
        number
        for start, end in union(spans)
        for number in range(bisect_right(ends, start), bisect_left(corpus.whole.starts, end))
        if sentences[number].end > start
    }


def sentences_held(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the sentences of which the spans cover more than half.

    Some chunkers cut sentences. A chunk with only a few characters of a sentence does not count as retrieving the sentence.
    """
    held = union(spans)
    numbers = set()
    for number in sentences_touched(corpus, held):
        start, end = corpus.whole.sentences[number]
        # The ranges neither overlap nor touch, so their parts of a sentence add up.
        if 2 * sum(max(0, min(last, end) - max(first, start)) for first, last in held) > end - start:
            numbers.add(number)
    return numbers


def document_scores(
    corpus: Corpus, excerpts: Sequence[Span], ranked: Sequence[Sequence[Span]]
) -> dict[int, dict[str, Score]]:
    """Return recall, precision and F1 of the retrieved chunks' documents at each k of `AT`."""
    wanted = documents_of(corpus, excerpts)
    return {k: set_scores(wanted, documents_of(corpus, _first(ranked, k))) for k in AT}


def evidence_scores(
    corpus: Corpus, excerpts: Sequence[Span], ranked: Sequence[Sequence[Span]]
) -> dict[int, dict[str, Score]]:
    """Return recall, precision and F1 of the retrieved evidence sentences at each k of `AT`."""
    wanted = sentences_touched(corpus, excerpts)
    return {k: set_scores(wanted, sentences_held(corpus, _first(ranked, k))) for k in AT}


def _first(ranked: Sequence[Sequence[Span]], count: int) -> list[Span]:
    return [span for chunk in ranked[:count] for span in chunk]
