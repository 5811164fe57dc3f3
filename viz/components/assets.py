"""The style sheets and scripts of the components, named by their paths below ``viz/``."""

from __future__ import annotations

from pathlib import Path

_VIZ = Path(__file__).parents[1]


def asset(*names: str) -> str:
    """Return the files of these names as one; scripts of one component share its module's scope."""
    return "\n".join((_VIZ / name).read_text(encoding="utf-8") for name in names)
