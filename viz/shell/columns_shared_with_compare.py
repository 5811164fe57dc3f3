"""The exchange of columns between Compare and other pages: they open with its columns, and return columns to it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from chunkers import Embedder
from chunkers.recipes import chunker_class
from viz.controls import offer_undo
from viz.shell.navigation import open_page_at_next_run
from viz.state import (
    MOST_COLUMNS,
    Choices,
    ColumnChoice,
    chunker_defaults_of_embedder,
    effective_parameters,
    main_page,
    record_columns_for_undo,
    session,
)


def compare_page_choices_or_defaults() -> Choices:
    """Return Compare's choices, or the defaults, without marking the page as opened.

    A link to Compare is only read when the page is first opened.
    """
    return main_page.current_choices() if main_page.has_been_opened else main_page.default_choices()


def columns_of_compare() -> list[ColumnChoice]:
    """Return the columns of Compare, without marking the page as opened."""
    return compare_page_choices_or_defaults().columns


def find_compare_column_with_chunker(sought_chunker_names: Collection[str]) -> tuple[int, ColumnChoice] | None:
    """Return the index and a copy of a Compare column with one of these chunkers, preferably the selected column."""
    current_compare_choices = main_page.current_choices()
    column_indexes_to_search = [current_compare_choices.selected, *range(len(current_compare_choices.columns))]
    column_index = next(
        (
            index
            for index in column_indexes_to_search
            if current_compare_choices.columns[index].chunker in sought_chunker_names
        ),
        None,
    )
    return None if column_index is None else (column_index, current_compare_choices.columns[column_index].copy())


def column_index_on_compare(column: ColumnChoice, chunker_parameter_defaults: Mapping[str, Any]) -> int | None:
    """Return the index of the first column on Compare with the same chunker and parameter values, or None.

    ``chunker_parameter_defaults`` are the embedder's defaults for the column's chunker.
    """
    parameter_values = effective_parameters(column, chunker_parameter_defaults)
    for column_index, compare_column in enumerate(columns_of_compare()):
        if (
            compare_column.chunker == column.chunker
            and effective_parameters(compare_column, chunker_parameter_defaults) == parameter_values
        ):
            return column_index
    return None


def compare_is_full() -> bool:
    """Return whether Compare has the maximum number of columns."""
    return len(columns_of_compare()) >= MOST_COLUMNS


def add_column_to_compare(column: ColumnChoice) -> None:
    """Add a copy of a column to Compare and select it, unless Compare is full; the user can undo the change."""
    current_compare_choices = main_page.current_choices()
    if compare_is_full():
        return
    with record_columns_for_undo(main_page.key, f"Added as column {len(current_compare_choices.columns) + 1} of Compare"):
        current_compare_choices.columns.append(column.copy())
        current_compare_choices.selected = len(current_compare_choices.columns) - 1


def columns_to_open_with(page_key: str, allowed_chunkers_per_column: Sequence[Collection[str]]) -> list[ColumnChoice | None]:
    """Return the Compare columns that a page adopts, one for each of its columns; empty if the page keeps its own.

    Call this before the page is drawn. A page adopts the columns when the user opens it and Compare's columns have changed
    since it last did, so that settings changed on the page stay until then. Settings in a link take precedence.

    Parameters
    ----------
    page_key
        The page's key.
    allowed_chunkers_per_column
        The allowed chunkers of each of the page's columns. If Compare has none of them, that column's item is None.
    """
    if session.page not in ("", page_key) and not st.query_params.to_dict() and main_page.has_been_opened:
        adopted_indexes_and_columns = [find_compare_column_with_chunker(kind) for kind in allowed_chunkers_per_column]
        if session.adopted_columns.get(page_key) != adopted_indexes_and_columns:
            session.adopted_columns[page_key] = adopted_indexes_and_columns
            session.opening_columns[page_key] = [None if pair is None else pair[1] for pair in adopted_indexes_and_columns]
    # A run may be interrupted before the page has adopted them, so the next run returns them again.
    return [None if column is None else column.copy() for column in session.opening_columns.get(page_key, [])]


def show_compare_column_number(
    drawn_page_key: str, column: ColumnChoice, embedder: Embedder | None, *, are_column_settings_valid: bool = True
) -> None:
    """Draw the number of the Compare column with these settings, if any, and a button that adds the settings to Compare.

    Parameters
    ----------
    drawn_page_key
        The page's key.
    column
        The settings on the page.
    embedder
        The embedder in use, on which defaults depend.
    are_column_settings_valid
        True if the settings are valid.
    """
    same_column_index = column_index_on_compare(column, chunker_defaults_of_embedder(embedder, column.chunker))
    adopted_indexes_and_columns = [pair for pair in session.adopted_columns.get(drawn_page_key, []) if pair is not None]
    origin_column_index = next(
        (number for number, choice in adopted_indexes_and_columns if choice.chunker == column.chunker), None
    )
    chunker_title = chunker_class(column.chunker).title
    if same_column_index is not None:
        st.caption(f"{chunker_title} is column {same_column_index + 1} of Compare.")
    elif origin_column_index is not None:
        st.caption(f"{chunker_title} is column {origin_column_index + 1} of Compare, with other settings here.")
    else:
        st.caption(f"{chunker_title} is not a column of Compare.")
    offer_to_add_column(
        "Take to Compare",
        column,
        key=f"take/{drawn_page_key}",
        disabled=same_column_index is not None or not are_column_settings_valid,
    )
    show_column_added_message()


def offer_columns_of_compare(page_key: str, choices: Choices) -> None:
    """Draw the button that replaces the page's columns with copies of Compare's columns."""
    compare_columns = columns_of_compare()

    def use_columns_of_compare() -> None:
        with record_columns_for_undo(page_key, "Columns replaced by those of Compare"):
            choices.columns, choices.selected = (
                [column.copy() for column in compare_columns],
                min(choices.selected, len(compare_columns) - 1),
            )

    are_columns_same = choices.columns == compare_columns
    st.button(
        "Use Compare's columns",
        on_click=use_columns_of_compare,
        disabled=are_columns_same,
        help="They replace the columns of this page.",
    )
    if are_columns_same:
        st.caption("These are the columns of Compare.")


def offer_to_add_column(label: str, column: ColumnChoice | None, *, key: str, disabled: bool = False) -> None:
    """Draw a button that adds a column to Compare, disabled with an explanation if Compare is full."""
    is_compare_full = compare_is_full()
    st.button(
        label,
        key=key,
        on_click=add_column_to_compare,
        args=(column,),
        disabled=disabled or is_compare_full or column is None,
        help="Adds a column with these settings to Compare; the others stay.",
    )
    if is_compare_full:
        st.caption(f"Compare already has {MOST_COLUMNS} columns, the maximum; remove one there first.")


def show_column_added_message() -> None:
    """Draw a message about the column last added to Compare, with an undo button and a link to Compare."""
    offer_undo(main_page.key)
    if session.undo is not None and session.undo.page == main_page.key:
        st.button("Open Compare", key="open_compare", on_click=open_page_at_next_run, args=(main_page.key,), type="tertiary")
