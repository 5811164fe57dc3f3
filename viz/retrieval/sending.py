"""Notice of the requests that a retrieval run sends to a language model, and the user's consent."""

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
from viz.shell.consent import first_estimate, show_consent
from viz.shell.progress import SHORT_ANSWER
from viz.state.choices import ColumnChoice
from viz.state.keys import session
from viz.state.language_model import chosen_model, none_named
from viz.theme.numbers import counted

MISSING = none_named("Context sentences need")
"""Message on the page if context sentences are chosen and no language model is named."""


def names_a_model(embedded: str, columns: Sequence[ColumnChoice]) -> bool:
    """Return whether the settings have the form for the language model: for context sentences or for a chunker."""
    return writes_contexts(embedded) or any_asks(column.chunker for column in columns)


def writes_contexts(embedded: str) -> bool:
    """Return whether chunks are embedded with context sentences, by the link's word."""
    return "context" in embedded


def context_controls(embedded: str) -> str:
    """Draw the prompts for context sentences if the link's word asks for them; return the message on a missing model."""
    if not writes_contexts(embedded):
        return ""
    with st.expander("What is asked for a context sentence"):
        st.caption(f"Once for every chunk. Of a document of more than {LONGEST_SHOWN:,} characters it is shown an extract.")
        for said in (CONTEXT_SYSTEM, CONTEXT_QUESTION, AGAIN):
            st.code(said, language=None, wrap_lines=True)
    return MISSING if chosen_model() is None else ""


def if_allowed(plan: Plan, embedder: Embedder | None, asking: Asking | None, token: str, run: Callable[[], None]) -> None:
    """Run at once what asks no language model; find out first what another run would send.

    ``token`` is that of the run that goes on; empty for a new one.
    """
    on_disk = session.on_disk

    def count(cancelled: Callable[[], bool]) -> Estimate:
        return estimate_of_plan(plan, embedder, on_disk, cancelled)

    if not plan.asks:
        run()
    elif asking is not None:
        first_estimate((plan, token), asking, count, run)


def ask_to_run(plan: Plan | None, asking: Asking | None, token: str = "") -> None:
    """Draw the estimate of the run about to start, with the button that starts it."""
    if plan is not None and plan.asks:
        contexts = "context" in (plan.embedded_as, *plan.each)
        said = f"This run sends {counted(len(plan.material.texts), 'document')}{', once for every chunk,' * contexts}"
        show_consent((plan, token), asking, said, SHORT_ANSWER, f"run{token}")
