"""The rules that turn distances into scores and a threshold line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunkers.support.arrays import FloatArray

TIE = 1e-9
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
    above
        True if gaps above the threshold are candidates for cuts; false if gaps below it are.
    help
        A line of help on the amount.
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
    above: bool = True

    def passes(self, scores: FloatArray, level: float) -> npt.NDArray[np.bool_]:
        """Return, for each score, whether it passes the threshold level by more than a `TIE`; False for NaN."""
        return beyond(scores, level, self.above)

    def line(self, scores: FloatArray, amount: float) -> float:
        """Return the threshold level for ``amount``; NaN if no score is defined."""
        return self.lines(scores, [amount])[0]

    def lines(self, scores: FloatArray, amounts: Sequence[float]) -> list[float]:
        """Return the threshold levels for several amounts in one call."""
        defined = scores[~np.isnan(scores)]
        if not len(defined):
            return [float("nan")] * len(amounts)
        levels: list[float] = self.level(defined, np.asarray(amounts, dtype=np.float64)).tolist()
        return levels


def beyond(scores: FloatArray, level: float, above: bool) -> npt.NDArray[np.bool_]:
    """Return, for each score, whether it is above (or, if not ``above``, below) the level by more than a `TIE`."""
    return np.asarray(scores > level + TIE if above else scores < level - TIE)


def _same(distances: FloatArray) -> FloatArray:
    return distances


def _gradient(distances: FloatArray) -> FloatArray:
    return np.asarray(np.gradient(distances)) if len(distances) > 1 else np.full(len(distances), np.nan)


def _slope(distances: FloatArray) -> FloatArray:
    """Return s_i - s_(i-1) at gap i: the fall into this gap, so that the gap with the low similarity is the one cut."""
    slope = np.full(len(distances), np.nan)
    slope[1:] = distances[:-1] - distances[1:]
    return slope


def _depth(distances: FloatArray) -> FloatArray:
    """Return the depth of the valley of similarity at each gap: the fall from the peak on the left plus that on the right.

    A peak is where the similarity stops rising, away from the gap. Source: Hearst, TextTiling (Computational
    Linguistics 23(1), 1997), section 5.3.
    """
    return 2 * distances - _troughs(distances) - _troughs(distances[::-1])[::-1]


def _troughs(distances: FloatArray) -> FloatArray:
    """Return the least distance that is reached from each gap by going left as long as it does not grow."""
    troughs = distances.copy()
    for gap in range(1, len(distances)):
        if distances[gap - 1] <= distances[gap]:
            troughs[gap] = troughs[gap - 1]
    return troughs


def _percentile(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.percentile(scores, amounts))


def _deviation(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.mean(scores) + amounts * np.std(scores))


def _interquartile(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    lower, upper = np.percentile(scores, [25, 75])
    return np.asarray(np.mean(scores) + amounts * (upper - lower))


def _fall(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return np.asarray(np.mean(scores) - amounts * np.std(scores))


def _depth_line(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    """Return Hearst's line, but at least 0, the depth of a gap that is no valley."""
    return np.maximum(_fall(scores, amounts), 0.0)


def _absolute(scores: FloatArray, amounts: FloatArray) -> FloatArray:
    return amounts


THRESHOLDS: dict[str, Threshold] = {
    rule.name: rule
    for rule in (
        Threshold(
            "percentile",
            "Percentile of distance",
            "distance",
            _same,
            _percentile,
            1,
            100,
            (10, 99),
            0.5,
            95,
            "The share of gaps, in per cent, that stay uncut.",
        ),
        Threshold(
            "standard_deviation",
            "Standard deviations above the mean",
            "distance",
            _same,
            _deviation,
            -10,
            10,
            (0, 4),
            0.05,
            3,
            "How many standard deviations above the mean distance a gap must lie.",
        ),
        Threshold(
            "interquartile",
            "Interquartile ranges above the mean",
            "distance",
            _same,
            _interquartile,
            -10,
            10,
            (0, 3),
            0.05,
            1.5,
            "How many interquartile ranges above the mean distance a gap must lie.",
        ),
        Threshold(
            "gradient",
            "Percentile of the distance's gradient",
            "gradient of distance",
            _gradient,
            _percentile,
            1,
            100,
            (10, 99),
            0.5,
            95,
            "The share of gaps, in per cent, whose distance rises too little to be cut.",
        ),
        Threshold(
            "distance",
            "Distance itself",
            "distance",
            _same,
            _absolute,
            0,
            2,
            (0.05, 1.2),
            0.01,
            0.5,
            "The cosine distance that a gap must exceed.",
        ),
        Threshold(
            "absolute_gradient",
            "Gradient itself",
            "gradient of distance",
            _gradient,
            _absolute,
            -2,
            2,
            (0.01, 0.5),
            0.01,
            0.1,
            "How much the distance must rise per gap.",
        ),
        Threshold(
            "slope",
            "Fall of similarity",
            "slope of similarity",
            _slope,
            _fall,
            -10,
            10,
            (0, 4),
            0.05,
            1.5,
            "How many standard deviations below the mean the change of similarity must lie.",
            above=False,
        ),
        Threshold(
            "depth",
            "Standard deviations below the mean",
            "depth of the valley",
            _depth,
            _depth_line,
            -10,
            10,
            (-2, 2),
            0.05,
            0.5,
            "How many standard deviations below the mean depth a valley may lie and still be cut; depth 0 never is.",
        ),
    )
}
