"""The choices of Compare, which declares itself as the main page here, and the user's own cuts as a column of it."""

from collections.abc import Sequence
from dataclasses import replace

from chunkers import Document
from chunkers.methods import YourCuts
from sample_docs import sample_splitters
from viz.state import (
    ASK_LIMIT_PARAMETER,
    ASK_METHOD_PARAMETER,
    AUTO_LIMIT_OPTION,
    MOST_COLUMNS,
    Choices,
    ColumnChoice,
    last_undoable_column_change,
    main_page,
    new_default_column,
    record_columns_for_undo,
    session,
)

COMPARE_PAGE = "compare"
"""The page's key."""


def default_choices() -> Choices:
    """Return the default choices of Compare: three chunkers side by side, on the first sample."""
    sample_name, splitter_name = next(iter(sample_splitters().items()))
    columns = [new_default_column(chunker) for chunker in ("fixed_sentences", "breakpoint", "double_pass")]
    return Choices(
        sample_name,
        splitter_name,
        columns,
        selected=1,
        extra={ASK_METHOD_PARAMETER: "embedding", ASK_LIMIT_PARAMETER: AUTO_LIMIT_OPTION},
    )


main_page.register_as_main_page(COMPARE_PAGE, "Compare", default_choices)


# The user's own cuts, a column of Compare.


def own_cuts_or_free_column_index(choices: Choices) -> int | None:
    """Return the index of the column of the user's cuts, or of the next free column; None if Compare is full."""
    compare_column_count = len(choices.columns)
    own_cuts_column_index = next(
        (index for index, column in enumerate(choices.columns) if column.chunker == YourCuts.name), compare_column_count
    )
    return own_cuts_column_index if own_cuts_column_index < MOST_COLUMNS else None


def own_cut_offsets(choices: Choices, document: Document) -> tuple[int, ...]:
    """Return the user's cuts of a text as offsets in code points, empty if there are none."""
    for column in choices.columns:
        if column.chunker == YourCuts.name:
            own_cuts_chunker = YourCuts.build(**column.parameters)
            return own_cuts_chunker.user_cut_offsets if own_cuts_chunker.belongs_to_text(document.identity) else ()
    return ()


def set_own_cuts(choices: Choices, document: Document, user_cut_offsets: Sequence[int]) -> None:
    """Show the user's cuts as a column of Compare; one undo reverts all of the user's clicks.

    Raises
    ------
    ParameterError
        If there are more than `chunkers.methods.your_cuts.MOST_CUTS`.
    """
    own_cuts_chunker = YourCuts.with_cuts_at(document.identity, user_cut_offsets)
    cuts_column_index = own_cuts_or_free_column_index(choices)
    if cuts_column_index is None:
        return
    undo_message = f"Column {cuts_column_index + 1} shows your cuts"
    previous_change = last_undoable_column_change(COMPARE_PAGE)
    with record_columns_for_undo(COMPARE_PAGE, undo_message):
        choices.columns[cuts_column_index : cuts_column_index + 1] = [
            ColumnChoice(YourCuts.name, {"cuts": own_cuts_chunker.cuts})
        ]
        choices.selected = cuts_column_index
    if previous_change is not None and previous_change.description == undo_message and session.undo is not None:
        session.undo = replace(
            session.undo, columns_before=previous_change.columns_before, selected=previous_change.selected
        )
