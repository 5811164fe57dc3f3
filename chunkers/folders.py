"""The cache folder of the user's system."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """Return Seamark's folder there, by the rules of the system; it need not exist."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - without a home it stays as it is, where Path raises an error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "seamark" / "seamark" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "seamark"
    named = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(named) if named else home / ".cache") / "seamark"
