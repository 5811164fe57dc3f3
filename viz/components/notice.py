"""A sentence that may hold user text."""

from __future__ import annotations

import streamlit as st

_NOTICE_JS = """
export default function ({ data, parentElement }) {
  const box = parentElement.querySelector("p");
  box.textContent = data.text;
  box.className = data.tone;
  box.setAttribute("role", data.tone === "error" ? "alert" : "status");
}
"""


_NOTICE_CSS = """
p { margin: 0; padding: 0.5rem 0.75rem; border-left: 3px solid var(--st-border-color); white-space: pre-wrap;
    overflow-wrap: anywhere; font: inherit; color: var(--st-text-color); background: var(--st-secondary-background-color); }
p.error { border-color: var(--st-red-color); }
"""


_notice = st.components.v2.component("seamark_notice", html="<p></p>", css=_NOTICE_CSS, js=_NOTICE_JS)


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Show a sentence that may hold user text; it is text and nothing else."""
    _notice(key=key, data={"text": text, "tone": tone})
