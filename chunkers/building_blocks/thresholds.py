"""Rules that turn distances into scores and a threshold line, and the base class of the chunkers that use them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from chunkers.contract import Chunker, FieldSpec
from chunkers.support import FloatArray, format_number

TIE_TOLERANCE = 1e-9
"""A score this near to the line is on it: a mean of equal distances is as far from them by rounding alone.

Rounding in double precision stays far below it, and so does it below what single precision, in which vectors come, can tell
of two texts. The browser's preview has the same number.
"""


@dataclass(frozen=True)
class Threshold:
    """A rule that derives scores from distances and a threshold level from the scores.

    Attributes
    ----------
    name, title, score_name
        Names of the rule and of the score that it uses.
    scores
        Function from distances, shape (n,), to scores of the same shape; NaN where a score is undefined.
    level
        Function from the defined scores and amounts, shape (k,), to the line's level for each amount, of the same shape.
    low, high
        The allowed range of the amount.
    offered, step, default
        The slider's bounds and step, and the default amount.
    help
        A line of help on the amount.
    cuts_sentence
        A sentence on the cuts that an amount makes, with the placeholders ``amount``, ``rest`` (100 less the amount) and
        ``similarity`` (1 less the amount).
    above
        True if gaps above the threshold are candidates for cuts; false if gaps below it are.
    """

    name: str
    title: str
    score_name: str
    scores: Callable[[FloatArray], FloatArray]
    level: Callable[[FloatArray, FloatArray], FloatArray]
    low: float
    high: float
    offered: tuple[float, float]
    step: float
    default: float
    help: str
    cuts_sentence: str
    above: bool = True

    def passes(self, scores: FloatArray, level: float) -> npt.NDArray[np.bool_]:
        """Return, for each score, whether it passes the threshold level by more than a `TIE_TOLERANCE`; False for NaN."""
        return mark_scores_passing_level(scores, level, self.above)

    def threshold_level_for_amount(self, scores: FloatArray, amount: float) -> float:
        """Return the threshold level for ``amount``; NaN if no score is defined."""
        return self.threshold_levels_for_amounts(scores, [amount])[0]

    def threshold_levels_for_amounts(self, scores: FloatArray, amounts: Sequence[float]) -> list[float]:
        """Return the threshold levels for several amounts in one call."""
        scores_without_nan = scores[~np.isnan(scores)]
        if not len(scores_without_nan):
            return [float("nan")] * len(amounts)
        return [float(level) for level in self.level(scores_without_nan, np.asarray(amounts, dtype=np.float64))]


def mark_scores_passing_level(scores: FloatArray, level: float, cuts_above: bool) -> npt.NDArray[np.bool_]:
    """Return, for each score, whether it is above (below if not ``cuts_above``) the level by more than a `TIE_TOLERANCE`."""
    return np.asarray(scores > level + TIE_TOLERANCE if cuts_above else scores < level - TIE_TOLERANCE)


def _distances_as_they_are(distances: FloatArray) -> FloatArray:
    return distances


def _gradient_scores(distances: FloatArray) -> FloatArray:
    return np.asarray(np.gradient(distances)) if len(distances) > 1 else np.full(len(distances), np.nan)


def _compute_similarity_changes_into_gaps(distances: FloatArray) -> FloatArray:
    """Return s_i - s_(i-1) at gap i: the fall into this gap, so that the gap with the low similarity is the one cut."""
    similarity_slopes_by_gap = np.full(len(distances), np.nan)
    similarity_slopes_by_gap[1:] = distances[:-1] - distances[1:]
    return similarity_slopes_by_gap


def _depth_scores(distances: FloatArray) -> FloatArray:
    """Return the depth of the valley of similarity at each gap: the fall from the peak on the left plus that on the right.

    A peak is where the similarity stops rising, away from the gap. Source: Hearst, TextTiling (Computational
    Linguistics 23(1), 1997), section 5.3.
    """
    return 2 * distances - _trough_values_left_of_gaps(distances) - _trough_values_left_of_gaps(distances[::-1])[::-1]


def _trough_values_left_of_gaps(distances: FloatArray) -> FloatArray:
    """Return the least distance that is reached from each gap by going left as long as it does not grow."""
    distances_at_left_troughs = distances.copy()
    for gap_index in range(1, len(distances)):
        if distances[gap_index - 1] <= distances[gap_index]:
            distances_at_left_troughs[gap_index] = distances_at_left_troughs[gap_index - 1]
    return distances_at_left_troughs


def _percentile_levels(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.percentile(scores, amounts))


def _deviation_levels(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.mean(scores) + amounts * np.std(scores))


def _mean_plus_interquartile_levels(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    lower_quartile, upper_quartile = np.percentile(scores, [25, 75])
    return np.asarray(np.mean(scores) + amounts * (upper_quartile - lower_quartile))


def _mean_minus_deviation_levels(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.mean(scores) - amounts * np.std(scores))


def _floored_mean_minus_deviation_levels(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    """Return Hearst's line, but at least 0, the depth of a gap that is no valley."""
    return np.maximum(_mean_minus_deviation_levels(scores, amounts), 0.0)


