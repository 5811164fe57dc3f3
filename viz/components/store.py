"""Components that show nothing: the browser keeps what one is sent, and other components look it up."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from viz.components.assets import script


def store(name: str, function: str) -> ComponentRenderer:
    """Register a component of that ``name`` whose data ``function``, an export of the script, puts into the store."""
    return st.components.v2.component(name, js=script("components/shared/store.js", function))
