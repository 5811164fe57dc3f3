"""Cost of replacing the selected column of Compare by each other: chunks that change, and tokens to embed again."""

from __future__ import annotations

from collections.abc import Sequence

from chunkers import Chunking, InputError, load_tokenizer
from chunkers.recipes.registry import chunker_class
from chunkers.results.embedded import EMBEDDED_AS, EmbeddedAs, embedded_text
from evaluation.changes.changed_chunks import Changes, ChunkComparison
from evaluation.tables.changes import CHANGES, change_cells
from viz.compare.asking.contexts import in_context
from viz.compare.scores.table import RowData, draw, row
from viz.jobs.chunking import Task
from viz.jobs.texts import kept
from viz.shell.column_head import settings_of, waiting_words
from viz.shell.results import ColumnResult
from viz.state.choices import Choices
from viz.state.keys import session


def show_changes(choices: Choices, made: Sequence[ColumnResult]) -> None:
    """Draw a table of the chunks kept, changed, new and gone if each column replaced the selected one."""
    before = made[choices.selected]
    embedded_as: EmbeddedAs = session.embedded_as
    contexts = in_context(made) if embedded_as == "context" else {}
    if embedded_as == "context" and any(column.chunking and number not in contexts for number, column in enumerate(made)):
        embedded_as = "plain"
    chunkings = {
        number: contexts.get(number, column.chunking) for number, column in enumerate(made) if column.chunking is not None
    }
    rows: list[RowData] = []
    for number, column in enumerate(made):
        title, settings, chunking = chunker_class(column.choice.chunker).title, settings_of(column), chunkings.get(number)
        old = chunkings.get(choices.selected)
        if chunking is None or old is None or column.task is None or before.task is None:
            rows.append(row(number, title, settings, message=column.error or waiting_words()))
            continue
        try:
            changes = None if column is before else _changes((before.task, column.task), (old, chunking), embedded_as)
        except InputError as error:
            rows.append(row(number, title, settings, message=str(error)))
            continue
        rows.append(row(number, title, settings, change_cells(len(chunking.chunks), changes)))
    written = "" if embedded_as == session.embedded_as else " Context sentences are not written for all columns."
    draw(
        choices,
        CHANGES,
        rows,
        key="changes",
        said=f"An index of column {choices.selected + 1}, replaced by one of another column. A press on a column compares "
        "with that one.",
        note=f"Embedded text: {EMBEDDED_AS[embedded_as].lower()}, as chosen in Downloads.{written} Tokens as "
        f"{choices.tokenizer} counts them. For many documents: seamark diff.",
    )


def _key(tasks: tuple[Task, Task], chunkings: tuple[Chunking, Chunking], embedded_as: EmbeddedAs) -> tuple[object, ...]:
    situations = [
        [chunk.situation for chunk in chunking.chunks] if embedded_as == "context" else [] for chunking in chunkings
    ]
    return chunkings[0].document.identity, tasks, embedded_as, str(situations)


@kept(32, _key)
def _changes(tasks: tuple[Task, Task], chunkings: tuple[Chunking, Chunking], embedded_as: EmbeddedAs) -> Changes:
    """Return the changes from one column to the other. Raise InputError if the tokenizer is not available."""
    tokenizer = load_tokenizer(tasks[1].tokenizer)
    with ChunkComparison() as comparison:
        for is_after, chunking in enumerate(chunkings):
            texts = [embedded_text(chunking.document, chunk, embedded_as) for chunk in chunking.chunks]
            comparison.add("", zip(texts, map(int, tokenizer.count(texts)), strict=True), bool(is_after))
        return comparison.result(0).total
