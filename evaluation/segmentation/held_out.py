"""Significance of a setting's lead on documents that it was not chosen on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from chunkers.support.numbers import signed
from evaluation.segmentation.sweep import MEASURES, Setting, SweepRow
from evaluation.statistics.paired import Difference, compare_all, interval_words
from evaluation.statistics.significance import FALSE_VERDICTS, fewest, too_few


def compare_settings(
    rows: Sequence[SweepRow], setting: Setting, others: Sequence[Setting], measure: str
) -> dict[Setting, Difference | None]:
    """Compare a setting with other settings on the same documents, with p-values corrected for all comparisons.

    A difference above 0 means that ``setting`` is better, whether the measure should be high or low. The difference is None
    if too few documents have a value for both settings.
    """
    values: dict[Setting, dict[str, float]] = {}
    for row in rows:
        value = row.scores[measure].value
        if value is not None:
            values.setdefault(row.setting, {})[row.document] = value
    documents = [*dict.fromkeys(row.document for row in rows)]

    def of(setting: Setting) -> list[float]:
        return [values.get(setting, {}).get(document, np.nan) for document in documents]

    if not documents or not others:
        return dict.fromkeys(others)
    sign = 1 if MEASURES[measure] else -1
    differences = sign * (np.array([of(setting)]) - np.array([of(other) for other in others]))
    return dict(zip(others, compare_all(differences), strict=True))


def significance_words(
    differences: Mapping[Setting, Difference | None], names: Mapping[Setting, str], documents: int
) -> str:
    """Return a verdict in words on whether a setting is significantly ahead of the baselines on held-out documents."""
    if not differences:
        return ""
    if all(difference is None for difference in differences.values()):
        return too_few(len(differences), documents, "held-out document")
    ahead = {
        other: difference.mean
        for other, difference in differences.items()
        if difference is not None and difference.significant and difference.mean > 0
    }
    every = len(ahead) == len(differences)
    rival = min(ahead, key=ahead.__getitem__) if every else next(other for other in differences if other not in ahead)
    verdict = f"It is {'' if every else 'not '}significantly ahead of every trivial answer"
    return f"{verdict}: {_spread(names[rival], differences[rival])}. {FALSE_VERDICTS}"


def chosen_here_words(comparisons: int) -> str:
    """Return a sentence that explains why a setting cannot be tested on the documents it was chosen on."""
    return (
        "It was chosen on these documents, so its lead is not tested; with "
        f"{fewest(comparisons)} documents held out, it is tested against the trivial answers."
    )


def _spread(name: str, difference: Difference | None) -> str:
    if difference is None:
        return f"“{name}” cannot be compared"
    mean, interval = signed(difference.mean, "+.3f"), interval_words(difference.low, difference.high, difference.alpha, 1, 3)
    return f"{mean} on “{name}” ({interval}, {difference.p_words})"
