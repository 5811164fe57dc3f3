"""Agreement of the retrieved chunks with a question's excerpts, in text, documents and sentences.

Recall, precision, IoU and precision_Ω of text are those of Chroma's technical report (2024) and its code. Ranges are
measured in characters, as in that code, and in tokens.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from chunkers import Span, Tools
from chunkers.support import FloatArray
from evaluation.questions import (
    AnyRuler,
    CharacterRuler,
    Corpus,
    Question,
    TokenRuler,
    intersection_of_ranges,
    trim_spaces_and_punctuation,
    union_of_ranges,
)
from evaluation.search import Index, Indexed, Search, search_for_all_questions
from evaluation.segmentation import Score

# Documents and sentences: recall, precision and F1 at k.


TOP_KS = (1, 3, 5, 10)
"""The values of k: numbers of chunks."""

SCORES_AT_K = ("recall", "precision", "f1")
"""The scores at each k."""

NO_EXCERPT_REASON = "the question has no excerpt"
NOTHING_RETRIEVED_REASON = "nothing was retrieved"
"""Why a score may be undefined."""


def recall_precision_f1_of_sets(wanted_items: Set[int], retrieved_items: Set[int]) -> dict[str, Score]:
    """Return recall, precision and F1 of the retrieved items, measured against the wanted ones."""
    if not wanted_items:
        return dict.fromkeys(SCORES_AT_K, Score.undefined_score_with_reason(NO_EXCERPT_REASON))
    hit_count = len(wanted_items & retrieved_items)
    retrieved_items_precision = (
        Score(hit_count / len(retrieved_items))
        if retrieved_items
        else Score.undefined_score_with_reason(NOTHING_RETRIEVED_REASON)
    )
    return {
        "recall": Score(hit_count / len(wanted_items)),
        "precision": retrieved_items_precision,
        "f1": Score(2 * hit_count / (len(wanted_items) + len(retrieved_items))),
    }


def overlapped_document_numbers(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the documents that overlap any of the spans, given in corpus-wide offsets."""
    return {corpus.document_number_at(start) for start, _ in spans}


