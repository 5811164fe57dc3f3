"""A chunker that decides nothing: it applies the user's own cuts."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import ClassVar, Self

import numpy as np
from pydantic import Field, field_validator

from chunkers.building_blocks.gaps_and_pieces import add_uncut_gaps, build_cut_gaps_only
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking, Reason, Verdict
from chunkers.support import InputError, pluralize, short_repr
from chunkers.text import Document

MOST_CUTS = 400
"""Maximum number of cuts that a person sets in a text; so many fit into a link."""

_CUTS_PATTERN = re.compile(r"c[0-9a-f]{24}(?:-[0-9a-z]{1,6})*")

CUT_REMARK, UNCUT_REMARK = "you cut here", "you did not cut here"


class YourCuts(Chunker):
    """Chunker that applies the user's own cuts, clicked between sentences."""

    name: ClassVar[str] = "your_cuts"
    title: ClassVar[str] = "You"
    idea: ClassVar[str] = "Your own cuts, clicked between sentences: nothing is computed."
    source: ClassVar[str] = "your own judgement"
    elsewhere: ClassVar[bool] = True

    cuts: str = Field(
        "",
        title="Your cuts",
        description="A digest of the text, and the distance of each cut from the one before; empty before the first cut.",
    )

    @field_validator("cuts")
    @classmethod
    def _check_cuts_format(cls, value: str) -> str:
        if value and _CUTS_PATTERN.fullmatch(value) is None:
            raise ValueError(
                f"cuts must be a digest of the text and the distances between the cuts; got {short_repr(value)}."
            )
        if value.count("-") > MOST_CUTS:
            raise ValueError(
                f"a text may have at most {MOST_CUTS:,} cuts of your own; got {value.count('-'):,}. Remove some cuts."
            )
        return value

    @classmethod
    def with_cuts_at(cls, text_identity: str, cut_offsets: Sequence[int]) -> Self:
        """Return a chunker that cuts a text at the given offsets, ascending, in code points.

        ``text_identity`` is any `Document.identity` of the text.

        Raises
        ------
        ParameterError
            If there are more than `MOST_CUTS` places.
        """
        base36_cut_distances = (np.base_repr(second - first, 36).lower() for first, second in pairwise((0, *cut_offsets)))
        return cls.build(cuts="-".join([_text_digest_for_link(text_identity), *base36_cut_distances]))

    @property
    def user_cut_offsets(self) -> tuple[int, ...]:
        """Offsets of the user's cuts, in code points."""
        return tuple(accumulate(int(distance, 36) for distance in self.cuts.split("-")[1:]))

    def belongs_to_text(self, text_identity: str) -> bool:
        """Return whether the cuts belong to the text with this `Document.identity`."""
        return self.cuts.partition("-")[0] == _text_digest_for_link(text_identity)

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at the user's cuts.

        Raises
        ------
        InputError
            If there are no cuts yet, or the cuts are for another text.
        """
        if not self.belongs_to_text(document.identity):
            raise InputError("Your cuts belong to another text. Press “Cut it yourself” on Compare to cut this one.")
        last_sentence_end = document.sentences[-1].end if document.sentences else 0
        cut_offsets_inside_document = (
            [place for place in self.user_cut_offsets if document.starts[0] < place < last_sentence_end]
            if last_sentence_end
            else []
        )
        user_cut_gaps = build_cut_gaps_only(
            document, cut_offsets_inside_document, Verdict.CUT, lambda _: Reason(remark=CUT_REMARK)
        )
        return Chunking.from_gaps(document, add_uncut_gaps(document, user_cut_gaps, Reason(remark=UNCUT_REMARK)))

    def describe(self) -> str:
        """Return the number of cuts as a phrase, such as ``3 cuts``."""
        return pluralize(self.cuts.count("-"), "cut")


def _text_digest_for_link(text_identity: str) -> str:
    # A letter first, as a link takes what looks like a number for one.
    return f"c{text_identity.partition('/')[0]}"
