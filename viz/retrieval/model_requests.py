"""A retrieval run's requests to a language model, and the prompts for context sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from chunkers import Embedder
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.language_models.prompts import AGAIN, CONTEXT_QUESTION, CONTEXT_SYSTEM
from chunkers.recipes.situating import LONGEST_SHOWN
from viz.controls.language_model import any_asks
from viz.jobs.plan import Plan
from viz.jobs.retrieval import estimate_of_plan
from viz.shell.consent import Requests
from viz.state.choices import ColumnChoice
from viz.state.keys import session
from viz.state.language_model import chosen_model, none_named
from viz.theme.numbers import counted

MISSING = none_named("Context sentences need")
"""Message on the page if context sentences are chosen and no language model is named."""


def names_a_model(embedded: str, columns: Sequence[ColumnChoice]) -> bool:
    """Return whether the page has the form for the language model, which context sentences and some chunkers need."""
    return writes_contexts(embedded) or any_asks(column.chunker for column in columns)


def writes_contexts(embedded: str) -> bool:
    """Return whether the link's ``embedded`` parameter includes context sentences."""
    return "context" in embedded


def context_controls(embedded: str) -> str:
    """Draw the fields for the language model if context sentences are chosen; return a message if no model is named."""
    if not writes_contexts(embedded):
        return ""
    with st.expander("Context prompts"):
        st.caption(
            f"The model is asked once for every chunk. If a document has more than {LONGEST_SHOWN:,} characters, the model "
            "sees only an extract."
        )
        for prompt in (CONTEXT_SYSTEM, CONTEXT_QUESTION, AGAIN):
            st.code(prompt, language=None, wrap_lines=True)
    return MISSING if chosen_model() is None else ""


def requests_of(plan: Plan | None, embedder: Embedder | None, asking: Asking | None, token: str = "") -> Requests | None:
    """Return a run's requests to a language model, or None if the run needs none; ``token`` names a run to resume."""
    if plan is None or not plan.asks:
        return None
    on_disk = session.on_disk

    def count(cancelled: Callable[[], bool]) -> Estimate:
        return estimate_of_plan(plan, embedder, on_disk, cancelled)

    contexts = "context" in (plan.embedded_as, *plan.each)
    what = f"This run sends {counted(len(plan.material.texts), 'document')}{', once for every chunk,' * contexts}"
    formed = any(chunker.asks for chunker in plan.chunkers)
    return Requests((plan, token), asking, count, what, f"run{token}", formed=formed)
