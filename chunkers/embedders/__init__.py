"""Embedders by name. Creating one loads nothing; its first ``encode`` does."""

import re
from functools import lru_cache
from pathlib import Path

from chunkers.embedders.base import Embedder, Encoder, wrap_encoder_as_embedder
from chunkers.embedders.embedding_server import OpenAIServer
from chunkers.embedders.sentence_models import (
    BFLOAT16_EMBEDDER_REMOVED_NOTE,
    REMOVED_BFLOAT16_EMBEDDER_NAME,
    FolderModel,
    HubModel,
    MiniLM,
    check_device_name,
)
from chunkers.embedders.spacy_and_tfidf import SpacyVectors, TfIdf
from chunkers.embedders.static_embedder import Static
from chunkers.support import InputError, ModelName, missing_extra_message, short_repr

__all__ = [
    "EMBEDDER_DESCRIPTIONS",
    "OTHER_NAME_FORMS",
    "Embedder",
    "Encoder",
    "MiniLM",
    "OpenAIServer",
    "load_embedder",
    "missing_extra_sentence",
]

EMBEDDER_DESCRIPTIONS = {
    MiniLM.name: "the bundled model: 384 dimensions, English, reads at most 256 word pieces",
    Static.name: "the bundled model distilled once into a table of word pieces, which is kept here: far faster, less exact",
    "tfidf": "TF-IDF and singular values of the document's own sentences: any language, at once, no model",
}
"""Names of the embedders that are always there, with one line of help."""

OTHER_NAME_FORMS = {
    "ORGANISATION/MODEL": "a sentence-transformers model of the Hugging Face hub, downloaded once",
    "FOLDER": "a sentence-transformers model in a folder of this machine",
    "spacy:NAME": "the word vectors of an installed spaCy pipeline",
    "openai:NAME": "a model of a server that speaks OpenAI's protocol, the text sent to it",
}
"""Forms of the names of all others, with one line of help."""

_HUB_NAME_PATTERN = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def load_embedder(name: str | Encoder = "all-MiniLM-L6-v2", device: str = "auto") -> Embedder:
    """Return the embedder called ``name``. It reads, downloads and sends nothing before its ``ensure_loaded`` is called.

    Parameters
    ----------
    name
        A key of `EMBEDDER_DESCRIPTIONS`, or one of the forms in `OTHER_NAME_FORMS`; a folder takes precedence over a hub
        model of the same name. Or any object with a method ``encode``, see `Encoder`; an `Embedder` is returned as it is.
    device
        Device that runs the model, a key of `chunkers.embedders.sentence_models.DEVICE_DESCRIPTIONS`; only
        ``ensure_loaded`` checks that the machine has it. The table of ``static`` is always distilled on the CPU.

    Raises
    ------
    InputError
        If no embedder can have that name, the object has no method ``encode``, or ``device`` requires torch, which does
        not run this embedder.
    """
    check_device_name(device)
    if not isinstance(name, str):
        return _check_cpu_only_device(wrap_encoder_as_embedder(name), device)
    # A server's embedder is not cached: the environment may name another server the next time.
    return (
        _check_cpu_only_device(OpenAIServer(name), device)
        if ModelName.parse(name).provider == "openai"
        else _build_embedder(name, device)
    )


@lru_cache(maxsize=4)
def _build_embedder(name: str, device: str) -> Embedder:
    match ModelName.parse(name):
        case "own", _:
            raise InputError(
                f"embedder: {name} was an object of your own, which cannot be loaded by its name. Pass the object itself as "
                "embedder."
            )
        case "spacy", _:
            return _check_cpu_only_device(SpacyVectors(name), device)
        case _, MiniLM.name:
            return MiniLM(device)
        case _ if name == REMOVED_BFLOAT16_EMBEDDER_NAME:
            return MiniLM(device, BFLOAT16_EMBEDDER_REMOVED_NOTE)
        case _, Static.name:
            minilm_model = _build_embedder(MiniLM.name, "cpu")
            assert isinstance(minilm_model, MiniLM)
            return Static(minilm_model)
        case _, TfIdf.name:
            return _check_cpu_only_device(TfIdf(), device)
        case _ if _is_folder(name):
            return FolderModel(name, device)
        case _ if _HUB_NAME_PATTERN.fullmatch(name):
            return HubModel(name, device)
    raise InputError(
        f"embedder must be one of {', '.join(EMBEDDER_DESCRIPTIONS)}, or have one of the forms "
        f"{', '.join(OTHER_NAME_FORMS)}; got {short_repr(name)}."
    )


def missing_extra_sentence(name: str) -> str:
    """Return a sentence that names the pip extra that an embedder needs but lacks; empty if nothing is missing.

    For a model from a folder or the hub, this is known only after loading.
    """
    needed_extra = {TfIdf.name: "clustering", "spacy": "spacy", "openai": "llm"}.get(ModelName.parse(name).provider or name)
    return missing_extra_message(needed_extra, name) if needed_extra else ""


def _check_cpu_only_device(embedder: Embedder, device: str) -> Embedder:
    """Return an embedder that torch does not run here; raises InputError if it is to run on a device."""
    if device not in ("auto", "cpu"):
        raise InputError(f"device must be auto or cpu for {embedder.name}, which supports no other device; got {device}.")
    return embedder


def _is_folder(name: str) -> bool:
    try:
        return bool(name.strip()) and Path(name).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        # A name that is too long, begins with a user that does not exist, or has a null character.
        return False
