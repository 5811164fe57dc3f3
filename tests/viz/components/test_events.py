"""Components exchange events through the bus alone, and each event is declared, emitted and heard."""

import re
from collections import namedtuple

import pytest

from viz.components.script_bundler import VIZ_FOLDER

BUS = "components/shared/bus.js"
EVENT = re.compile(r'/\*\* @type \{EventOf<(.*?)>\} \*/\s*"([^"]+)":\s*\{\s*about:\s*"([^"]*)"')
PATTERNS = {
    "emitted": r'\bemit\(\s*"([^"]+)"',
    "heard": r'"(seamark-[a-z-]+)":',
    "named": r"""["'`](seamark-[a-z-]+)["'`]""",
}
Use = namedtuple("Use", PATTERNS)

BUS_TEXT = (VIZ_FOLDER / BUS).read_text()
EVENTS = {name: (detail, about) for detail, name, about in EVENT.findall(BUS_TEXT)}
USES = {
    path.relative_to(VIZ_FOLDER).as_posix(): Use(
        *(set(re.findall(pattern, path.read_text())) for pattern in PATTERNS.values())
    )
    for path in VIZ_FOLDER.rglob("*.js")
    if path != VIZ_FOLDER / BUS
}


def test_every_declaration_is_read():
    table = BUS_TEXT.split("Object.freeze({", 1)[1].split("});", 1)[0]
    assert list(EVENTS) == re.findall(r'^  "([^"]*)":', table, re.MULTILINE)
    assert len(EVENTS) == table.count("about:") == table.count("@type {EventOf<")
    assert all(detail and about.endswith(".") for detail, about in EVENTS.values())


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_emitted_and_heard(name):
    assert any(name in use.emitted for use in USES.values())
    assert any(name in use.heard for use in USES.values())


@pytest.mark.parametrize("path", USES)
def test_a_script_speaks_through_the_bus_alone(path):
    text = (VIZ_FOLDER / path).read_text()
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
    for path in VIZ_FOLDER.rglob("*.py"):
        assert set(re.findall(r"``(seamark-[a-z-]+)``", path.read_text())) <= set(EVENTS), path
