"""Widgets whose values are words of a page's link."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st


def select(
    label: str,
    words: dict[str, str],
    name: str,
    options: Mapping[str, str],
    key: str,
    then: Callable[[], None] | None = None,
) -> str:
    """Draw a choice among ``options``, word to what is shown, and return the chosen word; one that is none is the first.

    ``then`` runs when another was chosen.
    """
    if words[name] not in options:
        words[name] = next(iter(options))
    if st.session_state.get(key) != words[name]:
        # Touched only when it differs, or the browser would reset it at every run.
        st.session_state[key] = words[name]

    def changed() -> None:
        words[name] = st.session_state[key]
        if then is not None:
            then()

    st.selectbox(label, list(options), format_func=options.__getitem__, key=key, on_change=changed)
    return words[name]
