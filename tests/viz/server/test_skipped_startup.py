"""Startup work that Streamlit skips: scans that would find nothing."""

import importlib
import importlib.metadata

import pytest
import streamlit.delta_generator as drawing
from streamlit import env_util
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager

from viz.server.streamlit_patches import skip_needless_startup


@pytest.fixture
def scanner(monkeypatch):
    """Streamlit's own scanner, whether or not the app's has been put in its place."""
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", manifest_scanner.scan_component_manifests)
    return importlib.reload(manifest_scanner)


@pytest.fixture
def looks(scanner, monkeypatch):
    """Return a list of everything that Streamlit scans: all packages, and the stack."""
    seen = []
    monkeypatch.setattr(drawing, "_use_warning_has_been_displayed", False)
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: seen.append("packages") or [])
    monkeypatch.setattr(env_util, "is_repl", lambda: seen.append("stack"))
    return seen


@pytest.mark.parametrize("spared", [False, True])
def test_nothing_is_looked_for(looks, spared):
    if spared:
        skip_needless_startup()
    BidiComponentManager().discover_and_register_components(start_file_watching=False)
    drawing._maybe_print_use_warning()
    assert looks == ([] if spared else ["packages", "stack"])


@pytest.mark.slow
def test_nothing_would_be_found(scanner):
    assert scanner.scan_component_manifests() == []
