"""Widgets that show what the session holds, most of them a word of a page's link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st


def seed(key: str, value: Any) -> None:
    """Let the widget of a key show ``value``; touched only when it differs, or the browser would reset it at every run."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


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
    seed(key, words[name])

    def changed() -> None:
        words[name] = st.session_state[key]
        if then is not None:
            then()

    st.selectbox(label, list(options), format_func=options.__getitem__, key=key, on_change=changed)
    return words[name]


def switch(
    label: str,
    words: dict[str, str],
    name: str,
    options: Mapping[str, str],
    key: str,
    *,
    hidden: bool = False,
    help: str | None = None,
) -> None:
    """Draw a choice among few ``options``, word to what is shown, all in sight; its label may be ``hidden``.

    A word that is none of them shows as the first.
    """
    seed(key, words[name] if words[name] in options else next(iter(options)))

    def changed() -> None:
        words[name] = st.session_state[key]

    st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=changed,
        required=True,
        help=help,
        label_visibility="collapsed" if hidden else "visible",
    )
