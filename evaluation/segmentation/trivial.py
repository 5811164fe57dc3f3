"""Trivial baselines that do not read the text, which any chunker should beat.

A measure of boundaries says little alone: on a text with few of them, no cut at all has a good Pk.
"""

import random
from collections.abc import Iterable

from chunkers import Chunking, Document
from chunkers.results.reason import Reason
from chunkers.results.result import Gap, Verdict
from evaluation.segmentation.measures import Segmentation

DRAWS = 20
"""Number of random draws averaged for a mean."""

NO_CUT = "no cut"
REGULAR = "a cut every n sentences"
RANDOM = "cuts at random places"

ANSWERS = {
    NO_CUT: "the text stays whole.",
    REGULAR: "n is the mean length of the known sections, which no chunker is told.",
    RANDOM: f"as many as boundaries are known, which no chunker is told; the mean of {DRAWS} draws.",
}
"""The names of the answers, and what each is."""


def random_words(count: int) -> str:
    """Return the name of the trivial baseline that makes ``count`` randomly placed cuts."""
    return f"{count:,} cut{'s' * (count != 1)} at random places"


def even_words(count: int) -> str:
    """Return the name of the trivial baseline that makes ``count`` evenly spaced cuts."""
    return f"{count:,} cut{'s' * (count != 1)} evenly spaced"


def every_words(count: int) -> str:
    """Return the name of the trivial baseline that cuts after every ``count`` sentences."""
    return "a cut after every sentence" if count == 1 else f"a cut after every {count:,} sentences"


def regular(reference: Segmentation) -> tuple[int, ...]:
    """Return the cuts of a baseline that cuts at regular intervals, as long as the reference's mean section."""
    every = mean_section(reference)
    return (*range(every, reference.units, every),)


def mean_section(reference: Segmentation) -> int:
    """Return the mean length of the reference's segments, rounded, at least 1."""
    return max(1, round(reference.mean_length))


def evenly(units: int, count: int) -> tuple[int, ...]:
    """Return ``count`` evenly spaced cut positions from 1 to ``units`` - 1, ascending."""
    return tuple(number * units // (count + 1) for number in range(1, count + 1))


def at_random(units: int, count: int, draw: int) -> tuple[int, ...]:
    """Return ``count`` random cut positions from 1 to ``units`` - 1, ascending; ``draw`` is the seed."""
    return tuple(sorted(random.Random(draw).sample(range(1, units), count)))


def answers(name: str, reference: Segmentation) -> list[tuple[int, ...]]:
    """Return the cuts of the trivial baseline called ``name``; a random baseline is drawn several times."""
    if name == RANDOM:
        return [at_random(reference.units, len(reference.boundaries), draw) for draw in range(DRAWS)]
    return [regular(reference) if name == REGULAR else ()]


def as_chunking(document: Document, places: Iterable[int]) -> Chunking:
    """Return a chunking with cuts before exactly the sentences in ``places``."""
    cuts, why = set(places), Reason(remark="whatever the text says")
    gaps = [
        Gap(index, None, None, Verdict.CUT if index + 1 in cuts else Verdict.KEPT, why)
        for index in range(len(document.sentences) - 1)
    ]
    return Chunking.from_gaps(document, gaps)
