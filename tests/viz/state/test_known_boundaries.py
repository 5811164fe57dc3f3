"""Known boundaries that are clicked between sentences."""

from chunkers import Document
from viz.state.own_text import known_boundaries_from_clicked_gaps

DOCUMENT = Document.from_text("A heron waits. It eats fish. The loom has two beams.", "regex", "notes")
_, SECOND, THIRD = DOCUMENT.starts


def test_what_is_clicked_replaces_the_boundaries_between_sentences():
    assert known_boundaries_from_clicked_gaps(DOCUMENT, None, [THIRD, SECOND]) == (SECOND, THIRD)
    assert known_boundaries_from_clicked_gaps(DOCUMENT, (SECOND,), [THIRD]) == (THIRD,)
    assert known_boundaries_from_clicked_gaps(DOCUMENT, (SECOND,), []) is None


def test_boundaries_inside_sentences_stay_until_all_are_removed():
    assert known_boundaries_from_clicked_gaps(DOCUMENT, (SECOND, SECOND + 3), [THIRD]) == (SECOND + 3, THIRD)
    assert known_boundaries_from_clicked_gaps(DOCUMENT, (SECOND + 3,), []) == (SECOND + 3,)
    assert known_boundaries_from_clicked_gaps(DOCUMENT, (SECOND, SECOND + 3), None) is None
