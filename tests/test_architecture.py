"""`docs/architecture.md` says what is: the rooms, the files that it names, and the way of a value to the painted cut."""

import re
import threading
from pathlib import Path

from chunkers import Chunker
from tests import ROOT
from tests.viz.app_steps import settled
from viz.components.asset_linker import linked_script
from viz.state.choices import ColumnChoice

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WAY, BESIDE = PAGE.partition("## From a widget to the painted cut")[2].split("In addition, ", 1)
STEPS = re.findall(r"^\d+\. `([^`]+)`", WAY, re.MULTILINE)
ASIDE = re.findall(r"`([^`]+\.py)`", BESIDE.partition("## ")[0])
MOST_STEPS = 20

AMOUNT = 71.3
"""A value that nothing else on the first screen has."""


def carries(value):
    """Return whether a value is the amount, or holds it as a parameter."""
    match value:
        case float():
            return value == AMOUNT
        case dict():
            return any(carries(inner) for inner in value.values())
        case Chunker():
            return AMOUNT in vars(value).values()
        case ColumnChoice():
            return AMOUNT in value.parameters.values()
    return False


def test_every_file_that_it_names_is_there():
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)`", PAGE)) | {"app.py", "serve.py"}
    # An author's page is called x.
    missing = [name for name in named if not (ROOT / name).exists() and "/x" not in name]
    assert not missing


def test_every_room_is_named_and_no_other():
    there = {"viz", "chunkers", "evaluation"}
    rooms = {path.name for parent in there for path in (ROOT / parent).iterdir() if path.is_dir() and path.name[0].isalpha()}
    named = (
        set(re.findall(r"`(\w+)/`", PAGE)) - there - {"corpus", "integrations", "pages", "sample_docs", "seamark", "packing"}
    )
    assert named - {"reader", "stepper", "shared"} == rooms


def test_the_way_is_short_and_its_scripts_are_linked_in_this_order():
    assert len(STEPS) <= MOST_STEPS
    assert len(set(STEPS)) == len(STEPS)
    scripts = [step for step in STEPS if step.endswith(".js")]
    assert STEPS[-1].endswith("chunk_block.js")
    linked = re.findall(r"^// ---- (\S+)$", linked_script("components/reader/reader.js"), re.MULTILINE)
    # The linker puts a module before those that use it.
    assert [module for module in reversed(linked) if module in scripts] == scripts


def test_the_amount_goes_this_way_and_no_other(app):
    app.query_params["embedder"] = "tfidf"
    app.query_params["tokenizer"] = "words"
    settled(app)
    entered, carried = set(), set()

    def watch(frame, event, value):
        file = frame.f_code.co_filename
        if event not in ("call", "return") or not file.startswith(str(ROOT)) or ".venv" in file:
            return
        name = Path(file).relative_to(ROOT).as_posix()
        entered.add(name)
        if name not in carried and (any(map(carries, frame.f_locals.values())) or carries(value)):
            carried.add(name)

    slider = next(widget for widget in app.slider if widget.key == "1/breakpoint/amount/None")
    threading.setprofile(watch)
    try:
        slider.set_value(AMOUNT).run()
    finally:
        threading.setprofile(None)
    assert not app.exception
    assert app.session_state["choices"]["compare"].columns[1].parameters["amount"] == AMOUNT
    files = [step for step in STEPS if step.endswith(".py")]
    assert set(files) <= entered
    assert carried <= {*files, *ASIDE}, f"the amount goes through {sorted(carried - {*files, *ASIDE})} too"
    assert set(ASIDE) <= carried
