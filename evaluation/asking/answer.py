"""Fate of an answer, such as whole in a retrieved chunk or split between several, and how another way to cut changes it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from chunkers import Chunking, InputError, Span, Tools
from chunkers.results.embedder_input import EmbeddedAs
from evaluation.asking.ask import Asked, Limit, ask, embed_question, prepare
from evaluation.questions.corpus import Measuring, difference, intersection
from evaluation.search.ranking import Method, Reranker
from evaluation.segmentation.measures import cuts_of

Fate = Literal["whole", "split", "cut off", "not retrieved", "in no chunk"]

LONGEST_ANSWER = 10_000
"""Maximum number of characters of the marked answer to a question; what is longer is a chapter."""


class Posed(NamedTuple):
    """A question, with the span of its answer in the text."""

    question: str
    answer: Span


@dataclass(frozen=True)
class Judgement:
    """Retrieval outcome for an answer: whether it was retrieved whole, and the chunks that contain it.

    Attributes
    ----------
    fate
        ``whole`` if a retrieved chunk contains the whole answer; ``cut off`` if the budget ends inside the answer; ``split``
        if no chunk contains the whole answer; ``not retrieved`` if a chunk contains it, but lies beyond the limit;
        ``in no chunk`` if no chunk contains any of it.
    chunks
        Numbers, from 0, of the chunks that contain the answer or its parts, best ranked first.
    ranks
        Ranks of these chunks, from 1; None for a chunk that was not ranked.
    retrieved
        For each chunk, true if it is retrieved.
    together
        True if the retrieved chunks together contain all of it.
    seam
        The reason for the first cut inside the answer, if a cut splits it.
    """

    fate: Fate
    chunks: tuple[int, ...] = ()
    ranks: tuple[int | None, ...] = ()
    retrieved: tuple[bool, ...] = ()
    together: bool = False
    seam: str = ""


def checked_answer(text: str, start: int, end: int) -> Span:
    """Return the span of an answer without surrounding white space.

    Raises
    ------
    InputError
        If the span is empty, too long or outside the text.
    """
    if not 0 <= start < end <= len(text):
        raise InputError(
            f"An answer must lie within the text, from 0 to {len(text):,} characters; got {start:,} to {end:,}. Mark the "
            "answer again."
        )
    if end - start > LONGEST_ANSWER:
        raise InputError(
            f"An answer may have at most {LONGEST_ANSWER:,} characters; this one has {end - start:,}. Mark a shorter "
            "passage."
        )
    marked = text[start:end]
    start, end = start + len(marked) - len(marked.lstrip()), end - len(marked) + len(marked.rstrip())
    if start >= end:
        raise InputError("An answer must have at least one word; only white space was marked. Mark a passage with words.")
    return Span(start, end)


def judge(asked: Asked, answer: Span) -> Judgement:
    """Return the retrieval outcome for an answer: retrieved whole, cut off, split or not retrieved.

    White space is ignored.
    """
    given = {hit.chunk: hit.parts for hit in asked.hits}
    return judged(asked.passages.chunking, asked.ranking.places(), given, answer)


def judged(chunking: Chunking, ranks: Mapping[int, int], given: Mapping[int, Sequence[Span]], answer: Span) -> Judgement:
    """Return the outcome of any retrieval from a document's chunks, as `judge` does.

    Parameters
    ----------
    ranks
        Ranks, from 1, of the chunks that were ranked, by their numbers.
    given
        The retrieved part of each retrieved chunk.
    """
    spans, text = [chunk.spans for chunk in chunking.chunks], chunking.document.text

    def outcome(fate: Fate, chunks: list[int], *, together: bool = False, seam: str = "") -> Judgement:
        chunks.sort(key=lambda chunk: (ranks.get(chunk, len(spans) + 1), chunk))
        return Judgement(
            fate,
            tuple(chunks),
            tuple([ranks.get(chunk) for chunk in chunks]),
            tuple([chunk in given for chunk in chunks]),
            together,
            seam,
        )

    near = [chunk for chunk, parts in enumerate(spans) if parts[0].start < answer.end and answer.start < parts[-1].end]
    touching = [chunk for chunk in near if _visible(text, intersection([answer], spans[chunk]))]
    if not touching:
        return Judgement("in no chunk")
    holding = chunks_holding(text, spans, answer)
    if not holding:
        among = [part for chunk in touching for part in given.get(chunk, ())]
        return outcome("split", touching, together=not lacks(text, answer, among), seam=_seam(chunking, answer))
    whole = [chunk for chunk in holding if chunk in given and not lacks(text, answer, given[chunk])]
    if whole:
        return outcome("whole", whole, together=True)
    retrieved_in_part = [chunk for chunk in holding if chunk in given]
    return outcome("cut off", retrieved_in_part) if retrieved_in_part else outcome("not retrieved", holding)


def chunks_holding(text: str, chunks: Sequence[Sequence[Span]], answer: Span) -> list[int]:
    """Return the numbers of the chunks that contain a whole answer, ignoring white space."""
    return [
        number
        for number, spans in enumerate(chunks)
        if spans[0].start < answer.end and answer.start < spans[-1].end and not lacks(text, answer, spans)
    ]


def lacks(text: str, answer: Span, parts: Iterable[Span]) -> bool:
    """Return whether part of an answer, white space not counted, lies in none of the parts."""
    return any(text[start:end].strip() for start, end in difference([answer], parts))


def _visible(text: str, ranges: Iterable[Span]) -> bool:
    return any(text[start:end].strip() for start, end in ranges)


def _seam(chunking: Chunking, answer: Span) -> str:
    """Return the reason of the first cut within the answer; empty if no cut made the chunks that it is split between."""
    for gap in chunking.gaps:
        if gap.verdict.is_cut and answer.start < gap.start_after(chunking.document) < answer.end:
            return f"cut: {gap.why.brief()}"
    return ""


# Effect of cutting a text otherwise on its cuts, its known boundaries and the questions about it.


class CutChange(NamedTuple):
    """Cuts that differ between two results of a text, as ascending offsets in code points.

    Attributes
    ----------
    added, removed
        Starts of chunks in the second result only, and in the first only.
    found, lost
        Added and removed cuts at a known boundary.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    found: tuple[int, ...]
    lost: tuple[int, ...]

    @classmethod
    def between(cls, before: Chunking, after: Chunking, known: Collection[int] = ()) -> "CutChange":
        """Return the cuts that differ between two results of the same text."""
        old, new, marks = set(cuts_of(before)), set(cuts_of(after)), set(known)
        added, removed = new - old, old - new
        every = (added, removed, added & marks, removed & marks)
        return cls(*(tuple(sorted(places)) for places in every))


class Search(NamedTuple):
    """Search settings: the ranking method, the retrieval limit, and the text that is embedded."""

    method: Method
    limit: Limit
    embedded_as: EmbeddedAs = "plain"
    reranker: Reranker | None = None


def are_whole(chunking: Chunking, questions: Sequence[Posed], search: Search, tools: Tools, ruler: Measuring) -> list[bool]:
    """Return for each question whether a retrieved chunk contains its whole answer.

    Raises the same errors as `prepare`.
    """
    if not questions:
        return []
    passages = prepare(chunking, tools, search.method, search.embedded_as)
    verdicts = []
    for posed in questions:
        vector = None if passages.vectors is None else embed_question(chunking, tools, posed.question)
        asked = ask(passages, posed.question, vector, search.method, search.limit, ruler, search.reranker)
        verdicts.append(judge(asked, posed.answer).fate == "whole")
    return verdicts
