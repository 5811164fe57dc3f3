"""Colours of both themes, the style sheet of results, and escaping of texts in HTML."""

from html import escape

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


def colours_of(theme: str) -> dict[str, str]:
    """Return all colours of a theme, keyed by the names of their custom properties in style sheets, without dashes."""
    grounds = {f"ground-{number}": colour for number, colour in enumerate(GROUNDS[theme])}
    edges = {f"edge-{number}": colour for number, colour in enumerate(EDGES[theme])}
    return INK[theme] | grounds | edges


ROOT = "seamark-out"
"""The class of the outermost element. Whatever else is on a notebook's page, the style sheet is about what is inside."""

NOT_TEX = "tex2jax_ignore mathjax_ignore"
"""Classes by which MathJax, which notebooks run over all output, is told to leave a text alone."""


def text(written: str) -> str:
    """Escape text for an HTML element or a quoted attribute; characters that HTML cannot hold are replaced.

    A carriage return would be read as a line feed, and a null character not at all.
    """
    shown = escape(written).replace("\r", "&#13;").replace("\0", "\ufffd")
    return shown.encode("utf-8", "replace").decode()


def _declarations(theme: str) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours_of(theme).items())


def style() -> str:
    """Return the style sheet of results in notebooks, for light and dark themes and for print."""
    chosen = "--ground: var(--ground-{0}); --edge: var(--edge-{0});"
    places = "\n".join(f".{ROOT} .k{number} {{ {chosen.format(number)} }}" for number in range(COUNT))
    return f"""
.{ROOT} {{ {_declarations("light")} }}
@media (prefers-color-scheme: dark) {{ .{ROOT} {{ {_declarations("dark")} }} }}
@media print {{
  .{ROOT} {{ {_declarations("light")} --page: #ffffff; print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
}}
{places}
{_RULES.replace("ROOT", ROOT)}"""


_RULES = """
.ROOT { background: var(--page); color: var(--ink); color-scheme: light dark; padding: 1rem; border-radius: 4px;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
.ROOT, .ROOT * { box-sizing: border-box; text-align: start; }
.ROOT h1, .ROOT h2, .ROOT h3, .ROOT p, .ROOT ol, .ROOT li, .ROOT figure { margin: 0; padding: 0; }
.ROOT h3 { font-size: 1rem; font-weight: 650; overflow-wrap: anywhere; }
.ROOT .facts, .ROOT .note, .ROOT .why, .ROOT .legend, .ROOT .scale { color: var(--muted); font-size: 0.8rem; }
.ROOT .facts, .ROOT .note, .ROOT .name { overflow-wrap: anywhere; unicode-bidi: isolate; }
.ROOT .chunks { list-style: none; margin-top: 0.5rem; }
.ROOT .why { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.25rem 0; overflow-wrap: anywhere; }
.ROOT .why::before { content: ""; flex: none; width: 1.6rem; border-top: 1px solid var(--muted);
  transform: translateY(-0.3em); }
.ROOT .box { background: var(--ground); border-inline-start: 3px solid var(--edge); border-radius: 0 2px 2px 0;
  padding: 0.4rem 0.7rem; display: grid; grid-template-columns: 2rem minmax(0, 1fr); }
.ROOT .number { color: var(--muted); font-size: 0.75rem; padding-top: 0.15rem; }
.ROOT .text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 78ch; unicode-bidi: plaintext; }
.ROOT .text span[title]:hover { text-decoration: underline dotted; text-underline-offset: 3px; }
.ROOT .again { background: none; color: inherit; text-decoration: underline wavy var(--edge) 1px;
  text-underline-offset: 4px; }
.ROOT .context, .ROOT .between { color: var(--muted); }
.ROOT .between { display: block; font-size: 0.75rem; border-top: 1px dashed var(--edge); margin: 0.3rem 0;
  white-space: normal; }
.ROOT .axis { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); column-gap: 0.5rem; margin-top: 0.6rem; }
.ROOT .axis svg { display: block; width: 100%; overflow: visible; }
.ROOT .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: end; line-height: 1; }
.ROOT .scale span { text-align: end; }
.ROOT .axis path, .ROOT .axis rect { vector-effect: non-scaling-stroke; }
.ROOT .curve svg { height: 96px; fill: none; stroke-linecap: round; }
.ROOT .legend { grid-column: 2; padding-top: 0.35rem; }
.ROOT .strips { grid-template-columns: minmax(5rem, 22%) minmax(0, 1fr); row-gap: 0.25rem; align-items: center; }
.ROOT .strips svg { height: 11px; }
.ROOT .strips .name { font-size: 0.75rem; line-height: 1.2; }
.ROOT .columns { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
  margin-top: 1rem; }
.ROOT .columns > section { min-width: 0; }
@media print { .ROOT .box { break-inside: avoid; } .ROOT .why { break-after: avoid; } }
"""
