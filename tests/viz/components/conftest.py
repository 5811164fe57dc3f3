"""Fixtures for the tests of components."""

import pytest
import streamlit as st


@pytest.fixture
def registered(monkeypatch):
    """The components registered by name, each with its files and the calls that drew it; nothing reaches Streamlit."""
    components = {}

    def component(name, **files):
        components[name] = (files, [])
        return lambda **given: components[name][1].append(given)

    monkeypatch.setattr(st.components.v2, "component", component)
    return components
