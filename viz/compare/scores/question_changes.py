"""Questions that are won and lost if another column of Compare replaces the selected one, and what changes most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from chunkers.recipes.registry import chunker_class
from evaluation.changes.changed_chunks import Comparison
from evaluation.changes.won_questions import WonAndLost
from evaluation.statistics.paired import compare_all
from evaluation.tables.cells import unknown
from evaluation.tables.changes import QUESTIONS, question_cells, recall_cell
from viz.compare.scores.table import RowData, draw, row
from viz.components.notice import remark
from viz.jobs.index_changes import MOST_LISTED, IndexChanges
from viz.shell.column_head import settings_of
from viz.shell.results import ColumnResult
from viz.state.asking import RANKED_BY
from viz.state.choices import Choices
from viz.theme.numbers import counted


def show_questions_won(choices: Choices, results: Sequence[ColumnResult], job: IndexChanges) -> None:
    """Draw a table of the recall of every measured column, with the questions won and lost and the interval."""
    if job.problems:
        with st.expander(f"{counted(len(job.problems), 'question')} left out"):
            st.dataframe({"problem": [*job.problems]}, hide_index=True, width="stretch")
    changes = changes_of(choices, results, job)
    refused = {number: job.refused[column.chunker] for number, column in enumerate(results) if column.chunker in job.refused}
    if choices.selected in refused:
        remark(f"Column {choices.selected + 1}: {refused[choices.selected]}", key="changes_refused")
    if not changes:
        return
    amount = next(iter(next(iter(changes.values())).after))
    others = [number for number in changes if number != choices.selected]
    differences = np.array([changes[number].after[amount] - changes[number].before[amount] for number in others])
    tested = dict(zip(others, compare_all(differences), strict=True)) if others else {}
    rows: list[RowData] = []
    baseline = f"column {choices.selected + 1}"
    for number in changes:
        cells = [recall_cell(changes[number].after[amount])]
        if number == choices.selected:
            cells += [unknown("The others are compared with this column.")] * (len(QUESTIONS) - 1)
        else:
            cells = question_cells(f"Column {number + 1}", baseline, changes[number], amount, tested[number])
        rows.append(row(number, chunker_class(results[number].choice.chunker).title, settings_of(results[number]), cells))
    rows += [
        row(number, chunker_class(results[number].choice.chunker).title, settings_of(results[number]), message=why)
        for number, why in refused.items()
    ]
    draw(
        choices,
        QUESTIONS,
        rows,
        key="changes_questions",
        said=f"Recall at {amount} of {counted(len(job.questions), 'question')}, searched {RANKED_BY[job.setting.method]}, "
        "as chosen for questions above.",
    )


def changes_of(choices: Choices, results: Sequence[ColumnResult], job: IndexChanges) -> dict[int, WonAndLost]:
    """Return the recalls of every measured column beside the selected one's; empty if that one is not measured."""
    before = results[choices.selected].chunker
    if not job.questions or before not in job.results:
        return {}
    return {
        number: WonAndLost(job.results[before].recalls, job.results[column.chunker].recalls)
        for number, column in enumerate(results)
        if column.chunker in job.results
    }


def show_details(
    choices: Choices, results: Sequence[ColumnResult], comparisons: Mapping[int, Comparison], job: IndexChanges | None
) -> None:
    """Draw the documents that change most and the questions won and lost by one of the other columns."""
    won = {} if job is None else changes_of(choices, results, job)
    others = [number for number in range(len(results)) if number != choices.selected]
    others = [number for number in others if number in won or (number in comparisons and comparisons[number].documents > 1)]
    if not others:
        return
    titles = {number: f"{number + 1}. {chunker_class(results[number].choice.chunker).title}" for number in others}
    number = others[0]
    if len(others) > 1:
        # A column that is gone or selected now is not among the options any more.
        key = f"changes_details/{choices.selected}/{len(results)}"
        number = st.selectbox("Details of", others, format_func=titles.__getitem__, key=key, width=420)
    if number in comparisons and comparisons[number].documents > 1:
        _show_documents(comparisons[number])
    if job is not None and number in won:
        _show_questions(job, won[number])


def _show_documents(comparison: Comparison) -> None:
    listed = comparison.most_changed
    if not listed:
        st.caption("No document changes.")
        return
    st.caption(
        f"The documents with the most to embed again: {len(listed):,} of {comparison.changed_documents:,} that change."
    )
    fields = {"tokens again": "tokens_again", "kept": "kept", "changed": "changed", "new": "new", "gone": "gone"}
    table = {head: [getattr(changes, field) for _, changes in listed] for head, field in fields.items()}
    st.dataframe({"document": [name for name, _ in listed], **table}, hide_index=True, width="stretch")


def _show_questions(job: IndexChanges, changes: WonAndLost) -> None:
    amount = next(iter(changes.after))
    won, lost = changes.changed(amount)
    if not won and not lost:
        st.caption("No question is won or lost.")
        return
    listed = [("won", number) for number in won[:MOST_LISTED]] + [("lost", number) for number in lost[:MOST_LISTED]]
    left = len(won) + len(lost) - len(listed)
    more = f" {counted(left, 'more question')} not listed." if left else ""
    st.caption(f"{counted(len(won), 'question')} won, {len(lost):,} lost, by recall in percent.{more}")
    before, after = changes.before[amount], changes.after[amount]
    st.dataframe(
        {
            "": [what for what, _ in listed],
            "question": [job.questions[number] for _, number in listed],
            "before": [100 * float(before[number]) for _, number in listed],
            "after": [100 * float(after[number]) for _, number in listed],
        },
        hide_index=True,
        width="stretch",
        column_config={name: st.column_config.NumberColumn(format="%.0f") for name in ("before", "after")},
    )
