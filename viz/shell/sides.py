"""The text and the views next to it, in a container that survives changes above it."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def sides(
    key: str, left: int, right: int, gap: Literal["medium", "large"] = "medium"
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw two columns of the given relative widths, in a container that survives changes above it.

    The browser identifies a container without a key by the number of elements before it. When one of them disappears, as a
    progress bar does, the browser rebuilds the container and loses its selections and scroll positions. A container with a
    key is not rebuilt.
    """
    with st.container(key=key):
        return st.columns((left, right), gap=gap)
