"""Lectures: decks of scenes, each a link to a state of a page and the words to say there; and the user's own as a file."""

from __future__ import annotations

import base64
import binascii
import hashlib
import tomllib
import zlib
from collections.abc import Collection
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal, Self, TypedDict
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import BaseModel, Field, ValidationError, model_validator

from chunkers import InputError
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS
from viz.state.choices import MAX_LINK_VALUE_CHARACTERS, OWN_DOCUMENT_KEY
from viz.state.session_file import SavedTextParts, invalid_field_and_rule
from viz.state.shown_text import TextWithDetails, are_offsets_valid_boundaries

SCENE_PARTS = ("prepare", "predict", "see", "explain")
"""The parts of a scene, in the order in which they are shown."""

OWN_DECK_KEY = "own"
"""The link's name for the user's own lecture."""

REVEALING_SCENE_PART = "see"
"""The part that reveals: hidden cuts are shown, a question is asked, and a stepper moves."""

LONGEST_TITLE = 80
"""Maximum number of characters of a title."""

MAX_SPEECH_CHARACTERS = 400
"""Maximum number of characters of a part of a scene."""

MOST_SCENES = 100
"""Maximum number of scenes of a deck."""


SpeechText = Annotated[str, Field(max_length=MAX_SPEECH_CHARACTERS)]


class Scene(BaseModel, frozen=True, extra="forbid"):
    """A state of a page, and the words to say there.

    Attributes
    ----------
    link
        Path and query, as `viz.state.choices.choices_to_query` writes it.
    minutes
        The time in the lecture, for example ``2–3``; empty if not planned.
    hides
        True if the cuts stay hidden until the part `REVEALING_SCENE_PART`.
    ask
        The question that the main page answers in the part `REVEALING_SCENE_PART`; empty for none.
    until
        The last step, from 1, that the part `REVEALING_SCENE_PART` shows of a stepper; None for all.
    text
        The name in the lecture's file of the user's text that the scene shows; empty for a bundled document.
    at
        The key of the container to which the part `REVEALING_SCENE_PART` scrolls the page; empty for none.
    """

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    link: str = Field(pattern="^/", max_length=10 * MAX_LINK_VALUE_CHARACTERS)
    minutes: str = Field("", max_length=20)
    prepare: SpeechText = ""
    predict: SpeechText = ""
    see: SpeechText = ""
    explain: SpeechText = ""
    hides: bool = False
    ask: str = Field("", max_length=MOST_QUESTION_CHARACTERS)
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
    def words_by_shown_part(self) -> dict[str, str]:
        """The words of the parts that are shown: those with words, and always `REVEALING_SCENE_PART`."""
        return {part: words for part in SCENE_PARTS if (words := getattr(self, part)) or part == REVEALING_SCENE_PART}


def page_link_for_scene(page: str, query: dict[str, str]) -> str:
    """Return a scene's link to a page; the default page's key is empty."""
    return f"/{page}?{urlencode(query)}" if query else f"/{page}"


class Deck(BaseModel, frozen=True, extra="forbid"):
    """A lecture: scenes in order."""

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    about: SpeechText = ""
    scenes: tuple[Scene, ...] = Field((), max_length=MOST_SCENES)

    @model_validator(mode="after")
    def _check_titles_not_blank(self) -> Self:
        if not self.title.strip() or not all(scene.title.strip() for scene in self.scenes):
            raise ValueError("title must contain more than white space")
        return self


class ScenePicture(TypedDict):
    """A page as SVG: when the browser asked for it, the file name without ending, and the text alternative."""

    asked: float
    svg: str
    name: str
    said: str


@cache
def bundled_decks() -> dict[str, Deck]:
    """Return the bundled lectures by the name that a link has for them."""
    with Path(__file__).with_suffix(".toml").open("rb") as decks_toml_file:
        return {name: Deck.model_validate(deck) for name, deck in tomllib.load(decks_toml_file).items()}


# The user's own lecture as a file: its scenes, and the user's texts that they show.


LARGEST_FILE = 20_000_000
"""Most bytes of a lecture's file."""

LONGEST_LINK = 6_000
"""Most characters of a lecture in a link; a browser sends them with every interaction."""

MAX_UNPACKED_LECTURE_BYTES = 1_000_000
"""Maximum number of bytes of a lecture in a link, uncompressed."""


