"""The stepper: one decision after the other, in words and in the text, by button, key or number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Literal, TypedDict

import streamlit as st

from viz.components.assets import script, styles
from viz.components.notice import notice
from viz.components.store import store

_store = store("seamark_steps", "storeSteps")
_stepper = st.components.v2.component(
    "seamark_stepper",
    html='<div class="stepper"></div>',
    css=styles("components/shared/common.css", "components/stepper/stepper.css"),
    js=script("components/stepper/stepper.js"),
)


class Mark(TypedDict):
    """What the reader shows of a step: half-open ranges of sentence numbers, and the gap to point at on the curve."""

    growing: Sequence[int] | None
    next: Sequence[int] | None
    middle: Sequence[int] | None
    gap: int | None


class Step(TypedDict):
    """One decision.

    ``story`` are sentences of text, ``numbers`` pairs of a label and a value. A step of the tone ``cut`` is one that parts
    the text, of the tone ``turn`` one that is worth a stop; otherwise it is empty.
    """

    title: str
    story: Sequence[str]
    numbers: Sequence[Sequence[str]]
    tone: Literal["", "cut", "turn"]
    mark: Mark


class StepsData(TypedDict):
    """What the store is sent: the steps of the stepper ``key`` as JSON, and what tells them from others."""

    key: str
    id: str
    steps: str


class StepperData(TypedDict):
    """What the stepper is sent: which steps, and the number of the one it stands at, from 0."""

    key: str
    id: str
    at: int


def stepper(steps: Sequence[Step], words: dict[str, str], key: str) -> None:
    """Mount the stepper at the step of ``words["step"]``, counted from 1, and keep the word as the user steps.

    A step that is not there is the last. Every step fires the window's event ``seamark-step``, whose detail is its mark;
    ``seamark-gap`` leads to the step of that gap, ``seamark-go`` to the step ``at``, counted from 0.
    """
    at = _step_at(words, len(steps), key)
    body = json.dumps(steps, ensure_ascii=False, separators=(",", ":"))
    identity = hashlib.blake2b(body.encode(), digest_size=12).hexdigest()

    def moved() -> None:
        words["step"] = str(int(st.session_state[key]["at"]) + 1)

    # The steps go by themselves, so that another place among them does not send them again.
    stored: StepsData = {"key": key, "id": identity, "steps": body}
    _store(stored, key=f"{key}_steps")
    data: StepperData = {"key": key, "id": identity, "at": at}
    _stepper(key=key, data=data, on_at_change=moved)


def _step_at(words: dict[str, str], count: int, key: str) -> int:
    """Return the number from 0 of the step that the link names; one that is no number is said, and the first."""
    word = words["step"]
    if not (word.isascii() and word.isdecimal() and int(word) >= 1):
        notice(f"The link's step must be a number from 1 to {count:,}; got {word[:60]!r}.", "error", key=f"{key}_complaint")
        return 0
    return max(0, min(int(word), count) - 1)
