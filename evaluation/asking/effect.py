"""Effect of cutting a text otherwise on its cuts, its known boundaries and the questions about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from chunkers import Chunking, Tools
from chunkers.results.embedded import EmbeddedAs
from evaluation.asking.answer import Posed, judge
from evaluation.asking.ask import Limit, ask, embed_question, prepare
from evaluation.retrieval.budget import Measuring
from evaluation.search.ranking import Method
from evaluation.search.reranker import Reranker
from evaluation.segmentation.measures import cuts_of


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
    def between(cls, before: Chunking, after: Chunking, known: Collection[int] = ()) -> CutChange:
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
