"""The colours of both themes, for style sheets and figures alike."""

import streamlit as st

from chunkers.results import CHUNK_COLOUR_COUNT, CHUNK_COLOURS, CHUNK_EDGE_COLOURS, THEME_COLOURS, find_colours_of_theme

__all__ = [
    "CHUNK_COLOURS",
    "CHUNK_COLOUR_COUNT",
    "CHUNK_EDGE_COLOURS",
    "THEME_COLOURS",
    "chunker_colour",
    "set_narrow_window_panel_colours",
    "style_sheet_of_both_themes",
    "theme_name",
]


def style_sheet_of_both_themes(root_class: str = "seamark") -> str:
    """Return a style sheet that defines both themes' colours as custom properties of the class ``root_class``."""
    css_rules = [f".{root_class} {{\n  --ground-count: {CHUNK_COLOUR_COUNT};\n}}"]
    for light_or_dark in ("light", "dark"):
        css_variables = "\n".join(f"  --{name}: {colour};" for name, colour in find_colours_of_theme(light_or_dark).items())
        css_rules.append(f'.{root_class}[data-theme="{light_or_dark}"] {{\n{css_variables}\n}}')
    return "\n".join(css_rules)


def theme_name() -> str:
    """Return the name of the page's theme: ``light`` or ``dark``."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chunker_colour(chunker_number: int) -> str:
    """Return the colour of a chunker's lines and dots in figures; the colours repeat."""
    current_theme_edge_colours = CHUNK_EDGE_COLOURS[theme_name()]
    return current_theme_edge_colours[chunker_number % len(current_theme_edge_colours)]


def set_narrow_window_panel_colours() -> None:
    """Set the background and border colours of the panel that overlays the text in narrow windows."""
    theme_colour_by_role = THEME_COLOURS[theme_name()]
    st.html(f"<style>:root {{ --page: {theme_colour_by_role['page']}; --rule: {theme_colour_by_role['rule']}; }}</style>")
