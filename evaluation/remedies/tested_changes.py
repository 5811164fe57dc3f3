"""The smallest tested changes that keep an answer whole where a column fails a question, or that remove a finding."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from chunkers import Chunking, Span, Tools
from chunkers.contract import run_and_time_chunker
from chunkers.results import embedded_text
from evaluation.findings.examined_chunking import DEFAULT_NARROW_MARGIN
from evaluation.findings.rules import FEWEST_VALUES_FOR_QUARTILES, RULES, Finding, find_suspicious_cuts
from evaluation.questions import AnyRuler
from evaluation.remedies.settings_search import (
    ProblemColumn,
    QuestionRetrieval,
    Remedy,
    Trial,
    run_trial_of_every_variation,
    yield_smallest_solution_per_kind,
)
from evaluation.retrieval import chunk_lengths, whole_answer_chunk_numbers
from evaluation.retrieval.asked_question import PosedQuestion
from evaluation.search import PRODUCT_TOLERANCE, PreparedQuestions, Reranker, embed_texts

# Changes that keep an answer whole, at the same limit on what is retrieved.


_TEXTS_AT_ONCE = 16
"""Chunks that are embedded before it is asked again whether the answer is out of reach."""


@dataclass(frozen=True, eq=False)
class FailingColumn(ProblemColumn):
    """Chunker's result from which retrieval does not return the whole answer to a question.

    Attributes
    ----------
    posed
        The question that fails, which is not among ``other_questions``.
    """

    posed: PosedQuestion = field(kw_only=True)


def try_settings_leaving_answer_uncut(failing_column: FailingColumn, tools: Tools) -> list[Trial[Chunking]]:
    """Cut the text with every alternative setting; keep the results in which one chunk contains the whole answer."""
    document_text, answer_span = failing_column.chunking.document.text, failing_column.posed.answer

    def chunking_if_answer_whole(chunking: Chunking) -> Chunking | None:
        return (
            chunking
            if whole_answer_chunk_numbers(document_text, [chunk.spans for chunk in chunking.chunks], answer_span)
            else None
        )

    return run_trial_of_every_variation(failing_column, tools, chunking_if_answer_whole)


def remedies_for_answer(
    failing_column: FailingColumn,
    trials: Sequence[Trial[Chunking]],
    tools: Tools,
    ruler: AnyRuler,
    reranker: Reranker | None = None,
) -> Iterator[Remedy]:
    """Yield the smallest setting changes that make retrieval return the whole answer, one of each kind.

    There are at most `MOST_REMEDIES` of them.

    The criterion is that of the page: a chunk retrieved within the failure's limit contains the whole answer. If the limit
    is a number of chunks, the answer must also be whole within the number of tokens retrieved now, so that larger chunks
    have no advantage. A text without cuts is no remedy. Only chunks that the decision requires are embedded.

    Parameters
    ----------
    trials
        The result of `try_settings_leaving_answer_uncut`.
    ruler
        Counts the tokens of ranges of the text.

    Raises
    ------
    ModelError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    question_retrieval = QuestionRetrieval(failing_column, tools, ruler, reranker)
    answer_reachability_test = _Reach(failing_column, question_retrieval)

    def retrieves_whole_answer(chunking: Chunking) -> bool:
        return not answer_reachability_test.is_answer_unretrievable_with_chunking(chunking) and question_retrieval.is_whole(
            question_retrieval.index_chunks(chunking), failing_column.posed
        )

    for trial, trial_chunking in yield_smallest_solution_per_kind(trials, retrieves_whole_answer, tools):
        yield question_retrieval.build_remedy_with_side_effects(trial, trial_chunking)


