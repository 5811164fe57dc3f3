"""A lecture of one's own: it is read as it was written, and what is none is refused in a sentence."""

import base64
import json
import zlib
from hashlib import sha512

import pytest

from chunkers import InputError
from chunkers.text.extracted_text import TextParts
from viz.shell.navigation import PAGES
from viz.state.lecture_decks import (
    LARGEST_FILE,
    LONGEST_LINK,
    MOST_SCENES,
    Deck,
    LectureFile,
    Scene,
    decode_lecture_from_link_word,
    lecture_to_link_word,
    read_lecture,
)
from viz.state.shown_text import TextWithDetails

OWN = TextWithDetails("<b>One.</b> Two.", "mine.txt", (12,), "", TextParts("page", (0, 12), ("1", "2")))
SHOWN = Scene(title="<script>", link="/?document=own", see="<img src=x>")
PLAIN = Scene(title="Plain", link="/breakpoints?view=steps")


def lecture():
    return LectureFile().with_scene(SHOWN, OWN).with_scene(PLAIN, None)


def reopened(text):
    return read_lecture(text.encode(), "lecture.json", PAGES)


def test_it_is_read_as_it_was_written():
    written = lecture()
    again = reopened(written.model_dump_json())
    assert again == written
    (text,) = again.texts.values()
    assert (text.restored_text.text, text.restored_text.known, text.restored_text.parts) == (OWN.text, OWN.known, OWN.parts)
    assert again.deck.scenes[0].text in again.texts


def test_scenes_move_and_go_with_their_texts():
    moved = lecture().moved(0, 1)
    assert [scene.title for scene in moved.deck.scenes] == ["Plain", "<script>"]
    assert moved.moved(0, -1) == moved
    assert moved.texts
    assert not moved.without_scene(1).texts


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda file: file.update(seamark_lecture=2), "must be 1; got 2"),
        (lambda file: file.update(texts={}), "scene 1 shows a text of the user"),
        (lambda file: file["deck"].update(scenes=[]), "at least one scene"),
        (lambda file: file["deck"]["scenes"][1].update(link="/nowhere"), "scene 2 must lead to a page"),
        (lambda file: file["deck"]["scenes"][1].update(link="https://elsewhere/"), "link"),
        (lambda file: file["deck"]["scenes"][1].update(title=""), "title"),
        (lambda file: file["deck"]["scenes"][1].update(more=1), "more"),
        (lambda file: next(iter(file["texts"].values())).update(known=[99]), "known boundaries must be in ascending order"),
        (lambda file: file["deck"].update(scenes=file["deck"]["scenes"] * MOST_SCENES), "scenes"),
    ],
)
def test_what_is_no_lecture_is_refused(change, said):
    file = json.loads(lecture().model_dump_json())
    change(file)
    with pytest.raises(InputError, match=f"^lecture.json.*{said}"):
        reopened(json.dumps(file))


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_no_other_file_is_one(data):
    with pytest.raises(InputError, match="must be a lecture of Seamark"):
        read_lecture(data, "lecture.json", PAGES)


def test_a_file_is_not_too_large():
    with pytest.raises(InputError, match="at most 20,000,000 bytes"):
        read_lecture(b" " * (LARGEST_FILE + 1), "lecture.json", PAGES)


def test_a_link_has_a_short_lecture_without_texts_of_the_user():
    plain = LectureFile().with_scene(PLAIN, None).with_scene(Scene(title="Ünïcode 🦊", link="/", predict="Where?"), None)
    word = lecture_to_link_word(plain)
    assert decode_lecture_from_link_word(word, PAGES) == plain
    assert lecture_to_link_word(lecture()) == "", "it shows a text of the user"
    rows = [Scene(title="Dense", link="/", see=sha512(bytes([number])).hexdigest()) for number in range(MOST_SCENES)]
    long = LectureFile(deck=Deck(title="Long", scenes=tuple(rows)))
    assert lecture_to_link_word(long) == "", f"it is longer than {LONGEST_LINK}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda word: "", "has no scenes of it"),
        (lambda word: word[:-9], "may have been cut off"),
        (lambda word: "é" + word, "may have been cut off"),
        (lambda word: packed(b"0" * 2_000_000), "may have been cut off"),
        (lambda word: packed(b"{}"), "at least one scene"),
    ],
)
def test_a_broken_link_is_refused(change, said):
    word = lecture_to_link_word(LectureFile().with_scene(PLAIN, None))
    with pytest.raises(InputError, match=said):
        decode_lecture_from_link_word(change(word), PAGES)


def packed(data):
    return base64.urlsafe_b64encode(zlib.compress(data)).decode()
