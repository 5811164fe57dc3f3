"""Options that need a package which is not installed: their labels in the list, and the command to install it."""

from chunkers.embedders import missing_for_embedder
from chunkers.recipes.registry import chunker_class
from chunkers.support.extras import lacking
from chunkers.text.tokenizers import BYTE_PAIRS


def missing_for_splitter(name: str) -> str:
    """Return the installation hint for the package that the splitter lacks; empty if no package is missing."""
    return lacking("spacy", "spaCy's splitter") if name.partition(":")[0] == "spacy" else ""


def missing_for_tokenizer(name: str) -> str:
    """Return the installation hint for the package that the tokenizer lacks; empty if no package is missing."""
    return lacking("tokens", name) if name in BYTE_PAIRS else ""


def missing_for_chunker(name: str) -> str:
    """Return the installation hint for the packages that the chunker lacks; empty if no package is missing."""
    extra = chunker_class(name).extra
    return lacking(extra, name) if extra else ""


MISSING = {
    "chunker": missing_for_chunker,
    "sentences": missing_for_splitter,
    "embedder": missing_for_embedder,
    "tokenizer": missing_for_tokenizer,
}
"""By setting, the function that returns the installation hint for one of its values."""


def label_with_availability(setting: str, name: str, title: str = "") -> str:
    """Return the label of an option, ``title`` or its name, marked if the option needs a package that is not installed."""
    missing = setting in MISSING and MISSING[setting](name)
    return f"{title or name}{' (not installed)' if missing else ''}"
