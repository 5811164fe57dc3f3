"""Tables of what a change of chunkers costs and does to questions: their heads and the cells of a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkers.support.arrays import FloatArray
from chunkers.support.numbers import counted
from evaluation.changes.changed_chunks import Comparison, dollar_words, dollars_for
from evaluation.changes.won_questions import WonAndLost
from evaluation.retrieval.measures import mean_and_deviation
from evaluation.statistics.paired import Difference
from evaluation.tables.cells import Cell, Head, count, share, unknown

_CHANGES: Sequence[Head] = (
    Head("Chunks", "Number of chunks."),
    Head("Kept", "Chunks whose embedded text is exactly that of a chunk of the selected column, wherever it stands."),
    Head("Changed", "As many of the other chunks as both columns have: each replaces one."),
    Head("New", "Chunks beyond these, which replace none."),
    Head("Gone", "Chunks of the selected column that none replaces."),
    Head("Tokens again", "Tokens of the changed and new chunks, which must be embedded again."),
    Head("Share", "Their share of all tokens of the column."),
)
_COST = Head("Cost", "US dollars for embedding these tokens, at the given price.")
_DOCUMENTS = Head("Documents", "Documents with a chunk that is not kept.")

QUESTIONS: Sequence[Head] = (
    Head("Recall", "Share of the answers that is retrieved, as the mean of all questions."),
    Head("Won", "Questions with a higher recall than with the selected column."),
    Head("Lost", "Questions with a lower recall than with the selected column."),
    Head("Difference", "Difference of the mean recalls in percentage points, with its confidence interval (Holm)."),
)
"""The heads of `question_cells`."""


def change_heads(documents: int, price: float | None) -> list[Head]:
    """Return the headings that match `change_cells`; ``price`` is in US dollars per million tokens."""
    return [*_CHANGES, *([] if price is None else [_COST]), *([_DOCUMENTS] if documents > 1 else [])]


def change_cells(chunks: int, comparison: Comparison | None, documents: int, price: float | None) -> list[Cell]:
    """Return a column's cells; ``comparison`` is None for the column that the others replace."""
    if comparison is None:
        heads = change_heads(documents, price)
        return [count(chunks), *[unknown("The others are compared with this column.")] * (len(heads) - 1)]
    changes = comparison.total
    numbers = (changes.after, changes.kept, changes.changed, changes.new, changes.gone, changes.tokens_again)
    why = f"of {changes.tokens:,} tokens"
    cells = [*map(count, numbers), share(changes.tokens_again / changes.tokens if changes.tokens else None, why)]
    dollars = dollars_for(changes.tokens_again, price)
    if dollars is not None:
        cells.append(Cell(dollar_words(dollars), dollars, f"{changes.tokens_again:,} tokens at ${price:g} a million"))
    if documents > 1:
        cells.append(count(comparison.changed_documents, f"of {comparison.documents:,} documents"))
    return cells


def question_cells(name: str, baseline: str, changes: WonAndLost, amount: str, difference: Difference | None) -> list[Cell]:
    """Return the cells of a column that replaces the column ``baseline``; ``difference`` is None with too few questions."""
    won, lost = changes.changed(amount)
    cells = [recall_cell(changes.after[amount]), count(len(won)), count(len(lost))]
    if difference is None:
        return [*cells, unknown("Too few questions for an interval.")]
    words = f"{difference.points} ({difference.interval})"
    return [*cells, Cell(words, difference.mean, difference.words(name, baseline, "recall"))]


def recall_cell(recall: FloatArray) -> Cell:
    """Return the cell of the mean recall of questions, shape (questions,)."""
    mean = mean_and_deviation(recall)
    return share(None if mean is None else mean[0], f"over {counted(int(np.count_nonzero(~np.isnan(recall))), 'question')}")
