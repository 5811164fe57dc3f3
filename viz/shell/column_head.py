"""Conversion of a chunker's result to a column of the reader."""

from collections.abc import Callable
from dataclasses import replace

from chunkers import Chunking
from viz.components.reader.reader import Column, HeadRow, Result
from viz.shell.results import ColumnResult
from viz.state.choices import effective
from viz.state.chunk_files import CUT_FIRST, NAME_AGAIN, NO_FILE
from viz.state.models import MISSING
from viz.state.session_state import session


def column_of(
    result: ColumnResult,
    head: Callable[[Chunking], Column],
    *,
    drawn: Result | None = None,
    prefix: str = "",
    movable: bool = True,
) -> Column:
    """Return the reader's column for a result, or a column with a message that explains why there is no result.

    Parameters
    ----------
    head
        Returns a column with the summary of a chunking alone.
    drawn
        The result to draw instead, for pages that show other scores for the same chunks.
    prefix
        Text before the settings in the subtitle.
    movable
        True if the threshold lines can be dragged.
    """
    subtitle = ": ".join(part for part in (prefix, settings_of(result)) if part)
    if result.error:
        # Waiting for consent or for a file is not an error.
        waits = result.sending is not None or result.error in (MISSING, NO_FILE, NAME_AGAIN, CUT_FIRST)
        return Column(result.title, subtitle, message=result.error, tone="" if waits else "error")
    if result.chunker is None or result.chunking is None:
        return Column(result.title, subtitle, message=waiting_words(asks=result.chunker is not None and result.chunker.asks))
    drawn = drawn or Result(result.task, result.chunker, result.chunking, movable)
    notes = drawn.chunking.notes
    return replace(head(drawn.chunking), title=result.title, subtitle=subtitle, result=drawn, notes=notes)


def against_known_row(found: int, missed: int, added: int) -> HeadRow:
    """Return the summary row that compares a result's cuts with the known boundaries.

    For previews, head.js writes the same row.
    """
    label = "against known"
    if missed or added:
        words = f"{missed:,} missed, {added:,} added"
        return HeadRow(label, words, "wrong", words)
    if not found:
        return HeadRow(label, "one topic, not cut", brief="one topic, not cut")
    return HeadRow(label, f"all {found:,} found, none added", brief=f"all {found:,} found")


def waiting_words(*, asks: bool = False) -> str:
    """Return the status text of a column without a result; ``asks`` is True if it waits for a language model."""
    job = session.job
    if job is not None and job.cancelled:
        return "Stopped while asking." if asks else "Stopped while embedding."
    return "Asking …" if asks else "Embedding …"


def settings_of(result: ColumnResult) -> str:
    """Describe the chunker's settings briefly; if the settings are invalid, list only the non-default settings."""
    if result.chunker is not None:
        return result.chunker.describe()
    values = effective(result.choice, {})
    return ", ".join(f"{name} {value}" for name, value in values.items() if name in result.choice.parameters)
