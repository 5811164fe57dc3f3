"""Fixtures for the tests of components."""

import pytest
import streamlit as st


@pytest.fixture
def registered(monkeypatch):
    """The components registered by name, each with its files and the calls that drew it; nothing reaches Streamlit."""
    found = {}

    def component(name, **files):
        found[name] = (files, [])
        return lambda **given: found[name][1].append(given)

    monkeypatch.setattr(st.components.v2, "component", component)
    return found
