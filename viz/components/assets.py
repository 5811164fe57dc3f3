"""The style sheets and scripts of the components, which lie beside this file."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def asset(*names: str) -> str:
    """Return the files of these names as one; scripts of one component share its module's scope."""
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
