"""The chunks that a question is given: the top k, or the best ones until a budget is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunkers import Span
from evaluation.questions.corpus import CharacterRuler, Ruler
from evaluation.retrieval.budget import Last, Measuring, beginning
from evaluation.retrieval.ladder import Ladder
from evaluation.retrieval.measures import Evaluation


class Given(NamedTuple):
    """Ranked chunk, and the part of it that is retrieved for a question.

    Attributes
    ----------
    rank
        Rank of the chunk, counted from 1.
    number
        Number of the chunk.
    spans
        Spans of the chunk in corpus-wide offsets, or of the text that it returns, without text that better chunks return;
        possibly empty.
    given
        Spans retrieved for the question: the chunk's beginning if the budget cuts it off, nothing if it is left out.
    """

    rank: int
    number: int
    spans: tuple[Span, ...]
    given: tuple[Span, ...]

    @property
    def whole(self) -> bool:
        """True if the whole chunk is retrieved for the question."""
        return self.given == self.spans


@dataclass(frozen=True)
class GivenChunks:
    """Chunks retrieved for a question, within the top k or a budget.

    Attributes
    ----------
    chunks
        Chunks, best first; the last one may be cut off or left out.
    more
        Number of further retrieved chunks whose ranks the run did not keep.
    budget, unit
        The budget and its unit; 0 if the limit is the top k.
    filled
        Used part of the budget, in its unit.
    """

    chunks: tuple[Given, ...]
    more: int
    budget: int
    unit: str
    filled: int

    @property
    def spans(self) -> list[Span]:
        """Spans retrieved for the question, except those of chunks whose ranks were not kept."""
        return [span for chunk in self.chunks for span in chunk.given]


def given_top_k(evaluation: Evaluation, question: int) -> GivenChunks:
    """Return the top k chunks for the question with the zero-based number ``question``."""
    ranked = evaluation.search.ranked[question, : evaluation.top_k].tolist()
    given = zip(ranked, evaluation.index.given(ranked), strict=True)
    return GivenChunks(
        tuple(Given(rank, number, spans, spans) for rank, (number, spans) in enumerate(given, start=1)),
        0,
        0,
        "",
        0,
    )


def given_at(
    evaluation: Evaluation, ladder: Ladder, question: int, budget: int, unit: str, last: Last, ruler: Ruler
) -> GivenChunks:
    """Return the chunks that fill a budget for the question with the zero-based number ``question``."""
    at = ladder.of(unit, last)
    row = at.budgets.sizes.index(budget)
    taken, part = int(at.taken[row, question]), int(at.part[row, question])
    length: Measuring = ruler if unit == "tokens" else CharacterRuler()
    ranked = [number for number in ladder.ranked[question].tolist() if number >= 0]
    shown = []
    first = ranked[: taken + (last == "left_out")]
    for rank, (number, spans) in enumerate(zip(first, evaluation.index.given(first), strict=True), start=1):
        given = spans if rank < taken or (rank == taken and not part) else given_part(spans, part, length)
        shown.append(Given(rank, number, spans, given if rank <= taken else ()))
    filled = int(at.given[("characters", "tokens").index(unit), row, question])
    if shown and not shown[-1].given and filled == budget:
        shown.pop()  # The budget is full: nothing is left out for want of room.
    return GivenChunks(tuple(shown), max(0, taken - len(ranked)), budget, unit, filled)


def given_part(spans: Sequence[Span], part: int, length: Measuring) -> tuple[Span, ...]:
    """Return the beginning of a chunk, of length ``part``, as spans."""
    return tuple(beginning(spans, part, length))
