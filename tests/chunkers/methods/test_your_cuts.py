"""The user's own cuts: written into one parameter, and of one text only."""

import pytest

from chunkers import Document, InputError, ParameterError, Tools, build_chunker, load_tokenizer, run_chunker
from chunkers.methods.your_cuts import MOST_CUTS, YourCuts

TEXT = "A heron \N{GRINNING FACE} waits. It eats fish. The loom has two beams. Its warp is wool."
DOCUMENT = Document.from_text(TEXT, "regex", "notes")
TOOLS = Tools(None, load_tokenizer("words"))


def test_the_text_is_cut_where_the_user_did_and_every_gap_says_so():
    place = TEXT.index("The loom")
    made = run_chunker(YourCuts.with_cuts_at(DOCUMENT.identity, [place]), DOCUMENT, TOOLS)
    assert [chunk.text for chunk in made.chunks] == [TEXT[:place].strip(), TEXT[place:]]
    assert [gap.reason for gap in made.gaps] == ["you did not cut here", "you cut here", "you did not cut here"]
    assert [gap.verdict.is_cut for gap in made.gaps] == [False, True, False]


@pytest.mark.parametrize("places", [(), (9,), (1, 36, 37, 1_300_000)])
def test_places_come_back_from_the_parameter_which_a_link_takes_for_no_number(places):
    chunker = YourCuts.with_cuts_at(DOCUMENT.identity, places)
    assert chunker.user_cut_offsets == places
    again = build_chunker("your_cuts", {"cuts": chunker.cuts})
    assert again == chunker
    assert chunker.cuts.startswith("c")


def test_without_cuts_the_text_is_one_chunk():
    made = run_chunker(YourCuts.with_cuts_at(DOCUMENT.identity, ()), DOCUMENT, TOOLS)
    assert [chunk.text for chunk in made.chunks] == [TEXT]


def test_sentences_split_otherwise_are_cut_at_the_same_places():
    place = TEXT.index("The loom")
    lines = Document.from_text(TEXT, "lines", "notes")
    made = run_chunker(YourCuts.with_cuts_at(DOCUMENT.identity, [place]), lines, TOOLS)
    assert [chunk.text for chunk in made.chunks] == [TEXT[:place].strip(), TEXT[place:]]


def test_cuts_of_another_text_and_places_outside_are_refused_or_left_out():
    chunker = YourCuts.with_cuts_at(DOCUMENT.identity, [9])
    with pytest.raises(InputError, match="Your cuts belong to another text"):
        run_chunker(chunker, Document.from_text(f"{TEXT} More.", "regex", "notes"), TOOLS)
    with pytest.raises(InputError, match="Your cuts belong to another text"):
        run_chunker(YourCuts(), DOCUMENT, TOOLS)
    assert len(run_chunker(YourCuts.with_cuts_at(DOCUMENT.identity, [9, 5_000]), DOCUMENT, TOOLS).chunks) == 2


@pytest.mark.parametrize("cuts", ["12", "c12", "c" + "0" * 24 + "-", "c" + "0" * 24 + "-é", "x" + "0" * 24])
def test_what_are_no_cuts_is_refused(cuts):
    with pytest.raises(ParameterError, match="your_cuts: cuts must be a digest"):
        build_chunker("your_cuts", {"cuts": cuts})


def test_more_cuts_than_a_link_holds_are_refused():
    most = YourCuts.with_cuts_at(DOCUMENT.identity, [1_600_000 * number for number in range(1, MOST_CUTS + 1)])
    assert len(most.cuts) <= 2_000 + len(DOCUMENT.identity)
    with pytest.raises(ParameterError, match="a text may have at most 400 cuts of your own; got 401"):
        YourCuts.with_cuts_at(DOCUMENT.identity, range(1, MOST_CUTS + 2))
