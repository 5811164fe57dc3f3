"""Table of the chunks that a change of chunkers keeps and changes: its heads and the cells of a row."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.changes.changed_chunks import Changes
from evaluation.tables.cells import Cell, Head, count, share, unknown

CHANGES: Sequence[Head] = (
    Head("Chunks", "Number of chunks."),
    Head("Kept", "Chunks whose embedded text is exactly that of a chunk of the selected column, wherever it stands."),
    Head("Changed", "As many of the other chunks as both columns have: each replaces one."),
    Head("New", "Chunks beyond these, which replace none."),
    Head("Gone", "Chunks of the selected column that none replaces."),
    Head("Tokens again", "Tokens of the changed and new chunks, which must be embedded again."),
    Head("Share", "Their share of all tokens of the column."),
)
"""The heads of `change_cells`."""


def change_cells(chunks: int, changes: Changes | None) -> list[Cell]:
    """Return the table cells for a column with so many chunks that replaces another; ``changes`` is None for that other."""
    if changes is None:
        return [count(chunks), *[unknown("The others are compared with this column.")] * (len(CHANGES) - 1)]
    numbers = (changes.after, changes.kept, changes.changed, changes.new, changes.gone, changes.tokens_again)
    why = f"of {changes.tokens:,} tokens"
    return [*map(count, numbers), share(changes.tokens_again / changes.tokens if changes.tokens else None, why)]
