"""The few figures that a page is about, in large type side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

_JS = """
export default function ({ data, parentElement }) {
  const list = parentElement.querySelector("dl");
  list.replaceChildren(...data.map(([label, value, detail]) => {
    const cell = document.createElement("div");
    cell.appendChild(document.createElement("dt")).textContent = label;
    cell.appendChild(document.createElement("dd")).textContent = value;
    cell.appendChild(document.createElement("dd")).textContent = detail;
    cell.lastChild.className = "detail";
    return cell;
  }));
}
"""
_CSS = """
dl { margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(12.5rem, 1fr)); gap: 0.9rem 2rem;
     padding: 0.9rem 0; border-block: 1px solid var(--st-border-color); color: var(--st-text-color);
     font-family: var(--st-font); }
dt { font-size: 0.85rem; color: var(--st-gray-text-color); }
dd { margin: 0.1rem 0 0; font-size: 1.3rem; line-height: 1.3; font-weight: 600; overflow-wrap: anywhere; }
dd.detail { margin-top: 0.2rem; font-size: 0.875rem; line-height: 1.45; font-weight: 400;
            font-variant-numeric: tabular-nums; }
"""
_summary = st.components.v2.component("seamark_summary", html="<dl></dl>", css=_CSS, js=_JS)


class Cell(NamedTuple):
    """One of them: what it is, the figure itself, and what else there is to say."""

    label: str
    value: str
    detail: str


def show_summary(cells: Sequence[Cell], *, key: str) -> None:
    """Draw them; they may hold user text, which is text and nothing else."""
    _summary(key=key, data=[list(cell) for cell in cells])
