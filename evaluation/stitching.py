"""Short documents joined to a long one, whose seams are known boundaries."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkers import Document, InputError

JOINT = "\n\n"


@dataclass(frozen=True)
class Passage:
    """A short document; no two of one ``subject`` are joined directly, as there would be no seam to find."""

    text: str
    subject: str


@dataclass(frozen=True)
class Stitched:
    """A long document.

    Attributes
    ----------
    seams
        The code points at which every passage but the first begins.
    subjects
        Those of the passages, in order.
    """

    text: str
    seams: tuple[int, ...]
    subjects: tuple[str, ...]


def stitch(passages: Sequence[Passage], sentences: int = 100, seed: int = 0, splitter: str = "spacy") -> Stitched:
    """Join passages in a random order until there are ``sentences`` sentences or more, or none is left.

    Source: Qu et al., appendix C. The same passages and seed give the same document.

    Raises
    ------
    InputError
        If there are fewer than two subjects, or a passage is empty.
    """
    if len({passage.subject for passage in passages}) < 2:
        raise InputError(f"stitching needs passages of at least two subjects; got {len(passages)} of one or none.")
    if any(not passage.text.strip() for passage in passages):
        raise InputError("stitching needs passages with text; one is empty.")
    order = list(passages)
    random.Random(seed).shuffle(order)
    chosen: list[Passage] = []
    count = 0
    while order and count < sentences:
        # The next one of another subject; where there is none any more, the document ends.
        place = next((i for i, one in enumerate(order) if not chosen or one.subject != chosen[-1].subject), None)
        if place is None:
            break
        chosen.append(order.pop(place))
        count += len(Document.from_text(chosen[-1].text, splitter).sentences)
    texts = [passage.text.strip() for passage in chosen]
    seams = []
    at = 0
    for text in texts[:-1]:
        at += len(text) + len(JOINT)
        seams.append(at)
    return Stitched(JOINT.join(texts), tuple(seams), tuple(passage.subject for passage in chosen))


def passages_of(text: str, known: Sequence[int], subject: str, sentences: int, splitter: str = "spacy") -> list[Passage]:
    """Cut a text with known sections into passages of ``sentences`` sentences or a few more, each within one section."""
    edges = [0, *known, len(text)]
    passages = []
    for number, (first, last) in enumerate(pairwise(edges), start=1):
        document = Document.from_text(text[first:last], splitter)
        count = len(document.sentences)
        groups = max(1, count // sentences)
        for group in range(groups):
            span = document.slice(group * count // groups, (group + 1) * count // groups)
            passages.append(Passage(document.text[span.start : span.end], f"{subject}, section {number}"))
    return passages
