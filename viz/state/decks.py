"""Lectures: decks of scenes, each a link to a state of a page and the words to say there."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evaluation.asking.ask import LONGEST_QUESTION
from viz.state.link import LONGEST_WORD

PARTS = ("prepare", "predict", "see", "explain")
"""The parts of a scene, in the order in which they are shown."""

OWN_DECK = "own"
"""The link's name for the user's own lecture."""

SEE = "see"
"""The part that reveals: hidden cuts are shown, a question is asked, and a stepper moves."""

DRAWN = ("", "breakpoints", "double_pass", "clustering")
"""Pages whose scenes have chunks to draw on paper and as a picture."""

LONGEST_TITLE = 80
"""Maximum number of characters of a title."""

LONGEST_WORDS = 400
"""Maximum number of characters of a part of a scene."""

MOST_SCENES = 100
"""Maximum number of scenes of a deck."""


Words = Annotated[str, Field(max_length=LONGEST_WORDS)]


class Scene(BaseModel):
    """A state of a page, and the words to say there.

    Attributes
    ----------
    link
        Path and query, as `viz.state.link.to_query` writes it.
    minutes
        The time in the lecture, for example ``2–3``; empty if not planned.
    hides
        True if the cuts stay hidden until the part `SEE`.
    ask
        The question that Compare answers in the part `SEE`; empty for none.
    until
        The last step, from 1, that the part `SEE` shows of a stepper; None for all.
    text
        The name in the lecture's file of the user's text that the scene shows; empty for a bundled document.
    at
        The key of the container to which the part `SEE` scrolls the page; empty for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    link: str = Field(pattern="^/", max_length=10 * LONGEST_WORD)
    minutes: str = Field("", max_length=20)
    prepare: Words = ""
    predict: Words = ""
    see: Words = ""
    explain: Words = ""
    hides: bool = False
    ask: str = Field("", max_length=LONGEST_QUESTION)
    until: int | None = Field(None, ge=1)
    at: str = Field("", pattern="^[a-z_]*$")
    text: str = Field("", max_length=64)

    @property
    def page(self) -> str:
        """The page's key; empty for the default page."""
        return urlsplit(self.link).path.strip("/")

    @property
    def query(self) -> dict[str, str]:
        """The query parameters of the link."""
        return dict(parse_qsl(urlsplit(self.link).query, keep_blank_values=True))

    @property
    def words(self) -> dict[str, str]:
        """The words of the parts that are shown: those with words, and always `SEE`."""
        return {part: words for part in PARTS if (words := getattr(self, part)) or part == SEE}


def link_of(page: str, query: dict[str, str]) -> str:
    """Return a scene's link to a page; the default page's key is empty."""
    return f"/{page}?{urlencode(query)}" if query else f"/{page}"


class Deck(BaseModel):
    """A lecture: scenes in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    about: Words = ""
    scenes: tuple[Scene, ...] = Field((), max_length=MOST_SCENES)

    @model_validator(mode="after")
    def _has_titles(self) -> Self:
        if not self.title.strip() or not all(scene.title.strip() for scene in self.scenes):
            raise ValueError("title must contain more than white space")
        return self


@cache
def bundled_decks() -> dict[str, Deck]:
    """Return the bundled lectures by the name that a link has for them."""
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        return {name: Deck.model_validate(deck) for name, deck in tomllib.load(file).items()}
