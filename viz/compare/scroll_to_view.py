"""Scrolling to the view that the user has opened below the text."""

from __future__ import annotations

from viz.components.assets import script
from viz.components.mounting import component

_arrival = component("seamark_arrival", html='<div class="arrival"></div>', js=script("compare/scroll_to_view.js"))


def scroll_to(view: str) -> None:
    """Scroll the page to the container of a view, once each time the user opens the view."""
    _arrival(key="store_arrival", data={"view": view}, height=0)
