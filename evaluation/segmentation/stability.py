"""Edit stability: how many chunks change when one sentence is inserted."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from chunkers import Cancelled, Chunker, Document, InputError, Span, Tools
from chunkers.contract.base import run
from chunkers.text.outline import blocks, special_blocks
from chunkers.text.sentences import GIVEN

EDITS = 20
"""Places at which a sentence is inserted, unless another number is asked for."""

MOST_EDITED_CHARACTERS = 50_000_000
"""Maximum number of edits × characters of the text, all of which is cut anew after each: 160 edits of 300 kB."""

SPARE = "This sentence was not here before."
"""Sentence to insert into a text that has no other sentence to take."""

_SEPARATORS = {"lines": "\n", "paragraphs": "\n\n"}
"""Separator between the inserted sentence and its neighbours, by splitter; a space for all others."""

_PROSE = ("paragraph", "quotation")
"""The kinds of blocks in which a sentence may be inserted."""

_OPEN = ",;:-–—|#"
"""Marks after which a sentence goes on."""


@dataclass(frozen=True)
class Edit:
    """Effect of one inserted sentence on the chunks.

    Attributes
    ----------
    after
        Number, from 0, of the sentence after which the new sentence is inserted.
    changed, chunks
        Number of chunks of the edited text that match no chunk of the original, and number of all its chunks. Each original
        chunk can match only one chunk.
    """

    after: int
    changed: int
    chunks: int

    @property
    def share(self) -> float:
        """Share of the edited text's chunks that changed, from 0 to 1."""
        return self.changed / self.chunks


@dataclass(frozen=True)
class Stability:
    """Changes in the chunks caused by a series of one or more edits."""

    edits: tuple[Edit, ...]

    @property
    def mean(self) -> float:
        """Mean share of chunks that an edit changes."""
        return sum(edit.share for edit in self.edits) / len(self.edits)

    @property
    def worst(self) -> Edit:
        """Edit that changed the greatest share of chunks; the first one in case of ties."""
        return max(self.edits, key=lambda edit: edit.share)

    @property
    def inevitable(self) -> float:
        """Lowest possible mean share of changed chunks, since the chunk with the new sentence always changes."""
        return sum(1 / edit.chunks for edit in self.edits) / len(self.edits)

    def words(self) -> str:
        """Return a sentence that summarises the stability of chunks under edits."""
        worst, count = self.worst, len(self.edits)
        edits = "1 inserted sentence" if count == 1 else f"{count:,} inserted sentences"
        return (
            f"Of {edits}, each changes {self.mean:.1%} of the chunks on average and {worst.share:.1%} at worst, "
            f"after sentence {worst.after + 1:,}; one chunk, which must change, is {self.inevitable:.1%}."
        )


def check_edits(document: Document, edits: int) -> None:
    """Raise InputError if there are no edits or no sentences, or if the edits would take too long."""
    if edits < 1:
        raise InputError(f"Edit stability needs at least 1 edit; got {edits:,}.")
    if not document.sentences:
        raise InputError(f"{document.name}: edit stability needs a text with at least one sentence; this one has none.")
    work = edits * len(document.text)
    if work > MOST_EDITED_CHARACTERS:
        raise InputError(
            f"{document.name}: edits × characters must be at most {MOST_EDITED_CHARACTERS:,}; {edits:,} × "
            f"{len(document.text):,} is {work:,}. Use fewer edits or a shorter text."
        )


def edit_stability(
    chunker: Chunker,
    document: Document,
    tools: Tools,
    edits: int = EDITS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Stability:
    """Insert sentences one at a time, cut the text again, and return the shares of chunks that change.

    Parameters
    ----------
    chunker, document, tools
        The chunker, the document and the services. The text is split into sentences again after each edit.
    edits
        Maximum number of edits, limited by the number of sentences.
    seed
        Seed for the random choice of positions and sentences.
    progress
        Called with (done, to do) after each edit.

    Raises
    ------
    InputError
        If the edits would take too long or the chunker rejects the text.
    Cancelled
        If the user asked to stop.
    """
    check_edits(document, edits)
    before = Counter(run(chunker, document, replace(tools)).texts)
    measured_edits = []
    planned = edits_of(document, edits, seed)
    for number, (after, sentence) in enumerate(planned, start=1):
        if tools.cancelled():
            raise Cancelled
        after_it = Counter(run(chunker, inserted(document, after, sentence), replace(tools)).texts)
        measured_edits.append(Edit(after, (after_it - before).total(), after_it.total()))
        if progress is not None:
            progress(number, len(planned))
    return Stability(tuple(measured_edits))


def edits_of(document: Document, edits: int, seed: int) -> list[tuple[int, str]]:
    """Return random edits: the numbers of the sentences to insert after, ascending, each with the sentence to insert.

    Both are drawn from complete sentences of prose, outside lists, tables, code, formulas and headings. In a text without
    prose, a sentence is inserted after any sentence.
    """
    drawn = random.Random(seed)
    prose = _prose(document)
    anywhere = prose or range(len(document.sentences))
    planned = []
    for place in sorted(drawn.sample(anywhere, min(edits, len(anywhere)))):
        # The sentence itself would be said twice running.
        others = [number for number in prose if number != place]
        planned.append((place, document.sentence_texts[drawn.choice(others)] if others else SPARE))
    return planned


def _prose(document: Document) -> list[int]:
    """Return the numbers of the sentences of the text's prose, ascending, each text once."""
    others = [block for block in blocks(document.text) if block.kind not in _PROSE]
    # Blocks lie within each other or apart, so that what an outer one holds adds nothing.
    outer: list[Span] = []
    for block in sorted([*others, *special_blocks(document.text)], key=lambda block: block.span):
        if not outer or block.span.end > outer[-1].end:
            outer.append(block.span)
    starts = [span.start for span in outer]
    numbers: dict[str, int] = {}
    for number, (start, end) in enumerate(document.sentences):
        text = document.text[start:end]
        begun = bisect_left(starts, end)
        if begun and outer[begun - 1].end > start:
            continue
        if text[-1] not in _OPEN and (document.splitter in _SEPARATORS or not text[-1].isalnum()):
            numbers.setdefault(text, number)
    return [*numbers.values()]


def inserted(document: Document, after: int, sentence: str) -> Document:
    """Return the document with ``sentence`` inserted after sentence number ``after``."""
    text, end = document.text, document.sentences[after].end
    separator = _SEPARATORS.get(document.splitter, " ")
    added = separator + sentence
    edited = text[:end] + added + text[end:]
    if document.splitter != GIVEN:
        return Document.from_text(edited, document.splitter, document.name)
    new = Span(end + len(separator), end + len(added))
    later = [Span(start + len(added), stop + len(added)) for start, stop in document.sentences[after + 1 :]]
    return Document(edited, (*document.sentences[: after + 1], new, *later), document.name)
