"""spaCy's pipelines by name, without importing anything else: a name may come from a link or a file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from chunkers.support.errors import LONGEST_SHOWN, InputError, shown
from chunkers.support.extras import need

if TYPE_CHECKING:
    from spacy.language import Language


def load_pipeline(name: str, setting: str, exclude: Sequence[str] = ()) -> Language:
    """Load a spaCy pipeline that is installed as a package or stored in a folder.

    Parameters
    ----------
    name
        The name of a package that declares itself a pipeline, or a folder's path. Other packages are not imported.
    setting
        Name of the setting that names the pipeline, with which error messages begin.
    exclude
        Parts of the pipeline that are not loaded.

    Raises
    ------
    InputError
        If there is no such pipeline, or it cannot be loaded.
    """
    is_installed = check_pipeline(name, setting)
    import spacy

    try:
        return spacy.load(name if is_installed else Path(name), exclude=exclude)
    # A pipeline's configuration names functions, which fail in as many ways as there are.
    except Exception as error:
        raise InputError(
            f"{setting}: {shown(name)} must be a spaCy pipeline; loading it failed with {type(error).__name__}. Install the "
            "pipeline again."
        ) from error


def check_pipeline(name: str, setting: str) -> bool:
    """Return True if a spaCy pipeline is an installed package, False if it is a folder; nothing is imported.

    Raises
    ------
    InputError
        If there is no such pipeline; the message begins with ``setting``.
    """
    need("spacy", f"{setting}: the spaCy pipeline {shown(name)}")
    is_installed = name in entry_points(group="spacy_models").names
    if not is_installed and not _is_folder(name):
        if _is_distribution(name):
            raise InputError(
                f"{setting}: {shown(name)} must be a spaCy pipeline; the installed package of this name contains no "
                "pipeline. Choose another name."
            )
        wanted = name if name.isidentifier() and len(name) <= LONGEST_SHOWN else "NAME"
        raise InputError(
            f"{setting}: the spaCy pipeline {shown(name)} must be installed; it was not found. "
            f"Install it with 'python -m spacy download {wanted}'."
        )
    return is_installed


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _is_distribution(name: str) -> bool:
    try:
        return bool(distribution(name))
    except (PackageNotFoundError, ValueError):
        return False
