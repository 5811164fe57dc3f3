"""Trivial rows of the answers, which need no chunker and which any chunker should beat."""

from __future__ import annotations

import random
from collections.abc import Sequence

from chunkers import Document, Span, Tools
from evaluation.answering.answer import Context, Gathered, Passage, gather
from evaluation.answering.questions import Item
from evaluation.retrieval.budget import Measuring, filled
from evaluation.segmentation.trivial import as_chunking

CLOSED_BOOK, NO_CUT, RANDOM = "closed_book", "no_cut", "random"
REFERENCE, SWAPPED = "reference", "swapped"

TITLES = {
    CLOSED_BOOK: "Closed book",
    NO_CUT: "No cut",
    RANDOM: "Random places",
    REFERENCE: "Reference",
    SWAPPED: "Swapped reference",
}
"""The names of the trivial rows."""

EXPLAINED = {
    CLOSED_BOOK: "the model is given the question and nothing of the text: what it knows, or makes up, without it.",
    NO_CUT: "the text from its beginning until the budget is full, whatever the question.",
    RANDOM: "the text is cut between sentences at random places, one draw, into as many chunks as the chunkers' median; of "
    "these the best by the embedder, as with any chunker.",
    REFERENCE: "the reference answer itself, which is right; no model is asked for it.",
    SWAPPED: "the reference answer of another question, which is wrong; a measure that does not put it below the reference "
    "does not tell right from wrong.",
}
"""Description of the input of each trivial row."""

_SEED = 0


def gather_trivial(
    name: str, document: Document, items: Sequence[Item], budget: int, chunks: int, tools: Tools, ruler: Measuring
) -> Gathered:
    """Return the passages that a trivial baseline, such as the uncut text, supplies for every question.

    Parameters
    ----------
    budget
        Maximum number of tokens in the passages for a question.
    chunks
        Number of chunks for random cuts, limited by the number of sentences.

    Raises
    ------
    ChunkingError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    if name in (REFERENCE, SWAPPED):
        answers = [item.reference for item in items]
        answers = answers if name == REFERENCE else swapped(answers)
        return Gathered(tuple(Context((), 0, closed_book=True, given=answer) for answer in answers), 0.0, 0.0, 0)
    if name == CLOSED_BOOK:
        return Gathered((Context((), 0, closed_book=True),) * len(items), 0.0, 0.0, 0)
    if name == NO_CUT:
        whole = Span(0, len(document.text))
        parts = filled([(whole,)], budget, ruler)
        given = tuple(Passage(0, document.text[start:end], Span(start, end) == whole) for start, end in parts)
        return Gathered((Context(given, ruler(parts)),) * len(items), 0.0, 0.0, 1)
    gaps = range(1, len(document.sentences))
    places = random.Random(_SEED).sample(gaps, max(0, min(chunks - 1, len(gaps))))
    return gather(as_chunking(document, places), [item.question for item in items], budget, tools, ruler)


def controls_of(trivial: Sequence[str], before: int) -> dict[str, int]:
    """Return the row number of each control: the reference answers, and the deliberately wrong answers."""
    return {name: before + number for number, name in enumerate(trivial) if name in (REFERENCE, SWAPPED)}


def swapped(references: Sequence[str]) -> list[str]:
    """Return a wrong answer for each question: the reference answer of another question, or an empty string."""
    wrong_answers = []
    for number, own in enumerate(references):
        later = [*references[number + 1 :], *references[:number]]
        wrong_answers.append(next((reference for reference in later if reference and reference != own), "") if own else "")
    return wrong_answers
