"""The stepper: shows one decision at a time, in words and in the text; moved by button, key or number."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Literal, NotRequired, TypedDict

from viz.components.browser_exchange import Component, Store, take_event
from viz.components.page_elements import show_notice
from viz.state import session

REVEAL_MODES = ("whole", "build", "predict")
"""Paces of a stepper: show the whole result, the result up to the step, or the latter once the step has been predicted."""

BOUNDARY_VISIBILITIES = ("hidden", "shown")
"""The words of a link that hide or show known boundaries before all steps are taken."""

DEFAULT_STEPPER_PARAMETERS = {"step": "1", "pace": REVEAL_MODES[0], "known": BOUNDARY_VISIBILITIES[0]}
"""The words of a link that a stepper reads and updates, with their defaults."""

ALLOWED_LINK_VALUES = {"pace": REVEAL_MODES, "known": BOUNDARY_VISIBILITIES}
"""The allowed values of these words, which the page must check before it shows a stepper."""

MOST_STEP_DIGITS = 12
"""Most digits of a step number in a link."""


class Mark(TypedDict):
    """The highlights of a step in the reader: half-open ranges of sentence numbers, and a gap on the curve."""

    growing: tuple[int, int] | None
    next: tuple[int, int] | None
    middle: tuple[int, int] | None
    gap: int | None


class Prediction(TypedDict):
    """A yes-or-no question about the next step: its text, its two labels, and whether yes is right."""

    words: str
    yes: str
    no: str
    right: bool


class Gauge(TypedDict):
    """A score and its threshold on a scale from ``low`` to ``high``."""

    label: str
    score: float
    threshold: float
    low: float
    high: float


class Step(TypedDict):
    """One decision of a chunker, as the stepper shows it.

    Attributes
    ----------
    story, numbers
        Sentences, and pairs of a label and a value.
    aside
        Further sentences and pairs, which a lecture leaves out.
    tone
        ``cut`` if the step cuts the text, ``turn`` if the step is worth stopping at, and empty otherwise.
    placed
        The number of sentences, from the beginning of the text, that are in a chunk before and after the step. Cuts up to
        there are known.
    prediction, gauge
        None for a step that decides nothing, or that compares no score with a threshold.
    pauses
        True if playing pauses at the step, as between two passes.
    table
        The ranges of sentences whose chunks the heatmap shows before and after the step.
    """

    title: str
    story: Sequence[str]
    numbers: Sequence[Sequence[str]]
    aside: NotRequired[tuple[Sequence[str], Sequence[Sequence[str]]]]
    tone: Literal["", "cut", "turn"]
    mark: Mark
    placed: tuple[int, int]
    prediction: Prediction | None
    gauge: Gauge | None
    pauses: NotRequired[bool]
    table: NotRequired[tuple[tuple[int, int], tuple[int, int]]]


class StepsData(TypedDict):
    """Payload of the steps for the browser's store: the steps as JSON, their hash, and the stepper's key."""

    key: str
    id: str
    steps: str


_browser_steps_store = Store[StepsData]("seamark_steps", "storeSteps")


class StepperData(TypedDict):
    """Payload of the stepper: its key, the hash of its steps, and the number, from 0, of the current step.

    ``turn`` is the browser's timestamp of the last step that the server has received, by which the browser recognises an
    answer to an earlier step. ``pace`` is one of `REVEAL_MODES`; with ``votes``, hands are counted for each prediction.
    ``known`` is true if known boundaries are shown while the result builds up, and None if the text has none. ``would``
    says what would change the step's verdict; it may be empty.
    """

    key: str
    id: str
    at: int
    turn: float | None
    pace: str
    votes: bool
    known: bool | None
    would: str


_stepper_component = Component[StepperData](
    "seamark_stepper",
    "components/stepper/stepper.js",
    "components/shared/common.css",
    "components/stepper/stepper.css",
    html='<div class="stepper"></div>',
)


def draw_stepper_at_linked_step(
    steps: Sequence[Step],
    link_parameters: dict[str, str],
    key: str,
    *,
    has_known_boundaries: bool = False,
    describe_reversal: Callable[[int], str] | None = None,
) -> None:
    """Mount the stepper at step ``link_parameters["step"]`` (from 1), and update this parameter as the user steps.

    A number beyond the last step selects the last. ``link_parameters["pace"]``, one of `REVEAL_MODES`, is updated as the
    user chooses it; in lecture mode, hands can be counted. If the text has known boundaries, a switch, kept in
    ``link_parameters["known"]``, shows them before all steps are taken. ``describe_reversal`` describes what would change
    the verdict of a step; it is called for the shown step only, and not while later results are hidden or in lecture mode.
    Each step emits the event ``seamark-step`` on the window, with its mark as detail. On ``seamark-gap`` the stepper goes
    to the step of that gap, on ``seamark-go`` to the step ``at``, counted from 0.
    """
    current_step_index = _read_linked_step_or_first(link_parameters, len(steps), key)
    steps_json = json.dumps(steps, ensure_ascii=False, separators=(",", ":"))
    steps_json_hash = hashlib.blake2b(steps_json.encode(), digest_size=12).hexdigest()

    def write_current_step_to_link() -> None:
        if step_event := take_event(key, "place"):
            link_parameters["step"] = str(int(step_event["step"]) + 1)

    def write_stepper_options_to_link() -> None:
        if reveal_mode_event := take_event(key, "chosen"):
            link_parameters["pace"] = next(pace for pace in REVEAL_MODES if pace == reveal_mode_event["pace"])
            link_parameters["known"] = BOUNDARY_VISIBILITIES[bool(reveal_mode_event["known"])]

    # The steps are sent separately, so that moving to another step does not send them again.
    _browser_steps_store({"key": key, "id": steps_json_hash, "steps": steps_json}, key=f"{key}_steps")
    # In lecture mode a scene must fit the projector.
    shows_reversing_change = bool(steps) and link_parameters["pace"] == REVEAL_MODES[0] and not session.is_in_lecture_mode
    _stepper_component(
        key=key,
        data={
            "key": key,
            "id": steps_json_hash,
            "at": current_step_index,
            "turn": session.handled_event_times.get((key, "place")),
            "pace": link_parameters["pace"],
            "votes": bool(session.is_in_lecture_mode),
            "known": link_parameters["known"] == BOUNDARY_VISIBILITIES[1] if has_known_boundaries else None,
            "would": describe_reversal(current_step_index)
            if describe_reversal is not None and shows_reversing_change
            else "",
        },
        on_place_change=write_current_step_to_link,
        on_chosen_change=write_stepper_options_to_link,
    )


def _read_linked_step_or_first(link_parameters: dict[str, str], step_count: int, notice_key_prefix: str) -> int:
    """Return the link's step, counted from 0; draw an error and return the first step if it is invalid."""
    step_text = link_parameters["step"]
    if not (step_text.isascii() and step_text.isdecimal() and len(step_text) <= MOST_STEP_DIGITS and int(step_text) >= 1):
        show_notice(
            f"The link's step must be a number from 1 to {step_count:,}; got {step_text[:60]!r}.",
            "error",
            key=f"{notice_key_prefix}_complaint",
        )
        return 0
    return max(0, min(int(step_text), step_count) - 1)
