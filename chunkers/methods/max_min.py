"""Max–Min: a sentence joins the open chunk if it is as similar to one of its sentences as these are to each other."""

import math
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from chunkers.building_blocks import (
    SizeLimitedChunker,
    VerdictReversals,
    enforce_size_limits_on_gaps,
    find_parameter_spec_by_name,
    gap_distances,
    next_slider_stop,
)
from chunkers.contract import Tipping, Tools
from chunkers.results import Chunking, Curve, Gap, Line, Reason, Verdict
from chunkers.support import MOST_MAX_MIN_PRODUCTS, FloatArray, InputError, format_number
from chunkers.text import Document

SENTENCES_PER_BLOCK = 256
"""Sentences that are compared with the open chunk at once: one product of matrices instead of many small ones."""


class MaxMin(SizeLimitedChunker):
    """Chunker that adds a sentence if its greatest similarity to the open chunk's sentences exceeds an adaptive threshold.

    The threshold is the lowest similarity of two sentences of the open chunk, times ``relaxation``, times a logistic
    function of the chunk's size, and never below the hard threshold. A chunk of one sentence has no such similarity: the
    next sentence joins if the similarity of both times ``initial_factor`` exceeds the hard threshold.

    Source: Kiss, Nagy, Szilágyi, "Max–Min semantic chunking of documents for RAG application", Discover Computing 28 (2025),
    whose hyperparameters hard_thr, c and init_const these are, with the values of its published code.
    """

    name: ClassVar[str] = "max_min"
    title: ClassVar[str] = "Max–Min"
    idea: ClassVar[str] = "Lets a sentence join as long as it is as like the chunk as the chunk is like itself."
    source: ClassVar[str] = "Kiss et al., “Max–Min semantic chunking of documents for RAG application” (2025)"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\max_{i \in C} \, e_i \cdot e_k > \max(\theta,\; c \, \sigma(|C| - 1) \, m_C) \\ "
        r"&\text{after one sentence: } \kappa \; e_{k-1} \cdot e_k > \theta \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$e_k$ vector of the next sentence; $C$ the open chunk; $m_C$ its least similarity of two sentences; $\theta$ hard "
        r"threshold; $c$ relaxation; $\kappa$ initial factor; $\sigma$ logistic function"
    )
    failure: ClassVar[str] = (
        "Its hard threshold belongs to one embedder, and a sentence that is like a single one of the chunk joins, whatever "
        "lies between them."
    )
    embeds: ClassVar[bool] = True

    hard_threshold: float = Field(
        0.6,
        ge=-1,
        le=1,
        title="Hard threshold",
        description="No sentence joins that is less similar than this, whatever the chunk.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    relaxation: float = Field(
        0.9,
        ge=0,
        le=10,
        title="Relaxation factor",
        description="The share of the chunk's least similarity that a sentence must exceed: c in the source.",
        json_schema_extra={"step": 0.05, "offered": [0, 2], "main": True},
    )
    initial_factor: float = Field(
        1.5,
        ge=0,
        le=10,
        title="Initial similarity factor",
        description="What the similarity of the first two sentences is multiplied by: init_const in the source.",
        json_schema_extra={"step": 0.05, "offered": [0.5, 3], "main": True},
    )

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"hard {format_number(self.hard_threshold)}, relaxation {self.relaxation:g}, initial {self.initial_factor:g}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document by comparing each sentence with the open chunk, then enforce the size limits.

        Raises
        ------
        InputError
            If a chunk grows so long that its comparisons are too much work.
        Cancelled
            If the user asked to stop.
        """
        if not document.sentences:
            return Chunking(document, (), ())
        sentence_vectors = tools.embed(document.sentence_texts).astype(np.float64)
        gap_decision_steps = list(self.decide_gaps(sentence_vectors, tools))
        gaps_before_size_limits = [self._judged_gap(index, step) for index, step in enumerate(gap_decision_steps)]
        size_limited_gaps = enforce_size_limits_on_gaps(
            document, gaps_before_size_limits, self.limits, tools, lambda: gap_distances(sentence_vectors).tolist()
        )
        greatest_similarity_curve = Curve(
            label="greatest similarity",
            scores=tuple(step.score for step in gap_decision_steps),
            lines=(Line("hard threshold", self.hard_threshold, "hard_threshold"),),
            cut_above=False,
            live=False,
        )
        return Chunking.from_gaps(document, size_limited_gaps, curves=(greatest_similarity_curve,))

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return a hard threshold that reverses the verdict on a gap, found by rerunning the chunker; None if none does."""
        if gap.score is None or gap.threshold is None or gap.verdict.is_sized:
            return None
        first_tried_threshold_stop = next_slider_stop(
            find_parameter_spec_by_name(self, "hard_threshold"), gap.score, is_stop_sought_above_score=not gap.verdict.is_cut
        )
        reversing_threshold = VerdictReversals(self, chunking, gap, tools).nearest_reversing_slider_stop(
            "hard_threshold", first_tried_threshold_stop
        )
        if reversing_threshold is None:
            return None
        return Tipping("hard_threshold", "hard", reversing_threshold, not gap.verdict.is_cut, abs(gap.score - gap.threshold))

    def decide_gaps(self, vectors: FloatArray, tools: Tools) -> "Iterator[MaxMinStep]":
        """Yield the decision on each gap, from left to right, before the size limits are enforced.

        Parameters
        ----------
        vectors
            One unit vector per sentence, shape (n, dimension).
        tools
            Services that report progress and can stop the scan.

        Raises
        ------
        InputError
            If a chunk grows so long that its comparisons are too much work.
        Cancelled
            If the user asked to stop.
        """
        text_sentence_count, vector_width = vectors.shape
        chunk_first_sentence_index, least_similarity_in_chunk = 0, math.inf
        multiplication_count = 0
        for block_start_sentence_index in range(1, text_sentence_count, SENTENCES_PER_BLOCK):
            # What is open now can only lose its beginning before the block is done.
            first_compared_sentence_index, block_end_sentence_index = (
                chunk_first_sentence_index,
                min(block_start_sentence_index + SENTENCES_PER_BLOCK, text_sentence_count),
            )
            multiplication_count += (
                (block_end_sentence_index - block_start_sentence_index)
                * (block_end_sentence_index - first_compared_sentence_index)
                * vector_width
            )
            if multiplication_count > MOST_MAX_MIN_PRODUCTS:
                raise InputError(
                    f"max_min: comparing each sentence with its whole chunk may take at most {MOST_MAX_MIN_PRODUCTS:,} "
                    f"multiplications; this limit was reached after {block_start_sentence_index:,} of "
                    f"{text_sentence_count:,} sentences, "
                    "in a chunk of "
                    f"{block_start_sentence_index - chunk_first_sentence_index:,} sentences. Raise the hard threshold to "
                    "get shorter "
                    "chunks."
                )
            if block_start_sentence_index > 1:
                # The first block takes no time worth telling, and what is told takes a job on the pages.
                tools.decided(block_start_sentence_index, text_sentence_count)
            sentence_block_similarities = (
                vectors[block_start_sentence_index:block_end_sentence_index]
                @ vectors[first_compared_sentence_index:block_end_sentence_index].T
            )
            for sentence_index in range(block_start_sentence_index, block_end_sentence_index):
                similarities_to_chunk_sentences = sentence_block_similarities[
                    sentence_index - block_start_sentence_index,
                    chunk_first_sentence_index - first_compared_sentence_index : sentence_index
                    - first_compared_sentence_index,
                ]
                chunk_sentence_count = sentence_index - chunk_first_sentence_index
                if chunk_sentence_count == 1:
                    similarity_to_first_sentence = float(similarities_to_chunk_sentences[0])
                    gap_decision_step = MaxMinStep(
                        self.initial_factor * similarity_to_first_sentence,
                        self.hard_threshold,
                        chunk_sentence_count,
                        similarity_to_first_sentence,
                        chunk_first_sentence_index,
                    )
                    least_similarity_if_joined = similarity_to_first_sentence
                else:
                    nearest_index_in_chunk = int(similarities_to_chunk_sentences.argmax())
                    joining_threshold = max(
                        self.adaptive_threshold(chunk_sentence_count, least_similarity_in_chunk), self.hard_threshold
                    )
                    gap_decision_step = MaxMinStep(
                        float(similarities_to_chunk_sentences[nearest_index_in_chunk]),
                        joining_threshold,
                        chunk_sentence_count,
                        least_similarity_in_chunk,
                        chunk_first_sentence_index + nearest_index_in_chunk,
                    )
                    least_similarity_if_joined = min(least_similarity_in_chunk, float(similarities_to_chunk_sentences.min()))
                yield gap_decision_step
                if gap_decision_step.joins:
                    least_similarity_in_chunk = least_similarity_if_joined
                else:
                    chunk_first_sentence_index, least_similarity_in_chunk = sentence_index, math.inf

    def adaptive_threshold(self, chunk_sentence_count: int, least_similarity_in_chunk: float) -> float:
        """Return the adaptive threshold for a chunk of at least two sentences, from its size and its lowest similarity."""
        return least_similarity_in_chunk * self.relaxation * logistic(chunk_sentence_count - 1)

    def _judged_gap(self, gap_index: int, gap_decision: "MaxMinStep") -> Gap:
        is_hard_threshold = gap_decision.threshold == self.hard_threshold
        if gap_decision.size == 1:
            threshold_remark = (
                f"{format_number(self.initial_factor)} × {format_number(gap_decision.least, '.2f')}, as the chunk has one "
                "sentence"
            )
        elif is_hard_threshold:
            threshold_remark = ""
        else:
            threshold_remark = (
                f"which follows the least of the {gap_decision.size:,} sentences, {format_number(gap_decision.least, '.2f')}"
            )
        score_name = "greatest similarity" if gap_decision.size > 1 else "similarity"
        gap_verdict_reason = Reason(
            score_name,
            gap_decision.score,
            ">" if gap_decision.joins else "≤",
            gap_decision.threshold,
            "hard" if is_hard_threshold else "adaptive",
            threshold_remark,
        )
        return Gap(
            gap_index,
            gap_decision.score,
            gap_decision.threshold,
            Verdict.KEPT if gap_decision.joins else Verdict.CUT,
            gap_verdict_reason,
        )


class MaxMinStep(NamedTuple):
    """The decision on a gap, with the numbers on which the decision was based.

    Attributes
    ----------
    score, threshold
        The numbers compared: the sentence joins if the score is greater. After one sentence, the score is their similarity
        times the initial factor.
    size
        Number of sentences in the open chunk.
    least
        The lowest similarity of two sentences in the open chunk; for a single sentence, its similarity to the next one.
    nearest_sentence
        Index, from 0, of the open chunk's sentence that is most similar to the next sentence; the first of several.
    """

    score: float
    threshold: float
    size: int
    least: float
    nearest_sentence: int

    @property
    def joins(self) -> bool:
        """True if the sentence after the gap joins the chunk before it."""
        return self.score > self.threshold


def logistic(number: float) -> float:
    """Return the logistic function of a number, 1 / (1 + e^-number)."""
    return 1 / (1 + math.exp(-number))
