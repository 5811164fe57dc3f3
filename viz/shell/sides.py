"""The text and the views next to it, which keep their place when elements above come and go."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def sides(
    key: str, left: int, right: int, gap: Literal["medium", "large"] = "medium"
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw two columns of these relative widths, and return them.

    The browser knows a container without a key by the number of things before it. When one of these goes, as progress does
    at its end, the browser builds all that is in the container anew: what was chosen in it, and where it was scrolled to, is
    lost. A container with a key stays the same.
    """
    with st.container(key=key):
        return st.columns((left, right), gap=gap)
