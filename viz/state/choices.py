"""What the user chose, in the session and in the link. Text is never in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chunkers import DEFAULT_SPLITTER
from chunkers.registry import chunker_class

OWN = "own"
"""The document that the user pasted or uploaded; a link cannot carry it."""

OWN_SPLITTER = DEFAULT_SPLITTER
"""How it is split into sentences until the user says otherwise."""

MOST_COLUMNS = 6


@dataclass
class ColumnChoice:
    """A chunker's name and the parameters that the user set away from their defaults."""

    chunker: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass
class Choices:
    """Everything that a link carries; ``extra`` are the words of one page alone, such as the step of a stepper."""

    document: str
    sentences: str
    columns: list[ColumnChoice]
    embedder: str = "all-MiniLM-L6-v2"
    tokenizer: str = "all-MiniLM-L6-v2"
    selected: int = 0
    extra: dict[str, str] = field(default_factory=dict)


SHARED = ("document", "sentences", "embedder", "tokenizer")
"""What all pages have in common."""


def compare_first_screen(document: str, sentences: str) -> Choices:
    """Return the choices of the first screen: three chunkers on a sample."""
    columns = [
        ColumnChoice("fixed_sentences"),
        ColumnChoice("breakpoint", {"amount": 70.0}),
        ColumnChoice("double_pass"),
    ]
    return Choices(document, sentences, columns, selected=1)


def effective(column: ColumnChoice, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter of a column, allowed together or not."""
    values = {**defaults, **column.parameters}
    specs = chunker_class(column.chunker).fields(values)
    return {spec.name: values.get(spec.name, spec.default) for spec in specs}
