"""From what became of a chunker to the column that the reader shows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunkers import Chunking
from chunkers.registry import chunker_class
from viz.components.reader.reader import Column, HeadRow, Result
from viz.shell.results import ColumnResult
from viz.state.choices import effective
from viz.state.keys import session


@dataclass(frozen=True)
class Head:
    """What a page says of a result.

    Attributes
    ----------
    rows, table
        The lines of the head, and the table below them.
    fresh
        Code points of the cuts that the last change made.
    wrong
        Numbers of the sentences outside of their section's chunk.
    """

    rows: tuple[HeadRow, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    fresh: frozenset[int] = field(default_factory=frozenset)
    wrong: tuple[int, ...] = ()


def column_of(
    result: ColumnResult,
    head: Callable[[Chunking], Head],
    *,
    drawn: Result | None = None,
    prefix: str = "",
    movable: bool = True,
) -> Column:
    """Return the reader's column: its result under the page's ``head``, or what stands in the way of one.

    Parameters
    ----------
    head
        Called with the result, where there is one.
    drawn
        What is drawn in place of the result, where the page shows it in another reading.
    prefix
        What the page says before the settings.
    movable
        Whether the threshold lines can be dragged.
    """
    title = chunker_class(result.choice.chunker).title
    subtitle = ": ".join(part for part in (prefix, _settings(result)) if part)
    if result.error:
        return Column(title, subtitle, message=result.error, tone="error")
    if result.chunker is None or result.chunking is None:
        return Column(title, subtitle, message=waiting_words())
    drawn = drawn or Result(result.task, result.chunker, result.chunking, movable)
    said = head(drawn.chunking)
    notes = drawn.chunking.notes
    return Column(title, subtitle, drawn, said.rows, said.table, notes, fresh=said.fresh, wrong=said.wrong)


def waiting_words() -> str:
    """Say what a column without a result waits for."""
    job = session.job
    return "Stopped before it was embedded." if job is not None and job.cancelled else "Being embedded …"


def _settings(result: ColumnResult) -> str:
    """Say the settings in a few words; where they are not allowed, those that the user set."""
    if result.chunker is not None:
        return result.chunker.describe()
    values = effective(result.choice, {})
    return ", ".join(f"{name} {value}" for name, value in values.items() if name in result.choice.parameters)
