"""The greedy chunker: a gap is cut if its score passes a threshold, which can also be read as a similarity."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chunkers.building_blocks import (
    SizeLimitedChunker,
    ThresholdChunker,
    VerdictReversals,
    enforce_size_limits_on_gaps,
    find_nearest_verdict_reversing_stop,
    find_parameter_spec_by_name,
    gap_distances,
    join_with_neighbours,
    scores_under_shuffling,
)
from chunkers.contract import Tipping, Tools
from chunkers.results import Band, Chunking, Curve, Gap, Line, Reason, ThresholdRelation, Verdict, none_if_nan
from chunkers.support import FloatArray, VectorArray
from chunkers.text import Document

ThresholdName = Literal[
    "percentile", "standard_deviation", "interquartile", "gradient", "distance", "absolute_gradient", "slope", "depth"
]


class Breakpoint(ThresholdChunker, SizeLimitedChunker):
    """Chunker that cuts where the distance between neighbouring sentences, or a score derived from it, passes a threshold.

    A score that passes the threshold only because of rounding, by less than
    `chunkers.building_blocks.thresholds.TIE_TOLERANCE`, counts as equal to it.

    Sources: LangChain's SemanticChunker (percentile, standard deviation, interquartile, gradient; buffer 1), Qu et al.
    (those, and the distance and gradient themselves; buffer 0), "Semantic Chunking: Letting the Content Define Its Own
    Boundaries" (percentile and slope), Hearst's TextTiling (depth; of similarities of words in blocks, there, and smoothed).
    """

    name: ClassVar[str] = "breakpoint"
    title: ClassVar[str] = "Breakpoint"
    idea: ClassVar[str] = "Cuts where the meaning jumps from one sentence to the next."
    source: ClassVar[str] = "LangChain; Qu et al.; “Letting the Content Define Its Own Boundaries”; Hearst 1997"
    formula: ClassVar[str] = r"\begin{aligned} &d_i = 1 - e_i \cdot e_{i+1} \\ &\text{cut where } d_i > P_a(d) \end{aligned}"
    symbols: ClassVar[str] = (
        r"$e_i$ vector of sentence $i$, of length 1; $d_i$ distance to the next; $P_a(d)$ percentile $a$ of all distances, "
        "or another threshold"
    )
    failure: ClassVar[str] = (
        "Looks at one gap at a time: a title line, a formula or a quotation is cut off, however well the text "
        "goes on after it. Without a maximum size, chunks grow long, which costs retrieval much."
    )
    embeds: ClassVar[bool] = True

    threshold: ThresholdName = Field(
        "percentile", title="Threshold type", description="How the line is drawn.", json_schema_extra={"main": True}
    )
    amount: float = Field(95, title="Threshold amount", json_schema_extra={"main": True})
    buffer: int = Field(
        0,
        ge=0,
        le=20,
        title="Buffer size",
        description="Sentences joined on each side before embedding: 0 in Qu et al., 1 in LangChain, 3 in Chroma's report.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5], "main": True},
    )

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the threshold level on the curve of scores for each amount in ``values``."""
        return self.selected_threshold_rule.threshold_levels_for_amounts(np.asarray(scores, dtype=np.float64), values)

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at gaps whose score passes the threshold, then enforce the size limits."""
        if not document.sentences:
            return Chunking(document, (), ())
        buffered_sentence_vectors = tools.embed(join_with_neighbours(document.sentence_texts, self.buffer))
        gap_embedding_distances = gap_distances(buffered_sentence_vectors)
        gap_scores = self.selected_threshold_rule.scores(gap_embedding_distances)
        score_threshold = self.selected_threshold_rule.threshold_level_for_amount(gap_scores, self.amount)
        size_limited_gaps = enforce_size_limits_on_gaps(
            document, self._judged_gaps(gap_scores, score_threshold), self.limits, tools, gap_embedding_distances.tolist
        )
        gap_score_curve = Curve(
            label=self.selected_threshold_rule.score_name,
            scores=tuple(gap_scores.tolist()),
            lines=(Line("threshold", score_threshold, "amount"),),
            cut_above=self.selected_threshold_rule.above,
            live=True,
            null=self._shuffled_quartiles(buffered_sentence_vectors),
        )
        return Chunking.from_gaps(document, size_limited_gaps, curves=(gap_score_curve,))

    def _shuffled_quartiles(self, vectors: VectorArray) -> Band | None:
        """Return the quartiles of the scores in the shuffled text; None where it has no score."""

        def scores_of_shuffled(shuffled_vectors: VectorArray) -> FloatArray:
            return self.selected_threshold_rule.scores(gap_distances(shuffled_vectors))

        shuffled_text_scores = scores_under_shuffling(
            vectors, 1, self.selected_threshold_rule.score_name, scores_of_shuffled
        )
        shuffled_text_scores = shuffled_text_scores[~np.isnan(shuffled_text_scores)]
        return Band(*np.percentile(shuffled_text_scores, [25, 75]).tolist()) if len(shuffled_text_scores) else None

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return the nearest amount that moves the threshold to the other side of the gap's score; None if there is none."""
        if gap.score is None or gap.threshold is None or gap.verdict.is_sized:
            return None
        amount_parameter_spec = find_parameter_spec_by_name(self, "amount")
        threshold_level_by_amount = dict(
            zip(
                amount_parameter_spec.stops,
                self.levels("amount", amount_parameter_spec.stops, chunking.curves[0].scores),
                strict=True,
            )
        )
        one_gap_score_array = np.array([gap.score])
        is_gap_cut = gap.verdict.is_cut
        reversing_amount = find_nearest_verdict_reversing_stop(
            amount_parameter_spec,
            self.amount,
            lambda stop: (
                bool(self.selected_threshold_rule.passes(one_gap_score_array, threshold_level_by_amount[stop])[0])
                != is_gap_cut
            ),
        )
        if reversing_amount is not None and (self.min_size is not None or self.max_size is not None):
            # Sizes may overrule the score: then only a run tells.
            reversing_amount = VerdictReversals(self, chunking, gap, tools).nearest_reversing_slider_stop(
                "amount", reversing_amount
            )
        if reversing_amount is None:
            return None
        return Tipping(
            "amount", self.threshold.replace("_", " "), reversing_amount, not is_gap_cut, abs(gap.score - gap.threshold)
        )

    def _judged_gaps(self, scores: FloatArray, threshold_level: float) -> list[Gap]:
        threshold_rule = self.selected_threshold_rule
        passing_relation: ThresholdRelation = ">" if threshold_rule.above else "<"
        failing_relation: ThresholdRelation = "≤" if threshold_rule.above else "≥"
        score_threshold_or_none = none_if_nan(threshold_level)
        undefined_score_reason = Reason(remark=f"no {threshold_rule.score_name} at this gap: it needs a gap beside it")
        passing_scores_mask = threshold_rule.passes(scores, threshold_level)
        equal_but_for_rounding_mask = ~passing_scores_mask & (
            scores > threshold_level if threshold_rule.above else scores < threshold_level
        )
        judged_gaps = []
        for gap_index, (score, is_passing, is_equal_but_for_rounding) in enumerate(
            zip(scores.tolist(), passing_scores_mask.tolist(), equal_but_for_rounding_mask.tolist(), strict=True)
        ):
            gap_verdict_reason = Reason(
                threshold_rule.score_name, score, passing_relation if is_passing else failing_relation, threshold_level
            )
            if math.isnan(score):
                gap_verdict_reason = undefined_score_reason
            elif is_equal_but_for_rounding:
                gap_verdict_reason = Reason(
                    threshold_rule.score_name, score, "=", threshold_level, remark="but for rounding"
                )
            judged_gaps.append(
                Gap(
                    gap_index,
                    none_if_nan(score),
                    score_threshold_or_none,
                    Verdict.CUT if is_passing else Verdict.KEPT,
                    gap_verdict_reason,
                )
            )
        return judged_gaps


