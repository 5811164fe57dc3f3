"""The settings in a few words, as they stand at the head of a column."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import CHUNKERS, build_chunker

ONE_OF_SEVERAL = re.compile(r"\b1 (?:equal )?(?:sentences|chunks|tokens)\b")


@pytest.mark.parametrize("name", ["size", "chunks"])
@given(count=st.integers(1, 3))
def test_one_sentence_or_chunk_is_no_plural(name, count):
    description = build_chunker("fixed_sentences", {name: count}).describe()
    assert description.startswith(f"{count:,} ")
    assert not ONE_OF_SEVERAL.search(description)
    assert (count > 1) == description.split(",")[0].split(" of ")[0].endswith("s")


@given(
    most=st.integers(1, 2000),
    below=st.integers(1, 2000),
    inner=st.sampled_from(["recursive", "breakpoint", "change_point", "optimal"]),
)
def test_structure_says_its_maximum_and_what_is_not_the_default(most, below, inner):
    usual = build_chunker("structure", {})
    chunker = build_chunker("structure", {"max_size": most, "join_below": below, "inner": inner})
    description = chunker.describe()
    assert description.startswith(f"at most {most:,} token")
    assert not ONE_OF_SEVERAL.search(description)
    assert ("join" in description) == (below != usual.join_below)
    assert ("inside" in description) == (inner != usual.inner)


def test_only_the_choices_that_say_so_go_from_less_to_more():
    declared = {(name, spec.name) for name, kind in CHUNKERS.items() for spec in kind.fields() if spec.ordered}
    assert declared == {("change_point", "caution")}
