import re

from viz.components.browser_exchange import Store
from viz.components.script_bundler import VIZ_FOLDER, join_script_with_imports


def test_a_store_is_hidden_by_the_class_of_its_key(registered):
    send = Store("seamark_test", "storeText")
    send(b"bytes", key="reader_text")
    (files, mounted) = registered["seamark_test"]
    assert files["js"] == join_script_with_imports("components/shared/store.js", "storeText")
    assert [(given["key"], given["height"]) for given in mounted] == [("store_reader_text", 0)]
    hidden = re.findall(r"^(.*) \{ display: none; \}", (VIZ_FOLDER / "theme/page.css").read_text(), re.MULTILINE)
    assert '[class*="st-key-store_"]' in [selector for rule in hidden for selector in rule.split(", ")]


def test_the_store_of_a_component_is_nobody_elses():
    used = [re.findall(r'\bStore\[\w+\]\("(\w+)", "(\w+)"\)', path.read_text()) for path in VIZ_FOLDER.rglob("*.py")]
    pairs = [pair for matches in used for pair in matches]
    assert sorted(pairs) == [
        ("seamark_matrix", "storeMatrix"),
        ("seamark_own", "keepOwn"),
        ("seamark_steps", "storeSteps"),
        ("seamark_text", "storeText"),
        ("seamark_words", "keepWords"),
    ]
