"""Placement of the labels of a few points so that they do not overlap."""

from __future__ import annotations

from collections.abc import Sequence

_WIDE, _HIGH = 0.018, 0.075
"""Width of a character and height of a line, as fractions of a figure in a narrow window."""

_SIDES = ("top right", "bottom right", "top left", "bottom left")

_Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""


def label_sides(places: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    """Return for each point the side on which its label overlaps least; coordinates are fractions of the figure."""
    taken: list[_Box] = [(x - 0.01, x + 0.01, y - 0.03, y + 0.03) for x, y in places]
    sides = []
    for (x, y), label in zip(places, labels, strict=True):
        boxes = {side: _box(x, y, len(label), side) for side in _SIDES}
        best = min(_SIDES, key=lambda side: sum(_shared(boxes[side], other) for other in taken) + _outside(boxes[side]))
        taken.append(boxes[best])
        sides.append(best)
    return sides


def _box(x: float, y: float, length: int, side: str) -> _Box:
    vertical, horizontal = side.split()
    left, bottom = (x if horizontal == "right" else x - length * _WIDE), (y if vertical == "top" else y - _HIGH)
    return left, left + length * _WIDE, bottom, bottom + _HIGH


def _shared(one: _Box, other: _Box) -> float:
    """Return the area of the intersection of two boxes."""
    wide = min(one[1], other[1]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[2], other[2])
    return max(0.0, wide) * max(0.0, high)


def _outside(box: _Box) -> float:
    """Return the area of a box that lies outside the figure."""
    return (box[1] - box[0]) * (box[3] - box[2]) - _shared(box, (0.0, 1.0, 0.0, 1.0))
