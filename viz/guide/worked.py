"""The formula of a chunker worked out for one gap: the definition, the values, the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chunkers import Chunker, Chunking, Gap
from chunkers.support.arrays import VectorArray
from chunkers.support.numbers import signed

_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def unit_said(unit: str) -> str:
    """Return the plural noun for what a tokenizer counts, such as ``words`` or ``tokens``."""
    return unit if unit in ("sentences", "words", "characters") else "tokens"


def worked(
    chunker: Chunker, chunking: Chunking, gap: Gap, vectors: VectorArray, count: Callable[[str], int], unit: str
) -> list[str]:
    """Return a chunker's decision at one gap as lines of a worked formula.

    Parameters
    ----------
    vectors
        Unit vectors of the sentences, shape (sentences, dimension).
    count, unit
        Function that returns the size of a text, and the name of its unit; for chunkers that measure sizes.
    """
    if chunker.name in _BY_SIZE:
        values = _counted(chunker, chunking, gap, count, unit)
    else:
        values = _VALUES[chunker.name](chunker, chunking, gap, vectors) if chunker.name in _VALUES else []
    return [*values, _result(gap)]


def _result(gap: Gap) -> str:
    verdict = "cut" if gap.verdict.is_cut else "no cut"
    return f"{gap.reason}: {verdict}"


def _n(value: float) -> str:
    return signed(float(value), ".2f")


def _e(number: int) -> str:
    return f"e{str(number + 1).translate(_BELOW)}"


def _cosine(vectors: VectorArray, left: int, right: int) -> float:
    return float(vectors[left] @ vectors[right])


def _distance(_: Any, __: Chunking, gap: Gap, vectors: VectorArray) -> list[str]:
    left, right = gap.index, gap.index + 1
    cosine = _cosine(vectors, left, right)
    return [f"distance = 1 − {_e(left)} · {_e(right)}", f"= 1 − {_n(cosine)} = {_n(1 - cosine)}"]


def _joint(chunker: Any, chunking: Chunking, gap: Gap, vectors: VectorArray, *_: Any) -> list[str]:
    left, right, count = gap.index, gap.index + 1, len(chunking.document.sentences)
    weight, meaning = chunker.position_weight, 1 - max(_cosine(vectors, left, right), 0.0)
    joint = weight / count + (1 - weight) * meaning
    return [
        f"joint distance = λ · |{left + 1} − {right + 1}| / {count} + (1 − λ) · (1 − {_e(left)} · {_e(right)})",
        f"= {_n(weight)} · {_n(1 / count)} + {_n(1 - weight)} · {_n(meaning)} = {_n(joint)}",
    ]


def _compared(_: Any, chunking: Chunking, gap: Gap, *_more: Any) -> list[str]:
    lines = []
    for one in chunking.comparisons:
        if one.right.start == gap.index + 1:
            left, right = (_sentences(span.start, span.end) for span in (one.left, one.right))
            relation = ">" if one.similarity > one.threshold else "≤"
            lines.append(f"{one.kind}: cos({left}, {right}) = {_n(one.similarity)} {relation} {_n(one.threshold)}")
    return lines


def _max_min(_: Any, chunking: Chunking, gap: Gap, vectors: VectorArray, *_more: Any) -> list[str]:
    document, following = chunking.document, gap.index + 1
    before = next(chunk for chunk in chunking.chunks if chunk.start <= document.sentences[gap.index].start < chunk.end)
    members = range(document.sentence_at(before.start), following)
    products = [f"{_e(one)} · {_e(following)} = {_n(_cosine(vectors, one, following))}" for one in members]
    return [", ".join(products)]


def _spread(vectors: VectorArray) -> float:
    return float(np.sum((vectors - vectors.mean(axis=0)) ** 2)) if len(vectors) else 0.0


def _change(_: Any, chunking: Chunking, gap: Gap, vectors: VectorArray, *_more: Any) -> list[str]:
    cuts = [-1, *[one.index for one in chunking.gaps if one.verdict.is_cut], len(vectors) - 1]
    start = max(cut for cut in cuts if cut < gap.index) + 1
    end = min(cut for cut in cuts if cut > gap.index) + 1
    middle = gap.index + 1
    whole, left, right = _spread(vectors[start:end]), _spread(vectors[start:middle]), _spread(vectors[middle:end])
    parts = [_sentences(*part) for part in ((start, end), (start, middle), (middle, end))]
    return [
        "gain = " + " − ".join(f"spread of {part}" for part in parts),
        f"= {_n(whole)} − {_n(left)} − {_n(right)} = {_n(whole - left - right)}",
    ]


def _centres(_: Any, chunking: Chunking, gap: Gap, *_more: Any) -> list[str]:
    clusters = chunking.clusters
    if clusters is None or not clusters.own:
        return []
    return [
        f"sentence {one + 1}: own centre {_n(clusters.own[one])}, other {_n(clusters.other[one])}"
        for one in (gap.index, gap.index + 1)
    ]


def _counted(chunker: Any, chunking: Chunking, gap: Gap, count: Callable[[str], int], unit: str) -> list[str]:
    document, following = chunking.document, gap.index + 1
    at = document.sentences[gap.index].end if gap.offset is None else gap.offset
    begin = max(chunk.start for chunk in chunking.chunks if chunk.start < at)
    size = getattr(chunker, "size", None) or getattr(chunker, "max_size", None)
    lines = [f"chunk so far: {count(document.text[begin:at])} of {size} {unit}"]
    if gap.offset is None:
        lines.append(f"with the next sentence: {count(document.text[begin : document.sentences[following].end])} {unit}")
    return lines


def _sentences(start: int, end: int) -> str:
    return f"{start + 1}–{end}" if end - start > 1 else str(start + 1)


_BY_SIZE = ("fixed_sentences", "fixed_words", "fixed_characters", "fixed_tokens", "recursive", "structure")

_VALUES: dict[str, Callable[..., list[str]]] = {
    **dict.fromkeys(("breakpoint", "target_size"), _distance),
    **dict.fromkeys(("single_linkage", "dbscan"), _joint),
    "double_pass": _compared,
    "max_min": _max_min,
    "change_point": _change,
    "kmeans": _centres,
}
