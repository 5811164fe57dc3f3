"""A lecture of one's own as a file: its scenes, and the texts of the user that they show."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from collections.abc import Collection
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkers import InputError
from viz.state.choices import OWN
from viz.state.decks import Deck, Scene
from viz.state.session_file import KeptParts, where_and_why
from viz.state.text import Source

LARGEST_FILE = 20_000_000
"""Most bytes of a lecture's file."""

LONGEST_LINK = 6_000
"""Most characters of a lecture in a link; a browser sends them with every interaction."""

LARGEST_LINKED = 1_000_000
"""Maximum number of bytes of a lecture in a link, uncompressed."""


class SceneText(BaseModel):
    """The stored form of a text; ``known`` are offsets in code points, as in `Source`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=300)
    text: str = Field(min_length=1)
    known: Annotated[tuple[int, ...], Field(fail_fast=True)] | None = None
    parts: KeptParts | None = None

    @classmethod
    def of(cls, source: Source) -> SceneText:
        """Return the stored form of a text."""
        parts = None if source.parts is None else KeptParts.of(source.parts)
        return cls(name=source.name[:300], text=source.text, known=source.known, parts=parts)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        edges = [0, *(self.known or ()), len(self.text)]
        if any(first >= second for first, second in pairwise(edges)):
            raise ValueError(f"known boundaries must be in ascending order between 0 and {len(self.text):,}")
        _ = self.source
        return self

    @property
    def source(self) -> Source:
        """The text; raises ValueError if its parts do not fit it."""
        parts = None if self.parts is None else self.parts.of_text(self.text)
        return Source(self.text, self.name, self.known, "from a lecture", parts)

    @property
    def digest(self) -> str:
        """The name under which scenes refer to the text."""
        return hashlib.blake2b(f"{self.name}\n{self.known}\n{self.text}".encode(), digest_size=12).hexdigest()


class LectureFile(BaseModel):
    """The content of a lecture's file.

    Attributes
    ----------
    texts
        The texts of the user by the name under which scenes refer to them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seamark_lecture: Literal[1] = 1
    deck: Deck = Deck(title="My lecture")
    texts: dict[str, SceneText] = Field(default_factory=dict)

    @cached_property
    def packed(self) -> str:
        """The lecture in the compressed form that a link or the browser's tab holds."""
        packed = zlib.compress(self.model_dump_json(exclude_defaults=True).encode(), 9)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @model_validator(mode="after")
    def _has_the_texts(self) -> Self:
        for number, scene in enumerate(self.deck.scenes, start=1):
            shows_own = scene.query.get("document") == OWN
            if shows_own and scene.text not in self.texts:
                raise ValueError(f"scene {number} shows a text of the user, which must be among the texts; it is not")
        return self

    def with_scene(self, scene: Scene, source: Source | None) -> LectureFile:
        """Return the lecture with a scene added at its end; ``source`` is the user's text if the scene shows it."""
        texts = dict(self.texts)
        if source is not None:
            kept = SceneText.of(source)
            texts[kept.digest] = kept
            scene = scene.model_copy(update={"text": kept.digest})
        return self._made([*self.deck.scenes, scene], texts)

    def moved(self, index: int, by: int) -> LectureFile:
        """Return the lecture with a scene moved by ``by`` places."""
        scenes = [*self.deck.scenes]
        scenes.insert(max(0, index + by), scenes.pop(index))
        return self._made(scenes, self.texts)

    def without(self, index: int) -> LectureFile:
        """Return the lecture without a scene."""
        return self._made([*self.deck.scenes[:index], *self.deck.scenes[index + 1 :]], self.texts)

    def _made(self, scenes: list[Scene], texts: dict[str, SceneText]) -> LectureFile:
        used = {scene.text for scene in scenes}
        deck = Deck(title=self.deck.title, about=self.deck.about, scenes=tuple(scenes))
        return LectureFile(deck=deck, texts={name: text for name, text in texts.items() if name in used})


def read(data: bytes, name: str, pages: Collection[str]) -> LectureFile:
    """Read a lecture's file; ``pages`` are the keys of the pages to which a scene may lead.

    Raises
    ------
    InputError
        If the data is no lecture; the message names the field.
    """
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name}: a lecture must have at most {LARGEST_FILE:,} bytes; it has {len(data):,}.")
    try:
        file = LectureFile.model_validate_json(data)
    except ValidationError as error:
        place, why = where_and_why(error)
        raise InputError(f"{name} must be a lecture of Seamark; {place}{': ' * bool(place)}{why}.") from error
    for number, scene in enumerate(file.deck.scenes, start=1):
        if scene.page not in {"", *pages}:
            raise InputError(f"{name}: scene {number} must lead to a page of Seamark; got /{scene.page[:60]}.")
    if not file.deck.scenes:
        raise InputError(f"{name}: a lecture must have at least one scene; it has none.")
    return file


def to_link(file: LectureFile) -> str:
    """Return a lecture as the word of a link; empty if it shows texts of the user, which no link has, or is too long."""
    if file.texts:
        return ""
    return file.packed if len(file.packed) <= LONGEST_LINK else ""


def from_link(word: str, pages: Collection[str], largest: int = LARGEST_LINKED) -> LectureFile:
    """Read a lecture from the word of a link, of at most ``largest`` bytes when uncompressed.

    Raises
    ------
    InputError
        If the word is empty or no lecture.
    """
    if not word:
        raise InputError("The link names a lecture of your own, but has no scenes of it.")
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(word + "=" * (-len(word) % 4), "-_", validate=True), largest)
        complete = unpacking.eof
    except (binascii.Error, ValueError, zlib.error):
        complete = False
    if not complete:
        raise InputError("The link's scenes are no lecture: the link may have been cut off.")
    return read(data, "The link's scenes", pages)
