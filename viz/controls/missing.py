"""Options that need a package which is not installed: their labels in the list, and the command to install it."""

from __future__ import annotations

from chunkers.embedders import missing_for_embedder
from chunkers.support.extras import lacking
from chunkers.text.tokenizers import BYTE_PAIRS


def missing_for_splitter(name: str) -> str:
    """Return the installation hint for the package that the splitter lacks; empty if no package is missing."""
    return lacking("spacy", "spaCy's splitter") if name.partition(":")[0] == "spacy" else ""


def missing_for_tokenizer(name: str) -> str:
    """Return the installation hint for the package that the tokenizer lacks; empty if no package is missing."""
    return lacking("tokens", name) if name in BYTE_PAIRS else ""


MISSING = {"sentences": missing_for_splitter, "embedder": missing_for_embedder, "tokenizer": missing_for_tokenizer}
"""By shared setting, the function that returns the installation hint for one of its values."""


def labelled(setting: str, name: str) -> str:
    """Return the label of an option of a shared setting, marked if the option needs a package that is not installed."""
    return f"{name} (not installed)" if setting in MISSING and MISSING[setting](name) else name
