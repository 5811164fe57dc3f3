"""The table in which generated questions are edited and removed; edits are validated immediately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from chunkers.language_models.forms import MOST_EXCERPTS
from evaluation.generating.data_set import Draft
from evaluation.generating.generate import Generated
from viz.components.notice import notice
from viz.jobs.generating import Generating
from viz.retrieval.state.session import session
from viz.theme.numbers import counted

MOST_COMPLAINTS = 5
"""Most messages about invalid rows; further ones are counted."""


def show_table(job: Generating, questions: Sequence[Generated]) -> list[Generated]:
    """Draw an editable table of the generated questions, and return the valid questions as edited."""
    rows = [job.drafts.get(question) or _as_made(job, question) for question in questions]
    wide = min(MOST_EXCERPTS, 1 + max((len(row.excerpts) for row in rows), default=0))
    columns = [f"excerpt {place}" for place in range(1, wide + 1)]
    table = {
        "question": [row.question for row in rows],
        "document": [job.texts.names[question.window.document] for question in questions],
    } | {
        column: [row.excerpts[place] if place < len(row.excerpts) else "" for row in rows]
        for place, column in enumerate(columns)
    }
    # After an edit the table is rebuilt with the edits in its data.
    key = f"question_table/{session.question_table}"

    def edited() -> None:
        take(job, questions, wide, st.session_state[key])

    st.data_editor(
        table,
        key=key,
        on_change=edited,
        num_rows="delete",
        hide_index=True,
        disabled=["document"],
        height=min(420, 38 + 35 * max(1, len(questions))),
        column_config={
            "question": st.column_config.TextColumn("Question", width=360, required=True),
            "document": st.column_config.TextColumn("Document", width=120),
        }
        | {column: st.column_config.TextColumn(column.capitalize(), width=300) for column in columns},
    )
    wrong = [row.why for row in rows if row.made is None]
    for place, why in enumerate(wrong[:MOST_COMPLAINTS]):
        notice(why, "error", key=f"question_wrong_{place}")
    if len(wrong) > MOST_COMPLAINTS:
        notice(f"{counted(len(wrong) - MOST_COMPLAINTS, 'more row')} cannot be used.", "error", key="question_wrong_more")
    return [row.made for row in rows if row.made is not None]


def take(job: Generating, questions: Sequence[Generated], wide: int, state: Mapping[str, Any]) -> None:
    """Apply the user's edits and deletions in the table of questions, as Streamlit reports them.

    Parameters
    ----------
    job
        The job that generated the questions.
    questions
        The question of each row.
    wide
        The number of excerpt columns.
    state
        Streamlit's editor state: ``edited_rows``, the edited columns by row, and ``deleted_rows``.
    """
    for row, changes in state.get("edited_rows", {}).items():
        generated = questions[int(row)]
        before = job.drafts.get(generated) or _as_made(job, generated)
        excerpts = [*before.excerpts, *[""] * (wide - len(before.excerpts))]
        for place in range(wide):
            excerpts[place] = changes.get(f"excerpt {place + 1}", excerpts[place]) or ""
        question = changes.get("question", before.question) or ""
        job.drafts[generated] = Draft.of(
            generated, job.texts, question, [excerpt for excerpt in excerpts if excerpt.strip()]
        )
    for row in state.get("deleted_rows", []):
        job.drafts[questions[int(row)]] = None
    session.question_table += 1


def _as_made(job: Generating, generated: Generated) -> Draft:
    return Draft(generated.question, tuple(job.texts.excerpts(generated)), generated)
