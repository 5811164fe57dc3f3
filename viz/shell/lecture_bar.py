"""The bar of a lecture, with the words of the scene at hand, and the keys of lecture mode."""

import re
from collections.abc import Sequence
from typing import TypedDict
from uuid import uuid4

import streamlit as st

from viz.components.browser_exchange import Component, take_event
from viz.shell import lecture_mode, lectures_and_current_scene
from viz.shell.navigation import which_columns_are_printed
from viz.state import OWN_DECK_KEY, Scene, ScenePicture, session

LECTURE_BAR_KEY = "deck"


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
    drawn
        Whether a picture shows the page.
    """

    title: str
    parts: Sequence[tuple[str, str]]
    hides: bool
    ask: str
    first: int
    until: int | None
    at: str
    drawn: bool


class DeckData(TypedDict):
    """Payload of the bar: whether lecture mode is on, the lecture's name and title, its scenes, and the scene at hand.

    Attributes
    ----------
    own
        Whether the lecture is the user's own, whose scenes can be moved and removed.
    started
        A new number begins the lecture at the scene at hand, even if it is the same.
    adding
        A new number opens the form for another scene of the user's own lecture.
    picture
        The picture that was asked for last.
    ask
        A new token requests the lecture that the browser's tab keeps, if it keeps one.
    awaited
        Whether the request must be answered in any case.
    heard
        The browser's timestamp of the last act that the server has received.
    """

    lecture: bool
    name: str
    title: str
    scenes: Sequence[SceneData]
    at: int
    own: bool
    started: int
    adding: int
    picture: ScenePicture | None
    ask: str
    awaited: bool
    heard: float | None


_lecture_bar_component = Component[DeckData](
    "seamark_deck",
    "shell/lecture_bar.js",
    "components/shared/common.css",
    "shell/lecture_bar.css",
    html='<div class="deck-root"></div>',
    colour_group_name="deck-root",
)


def show_lecture_bar() -> None:
    """Draw the bar, which is empty without a lecture and hears the keys of lecture mode.

    The page reruns after each act of the user: ``scene`` shows the scene of that number, ``leave`` ends the lecture, ``add``
    adds the page to the user's own lecture, ``move`` and ``remove`` change the scene at hand there, and ``picture`` draws
    the page. ``kept`` has the lecture that the browser's tab has kept.
    """
    session.lecture_request_token = session.lecture_request_token or uuid4().hex
    deck_and_scene_index = (
        lectures_and_current_scene.current_deck_and_scene_index() if lecture_mode.is_lecture_mode_on() else None
    )
    _lecture_bar_component(
        key=LECTURE_BAR_KEY,
        data={
            "lecture": lecture_mode.is_lecture_mode_on(),
            "name": "" if session.playing is None or deck_and_scene_index is None else session.playing.deck,
            "title": "" if deck_and_scene_index is None else deck_and_scene_index[0].title,
            "scenes": []
            if deck_and_scene_index is None
            else [_scene_payload(scene) for scene in deck_and_scene_index[0].scenes],
            "at": 0 if deck_and_scene_index is None else deck_and_scene_index[1],
            "own": session.playing is not None and session.playing.deck == OWN_DECK_KEY,
            "started": session.lectures_started,
            "adding": session.scene_adding,
            "picture": session.scene_picture,
            "ask": session.lecture_request_token,
            "awaited": lectures_and_current_scene.is_tab_lecture_awaited(),
            "heard": session.handled_event_times.get((LECTURE_BAR_KEY, "act")),
        },
        height=0,
        on_act_change=_perform_bar_event,
        on_kept_change=_adopt_lecture_kept_in_tab,
    )
    lectures_and_current_scene.keep_own_lecture_in_tab()
    if session.lecture_message:
        st.toast(session.lecture_message)
        session.lecture_message = ""


def _perform_bar_event() -> None:
    bar_event = take_event(LECTURE_BAR_KEY, "act")
    if bar_event is None:
        return
    place_in_lecture = session.playing
    session.scene_picture = None
    match bar_event["act"]:
        case "add":
            lectures_and_current_scene.add_scene_to_own_lecture(
                {name: str(word) for name, word in bar_event["words"].items()}, hides_parts_at_first=bool(bar_event["hides"])
            )
        case "leave":
            lectures_and_current_scene.end_lecture_keep_lecture_mode()
        case "move":
            lectures_and_current_scene.move_scene(-1 if bar_event["by"] < 0 else 1)
        case "picture" if (
            page_picture_svg := lectures_and_current_scene.render_shown_page_as_svg(
                bar_event["horizon"], [str(line) for line in bar_event["caption"]]
            )
        ) is not None:
            deck_and_scene_index = lectures_and_current_scene.current_deck_and_scene_index()
            current_scene_title = (
                "Seamark" if deck_and_scene_index is None else deck_and_scene_index[0].scenes[deck_and_scene_index[1]].title
            )
            session.scene_picture = {
                "asked": bar_event["at"],
                "svg": page_picture_svg,
                "name": f"seamark-{_file_name_from_scene_title(current_scene_title)}",
                "said": " ".join([current_scene_title, *map(str, bar_event["caption"])]),
            }
        case "remove":
            lectures_and_current_scene.remove_scene()
        case "scene" if place_in_lecture is not None:
            lectures_and_current_scene.open_scene(place_in_lecture.deck, max(0, int(bar_event["scene"])))


def _adopt_lecture_kept_in_tab() -> None:
    if (tab_event := take_event(LECTURE_BAR_KEY, "kept")) is not None:
        lectures_and_current_scene.adopt_lecture_of_tab(str(tab_event["lecture"]))


def _scene_payload(scene: Scene) -> SceneData:
    first_step = scene.query.get("step", "1")
    return {
        "title": scene.title,
        "parts": [*scene.words_by_shown_part.items()],
        "hides": scene.hides,
        "ask": scene.ask,
        "first": int(first_step) if first_step.isdecimal() else 1,
        "until": scene.until,
        "at": scene.at,
        "drawn": which_columns_are_printed(scene.page) != "none",
    }


def _file_name_from_scene_title(scene_title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", scene_title.lower()).strip("-") or "scene"