class _Reach:
    """Tells whether other chunks rank above the answer's and leave no room for it."""

    def __init__(self, failing_column: FailingColumn, question_retrieval: QuestionRetrieval) -> None:
        self.failure, self.questions = failing_column, question_retrieval
        search_index = question_retrieval.current_search_index
        (self._question_vector,) = PreparedQuestions.of(
            search_index, [failing_column.posed.question], question_retrieval.tools
        ).vectors
        current_chunk_similarities = search_index.vectors @ self._question_vector
        self._score_by_text: dict[str, float] = dict(
            zip(search_index.texts, current_chunk_similarities.tolist(), strict=True)
        )
        """Cosine of the failing question and each text embedded so far."""
        self._column_scores = np.array([self._score_by_text[text] for text in search_index.texts])
        self._starts, self._ends = search_index.edges.T

    def is_answer_unretrievable_with_chunking(self, chunking: Chunking) -> bool:
        """Return whether retrieval certainly returns no alternative chunk with the whole answer.

        As few chunks as possible are embedded: first those that overlap the current chunks most similar to the question. The
        result is False if the ranking does not depend on the cosine alone.
        """
        failing_column, ruler = self.failure, self.questions.ruler
        if (
            failing_column.method != "embedding"
            or self.questions.tools.embedder is None
            or self.questions.reranker is not None
        ):
            return False
        if failing_column.embedded_as == "late":
            # Equal texts have other vectors at other places.
            return False
        document, answer_span = chunking.document, failing_column.posed.answer
        alternative_chunk_spans = [chunk.spans for chunk in chunking.chunks]
        embedded_texts = [embedded_text(document, chunk, failing_column.embedded_as) for chunk in chunking.chunks]
        answer_chunk_numbers = whole_answer_chunk_numbers(document.text, alternative_chunk_spans, answer_span)
        retrieval_token_budget = failing_column.limit.budget or self.questions.current_retrieval(failing_column.posed).tokens
        tokens_left_beside_answer = retrieval_token_budget - min(
            ruler(_spans_up_to_offset(alternative_chunk_spans[chunk], answer_span.end)) for chunk in answer_chunk_numbers
        )
        self._cache_similarity_scores(chunking, [embedded_texts[chunk] for chunk in answer_chunk_numbers])
        best_answer_chunk_score = (
            max(self._score_by_text[embedded_texts[chunk]] for chunk in answer_chunk_numbers) + PRODUCT_TOLERANCE
        )
        chunk_token_counts = chunk_lengths(alternative_chunk_spans, ruler)
        expected_score_by_text = {
            text: self._best_score_overlapping_given_chunk(chunk_spans)
            for text, chunk_spans in zip(embedded_texts, alternative_chunk_spans, strict=True)
            if text not in self._score_by_text
        }
        unscored_texts_likeliest_first = sorted(expected_score_by_text, key=expected_score_by_text.__getitem__, reverse=True)
        while True:
            ranked_above_answer_mask = np.array(
                [self._score_by_text.get(text, -np.inf) > best_answer_chunk_score for text in embedded_texts]
            )
            if chunk_token_counts[ranked_above_answer_mask].sum() > tokens_left_beside_answer or (
                failing_column.limit.top and ranked_above_answer_mask.sum() >= failing_column.limit.top
            ):
                return True
            if not unscored_texts_likeliest_first:
                return False
            self._cache_similarity_scores(chunking, unscored_texts_likeliest_first[:_TEXTS_AT_ONCE])
            del unscored_texts_likeliest_first[:_TEXTS_AT_ONCE]

    def _cache_similarity_scores(self, chunking: Chunking, texts: Sequence[str]) -> None:
        unscored_distinct_texts = [*dict.fromkeys(text for text in texts if text not in self._score_by_text)]
        if unscored_distinct_texts:
            text_similarity_scores = (
                embed_texts(chunking.document, unscored_distinct_texts, self.questions.tools) @ self._question_vector
            )
            self._score_by_text.update(zip(unscored_distinct_texts, text_similarity_scores.tolist(), strict=True))

    def _best_score_overlapping_given_chunk(self, spans_of_alternative_chunk: Sequence[Span]) -> float:
        """Return the score of the most similar chunk of the column that overlaps a chunk."""
        overlaps_given_chunk_mask = (self._starts < spans_of_alternative_chunk[-1].end) & (
            self._ends > spans_of_alternative_chunk[0].start
        )
        return float(np.max(self._column_scores, where=overlaps_given_chunk_mask, initial=-1.0))


