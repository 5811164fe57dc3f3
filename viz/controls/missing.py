"""Choices that need a package which is not installed: they say so in the list, and with which command it comes."""

from __future__ import annotations

from chunkers.embedders import missing_for_embedder
from chunkers.support.extras import lacking
from chunkers.text.tokenizers import BYTE_PAIRS


def missing_for_splitter(name: str) -> str:
    """Return a sentence on the package that the splitter lacks and how to install it; empty if nothing is missing."""
    return lacking("spacy", "spaCy's splitter") if name.partition(":")[0] == "spacy" else ""


def missing_for_tokenizer(name: str) -> str:
    """Return a sentence on the package that the tokenizer lacks and how to install it; empty if nothing is missing."""
    return lacking("tokens", name) if name in BYTE_PAIRS else ""


MISSING = {"sentences": missing_for_splitter, "embedder": missing_for_embedder, "tokenizer": missing_for_tokenizer}
"""Functions that name the package missing for a value of a shared setting."""


def labelled(setting: str, name: str) -> str:
    """Return a value of a shared setting as the list shows it."""
    return f"{name} (not installed)" if setting in MISSING and MISSING[setting](name) else name
