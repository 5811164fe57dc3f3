"""The keyboard shortcuts of the pages, and the dialog that lists the current page's when ``?`` is pressed."""

from typing import NamedTuple, TypedDict

from viz.components.browser_exchange import Component
from viz.shell import lecture_mode


class Key(NamedTuple):
    """A keyboard shortcut: one or more keys and their effect.

    Attributes
    ----------
    keys
        The names of the keys.
    action
        The effect; for several keys, the effects in the same order.
    within
        Selector of the element that must be on the page for the keys to work; empty if they always do.
    script
        The path below ``viz/`` of the script that handles the keys; empty if the browser does.
    in_lecture
        True for keys that work in lecture mode only.
    """

    keys: tuple[str, ...]
    action: str
    within: str = ""
    script: str = ""
    in_lecture: bool = False


SHORTCUTS = (
    Key(("?",), "list the keys of this page", "", "shell/keyboard_shortcuts.js"),
    Key(("Ctrl+Enter",), "cut the text in the box", ".text-bar", "components/text_bar/text_area_footer.js"),
    Key(("Tab",), "reach the curve, the threshold and the columns", ".plot"),
    Key(("←", "→", "Enter"), "on the curve: previous gap, next gap, lead to the text", ".plot", "components/reader/plot.js"),
    Key(("arrows",), "on the threshold: move it", ".plot [role=slider]", "components/reader/threshold_lines.js"),
    Key(("+", "-", "0"), "zoom in, out, show all of the axis", ".plot, .passes", "components/shared/zoom_window.js"),
    Key(("n", "p"), "next, previous cut of a column", ".seamark .text", "components/reader/column.js"),
    Key(("d", "D"), "next, previous disagreement", ".disputes", "components/reader/disagreements/disagreements.js"),
    Key(("Escape",), "close a preview", ".dispute .preview", "components/reader/disagreements/disagreements.js"),
    Key(
        ("1 to 6",),
        "choose a column; in lecture mode also show it alone, or all again",
        ".head + .head",
        "components/reader/parts/column_keys.js",
    ),
    Key(("h",), "in lecture mode: hide the cuts, show them", ".seamark", "components/reader/parts/column_keys.js", True),
    Key(("/", "Escape"), "focus the question, clear its marks", ".seamark .ask", "components/reader/ask/asking.js"),
    Key(
        ("a", "Shift+arrows", "Enter"),
        "select a sentence of the answer, extend it, mark it",
        ".seamark .ask",
        "components/reader/ask/answer_mark.js",
    ),
    Key(
        ("arrows", "Space"),
        "while marking: to another gap, set it or unset it",
        ".seamark .paragraph",
        "components/reader/marking/folded_text.js",
    ),
    Key(
        ("←", "→", "Space"),
        "step back (also Page Up), step forward (Page Down), play",
        ".stepper",
        "components/stepper/stepper.js",
    ),
    Key(
        ("y", "n"),
        "predict a step: yes, no; in lecture mode, count the hands",
        ".stepper .answers",
        "components/stepper/stepper.js",
    ),
    Key(
        ("PageDown", "PageUp"),
        "in a lecture: next, previous step, part or scene",
        ".deck",
        "shell/lecture_bar.js",
        True,
    ),
    Key(("b",), "in lecture mode: blank the screen; any key brings it back", "", "shell/lecture_bar.js", True),
    Key(("s",), "in lecture mode: add the page to your lecture", "", "shell/lecture_bar.js", True),
    Key(("↑", "↓", "Enter"), "in the table: previous, next gap, lead to the text", ".ledger", "breakpoints/gap_table.js"),
    Key(("arrows", "Enter"), "on the rows: to another comparison, to its step", ".passes", "double_pass/passes.js"),
    Key(
        ("arrows", "Enter"),
        "on the heatmap: to another cell, lead to its sentences",
        ".heatmap",
        "components/heatmap/heatmap.js",
    ),
)
"""All shortcuts in the order of the dialog."""


class KeyData(TypedDict):
    """Payload of a shortcut: its keys, its effect, and the selector of the element that it needs."""

    keys: list[str]
    action: str
    within: str


class KeysData(TypedDict):
    """Payload of the dialog of keyboard shortcuts: the shortcuts that may work on the page."""

    rows: list[KeyData]


_shortcuts_dialog_component = Component[KeysData](
    "seamark_keys",
    "shell/keyboard_shortcuts.js",
    "shell/keyboard_shortcuts.css",
    html='<div class="keys"></div>',
    colour_group_name="keys",
)


def draw_closed_shortcuts_dialog() -> None:
    """Draw the dialog of keyboard shortcuts, which stays closed until ``?`` is pressed."""
    rows: list[KeyData] = [
        {"keys": [*shortcut.keys], "action": shortcut.action, "within": shortcut.within}
        for shortcut in SHORTCUTS
        if lecture_mode.is_lecture_mode_on() or not shortcut.in_lecture
    ]
    _shortcuts_dialog_component(key="keys", data={"rows": rows}, height=0)
