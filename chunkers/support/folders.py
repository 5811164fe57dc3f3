"""The folders of the user's system for caches and for data."""

import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def user_cache() -> Path:
    """Return Seamark's cache folder, following the platform's conventions; the folder may not exist yet."""
    return _user_folder("seamark/seamark/Cache", "Caches", "XDG_CACHE_HOME", ".cache")


def user_data() -> Path:
    """Return Seamark's folder for the user's own data, which the system never cleans up; the folder may not exist yet."""
    return _user_folder("seamark/seamark", "Application Support", "XDG_DATA_HOME", ".local/share")


def _user_folder(on_windows: str, on_mac: str, variable: str, otherwise: str) -> Path:
    """Return a folder below the platform's own; elsewhere an environment variable may name another one than the default."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - without a home it stays as it is, where Path raises an error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / on_windows
    if sys.platform == "darwin":
        return home / "Library" / on_mac / "seamark"
    configured = os.environ.get(variable, "").strip()
    return (Path(configured) if configured else home / otherwise) / "seamark"


def write_whole(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file atomically, readable by its owner only; errors are ignored and leave no partial file behind."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(parts)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
