"""The table of measures of a page, drawn by Streamlit; tables in which a row is chosen are in `score_table`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from evaluation.report.measure_table_cells import TableRow
from viz.state import session


def show_measures(rows: Sequence[TableRow], name_width: int | None = None, **options: Any) -> Any:
    """Draw a table of measures, in which columns of numbers are sorted by value; return the state of its selection.

    ``name_width`` is the width of the first column in pixels; a longer name is cut off, or wrapped with a ``row_height``
    above 64 pixels. The browser measures the other columns by their heads and cells, since only it knows the font; in
    lecture mode, whose type is larger, it measures the first one too.
    ``options`` are arguments of `streamlit.dataframe`.
    """
    name_width = None if session.is_in_lecture_mode else name_width
    column_config: dict[str, Any] = {
        head.label: (
            st.column_config.Column
            if head.number is None
            else partial(st.column_config.NumberColumn, format=head.number or None)
        )(width=None if place else name_width, help=head.help or None)
        for place, head in enumerate(rows[0])
    }
    values_by_column_label: dict[str, list[Any]] = {
        head.label: [row[head].text if head.number is None else row[head].value for row in rows] for head in rows[0]
    }
    return st.dataframe(
        values_by_column_label, hide_index=True, placeholder="–", width="stretch", column_config=column_config, **options
    )
