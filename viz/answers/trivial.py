"""The choice of trivial baselines on the Answers page; none by default, since each costs tokens."""

from __future__ import annotations

import streamlit as st

from evaluation.answering.trivial import EXPLAINED, TITLES
from viz.controls.link_widgets import heeded, key_showing
from viz.state.choices import Choices

BESIDE = "beside"
"""The link parameter that lists the chosen baselines."""

_ROWS = [f"**{TITLES[name]}**: {explanation}" for name, explanation in EXPLAINED.items()]

HELP = "  \n".join(["What no chunker is needed for, and any should beat; each takes the requests of a chunker.", *_ROWS])


def trivial_rows(choices: Choices) -> tuple[str, ...]:
    """Return the names of the chosen trivial baselines, in display order."""
    chosen = choices.extra[BESIDE].split(",")
    return tuple(name for name in TITLES if name in chosen)


def choose_trivial_rows(choices: Choices) -> None:
    """Draw the control for choosing trivial baselines."""
    chosen = [*trivial_rows(choices)]
    key = key_showing(chosen, f"answers/{BESIDE}")

    def changed() -> None:
        choices.extra[BESIDE] = ",".join(name for name in TITLES if name in st.session_state[key])

    st.pills(
        "Trivial rows",
        [*TITLES],
        default=chosen,
        key=key,
        selection_mode="multi",
        format_func=TITLES.__getitem__,
        on_change=heeded(key, changed),
        help=HELP,
    )
