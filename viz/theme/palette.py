"""The colours of both themes, once for style sheets and for figures."""

from __future__ import annotations

import streamlit as st

GROUNDS = {
    "light": ("#dcebfb", "#fdebc8", "#dff2dc", "#f6dff0", "#e4e2fb", "#fbe0d8", "#d8f1f0", "#ecebdc"),
    "dark": ("#1d3146", "#40331a", "#1f3a22", "#3d2338", "#2b2a4d", "#452a22", "#1a3b3a", "#35341f"),
}
"""Grounds behind the text of chunks; neighbours differ also for colour-blind readers."""

COUNT = len(GROUNDS["light"])
"""Colours of chunks; scripts read it as ``--ground-count``."""

EDGES = {
    "light": ("#4a86c5", "#c58f1e", "#4f9c47", "#b4559a", "#6f68c9", "#cc6a4a", "#3c9a96", "#8f8a4d"),
    "dark": ("#6ea8e6", "#d9a63a", "#74c06c", "#d57fbd", "#9a94ee", "#ea8f70", "#5fc0bc", "#b8b26c"),
}
"""The rule at a chunk's left, in the order of the grounds."""

INK = {
    "light": {"page": "#fbfaf7", "panel": "#f3f1ec", "ink": "#1d1f21", "muted": "#62666d", "rule": "#d9d5cc"}
    | {"accent": "#2456c7", "error": "#c0392b"},
    "dark": {"page": "#16181b", "panel": "#1e2125", "ink": "#e7e5e0", "muted": "#9aa0a8", "rule": "#33373d"}
    | {"accent": "#7fa6ff", "error": "#ff8a7a"},
}
"""Everything that is not a chunk. Red is for errors against known boundaries alone, the accent for what moves."""


def css(root: str = "seamark") -> str:
    """Return both themes as custom properties of the class ``root`` with ``data-theme``, and how many grounds they have."""
    blocks = [f".{root} {{\n  --ground-count: {COUNT};\n}}"]
    for theme in ("light", "dark"):
        colours = dict(INK[theme])
        colours |= {f"ground-{i}": colour for i, colour in enumerate(GROUNDS[theme])}
        colours |= {f"edge-{i}": colour for i, colour in enumerate(EDGES[theme])}
        body = "\n".join(f"  --{name}: {colour};" for name, colour in colours.items())
        blocks.append(f'.{root}[data-theme="{theme}"] {{\n{body}\n}}')
    return "\n".join(blocks)


def theme() -> str:
    """Return the name of the page's theme, a key of the palette."""
    return "dark" if st.context.theme.type == "dark" else "light"


def colour_page() -> None:
    """Give the style sheet the colours of what stands over the text where there is no room beside it."""
    colours = INK[theme()]
    st.html(f"<style>:root {{ --page: {colours['page']}; --rule: {colours['rule']}; }}</style>")
