import re

import streamlit as st

from viz.components.assets import VIZ, script
from viz.components.store import store


def test_a_store_is_hidden_by_the_class_of_its_key(monkeypatch):
    registered, mounted = {}, []

    def component(name, **files):
        registered[name] = files
        return lambda **given: mounted.append(given)

    monkeypatch.setattr(st.components.v2, "component", component)
    send = store("seamark_test", "storeText")
    send(b"bytes", key="reader_text")
    assert registered == {"seamark_test": {"js": script("components/shared/store.js", "storeText")}}
    assert mounted == [{"key": "store_reader_text", "data": b"bytes", "height": 0}]
    hidden = re.findall(r"^(.*) \{ display: none; \}", (VIZ / "theme/page.css").read_text(), re.MULTILINE)
    assert '[class*="st-key-store_"]' in [selector for rule in hidden for selector in rule.split(", ")]


def test_the_store_of_a_component_is_nobody_elses():
    used = [re.findall(r'\bstore\("(\w+)", "(\w+)"\)', path.read_text()) for path in VIZ.rglob("*.py")]
    pairs = [pair for found in used for pair in found]
    assert sorted(pairs) == [
        ("seamark_matrix", "storeMatrix"),
        ("seamark_own", "keepOwn"),
        ("seamark_steps", "storeSteps"),
        ("seamark_text", "storeText"),
    ]
