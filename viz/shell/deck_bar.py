"""The bar of a lecture, with the words of the scene at hand, and the keys of lecture mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import streamlit as st

from viz.components.assets import script, styles
from viz.components.mounting import component
from viz.shell import deck, lecture
from viz.state.decks import Scene
from viz.state.keys import session
from viz.theme import palette

KEY = "deck"

_bar = component(
    "seamark_deck",
    html='<div class="deck-root"></div>',
    css=palette.css("deck-root") + "\n" + styles("components/shared/common.css", "shell/deck_bar.css"),
    js=script("shell/deck_bar.js"),
)


class SceneData(TypedDict):
    """Payload of a scene.

    Attributes
    ----------
    parts
        The name and the words of each part.
    hides
        Whether the cuts stay hidden until the scene is to be seen.
    ask
        The question that is asked then; empty for none.
    first, until
        The first and the last step of a stepper, from 1, between which the keys step; no end if ``until`` is None.
    at
        The key of the container to which the page scrolls then; empty for none.
    """

    title: str
    parts: Sequence[tuple[str, str]]
    hides: bool
    ask: str
    first: int
    until: int | None
    at: str


class DeckData(TypedDict):
    """Payload of the bar: whether lecture mode is on, the lecture's name and title, its scenes, and the scene at hand.

    ``heard`` is the browser's timestamp of the last act that the server has received.
    """

    lecture: bool
    name: str
    title: str
    scenes: Sequence[SceneData]
    at: int
    heard: float | None


def deck_bar() -> None:
    """Draw the bar, which is empty without a lecture and hears the keys of lecture mode.

    The page reruns after each act of the user: ``scene`` shows the scene of that number, ``leave`` ends the lecture.
    """
    showing = deck.current() if lecture.is_on() else None
    data: DeckData = {
        "lecture": lecture.is_on(),
        "name": "" if session.playing is None or showing is None else session.playing.deck,
        "title": "" if showing is None else showing[0].title,
        "scenes": [] if showing is None else [_scene(scene) for scene in showing[0].scenes],
        "at": 0 if showing is None else showing[1],
        "heard": session.taken.get((KEY, "act")),
    }
    _bar(key=KEY, data=data, height=0, on_act_change=_take)


def _take() -> None:
    act: dict[str, Any] = st.session_state[KEY]["act"]
    # The change of the page may end the state of the bar, which the next run draws anew.
    session.taken[KEY, "act"] = act["at"]
    playing = session.playing
    if playing is None:
        return
    if act["act"] == "leave":
        deck.leave()
    elif act["act"] == "scene":
        deck.open_scene(playing.deck, max(0, int(act["scene"])))


def _scene(scene: Scene) -> SceneData:
    step = scene.query.get("step", "1")
    return {
        "title": scene.title,
        "parts": [*scene.words.items()],
        "hides": scene.hides,
        "ask": scene.ask,
        "first": int(step) if step.isdecimal() else 1,
        "until": scene.until,
        "at": scene.at,
    }
