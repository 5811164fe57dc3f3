"""A message that may contain user text."""

from __future__ import annotations

import streamlit as st

from viz.components.assets import script, styles

_notice = st.components.v2.component(
    "seamark_notice", html="<p></p>", css=styles("components/notice.css"), js=script("components/notice.js")
)


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Draw a message that may contain user text; it is shown verbatim, never interpreted as Markdown or HTML."""
    _notice(key=key, data={"text": text, "tone": tone})
