"""The table of keys is that of the documents, and names every script that hears keys, with the keys that it hears."""

import re

import pytest

from tests import ROOT
from viz.shell.keyboard_shortcuts import SHORTCUTS

LITERALS = {"arrows": "Arrow", "Shift+arrows": "shiftKey", "1 to 6": "[1-6]", "Ctrl+Enter": "ctrlKey", "Space": '" "'}
LITERALS |= {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown"}
"""Literals in the scripts for keys that the table spells differently."""

CONDITIONAL_KEY_SCRIPTS = {
    "components/text_bar/text_bar.js": "Escape closes the open box",
    "components/text_bar/document_chips.js": "arrows in an open menu",
    "components/reader/ask/question_typing.js": "letters on their way into the box of the question",
    "components/reader/marking/marking.js": "Escape brings the columns back",
    "components/shared/glossary_term.js": "Escape closes the definition in view",
}
"""Scripts that hear keys only while a box or a menu is in use."""


def test_every_script_that_hears_keys_is_in_the_table():
    hearing = {
        path.relative_to(ROOT / "viz").as_posix()
        for path in (ROOT / "viz").rglob("*.js")
        if re.search(r'addEventListener\("keydown"', path.read_text(encoding="utf-8"))
    }
    assert hearing - {*CONDITIONAL_KEY_SCRIPTS} == {key.script for key in SHORTCUTS if key.script}
    assert {*CONDITIONAL_KEY_SCRIPTS} <= hearing


@pytest.mark.parametrize("key", [key for key in SHORTCUTS if key.script], ids=lambda key: key.action)
def test_the_script_hears_the_keys(key):
    file = ROOT / "viz" / key.script
    script = file.read_text(encoding="utf-8")
    # Or a function of a script that it imports.
    script += "".join((file.parent / other).read_text(encoding="utf-8") for other in re.findall(r'from "(.+?)";', script))
    for name in key.keys:
        literal = LITERALS.get(name)
        assert literal in script if literal else re.search(rf'"{re.escape(name)}"|\b{re.escape(name)}: ', script), name


def test_what_the_keys_need_is_made_by_some_script():
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "viz").rglob("*.*s") if path.suffix == ".js")
    html = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "viz").rglob("*.py"))
    for name in {name for key in SHORTCUTS for name in re.findall(r"\.([a-z-]+)", key.within)}:
        assert re.search(rf'el\("[a-z]+", "(?:[a-z ]+ )?{name}(?: [a-z ]+)?"|class="{name}"', scripts + html), name
