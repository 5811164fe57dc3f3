"""The chunkers that ask a language model where to cut."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Self

from pydantic import Field, model_validator

from chunkers.building_blocks.recursive_spans import measure_for, recursive_spans
from chunkers.building_blocks.sizes import check_size
from chunkers.building_blocks.windows import Windowed
from chunkers.contract.tools import Tools
from chunkers.language_models import prompts
from chunkers.language_models.conversation import Unusable, read_line
from chunkers.language_models.forms import SHIFT, SPLITS, AnswerKind, Shift, Splits
from chunkers.text.document import Document, Span
from chunkers.text.sentences import split_sentences


class Llm(Windowed):
    """Chunker that shows a language model numbered pieces of the text and cuts after the pieces that the model names.

    Source: LLMSemanticChunker of Chroma's report, with the same pieces, tags, answer form and windows. There are three
    differences: the model may answer that there is no cut; a cut after a window's last piece is judged in the next
    window, because the model has not seen what follows; and the last pieces of a text are judged too.
    """

    name: ClassVar[str] = "llm"
    title: ClassVar[str] = "Language model"
    idea: ClassVar[str] = "Shows a language model numbered pieces of the text, which says after which ones to cut."
    source: ClassVar[str] = "Chroma technical report (2024), LLMSemanticChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{cut after } p_i \iff i \in M(p_a, \dots, p_b), \\ "
        r"&a' = \max M + 1, \quad \textstyle\sum_{i=a}^{b} |p_i| \le w \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$p_i$ piece $i$; $|p_i|$ its tokens; $M$ the model's answer; $w$ window; $a, b$ its first and last piece; "
        r"$a'$ the first of the next"
    )
    failure: ClassVar[str] = (
        "Costs money or time, and the text leaves the machine unless the model runs on it; another model, or the same one "
        "on another day, may cut elsewhere, and no figure says why."
    )
    unit_name: ClassVar[str] = "piece"
    kind: ClassVar[AnswerKind] = SPLITS
    system: ClassVar[str] = prompts.SPLITS_SYSTEM
    piece: ClassVar[str] = prompts.SPLITS_PIECE
    question: ClassVar[str] = prompts.SPLITS_QUESTION
    first_alone: ClassVar[bool] = False

    window: int = Field(
        800,
        ge=10,
        le=1_000_000,
        title="Window size",
        description="The most text that the model is shown at once, the marks of its pieces not counted.",
        json_schema_extra={"unit": "tokens", "step": 100, "offered": [200, 4000], "main": True},
    )
    piece_size: int = Field(
        50,
        ge=1,
        le=100_000,
        title="Piece size",
        description="The most that a piece of the recursive chunker may hold; at most half of the window.",
        json_schema_extra={"unit": "tokens", "step": 5, "offered": [10, 200]},
    )

    @model_validator(mode="after")
    def _pieces_fit(self) -> Self:
        if 2 * self.piece_size > self.window:
            raise ValueError(
                f"piece_size must be at most half of window ({self.window // 2}); got {self.piece_size}. Lower piece_size "
                "or raise window."
            )
        return self

    @property
    def most(self) -> int:
        """Maximum number of tokens in a window."""
        return self.window

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"windows of {self.window:,} tokens, in pieces of {self.piece_size:,}"

    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the ranges of the text pieces shown to the model. Raise InputError if there are too many."""
        check_size(self.name, document.text, self.piece_size, "tokens")
        return recursive_spans(document.text, self.piece_size, 0, measure_for("tokens", tools), "chroma")

    def read(self, answer: str, first: int, last: int) -> list[int]:
        """Parse an answer's last line ``split_after:``; return the numbers of the pieces after which to cut."""
        numbers = read_line(answer, Splits).split_after
        for number in numbers:
            if not first <= number <= last:
                raise Unusable(f"the answer must name pieces from {first} to {last}; it names piece {number}")
        # The line's order is part of its form; a list in JSON is a set of places.
        if answer.lstrip().startswith("{"):
            numbers = sorted(numbers)
        if any(one > other for one, other in pairwise(numbers)):
            raise Unusable("the answer must name the pieces in ascending order; their order is different")
        # After the last piece shown nobody can tell whether the subject goes on.
        return [*dict.fromkeys(number for number in numbers if number < last)]


class Lumber(Windowed):
    """Chunker that shows a language model numbered paragraphs and cuts before the first paragraph whose content shifts.

    The next window begins at the cut.

    Source: LumberChunker (Duarte et al., 2024), with the same windows, question and answer form. The model may also
    answer that the content does not shift, and a paragraph of more than half a window is shown in parts.
    """

    name: ClassVar[str] = "lumber"
    title: ClassVar[str] = "LumberChunker"
    idea: ClassVar[str] = "Asks a language model for the first paragraph where the content shifts, and goes on from there."
    source: ClassVar[str] = "Duarte et al. (2024), LumberChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &i = M(p_a, \dots, p_b), \quad a < i \le b; \\ &\text{cut before } p_i, \quad a' = i, "
        r"\quad \textstyle\sum_{i=a}^{b} |p_i| \le w \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$p_i$ paragraph $i$; $|p_i|$ its tokens; $M$ the model's answer; $w$ window; $a, b$ its first and last paragraph; "
        r"$a'$ the first of the next"
    )
    failure: ClassVar[str] = (
        "Asks once a chunk and shows much of the text several times, so it costs more than naming all cuts at once; a text "
        "without blank lines is one paragraph."
    )
    unit_name: ClassVar[str] = "paragraph"
    kind: ClassVar[AnswerKind] = SHIFT
    system: ClassVar[str] = prompts.SHIFT_SYSTEM
    piece: ClassVar[str] = prompts.SHIFT_PIECE
    question: ClassVar[str] = prompts.SHIFT_QUESTION
    first_alone: ClassVar[bool] = True

    window: int = Field(
        550,
        ge=10,
        le=1_000_000,
        title="Window size",
        description="The most text that the model is shown at once, the numbers of its paragraphs not counted.",
        json_schema_extra={"unit": "tokens", "step": 50, "offered": [200, 4000], "main": True},
    )

    @property
    def most(self) -> int:
        """Maximum number of tokens in a window."""
        return self.window

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"windows of {self.window:,} tokens"

    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the ranges of the paragraphs, with long paragraphs split. Raise InputError if there are too many."""
        text, most = document.text, self.window // 2
        check_size(self.name, text, most, "tokens")
        paragraphs = [*map(tuple, split_sentences(text, "paragraphs"))]
        sizes = tools.count_tokens([text[start:end] for start, end in paragraphs])
        units: list[tuple[int, int]] = []
        for (start, end), size in zip(paragraphs, sizes, strict=True):
            if size <= most:
                units.append((start, end))
                continue
            units += recursive_spans(text, most, 0, measure_for("tokens", tools), "chroma", Span(start, end))
        return units

    def read(self, answer: str, first: int, last: int) -> list[int]:
        """Parse an answer's last line ``Answer:``; return the number of the paragraph after which to cut."""
        number = read_line(answer, Shift).answer
        if number is None:
            return []
        if not first < number <= last:
            raise Unusable(f"the answer must name a paragraph from {first + 1} to {last}; it names paragraph {number}")
        return [number - 1]