def _spans_up_to_offset(spans_of_one_chunk: Sequence[Span], cut_off_offset: int) -> list[Span]:
    """Return the beginning of a chunk up to a place of the text."""
    return [Span(span.start, min(span.end, cut_off_offset)) for span in spans_of_one_chunk if span.start < cut_off_offset]


# Changes that remove a finding of the inbox of suspicious cuts.


RULES_COMPARING_WITH_MEDIAN = frozenset({"tiny", "oversized"})
"""Rules that compare chunks with the median, and find nothing where there are too few chunks for one."""


@dataclass(frozen=True, eq=False)
class SuspiciousColumn(ProblemColumn):
    """Chunker's result with suspicious cuts; ``narrow_margin`` is the margin within which a decision counts as narrow."""

    narrow_margin: float = DEFAULT_NARROW_MARGIN


class FindingsByRule(NamedTuple):
    """Suspicious passages of a chunking by rule, and the number of its chunks."""

    passages: Mapping[str, Sequence[Span]]
    chunks: int

    @property
    def total(self) -> int:
        """Total number of findings over all rules."""
        return sum(map(len, self.passages.values()))

    def is_finding_gone(self, finding: Finding) -> bool:
        """Return whether a finding is gone: its rule still applies, but finds nothing that overlaps the passage."""
        start, end = finding.span
        if finding.rule in RULES_COMPARING_WITH_MEDIAN and self.chunks < FEWEST_VALUES_FOR_QUARTILES:
            return False
        return not any(span.start < end and start < span.end for span in self.passages.get(finding.rule, ()))


def findings_by_rule(chunking: Chunking, tools: Tools, narrow_margin: float = DEFAULT_NARROW_MARGIN) -> FindingsByRule:
    """Return the suspicious passages of a chunking, by rule."""
    spans_by_rule: dict[str, list[Span]] = {}
    for finding in find_suspicious_cuts(chunking, tools.embedder, narrow_margin):
        spans_by_rule.setdefault(finding.rule, []).append(finding.span)
    return FindingsByRule(spans_by_rule, len(chunking.chunks))


def try_settings_finding_suspicious_cuts(suspicious_column: SuspiciousColumn, tools: Tools) -> list[Trial[FindingsByRule]]:
    """Cut the text with every alternative setting, and keep the suspicious passages of each result."""
    return run_trial_of_every_variation(
        suspicious_column, tools, lambda chunking: findings_by_rule(chunking, tools, suspicious_column.narrow_margin)
    )


def remedies_for_single_finding(
    suspicious_column: SuspiciousColumn,
    finding: Finding,
    trials: Sequence[Trial[FindingsByRule]],
    tools: Tools,
    ruler: AnyRuler,
    reranker: Reranker | None = None,
) -> Iterator[Remedy]:
    """Yield the smallest setting changes that remove a suspicious finding, one of each kind.

    There are at most `MOST_REMEDIES` of them, and none where the text is the cause: larger chunks would only dilute it.

    Parameters
    ----------
    trials
        The result of `try_settings_finding_suspicious_cuts`.
    ruler
        Counts the tokens of ranges of the text.

    Raises
    ------
    ModelError
        As in `Tools.embed`, which embeds chunks for the other questions.
    Cancelled
        If the user asked to stop.
    """
    if RULES[finding.rule].cause != "chunker":
        return
    other_questions_retrieval = QuestionRetrieval(suspicious_column, tools, ruler, reranker)
    other_finding_count_before = (
        findings_by_rule(suspicious_column.chunking, tools, suspicious_column.narrow_margin).total - 1
    )
    for trial, findings_after_change in yield_smallest_solution_per_kind(
        trials, lambda findings: findings.is_finding_gone(finding), tools
    ):
        trial_chunking = run_and_time_chunker(trial.variation.chunker, suspicious_column.chunking.document, tools)
        yield other_questions_retrieval.build_remedy_with_side_effects(
            trial, trial_chunking, (other_finding_count_before, findings_after_change.total)
        )
