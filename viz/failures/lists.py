"""The component that draws the lists of the Failures page: its gallery, the table of measures, and the inbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from viz.components.assets import script, styles
from viz.theme import palette

_lists = st.components.v2.component(
    "seamark_failures",
    html='<div class="failures"></div>',
    css=palette.css("failures") + "\n" + styles("failures/lists.css"),
    js=script("failures/lists.js"),
)


def draw(part: str, data: dict[str, Any], key: str, on_chosen: Callable[[], None] | None = None) -> None:
    """Draw the part of that name; what is chosen of it is in ``st.session_state[key]["chosen"]`` when ``on_chosen`` runs."""
    told = {"part": part, **data}
    if on_chosen is None:
        _lists(key=key, data=told)
    else:
        _lists(key=key, data=told, on_chosen_change=on_chosen)
