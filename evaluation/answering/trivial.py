"""Trivial rows of the answers, which need no chunker and which any chunker should beat."""

from __future__ import annotations

import random
from collections.abc import Sequence

from chunkers import Document, Span, Tools
from evaluation.answering.answer import Context, Gathered, Passage, gather
from evaluation.retrieval.budget import Measuring, filled
from evaluation.segmentation.trivial import as_chunking

CLOSED_BOOK, NO_CUT, RANDOM = "closed_book", "no_cut", "random"

TITLES = {CLOSED_BOOK: "Closed book", NO_CUT: "No cut", RANDOM: "Random places"}
"""The names of the trivial rows."""

EXPLAINED = {
    CLOSED_BOOK: "the model is given the question and nothing of the text: what it knows, or makes up, without it.",
    NO_CUT: "the text from its beginning until the budget is full, whatever the question.",
    RANDOM: "the text is cut between sentences at random places, one draw, into as many chunks as the chunkers' median; of "
    "these the best by the embedder, as with any chunker.",
}
"""Description of the input of each trivial row."""

_SEED = 0


def gather_trivial(
    name: str, document: Document, questions: Sequence[str], budget: int, chunks: int, tools: Tools, ruler: Measuring
) -> Gathered:
    """Return the passages that a trivial baseline, such as no cut or closed book, supplies for every question.

    Parameters
    ----------
    budget
        Tokens of what a question is given.
    chunks
        Into how many chunks random places cut, as far as there are sentences.

    Raises
    ------
    ChunkingError
        As `Tools.embed` does.
    Cancelled
        If the user asked to stop.
    """
    if name == CLOSED_BOOK:
        return Gathered((Context((), 0, closed_book=True),) * len(questions), 0.0, 0.0, 0)
    if name == NO_CUT:
        whole = Span(0, len(document.text))
        parts = filled([(whole,)], budget, ruler)
        given = tuple(Passage(0, document.text[start:end], Span(start, end) == whole) for start, end in parts)
        return Gathered((Context(given, ruler(parts)),) * len(questions), 0.0, 0.0, 1)
    gaps = range(1, len(document.sentences))
    places = random.Random(_SEED).sample(gaps, max(0, min(chunks - 1, len(gaps))))
    return gather(as_chunking(document, places), questions, budget, tools, ruler)
