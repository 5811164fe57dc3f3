"""Registration of browser components: scripts that draw the server's data."""

from __future__ import annotations

import re
from typing import Any, Literal, Protocol

import streamlit as st

from viz.components.assets import script
from viz.state.keys import session
from viz.state.values import Data


class Mount(Protocol):
    """A function that draws a component; ``on_NAME_change`` is called when the script sets the state NAME."""

    def __call__(
        self,
        *,
        key: str,
        data: Data | None = None,
        height: Literal["content", "stretch"] | int = "content",
        **on_change: Any,
    ) -> object:
        """Draw the component with ``data``; unchanged data is not sent again."""


def component(name: str, *, js: str, html: str = "", css: str = "") -> Mount:
    """Register a browser component and return the function that draws it.

    ``js`` is the result of `viz.components.assets.script`. Each payload has a sequence number. A browser that receives new
    data while it fetches the script draws all payloads, in any order; ``shared/in_order.js`` skips outdated ones.
    """
    mounted = st.components.v2.component(name, html=html, css=css, js=js)

    def mount(
        *,
        key: str,
        data: Data | None = None,
        height: Literal["content", "stretch"] | int = "content",
        **on_change: Any,
    ) -> object:
        return mounted(key=_key(key), data=None if data is None else _ordered(key, data), height=height, **on_change)

    return mount


def take_event(key: str, event: str) -> dict[str, Any] | None:
    """Return the detail of a component's latest event called ``event``, or None if there is no new event.

    A detail has the browser's timestamp as ``at``. After a change of the page Streamlit forgets the component's state, hears
    it again from the browser, and calls the callbacks once more; so callbacks too must take their event by this function.
    """
    return _new(key, event) or session.noted.pop((key, event), None)


def run_again() -> None:
    """Do nothing; with a callback, Streamlit keeps the component's state and reruns the page or the fragment."""


def note_event(key: str, event: str) -> None:
    """Keep an event that Streamlit holds for a single run until the page takes it; for use as a callback.

    Another input may interrupt that run before the page takes the event.
    """
    if detail := _new(key, event):
        session.noted[key, event] = detail


def _new(key: str, event: str) -> dict[str, Any] | None:
    detail: dict[str, Any] | None = (st.session_state.get(_key(key)) or {}).get(event)
    if not detail or session.taken.get((key, event)) == detail["at"]:
        return None
    session.taken[key, event] = detail["at"]
    session.noted.pop((key, event), None)
    return detail


def _key(key: str) -> str:
    """Return a component's key without two underscores in a row, which Streamlit refuses; a run's token may contain them."""
    return re.sub("_(?=_)", "_-", key)


def _ordered(key: str, data: Data) -> bytes | list[object]:
    order = session.sent.order(key, data)
    if isinstance(data, bytes):
        return f"{order.session} {order.number}\n".encode() + data
    # Streamlit looks for tables among the values of a mapping, and imports pandas for that, but not inside a list.
    return [data, order]


# Invisible components that store data in the browser for other components.


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
