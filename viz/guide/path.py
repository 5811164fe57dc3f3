"""The Guide's path: its ten screens, one at a time, with one thing to do on each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from chunkers import InputError
from evaluation.asking.ask import LONGEST_QUESTION
from viz.controls.link_widgets import heeded, key_showing
from viz.guide.frames import bundled_tools
from viz.guide.pictures import picture, show_pictures
from viz.guide.screens import SCREENS, Choice, Slide, repairs
from viz.guide.session import session
from viz.shell.navigation import go_at_next_run
from viz.shell.sides import sides
from viz.state.choices import ColumnChoice
from viz.state.compared import COMPARE, add_to_compare, index_on_compare
from viz.theme.glossary import explained

SCREEN = "screen"
"""The link's parameter for the screen, counted from 1."""

NUMBERS = [str(number) for number in range(1, len(SCREENS) + 1)]
"""The values of the link's parameter."""


def show_path(key: str, extra: dict[str, str], choose: Callable[[], None]) -> None:
    """Draw the screen that the link names.

    Parameters
    ----------
    key
        The page's key.
    extra
        The page's own link parameters; the buttons change the screen in them.
    choose
        Opens the advice on which chunker to try.
    """
    name = extra[SCREEN]
    number = NUMBERS.index(name)
    screen, tools, done, complaint = SCREENS[number], bundled_tools(), session.guide_path.get(name), ""
    try:
        drawn = screen.draw(screen.text, done, tools)
    except InputError as error:
        drawn, complaint = screen.draw(screen.text, None, tools), str(error)
    control = drawn.control
    shown = picture(screen.title, explained(screen.said), explained(screen.task))
    if control == "question":
        shown["ask"] = {"question": done or "", "longest": LONGEST_QUESTION, "complaint": complaint}
    if control == "cuts":
        drawn.picture["cuts"] = {"gaps": done or [], "heard": session.guide_path.get("heard")}

    def do(value: Any) -> None:
        session.guide_path = {**session.guide_path, name: value}

    def cut(gaps: list[int], at: float) -> None:
        session.guide_path = {**session.guide_path, name: gaps, "heard": at}

    words, result = sides(key, 2, 3, gap="large")
    with words:
        show_pictures([shown], "guide_path_words", first=number + 1, asked=do)
        with st.container(key="guide_path_control"):
            if isinstance(control, Choice):
                _choice(name, control, done, do)
            elif isinstance(control, Slide):
                _slider(name, control, done, do)
        with st.container(key="guide_path_steps"):
            _steps(extra, number)
    with result:
        show_pictures([drawn.picture], "guide_path_picture", told=explained(drawn.told), cut=cut)
        if number == len(SCREENS) - 1:
            _ways_on(done, choose)


def _choice(name: str, control: Choice, done: str | None, do: Callable[[str | None], None]) -> None:
    value = control.start if done is None else done
    key = key_showing(value, f"guide_path/{name}")
    st.segmented_control(
        control.label,
        [*control.options],
        default=value,
        format_func=control.options.__getitem__,
        key=key,
        on_change=heeded(key, lambda: do(st.session_state[key])),
        label_visibility="collapsed",
    )


def _slider(name: str, control: Slide, done: float | None, do: Callable[[float], None]) -> None:
    value = control.start if done is None else done
    key = key_showing(value, f"guide_path/{name}")
    st.slider(
        control.label,
        control.low,
        control.high,
        value,
        control.step,
        key=key,
        on_change=heeded(key, lambda: do(st.session_state[key])),
    )


def _steps(extra: dict[str, str], number: int) -> None:
    """Draw the number of the screen, and the buttons to its neighbours."""

    def go(to: int) -> None:
        extra[SCREEN] = NUMBERS[to]

    last = len(SCREENS) - 1
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Back", on_click=go, args=(number - 1,), disabled=number == 0, key="guide_path_back")
        st.button("Next", on_click=go, args=(number + 1,), disabled=number == last, key="guide_path_next", type="primary")
        st.caption(f"{number + 1} of {len(SCREENS)}")


def _ways_on(done: str | None, choose: Callable[[], None]) -> None:
    """Draw the buttons that lead from the path to the advice and to Compare, which gets the chosen repair as a column."""

    def compare() -> None:
        if done is not None:
            repair = repairs(SCREENS[-1].text, bundled_tools())[int(done)].chunker
            column = ColumnChoice(repair.name, repair.model_dump(exclude_defaults=True))
            if index_on_compare(column, {}) is None:
                add_to_compare(column)
        go_at_next_run(COMPARE)

    with st.container(horizontal=True):
        st.button("Which chunker?", on_click=choose, key="guide_path_which")
        st.button("Open on Compare", on_click=compare, key="guide_path_compare")
