"""Where the text does not suit its splitter or the model: what is wrong, once for all columns, and buttons that mend it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkers.text.fitness import Misfit, Remedy
from viz.components.notice import notice
from viz.shell.results import ColumnResult
from viz.state.choices import Choices

_LABELS = {"sentences": "Split sentences by {}", "embedder": "Embed with {}", "tokenizer": "Count tokens as {}"}


def show_misfits(choices: Choices, made: Sequence[ColumnResult]) -> None:
    """Draw the warnings of all results, each once, with a button for each remedy."""
    misfits: dict[Misfit, None] = {}
    for one in made:
        if one.chunking is not None:
            misfits |= dict.fromkeys(one.chunking.misfits)
    for number, misfit in enumerate(misfits):
        said, helps = st.columns([5, 2], vertical_alignment="center")
        with said:
            notice(misfit.sentence, key=f"misfit_{number}")
        for remedy in misfit.remedies:
            helps.button(
                _LABELS[remedy.setting].format(remedy.value),
                key=f"misfit_{number}_{remedy.setting}_{remedy.value}",
                on_click=_take,
                args=(choices, remedy),
                width="stretch",
            )


def _take(choices: Choices, remedy: Remedy) -> None:
    setattr(choices, remedy.setting, remedy.value)
