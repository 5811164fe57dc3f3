"""The bundled documents and where their known boundaries are."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from chunkers import InputError

SAMPLES_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Sample:
    """A bundled document.

    Attributes
    ----------
    sentences
        The name of the sentence splitter that suits it.
    teaches
        One sentence on what it shows.
    known
        Code points at which every section but the first begins: empty if it is all one section, None if no
        boundaries are known.
    """

    id: str
    title: str
    sentences: str
    teaches: str
    text: str
    known: tuple[int, ...] | None


@lru_cache(maxsize=1)
def _load_manifest_entries_by_id() -> dict[str, dict[str, Any]]:
    with (SAMPLES_FOLDER / "manifest.toml").open("rb") as manifest_file:
        return {entry["id"]: entry for entry in tomllib.load(manifest_file)["documents"]}


def sample_titles() -> dict[str, str]:
    """Return id to title, in the order of the page; reads no text."""
    return {name: entry["title"] for name, entry in _load_manifest_entries_by_id().items()}


def sample_splitters() -> dict[str, str]:
    """Return id to the sentence splitter that suits the document; reads no text."""
    return {name: entry["sentences"] for name, entry in _load_manifest_entries_by_id().items()}


@lru_cache(maxsize=16)
def load_sample(sample_id: str) -> Sample:
    """Return the bundled document with the id ``sample_id``.

    Raises
    ------
    InputError
        If there is none, or a section's first words in the manifest do not occur exactly once in the text.
    """
    manifest_entry = _load_manifest_entries_by_id().get(sample_id)
    if manifest_entry is None:
        raise InputError(f"sample must be one of {', '.join(_load_manifest_entries_by_id())}; got {sample_id!r}.")
    file_names = manifest_entry.get("parts") or [manifest_entry["file"]]
    # Bytes, so that line ends stay as they are.
    text = "\n\n".join((SAMPLES_FOLDER / file).read_bytes().decode("utf-8") for file in file_names)
    section_starts = (
        [_section_start(sample_id, text, words) for words in manifest_entry["sections"]]
        if "sections" in manifest_entry
        else None
    )
    known_boundaries = None if section_starts is None else tuple(section_starts[1:])
    return Sample(
        sample_id, manifest_entry["title"], manifest_entry["sentences"], manifest_entry["teaches"], text, known_boundaries
    )


def _section_start(sample_id: str, text: str, first_words: str) -> int:
    if text.count(first_words) != 1:
        raise InputError(
            f"{sample_id}: a section must begin exactly once in the text; {first_words!r} occurs {text.count(first_words)} "
            "times."
        )
    return text.index(first_words)