# Results read as similarities: every number is 1 minus the distance, and cuts lie below the threshold.

_MIRRORED_RELATION_BY_RELATION: dict[ThresholdRelation, ThresholdRelation] = {
    ">": "<",
    "≤": "≥",
    "=": "=",
    "largest": "lowest",
}


class SimilarityReading(Breakpoint):
    """The breakpoint chunker, with its threshold expressed as a similarity instead of a distance."""

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the threshold level, as a similarity, for each amount in ``values``."""
        return [1 - level for level in super().levels(parameter, values, [1 - score for score in scores])]


def has_similarity_reading(chunker: Breakpoint) -> bool:
    """Return whether a chunker's score is a plain distance, which can also be shown as a similarity."""
    return chunker.selected_threshold_rule.score_name == "distance"


def convert_chunking_to_similarities(chunking: Chunking) -> Chunking:
    """Convert a result's distances and thresholds to similarities; see `has_similarity_reading` for supported chunkers."""
    (curve,) = chunking.curves
    similarity_curve = replace(
        curve,
        label="similarity",
        scores=tuple(1 - score for score in curve.scores),
        lines=tuple(replace(line, level=1 - line.level) for line in curve.lines),
        cut_above=False,
        null=None if curve.null is None else Band(1 - curve.null.high, 1 - curve.null.low),
    )
    similarity_gaps = [
        gap._replace(
            score=_similarity_from_distance(gap.score),
            threshold=_similarity_from_distance(gap.threshold),
            why=_convert_reason_to_similarities(gap.why),
        )
        for gap in chunking.gaps
    ]
    return replace(chunking, gaps=tuple(similarity_gaps), curves=(similarity_curve,))


def _convert_reason_to_similarities(reason_with_distances: Reason) -> Reason:
    earlier_step_in_similarities = (
        None if reason_with_distances.earlier is None else _convert_reason_to_similarities(reason_with_distances.earlier)
    )
    if reason_with_distances.score_name != "distance":
        return reason_with_distances._replace(earlier=earlier_step_in_similarities)
    return reason_with_distances._replace(
        score_name="similarity",
        score=_similarity_from_distance(reason_with_distances.score),
        relation=_MIRRORED_RELATION_BY_RELATION[reason_with_distances.relation],
        threshold=_similarity_from_distance(reason_with_distances.threshold),
        earlier=earlier_step_in_similarities,
    )


def _similarity_from_distance(distance: float | None) -> float | None:
    return None if distance is None else 1 - distance
