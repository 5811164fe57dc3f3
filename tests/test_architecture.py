"""`docs/architecture.md` says what is: rooms, files, and the calls from a slider to the painted cut."""

import re
import threading

from tests import ROOT
from tests.viz.app_steps import settled
from viz.components.script_bundler import join_script_with_imports

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WAY = PAGE.partition("## From a widget to the painted cut")[2].partition("## ")[0]
CALLS = re.findall(r"^\d+\. `([^`]+\.py)`, `(\w+)`: ", WAY, re.MULTILINE)
SCRIPTS = re.findall(r"^\d+\. `([^`]+\.js)`: ", WAY, re.MULTILINE)
MOST_STEPS = 20

AMOUNT = 71.3
"""A value that nothing else on the first screen has."""


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
    steps = [*(file for file, _ in CALLS), *SCRIPTS]
    assert len(steps) == len(re.findall(r"^\d+\. ", WAY, re.MULTILINE)) <= MOST_STEPS
    assert len(set(steps)) == len(steps)
    assert SCRIPTS[-1].endswith("chunk_block.js")
    linked = re.findall(r"^// ---- (\S+)$", join_script_with_imports("components/reader/reader.js"), re.MULTILINE)
    # The linker puts a module before those that use it.
    assert [module for module in reversed(linked) if module in SCRIPTS] == SCRIPTS


def test_a_moved_slider_calls_these_functions_in_this_order(app):
    app.query_params["embedder"] = "tfidf"
    app.query_params["tokenizer"] = "words"
    settled(app)
    calls = []

    def watch(frame, event, _):
        step = frame.f_code.co_filename.removeprefix(f"{ROOT}/"), frame.f_code.co_name
        if event == "call" and step in CALLS:
            calls.append(step)

    slider = next(widget for widget in app.slider if widget.key == "1/breakpoint/amount/None")
    threading.setprofile(watch)
    try:
        slider.set_value(AMOUNT).run()
    finally:
        threading.setprofile(None)
    assert not app.exception
    assert app.session_state["choices"]["compare"].columns[1].parameters["amount"] == AMOUNT
    later_calls = iter(calls)
    out_of_order = [step for step in CALLS if step not in later_calls]
    assert not out_of_order
