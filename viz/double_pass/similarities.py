"""The distribution of the similarities compared with a threshold, drawn under the threshold's slider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from chunkers import Chunking
from chunkers.support.numbers import signed
from viz.components.assets import script, styles
from viz.components.mounting import component

_histogram = component(
    "seamark_similarities",
    html='<figure class="similarities"><svg></svg><figcaption></figcaption></figure>',
    css=styles("double_pass/similarities.css"),
    js=script("double_pass/similarities.js"),
)


class SimilaritiesData(TypedDict):
    """Payload of the histogram of similarities: counts over the slider's range, the threshold, and a caption."""

    counts: list[int]
    at: float
    words: str


def compared_with(chunking: Chunking, parameter: str) -> list[float]:
    """Return the similarities that Double pass compared with the threshold ``parameter``."""
    kind = parameter.removesuffix("_threshold")
    return [
        comparison.similarity
        for comparison in chunking.comparisons
        if (comparison.kind if comparison.kind in ("initial", "appending") else "merging") == kind
    ]


def above(similarities: Sequence[float], threshold: float) -> str:
    """Describe how many similarities exceed the threshold."""
    if not similarities:
        return "Nothing was compared with this threshold in this text."
    count = sum(similarity > threshold for similarity in similarities)
    return (
        f"{count:,} of {len(similarities):,} similarities {'lies' if count == 1 else 'lie'} above {signed(threshold, '.2f')}"
    )


BINS = 25


def show_similarities(similarities: Sequence[float], threshold: float, bounds: tuple[float, float], key: str) -> None:
    """Draw a histogram of the similarities under the slider of their threshold, clipped to ``bounds``."""
    low, high = bounds
    counts, _ = np.histogram(np.clip(similarities, low, high), BINS, bounds)
    data: SimilaritiesData = {
        "counts": counts.tolist() if len(similarities) else [],
        "at": (threshold - low) / (high - low),
        "words": above(similarities, threshold),
    }
    _histogram(key=key, data=data)
