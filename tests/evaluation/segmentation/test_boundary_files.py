"""Known boundaries as lines, as a file and by click."""

import json

import pytest

from chunkers import InputError
from evaluation.segmentation.boundary_files import (
    BoundaryFile,
    boundaries_and_text_hash_json,
    separate_text_from_boundary_marks,
)

TEXT = "One. Two.\nThree. 😀 Four."


def test_marks_are_taken_out():
    bare, known = separate_text_from_boundary_marks("One.\nTwo.\n---\nThree.\n ---  \n---\n\nFour.\n")
    assert bare == "One.\nTwo.\nThree.\n\nFour.\n"
    assert [bare[place:].split()[0] for place in known] == ["Three.", "Four."]
    assert separate_text_from_boundary_marks("No mark.") == ("No mark.", ())


def test_dashes_within_a_line_are_text():
    text = "a --- b\n----\n| --- | --- |\n"
    assert separate_text_from_boundary_marks(text) == (text, ())


def test_a_file_gives_back_what_was_written():
    written = boundaries_and_text_hash_json("näme", TEXT, (5, 18))
    assert json.loads(written)["boundaries"] == [5, 18]
    assert json.loads(written)["name"] == "näme"
    assert TEXT.split()[1] not in written
    assert BoundaryFile.read_hash_and_boundaries(written.encode()).boundaries_checked_for_text(TEXT) == (5, 18)
    assert (
        BoundaryFile.read_hash_and_boundaries(
            boundaries_and_text_hash_json("one topic", TEXT, ()).encode()
        ).boundaries_checked_for_text(TEXT)
        == ()
    )


def changed(**others):
    return json.dumps(json.loads(boundaries_and_text_hash_json("n", TEXT, (5,))) | others).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe", "must be valid JSON"),
        (b"[" * 100_000, "must be valid JSON"),
        (b"[1]", "exactly the fields"),
        (changed(more=1), "exactly the fields"),
        (changed(sha256="0" * 64), "must belong to this text"),
        (changed(boundaries="5"), "a list of whole numbers"),
        (changed(boundaries=[5.0]), "a list of whole numbers"),
        (changed(boundaries=[True]), "a list of whole numbers"),
        (changed(boundaries=[7, 5]), "ascending order"),
        (changed(boundaries=[5, 5]), "ascending order"),
        (changed(boundaries=[0]), "ascending order"),
        (changed(boundaries=[len(TEXT)]), "ascending order"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_a_sentence(data, said):
    with pytest.raises(InputError, match=said) as refused:
        BoundaryFile.read_hash_and_boundaries(data).boundaries_checked_for_text(TEXT)
    assert "\n" not in str(refused.value)


def test_a_file_of_another_text_is_refused():
    with pytest.raises(InputError, match="must belong to this text"):
        BoundaryFile.read_hash_and_boundaries(
            boundaries_and_text_hash_json("n", TEXT, (5,)).encode()
        ).boundaries_checked_for_text(TEXT + " ")
