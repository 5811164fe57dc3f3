"""Invisible components that store data in the browser for other components."""

from __future__ import annotations

from typing import Protocol

from viz.components.assets import script
from viz.components.mounting import component
from viz.state.values import Data


class Store(Protocol):
    """A function that sends data to the browser's store."""

    def __call__(self, data: Data, *, key: str) -> None:
        """Send ``data``; unchanged data is not sent again."""


def store(name: str, function: str) -> Store:
    """Register the component ``name``, which stores data in the browser, and return the function that sends the data."""
    mount = component(name, js=script("components/shared/store.js", function))

    def send(data: Data, *, key: str) -> None:
        # Streamlit turns the key into a CSS class, by which the page's style sheet hides all stores.
        mount(key=f"store_{key}", data=data, height=0)

    return send