def _amounts_unchanged_as_levels(unused_scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return amounts


THRESHOLDS: dict[str, Threshold] = {
    rule.name: rule
    for rule in (
        Threshold(
            "percentile",
            "Percentile of distance",
            "distance",
            _distances_as_they_are,
            _percentile_levels,
            1,
            100,
            (10, 99),
            0.5,
            95,
            "The share of gaps, in per cent, that stay uncut.",
            "Cuts the {rest} % of gaps with the greatest distance: the lowest {rest} % by similarity.",
        ),
        Threshold(
            "standard_deviation",
            "Standard deviations above the mean",
            "distance",
            _distances_as_they_are,
            _deviation_levels,
            -10,
            10,
            (0, 4),
            0.05,
            3,
            "How many standard deviations above the mean distance a gap must lie.",
            "Cuts where the distance is more than {amount} standard deviations above its mean: where the similarity is as "
            "far below its own.",
        ),
        Threshold(
            "interquartile",
            "Interquartile ranges above the mean",
            "distance",
            _distances_as_they_are,
            _mean_plus_interquartile_levels,
            -10,
            10,
            (0, 3),
            0.05,
            1.5,
            "How many interquartile ranges above the mean distance a gap must lie.",
            "Cuts where the distance is more than {amount} interquartile ranges above its mean: where the similarity is as "
            "far below its own.",
        ),
        Threshold(
            "gradient",
            "Percentile of the distance's gradient",
            "gradient of distance",
            _gradient_scores,
            _percentile_levels,
            1,
            100,
            (10, 99),
            0.5,
            95,
            "The share of gaps, in per cent, whose distance rises too little to be cut.",
            "Cuts the {rest} % of gaps where the distance rises, and the similarity falls, fastest.",
        ),
        Threshold(
            "distance",
            "Distance itself",
            "distance",
            _distances_as_they_are,
            _amounts_unchanged_as_levels,
            0,
            2,
            (0.05, 1.2),
            0.01,
            0.5,
            "The cosine distance that a gap must exceed.",
            "Cuts where the distance exceeds {amount}: where the similarity is below {similarity}.",
        ),
        Threshold(
            "absolute_gradient",
            "Gradient itself",
            "gradient of distance",
            _gradient_scores,
            _amounts_unchanged_as_levels,
            -2,
            2,
            (0.01, 0.5),
            0.01,
            0.1,
            "How much the distance must rise per gap.",
            "Cuts where the distance rises, and the similarity falls, by more than {amount} a gap.",
        ),
        Threshold(
            "slope",
            "Fall of similarity",
            "slope of similarity",
            _compute_similarity_changes_into_gaps,
            _mean_minus_deviation_levels,
            -10,
            10,
            (0, 4),
            0.05,
            1.5,
            "How many standard deviations below the mean the change of similarity must lie.",
            "Cuts where the similarity changes by less than its mean change minus {amount} standard deviations: where the "
            "distance jumps up by as much.",
            above=False,
        ),
        Threshold(
            "depth",
            "Standard deviations below the mean",
            "depth of the valley",
            _depth_scores,
            _floored_mean_minus_deviation_levels,
            -10,
            10,
            (-2, 2),
            0.05,
            0.5,
            "How many standard deviations below the mean depth a valley may lie and still be cut; depth 0 never is.",
            "Cuts where the similarity lies so far below the peaks on both sides, both falls added up, that this is more "
            "than the mean depth minus {amount} standard deviations.",
        ),
    )
}


class ThresholdChunker(Chunker):
    """Base class for chunkers that cut where a distance passes one of the `THRESHOLDS`, adjusted by ``amount``.

    A subclass redeclares the fields in its own order, with its thresholds and its default buffer.
    """

    threshold: str
    amount: float
    buffer: int

    @model_validator(mode="before")
    @classmethod
    def _fill_in_default_amount(cls, values: Any) -> Any:
        """Fill in the threshold's own default amount."""
        if isinstance(values, dict) and values.get("amount") is None:
            threshold_name = values.get("threshold", "percentile")
            # What is no text is refused afterwards, by the declaration of the threshold.
            threshold_rule = THRESHOLDS.get(threshold_name) if isinstance(threshold_name, str) else None
            return {**values, "amount": threshold_rule.default} if threshold_rule else values
        return values

    @model_validator(mode="after")
    def _check_amount_range(self) -> Self:
        threshold_rule = self.selected_threshold_rule
        if not threshold_rule.low <= self.amount <= threshold_rule.high:
            hint_phrase = (
                f" Percentiles count to 100: did you mean {self.amount * 100:g}?"
                if 0 < self.amount < threshold_rule.low
                else ""
            )
            raise ValueError(
                f"amount must lie between {threshold_rule.low:g} and {threshold_rule.high:g} for the "
                f"{threshold_rule.name} threshold; "
                f"got {self.amount:g}.{hint_phrase}"
            )
        return self

    @property
    def selected_threshold_rule(self) -> Threshold:
        """The definition of the selected threshold."""
        return THRESHOLDS[self.threshold]

    @classmethod
    def fields(cls, values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
        """Return the declarations of all parameters, with ``amount`` declared for the threshold in ``values``."""
        threshold_rule = THRESHOLDS[str((values or {}).get("threshold") or "percentile")]
        return [
            _amount_parameter_spec(spec, threshold_rule) if spec.name == "amount" else spec
            for spec in super().fields(values)
        ]

    def describe(self) -> str:
        """Return the threshold, its amount and the buffer as a short phrase."""
        return f"{self.threshold.replace('_', ' ')} {format_number(self.amount)}, buffer {self.buffer}"

    def remark(self, parameter: str) -> str:
        """Return a sentence that explains the amount as a distance and as a similarity; empty for other parameters."""
        return self.amount_explanation() if parameter == "amount" else ""

    def amount_explanation(self) -> str:
        """Return a sentence that explains the amount as a distance and as a similarity."""
        threshold_amount = self.amount
        return self.selected_threshold_rule.cuts_sentence.format(
            amount=format_number(threshold_amount),
            rest=f"{100 - threshold_amount:g}",
            similarity=format_number(1 - threshold_amount, ".4g"),
        )


def _amount_parameter_spec(amount_spec: FieldSpec, threshold_rule: Threshold) -> FieldSpec:
    return replace(
        amount_spec,
        title=threshold_rule.title,
        help=threshold_rule.help,
        default=threshold_rule.default,
        low=threshold_rule.low,
        high=threshold_rule.high,
        offered=threshold_rule.offered,
        step=threshold_rule.step,
        depends="threshold",
    )
