"""What an installation may lack: packages that only some uses need, which the extras of ``seamark`` bring."""

from __future__ import annotations

from importlib.util import find_spec

from chunkers.errors import InputError


def need(extra: str, what: str, *modules: str) -> None:
    """Make sure that modules can be imported, without importing them.

    Parameters
    ----------
    extra
        The extra that brings them.
    what
        What needs them, at the beginning of a sentence.

    Raises
    ------
    InputError
        If one is not installed; the sentence says how to install it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        packages = f"the package{'s' * (len(missing) > 1)} {' and '.join(missing)}"
        raise InputError(f"{what} needs {packages}; to install what is missing: pip install 'seamark[{extra}]'.")
