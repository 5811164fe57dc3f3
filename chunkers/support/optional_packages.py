"""Optional packages: imported where they are needed, with a clear message if they are missing."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from chunkers.support.errors import ModelError
from chunkers.support.formatting import join_words

MODULES_BY_EXTRA = {
    "app": ("streamlit", "plotly"),
    "clustering": ("sklearn",),
    "code": (
        "tree_sitter",
        "tree_sitter_python",
        "tree_sitter_javascript",
        "tree_sitter_typescript",
        "tree_sitter_java",
        "tree_sitter_go",
        "tree_sitter_rust",
        "tree_sitter_c",
        "tree_sitter_cpp",
    ),
    "corpus": ("filelock", "joblib", "pyarrow"),
    "files": (
        "bs4",
        "chardet",
        "chardetng_py",
        "defusedxml",
        "mammoth",
        "markdownify",
        "openpyxl",
        "psutil",
        "pypdfium2",
        "selectolax",
    ),
    "llm": ("openai", "httpx2"),
    "models": ("sentence_transformers", "torch"),
    "spacy": ("spacy",),
    "tokens": ("requests", "tiktoken"),
}
"""The modules that each extra of the package ``seamark`` is asked for."""


def raise_if_extra_missing(extra: str, needed_by: str, *modules: str) -> None:
    """Raise ModelError if an optional dependency is missing; nothing is imported.

    Parameters
    ----------
    extra
        A key of `MODULES_BY_EXTRA`.
    needed_by
        Subject of the error message: the thing that needs the extra.
    modules
        Modules of the extra that are needed; all of them by default.

    Raises
    ------
    ModelError
        If a module is not installed; the message says how to install it.
    """
    if missing_message := missing_extra_message(extra, needed_by, *modules):
        raise ModelError(missing_message)


def missing_extra_message(extra: str, needed_by: str, *modules: str) -> str:
    """Return the error message of `raise_if_extra_missing` for missing packages; empty if all are installed."""
    missing_modules = [module for module in modules or MODULES_BY_EXTRA[extra] if find_spec(module) is None]
    if not missing_modules:
        return ""
    shown_module_names = (
        missing_modules if len(missing_modules) <= 3 else [*missing_modules[:2], f"{len(missing_modules) - 2} more"]
    )
    packages_phrase = f"the package{'s' * (len(missing_modules) > 1)} {join_words(shown_module_names)}"
    return f"{needed_by} needs {packages_phrase}; to install what is missing: pip install 'seamark[{extra}]'."


def import_required(module_name: str, needed_by: str, pip_requirement: str) -> Any:
    """Import and return a module that belongs to no pip extra. Raise ModelError if the module cannot be imported.

    Parameters
    ----------
    module_name
        Name of the module for ``import``.
    needed_by
        Subject of the error message: the thing that needs the module.
    pip_requirement
        Requirement for pip.

    Raises
    ------
    ModelError
        If the module cannot be imported.
    """
    try:
        return import_module(module_name)
    except ImportError as error:
        raise failed_import_error(module_name, needed_by, pip_requirement, error) from error


def failed_import_error(module_name: str, needed_by: str, pip_requirement: str, error: ImportError) -> ModelError:
    """Return an error that names a package that cannot be imported and the pip command that installs it."""
    return ModelError(
        f"{needed_by} needs the package {module_name.partition('.')[0]}, which cannot be imported ({error}); "
        f"install it with 'pip install {pip_requirement}'."
    )
