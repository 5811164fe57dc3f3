"""The colours of both themes, for style sheets and figures alike."""

import streamlit as st

from chunkers.results.markup import COUNT, EDGES, GROUNDS, INK, colours_of

__all__ = ["COUNT", "EDGES", "GROUNDS", "INK", "colour_page", "css", "edge", "theme"]


def css(root: str = "seamark") -> str:
    """Return a style sheet that defines both themes' colours as custom properties of the class ``root``."""
    blocks = [f".{root} {{\n  --ground-count: {COUNT};\n}}"]
    for theme in ("light", "dark"):
        body = "\n".join(f"  --{name}: {colour};" for name, colour in colours_of(theme).items())
        blocks.append(f'.{root}[data-theme="{theme}"] {{\n{body}\n}}')
    return "\n".join(blocks)


def theme() -> str:
    """Return the name of the page's theme: ``light`` or ``dark``."""
    return "dark" if st.context.theme.type == "dark" else "light"


def edge(number: int) -> str:
    """Return the colour of a chunker's lines and dots in figures; the colours repeat."""
    edges = EDGES[theme()]
    return edges[number % len(edges)]


def colour_page() -> None:
    """Set the background and border colours of the panel that overlays the text in narrow windows."""
    colours = INK[theme()]
    st.html(f"<style>:root {{ --page: {colours['page']}; --rule: {colours['rule']}; }}</style>")
