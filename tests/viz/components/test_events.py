import re

import pytest

from viz.components import events
from viz.components.assets import VIZ

EVENTS = {event.name: event for event in events.declared()}
USES = events.uses()


def test_the_document_is_the_one_that_the_scripts_give():
    assert events.DOCUMENT.read_text() == events.document(), "run python -m viz.components.events"


def test_every_declaration_is_read():
    table = (VIZ / events.BUS).read_text().split("Object.freeze({", 1)[1].split("});", 1)[0]
    assert list(EVENTS) == re.findall(r'^  "([^"]*)":', table, re.MULTILINE)
    assert len(EVENTS) == table.count("about:") == table.count("@type {EventOf<")
    assert all(event.about.endswith(".") and event.detail for event in EVENTS.values())


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_emitted_and_heard(name):
    assert any(name in use.emitted for use in USES.values())
    assert any(name in use.heard for use in USES.values())


@pytest.mark.parametrize("path", USES)
def test_a_script_speaks_through_the_bus_alone(path):
    text = (VIZ / path).read_text()
    assert not re.search(r"\bCustomEvent\b|\bdispatchEvent\b", text)
    use = USES[path]
    assert use.named == use.emitted | use.heard
    assert use.named <= set(EVENTS)
    assert bool(use.emitted) == bool(
        re.search(r"^import \{[^}]*\bemit\b[^}]*\} from \"[./a-z]*/bus\.js\";", text, re.MULTILINE)
    )
    assert bool(use.heard) == bool(
        re.search(r"^import \{[^}]*\blisten\b[^}]*\} from \"[./a-z]*/bus\.js\";", text, re.MULTILINE)
    )
    assert not re.search(r"\bemit\((?!\s*\")", text), "the name of an event stands where it is emitted"


def test_python_names_declared_events_alone():
    for path in VIZ.rglob("*.py"):
        assert set(re.findall(r"``(seamark-[a-z-]+)``", path.read_text())) <= set(EVENTS), path
