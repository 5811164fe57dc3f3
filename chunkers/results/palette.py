"""Colours of chunks and of other elements in both themes, for the page, notebooks and reports."""

from __future__ import annotations

GROUNDS = {
    "light": ("#dcebfb", "#fdebc8", "#dff2dc", "#f6dff0", "#e4e2fb", "#fbe0d8", "#d8f1f0", "#ecebdc"),
    "dark": ("#1d3146", "#40331a", "#1f3a22", "#3d2338", "#2b2a4d", "#452a22", "#1a3b3a", "#35341f"),
}
"""Background colours of chunks; adjacent ones are distinguishable for colour-blind readers too."""

COUNT = len(GROUNDS["light"])
"""The number of chunk colours; scripts of the page read it as ``--ground-count``."""

EDGES = {
    "light": ("#4a86c5", "#c58f1e", "#4f9c47", "#b4559a", "#6f68c9", "#cc6a4a", "#3c9a96", "#8f8a4d"),
    "dark": ("#6ea8e6", "#d9a63a", "#74c06c", "#d57fbd", "#9a94ee", "#ea8f70", "#5fc0bc", "#b8b26c"),
}
"""Colours of the bar to the left of a chunk, in the order of `GROUNDS`."""

INK = {
    "light": {"page": "#fbfaf7", "panel": "#f3f1ec", "ink": "#1d1f21", "muted": "#62666d", "rule": "#d9d5cc"}
    | {"accent": "#2456c7", "error": "#c0392b"},
    "dark": {"page": "#16181b", "panel": "#1e2125", "ink": "#e7e5e0", "muted": "#9aa0a8", "rule": "#33373d"}
    | {"accent": "#7fa6ff", "error": "#ff8a7a"},
}
"""Colours of everything else. Red is reserved for errors, the accent for what can be moved."""
