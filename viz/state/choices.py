"""The user's choices, kept in the session and in the link. Links never contain text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from chunkers import DEFAULT_SPLITTER
from chunkers.recipes.registry import chunker_class

OWN = "own"
"""The name of the user's own document, pasted or uploaded; links do not include its text."""

OWN_SPLITTER = DEFAULT_SPLITTER
"""The default sentence splitter for the user's own document."""

MOST_COLUMNS = 6


@dataclass
class ColumnChoice:
    """The settings of a column: a chunker's name and its non-default parameters."""

    chunker: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def put(self, name: str, value: Any) -> None:
        """Set a parameter of the column, unless the chunker lacks the parameter or a number is out of bounds.

        A browser may send the value of a control or of a threshold line that was drawn for the column's previous chunker.
        """
        spec = next(
            (field_spec for field_spec in chunker_class(self.chunker).fields(self.parameters) if field_spec.name == name),
            None,
        )
        if spec is None:
            return
        if isinstance(value, int | float):
            low, high = (-inf if spec.low is None else spec.low), (inf if spec.high is None else spec.high)
            if not low <= value <= high:
                return
        self.parameters[name] = value

    def copy(self) -> "ColumnChoice":
        """Return a copy of the column that can be changed independently."""
        return ColumnChoice(self.chunker, dict(self.parameters))


@dataclass
class Choices:
    """All settings that a link includes; ``extra`` has the settings of a single page, such as the step of a stepper."""

    document: str
    sentences: str
    columns: list[ColumnChoice]
    embedder: str = "all-MiniLM-L6-v2"
    tokenizer: str = "all-MiniLM-L6-v2"
    selected: int = 0
    extra: dict[str, str] = field(default_factory=dict)


def fresh(chunker: str) -> ColumnChoice:
    """Return a new column for a chunker, with the same default settings on every page.

    They are the library's defaults, except for Breakpoint: LangChain's percentile of 95 cuts a short text once or never.
    """
    return ColumnChoice(chunker, {"amount": 70.0} if chunker == "breakpoint" else {})


SHARED = ("document", "sentences", "embedder", "tokenizer")
"""The choices that all pages share."""


def compare_first_screen(document: str, sentences: str) -> Choices:
    """Return Compare's default choices for a sample: three chunkers side by side."""
    columns = [fresh(chunker) for chunker in ("fixed_sentences", "breakpoint", "double_pass")]
    return Choices(document, sentences, columns, selected=1)


def effective_parameters(column: ColumnChoice, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all parameters of a column, including defaults and invalid values."""
    values = {**defaults, **column.parameters}
    specs = chunker_class(column.chunker).fields(values)
    return {spec.name: values.get(spec.name, spec.default) for spec in specs}
