"""The choice of the measure, of the budget or top k, and of the baseline chunker."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from viz.controls.link_widgets import select, switch
from viz.jobs.retrieval import Retrieval
from viz.retrieval.link_words import ALLOWED, rung
from viz.theme.glossary import RETRIEVAL, help_of
from viz.theme.numbers import counted

AT_HELP = (
    "With a fixed number of chunks the longer chunks win recall, whatever the chunker. At an equal budget every chunker "
    "gives the language model equally much: its best chunks until so many tokens are full. 2,000 tokens are what five "
    "chunks of 400 take, a usual prompt; the budgets go up to half of the text, as a larger one holds nearly everything. "
    "The top k is what published tables use."
)
LAST_HELP = "What is done with the chunk that no longer fits: it is cut off where the budget is full, or left out."


def choose_how(words: dict[str, str], run: Retrieval, titles: Mapping[int, str]) -> int:
    """Draw the controls for the report's measure, budget and baseline; return the index of the baseline.

    A change of these settings needs no new run.
    """
    # The controls differ in height, but their labels are aligned.
    first = st.container(horizontal=True, vertical_alignment="top")
    at_budget = words["at"] == "budget" and run.has_budgets
    if run.has_budgets:
        with first.container(width="content"):
            switch("Compared at", words, "at", ALLOWED["at"], "retrieval_at", help=AT_HELP)
        at_budget = words["at"] == "budget"
    if at_budget:
        unit = words["budget_unit"]
        rungs = run.rungs
        words["budget"] = str(rung(words, unit, rungs))
        sizes = {str(size): counted(size, unit.removesuffix("s")) for size in rungs[unit]}
        with first.container(width=170):
            select("Budget", words, "budget", sizes, f"retrieval_budget_{unit}")
        with first.container(width=150):

            def same_rung() -> None:
                others = rungs[words["budget_unit"]]
                words["budget"] = str(others[min(rungs[unit].index(int(words["budget"])), len(others) - 1)])

            select("Counted in", words, "budget_unit", ALLOWED["budget_unit"], "retrieval_budget_unit", same_rung)
        with first.container(width=150):
            select("The last chunk", words, "last", ALLOWED["last"], "retrieval_last", help=LAST_HELP)
    else:
        for name, label in {"k": "Top k", "unit": "Counted in"}.items():
            with first.container(width=150):
                select(label, words, name, ALLOWED[name], f"retrieval_{name}")
    second = st.container(horizontal=True, vertical_alignment="bottom")
    with second.container(width=200):
        select("Metric", words, "measure", ALLOWED["measure"], "retrieval_measure", help=help_of(RETRIEVAL))
    with second.container(width=420):
        options = {str(number + 1): title for number, title in titles.items()}
        return int(select("Compared with", words, "baseline", options, "retrieval_baseline")) - 1
