"""Widgets bound to values of the session, most of which are link parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from viz.state.keys import session

Shown = TypeVar("Shown")
"""The type of a widget's value."""


def seed(key: str, value: Shown) -> Shown:
    """Set the widget ``key`` to ``value``, and return the value to pass as the widget's initial value.

    The value is set only if it differs, since otherwise the browser would reset the widget on every run. Streamlit sends a
    value only in the run that sets it, and drops it if the next run begins before it is sent. A browser without the value
    would show the first option and report it as the user's choice, so the value is also the widget's initial one. A widget
    that the browser already has ignores initial values; for it, the value is set again after an interrupted run
    (`viz.shell.page`).
    """
    shown, seeded = st.session_state.get(key), session.seeded
    if key in seeded and shown != seeded[key]:
        del seeded[key]  # The user has changed it, so the browser has received it.
    if key not in st.session_state or shown != value:
        seeded[key] = value
    if key in seeded:
        st.session_state[key] = value
    return value


def select(
    label: str,
    words: dict[str, str],
    name: str,
    options: Mapping[str, str],
    key: str,
    then: Callable[[], None] | None = None,
    help: str | None = None,
) -> str:
    """Draw a select box for ``words[name]`` and return the chosen word.

    ``options`` maps words to labels; an unknown word is replaced by the first option. ``then`` is called after a change.
    """
    if words[name] not in options:
        words[name] = next(iter(options))
    shown = seed(key, words[name])

    def changed() -> None:
        words[name] = st.session_state[key]
        if then is not None:
            then()

    st.selectbox(
        label,
        names := list(options),
        index=names.index(shown),
        format_func=options.__getitem__,
        key=key,
        on_change=changed,
        help=help,
    )
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
    """Draw a segmented control for ``words[name]``, with an unknown word shown as the first option.

    ``options`` maps words to labels. If ``hidden``, the control's own label is not shown.
    """
    shown = seed(key, words[name] if words[name] in options else next(iter(options)))

    def changed() -> None:
        words[name] = st.session_state[key]

    st.segmented_control(
        label,
        list(options),
        default=shown,
        format_func=options.__getitem__,
        key=key,
        on_change=changed,
        required=True,
        help=help,
        label_visibility="collapsed" if hidden else "visible",
    )
