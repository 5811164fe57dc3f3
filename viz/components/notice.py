"""A sentence that may hold user text."""

from __future__ import annotations

import streamlit as st

from viz.components.assets import script, styles

_notice = st.components.v2.component(
    "seamark_notice", html="<p></p>", css=styles("components/notice.css"), js=script("components/notice.js")
)


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Show a sentence that may hold user text; it is text and nothing else."""
    _notice(key=key, data={"text": text, "tone": tone})
