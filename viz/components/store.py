"""Components that show nothing: the browser keeps what one of them is sent, and other components look it up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import streamlit as st

from viz.components.assets import script


class Store(Protocol):
    """A way to the browser's store."""

    def __call__(self, data: Mapping[str, object] | bytes, *, key: str) -> None:
        """Send ``data``, once as long as it does not change."""


def store(name: str, function: str) -> Store:
    """Register a component of that ``name`` whose data ``function``, an export of the script, puts into the store."""
    component = st.components.v2.component(name, js=script("components/shared/store.js", function))

    def send(data: Mapping[str, object] | bytes, *, key: str) -> None:
        # By the class that Streamlit makes of this key, the page's style sheet hides all stores.
        component(key=f"store_{key}", data=data, height=0)

    return send