class SceneText(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a text; ``known`` are offsets in code points, as in `TextWithDetails`."""

    name: str = Field(max_length=300)
    text: str = Field(min_length=1)
    known: Annotated[tuple[int, ...], Field(fail_fast=True)] | None = None
    parts: SavedTextParts | None = None

    @classmethod
    def from_text_source(cls, scene_text_and_details: TextWithDetails) -> SceneText:
        """Return the stored form of a text."""
        return cls(
            name=scene_text_and_details.name[:300],
            text=scene_text_and_details.text,
            known=scene_text_and_details.known,
            parts=None if scene_text_and_details.parts is None else SavedTextParts.of(scene_text_and_details.parts),
        )

    @model_validator(mode="after")
    def _check_boundaries_and_parts(self) -> Self:
        if not are_offsets_valid_boundaries(self.known, self.text):
            raise ValueError(f"known boundaries must be in ascending order between 0 and {len(self.text):,}")
        _ = self.restored_text
        return self

    @property
    def restored_text(self) -> TextWithDetails:
        """The text; raises ValueError if its parts do not fit it."""
        lecture_text_parts = None if self.parts is None else self.parts.restore_for_text(self.text)
        return TextWithDetails(self.text, self.name, self.known, "from a lecture", lecture_text_parts)

    @property
    def digest(self) -> str:
        """The name under which scenes refer to the text."""
        return hashlib.blake2b(f"{self.name}\n{self.known}\n{self.text}".encode(), digest_size=12).hexdigest()


class LectureFile(BaseModel, frozen=True, extra="forbid"):
    """The content of a lecture's file.

    Attributes
    ----------
    texts
        The texts of the user by the name under which scenes refer to them.
    """

    seamark_lecture: Literal[1] = 1
    deck: Deck = Deck(title="My lecture")
    texts: dict[str, SceneText] = Field(default_factory=dict)

    @cached_property
    def packed_for_link_or_tab(self) -> str:
        """The lecture in the compressed form that a link or the browser's tab holds."""
        compressed_lecture_bytes = zlib.compress(self.model_dump_json(exclude_defaults=True).encode(), 9)
        return base64.urlsafe_b64encode(compressed_lecture_bytes).decode().rstrip("=")

    @model_validator(mode="after")
    def _check_own_texts_are_included(self) -> Self:
        for scene_number, scene in enumerate(self.deck.scenes, start=1):
            if scene.query.get("document") == OWN_DOCUMENT_KEY and scene.text not in self.texts:
                raise ValueError(f"scene {scene_number} shows a text of the user, which must be among the texts; it is not")
        return self

    def with_scene(self, scene: Scene, scene_text_and_details: TextWithDetails | None) -> LectureFile:
        """Return the lecture with a scene added at its end; ``scene_text_and_details`` is the user's text if it is shown."""
        lecture_text_by_digest = dict(self.texts)
        if scene_text_and_details is not None:
            scene_text = SceneText.from_text_source(scene_text_and_details)
            lecture_text_by_digest[scene_text.digest] = scene_text
            scene = scene.model_copy(update={"text": scene_text.digest})
        return self._with_scenes([*self.deck.scenes, scene], lecture_text_by_digest)

    def moved(self, index: int, place_count: int) -> LectureFile:
        """Return the lecture with a scene moved by ``place_count`` places."""
        reordered_scenes = [*self.deck.scenes]
        reordered_scenes.insert(max(0, index + place_count), reordered_scenes.pop(index))
        return self._with_scenes(reordered_scenes, self.texts)

    def without_scene(self, index: int) -> LectureFile:
        """Return the lecture without a scene."""
        return self._with_scenes([*self.deck.scenes[:index], *self.deck.scenes[index + 1 :]], self.texts)

    def _with_scenes(self, scenes: list[Scene], texts: dict[str, SceneText]) -> LectureFile:
        shown_text_digests = {scene.text for scene in scenes}
        return LectureFile(
            deck=Deck(title=self.deck.title, about=self.deck.about, scenes=tuple(scenes)),
            texts={name: text for name, text in texts.items() if name in shown_text_digests},
        )


def read_lecture(file_bytes: bytes, name_in_messages: str, page_keys: Collection[str]) -> LectureFile:
    """Read a lecture's file; ``page_keys`` are the keys of the pages to which a scene may lead.

    Raises
    ------
    InputError
        If the data is no lecture; the message names the field.
    """
    if len(file_bytes) > LARGEST_FILE:
        raise InputError(
            f"{name_in_messages}: a lecture must have at most {LARGEST_FILE:,} bytes; it has {len(file_bytes):,}."
        )
    try:
        lecture_file = LectureFile.model_validate_json(file_bytes)
    except ValidationError as error:
        field_name, broken_rule = invalid_field_and_rule(error)
        raise InputError(
            f"{name_in_messages} must be a lecture of Seamark; {field_name}{': ' * bool(field_name)}{broken_rule}."
        ) from error
    for scene_number, scene in enumerate(lecture_file.deck.scenes, start=1):
        if scene.page not in {"", *page_keys}:
            raise InputError(
                f"{name_in_messages}: scene {scene_number} must lead to a page of Seamark; got /{scene.page[:60]}."
            )
    if not lecture_file.deck.scenes:
        raise InputError(f"{name_in_messages}: a lecture must have at least one scene; it has none.")
    return lecture_file


def lecture_to_link_word(file: LectureFile) -> str:
    """Return a lecture as the word of a link; empty if it shows texts of the user, which no link has, or is too long."""
    return "" if file.texts or len(file.packed_for_link_or_tab) > LONGEST_LINK else file.packed_for_link_or_tab


def decode_lecture_from_link_word(
    packed_lecture: str, page_keys: Collection[str], max_unpacked_bytes: int = MAX_UNPACKED_LECTURE_BYTES
) -> LectureFile:
    """Read a lecture from the word of a link, of at most ``max_unpacked_bytes`` bytes when uncompressed.

    Raises
    ------
    InputError
        If the word is empty or no lecture.
    """
    if not packed_lecture:
        raise InputError("The link names a lecture of your own, but has no scenes of it.")
    try:
        lecture_decompressor = zlib.decompressobj()
        lecture_json = lecture_decompressor.decompress(
            base64.b64decode(packed_lecture + "=" * (-len(packed_lecture) % 4), "-_", validate=True), max_unpacked_bytes
        )
        is_lecture_complete = lecture_decompressor.eof
    except (binascii.Error, ValueError, zlib.error):
        is_lecture_complete = False
    if not is_lecture_complete:
        raise InputError("The link's scenes are no lecture: the link may have been cut off.")
    return read_lecture(lecture_json, "The link's scenes", page_keys)