def overlapped_sentence_numbers(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the sentences that overlap any of the spans, given in corpus-wide offsets."""
    corpus_sentence_spans = corpus.joined_document.sentences
    sentence_end_offsets = corpus.sentence_ends
    return {
        number
        for start, end in union_of_ranges(spans)
        for number in range(bisect_right(sentence_end_offsets, start), bisect_left(corpus.joined_document.starts, end))
        if corpus_sentence_spans[number].end > start
    }


def mostly_covered_sentence_numbers(corpus: Corpus, spans: Sequence[Span]) -> set[int]:
    """Return the numbers of the sentences of which the spans cover more than half.

    Some chunkers cut sentences. A chunk with only a few characters of a sentence does not count as retrieving the sentence.
    """
    merged_covered_spans = union_of_ranges(spans)
    covered_sentence_numbers = set()
    for sentence_number in overlapped_sentence_numbers(corpus, merged_covered_spans):
        sentence_start, sentence_end = corpus.joined_document.sentences[sentence_number]
        # The ranges neither overlap nor touch, so their parts of a sentence add up.
        if (
            2 * sum(max(0, min(last, sentence_end) - max(first, sentence_start)) for first, last in merged_covered_spans)
            > sentence_end - sentence_start
        ):
            covered_sentence_numbers.add(sentence_number)
    return covered_sentence_numbers


def document_recall_precision_by_k(
    corpus: Corpus, excerpts: Sequence[Span], ranked_chunk_spans: Sequence[Sequence[Span]]
) -> dict[int, dict[str, Score]]:
    """Return recall, precision and F1 of the retrieved chunks' documents at each k of `TOP_KS`."""
    excerpt_document_numbers = overlapped_document_numbers(corpus, excerpts)
    return {
        k: recall_precision_f1_of_sets(
            excerpt_document_numbers, overlapped_document_numbers(corpus, [*chain(*ranked_chunk_spans[:k])])
        )
        for k in TOP_KS
    }


def evidence_sentence_scores_by_k(
    corpus: Corpus, excerpts: Sequence[Span], ranked_chunk_spans: Sequence[Sequence[Span]]
) -> dict[int, dict[str, Score]]:
    """Return recall, precision and F1 of the retrieved evidence sentences at each k of `TOP_KS`."""
    excerpt_sentence_numbers = overlapped_sentence_numbers(corpus, excerpts)
    return {
        k: recall_precision_f1_of_sets(
            excerpt_sentence_numbers, mostly_covered_sentence_numbers(corpus, [*chain(*ranked_chunk_spans[:k])])
        )
        for k in TOP_KS
    }


# Text: recall, precision, IoU and precision_Ω.


RETRIEVAL_MEASURE_NAMES = ("recall", "precision", "precision_omega", "iou")
"""The measures of a question; for all of them higher is better."""

MEASURE_NAMES = {"recall": "recall", "precision": "precision", "precision_omega": "best possible precision", "iou": "IoU"}
"""Their names within a sentence."""

RETRIEVAL_MEASURES_EXPLAINED = {
    "recall": "The share of the excerpts that the retrieved chunks contain.",
    "precision": "The share of the retrieved chunks that belongs to the excerpts.",
    "precision_omega": "The IoU of a perfect search, which finds exactly the chunks with a part of an excerpt; "
    "“precision Ω” in Chroma's report.",
    "iou": "Intersection over union of the excerpts and the retrieved chunks.",
}
"""Their definitions."""

RETRIEVAL_MEASURE_TITLES = {name: f"{words[0].upper()}{words[1:]}" for name, words in MEASURE_NAMES.items()}
"""Their names at the beginning of a sentence or a column."""

RETRIEVED_TEXT_MEASURES = ("recall", "precision", "iou")
"""Measures that depend on the retrieved chunks."""

RANGE_UNITS = ("characters", "tokens")
"""The units of ranges."""


def scores_of_retrieved_ranges(
    excerpts: Sequence[Span], retrieved_spans: Sequence[Span], ruler: AnyRuler
) -> dict[str, Score]:
    """Return recall, precision and IoU of the retrieved ranges against the excerpts.

    With t_e for the excerpts, t_r for the retrieved text and h for the text in both: recall = |h| / |t_e|, precision = |h| /
    |t_r|, IoU = |h| / (|t_r| + |t_e| - |h|). In |t_r|, text counts each time it is retrieved; otherwise it counts once.
    """
    excerpt_length, retrieved_excerpt_length, retrieved_length = (
        ruler(union_of_ranges(excerpts)),
        ruler(intersection_of_ranges(excerpts, retrieved_spans)),
        ruler(retrieved_spans),
    )
    if not excerpt_length:
        return dict.fromkeys(RETRIEVED_TEXT_MEASURES, Score.undefined_score_with_reason(NO_EXCERPT_REASON))
    retrieved_text_precision = (
        Score(retrieved_excerpt_length / retrieved_length)
        if retrieved_length
        else Score.undefined_score_with_reason(NOTHING_RETRIEVED_REASON)
    )
    return {
        "recall": Score(retrieved_excerpt_length / excerpt_length),
        "precision": retrieved_text_precision,
        "iou": Score(retrieved_excerpt_length / (retrieved_length + excerpt_length - retrieved_excerpt_length)),
    }


def precision_omega(excerpts: Sequence[Span], chunks: Iterable[Sequence[Span]], ruler: AnyRuler) -> Score:
    """Return Precision Omega: the IoU of the excerpts and all chunks that overlap an excerpt.

    Text shared by several chunks counts once.
    """
    excerpt_text_length = ruler(union_of_ranges(excerpts))
    if not excerpt_text_length:
        return Score.undefined_score_with_reason(NO_EXCERPT_REASON)
    spans_of_overlapping_chunks = union_of_ranges(
        span for chunk in chunks if intersection_of_ranges(excerpts, chunk) for span in chunk
    )
    excerpt_length_in_chunks = ruler(intersection_of_ranges(excerpts, spans_of_overlapping_chunks))
    return Score(
        excerpt_length_in_chunks / (ruler(spans_of_overlapping_chunks) + excerpt_text_length - excerpt_length_in_chunks)
    )


@dataclass(frozen=True)
class QuestionScores:
    """Retrieval result of one question, with its scores.

    Attributes
    ----------
    ranked
        Numbers of all retrieved chunks, best first; they may be more than the top k.
    characters, tokens
        Measures of the top k chunks, by name.
    documents, evidence
        Recall, precision and F1 at each k, by name.
    """

    question: Question
    ranked: tuple[int, ...]
    characters: Mapping[str, Score]
    tokens: Mapping[str, Score]
    documents: dict[int, dict[str, Score]]
    evidence: dict[int, dict[str, Score]]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Retrieval results of all questions, measured over the first ``top_k`` chunks.

    The scores are arrays, NaN where undefined, since 5,000 questions would need 160,000 score objects.

    Attributes
    ----------
    scores
        Shape (units, measures, questions), in the order of `RANGE_UNITS` and `RETRIEVAL_MEASURE_NAMES`.
    documents, evidence
        Shape (numbers of chunks, scores, questions), in the order of `TOP_KS` and `SCORES_AT_K`; the same for every
        ``top_k``.
    """

    search: Search
    top_k: int
    scores: FloatArray
    documents: FloatArray
    evidence: FloatArray

    @property
    def searched_index(self) -> Indexed:
        """Index that was searched."""
        return self.search.index

    @property
    def scores_of_all_questions(self) -> tuple[QuestionScores, ...]:
        """Retrieval results of all questions, rebuilt at each access."""
        return tuple(self.scores_of_question(number) for number in range(len(self.search.questions)))

    def scores_of_question(self, question_number: int) -> QuestionScores:
        """Return the retrieval result of question ``question_number``, counted from 0."""
        character_scores, token_scores = (
            _scores_by_name(RETRIEVAL_MEASURE_NAMES, scores[:, question_number]) for scores in self.scores
        )
        document_scores_by_k, evidence_scores_by_k = (
            {k: _scores_by_name(SCORES_AT_K, scores[:, question_number]) for k, scores in zip(TOP_KS, by_k, strict=True)}
            for by_k in (self.documents, self.evidence)
        )
        ranked_chunk_numbers = tuple(self.search.ranked[question_number].tolist())
        return QuestionScores(
            self.search.questions[question_number],
            ranked_chunk_numbers,
            character_scores,
            token_scores,
            document_scores_by_k,
            evidence_scores_by_k,
        )

    def values(self, measure: str, unit: str = "characters") -> FloatArray:
        """Return each question's value of a measure, shape (questions,), NaN where undefined."""
        return np.asarray(self.scores[RANGE_UNITS.index(unit), RETRIEVAL_MEASURE_NAMES.index(measure)])

    def mean_retrieved_length(self, ruler: AnyRuler) -> float:
        """Return the mean length of the text retrieved for a question, counting overlapping text each time."""
        retrieved_text_lengths = [
            ruler([*chain(*self.searched_index.returned_spans_without_repeats(row))])
            for row in self.search.ranked[:, : self.top_k].tolist()
        ]
        return float(np.mean(retrieved_text_lengths)) if retrieved_text_lengths else 0.0

    def with_top_k(self, top_k: int, ruler: TokenRuler) -> "Evaluation":
        """Return the evaluation for another k, reusing all results that do not depend on k."""
        scores_at_new_top_k = self.scores.copy()
        ruler_per_length_unit: tuple[AnyRuler, ...] = (CharacterRuler(), ruler)
        for question_number, (question, ranked_chunk_numbers) in enumerate(
            zip(self.search.questions, self.search.ranked.tolist(), strict=True)
        ):
            question_excerpt_ranges = excerpt_ranges(self.searched_index.corpus, question)
            retrieved_text_spans = [
                *chain(*self.searched_index.returned_spans_without_repeats(ranked_chunk_numbers[:top_k]))
            ]
            for length_unit_index, measure_text_length in enumerate(ruler_per_length_unit):
                for measure_name, score in scores_of_retrieved_ranges(
                    question_excerpt_ranges, retrieved_text_spans, measure_text_length
                ).items():
                    scores_at_new_top_k[length_unit_index, RETRIEVAL_MEASURE_NAMES.index(measure_name), question_number] = (
                        score_value_or_nan(score)
                    )
        return replace(self, top_k=top_k, scores=scores_at_new_top_k)

    def means_at_k(self, documents_or_evidence: Literal["documents", "evidence"]) -> dict[int, dict[str, Score]]:
        """Return mean recall, precision and F1 of the retrieved ``documents`` or ``evidence`` sentences at each k."""
        scores_at_each_k: FloatArray = getattr(self, documents_or_evidence)
        return {
            k: {name: _mean_score(values) for name, values in zip(SCORES_AT_K, scores, strict=True)}
            for k, scores in zip(TOP_KS, scores_at_each_k, strict=True)
        }


def evaluate_retrieval(
    index: Index, questions: Sequence[Question], tools: Tools, ruler: TokenRuler, top_k: int = 5
) -> Evaluation:
    """Search the index for every question and return the retrieval scores.

    Raises the same errors as `Tools.embed`.
    """
    return score_search(search_for_all_questions(index, questions, tools, max(top_k, *TOP_KS)), ruler, top_k)


def score_search(finished_search: Search, ruler: TokenRuler, top_k: int = 5) -> Evaluation:
    """Return the retrieval scores of a search.

    The search must be at least ``top_k`` and max(`TOP_KS`) chunks deep.
    """
    search_index = finished_search.index
    question_count = len(finished_search.questions)
    all_question_scores = np.empty((len(RANGE_UNITS), len(RETRIEVAL_MEASURE_NAMES), question_count))
    rulers: tuple[AnyRuler, ...] = (CharacterRuler(), ruler)
    index_of_precision_omega = RETRIEVAL_MEASURE_NAMES.index("precision_omega")
    document_level_scores, evidence_sentence_scores = np.empty((2, len(TOP_KS), len(SCORES_AT_K), question_count))
    for question_number, (question, ranked_chunk_numbers) in enumerate(
        zip(finished_search.questions, finished_search.ranked.tolist(), strict=True)
    ):
        question_excerpt_ranges = excerpt_ranges(search_index.corpus, question)
        returned_spans_at_excerpts = search_index.returned_spans_of_excerpt_chunks(question_excerpt_ranges)
        for length_unit_index, measure_text_length in enumerate(rulers):
            all_question_scores[length_unit_index, index_of_precision_omega, question_number] = score_value_or_nan(
                precision_omega(question_excerpt_ranges, returned_spans_at_excerpts, measure_text_length)
            )
        returned_spans_by_rank = list(search_index.returned_spans_without_repeats(ranked_chunk_numbers))
        for scores_to_fill, scores_by_k in (
            (
                document_level_scores,
                document_recall_precision_by_k(search_index.corpus, question_excerpt_ranges, returned_spans_by_rank),
            ),
            (
                evidence_sentence_scores,
                evidence_sentence_scores_by_k(search_index.corpus, question_excerpt_ranges, returned_spans_by_rank),
            ),
        ):
            scores_to_fill[:, :, question_number] = [
                [score_value_or_nan(scores_by_k[k][name]) for name in SCORES_AT_K] for k in TOP_KS
            ]
    return Evaluation(
        finished_search, top_k, all_question_scores, document_level_scores, evidence_sentence_scores
    ).with_top_k(top_k, ruler)


def score_value_or_nan(score: Score) -> float:
    """Return the value of a score, or NaN if the score is undefined."""
    return np.nan if score.value is None else score.value


def _scores_by_name(names: Sequence[str], values: FloatArray) -> dict[str, Score]:
    """Return a question's scores by name; recall comes first, and is undefined only without excerpts."""
    undefined_score_reason = NO_EXCERPT_REASON if np.isnan(values[0]) else NOTHING_RETRIEVED_REASON
    return {
        name: Score.undefined_score_with_reason(undefined_score_reason) if np.isnan(value) else Score(value)
        for name, value in zip(names, values.tolist(), strict=True)
    }


def excerpt_ranges(corpus: Corpus, question: Question) -> list[Span]:
    """Return a question's excerpts in corpus-wide offsets, without white space and punctuation at their ends.

    The ends are trimmed unless the corpus has ``exact_ends``, since a chunk that lacks only the full stop still answers the
    question.
    """
    return [
        corpus.span_in_corpus(
            number, span if corpus.exact_ends else trim_spaces_and_punctuation(corpus.documents[number].text, span)
        )
        for number, span in question.excerpts
    ]


def _mean_score(values: FloatArray) -> Score:
    mean_deviation_pair = mean_and_deviation(values)
    return (
        Score(mean_deviation_pair[0])
        if mean_deviation_pair is not None
        else Score.undefined_score_with_reason("it is undefined for every question")
    )


def mean_and_deviation(values: FloatArray) -> tuple[float, float] | None:
    """Return the mean and the population standard deviation, ignoring NaN; None if all values are NaN."""
    values_without_nan = values[~np.isnan(values)]
    return (float(values_without_nan.mean()), float(values_without_nan.std())) if len(values_without_nan) else None
