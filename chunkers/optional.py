"""Libraries that not everybody has: imported where they are needed, with a sentence where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from chunkers.errors import ModelError


def needed(module: str, who: str, requirement: str) -> Any:
    """Return a module of another library.

    Parameters
    ----------
    module
        Its name for ``import``.
    who
        What needs it, as the message says.
    requirement
        What pip installs.

    Raises
    ------
    ModelError
        If it cannot be imported.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing(module, who, requirement, error) from error


def missing(module: str, who: str, requirement: str, error: ImportError) -> ModelError:
    """Return the error that says what is missing, and how it is installed."""
    return ModelError(
        f"{who} needs the package {module.partition('.')[0]}, which cannot be imported ({error}); "
        f"install it with 'pip install {requirement}'."
    )
