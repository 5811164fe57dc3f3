"""Ask one question over the chunks of one text: which would a search retrieve, at which rank, and where the budget ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from chunkers import Chunking, InputError, Span, Tools
from chunkers.results.embedder_input import EmbeddedAs, embedded_text
from chunkers.support.arrays import VectorArray
from chunkers.support.formatting import signed
from chunkers.text.languages import detect_language
from evaluation.questions.corpus import Measuring
from evaluation.retrieval.budget import filled
from evaluation.search.index import embed_late, embed_together
from evaluation.search.ranking import (
    RERANKED,
    Bm25,
    Method,
    Ranking,
    Reranker,
    by_embedding,
    by_score,
    checked_method,
    fused,
    reranked,
)

LONGEST_QUESTION = 2_000
"""Maximum number of characters of a question: embedders read a few hundred words at most."""

MOST_TOP = 100
"""Maximum number of chunks that can be requested instead of a token budget."""

STATED_SEARCHED = "Propositions are searched by what the language model stated; what is given is the text that it came from."
"""Note for chunks with a text of their own: `Passages` have that text, and hits have the spans of its source."""

_CHARACTERS_A_TOKEN = 4


class Limit(NamedTuple):
    """Retrieval limit: a budget in ``tokens``, with the last chunk cut off to fit, or the ``top`` chunks."""

    tokens: int | None = None
    top: int | None = None

    @classmethod
    def of(cls, *, tokens: int | None = None, top: int | None = None) -> "Limit":
        """Return a retrieval limit in tokens or in chunks, whichever is given.

        Raises InputError unless exactly one of the two is given and within its range.
        """
        given = [limit for limit in (tokens, top) if limit is not None]
        if len(given) != 1:
            raise InputError(f"Give either a token budget or a number of chunks; got {'both' if given else 'neither'}.")
        if given[0] < 1:
            raise InputError(f"The budget must be at least 1 token or 1 chunk; got {given[0]:,}.")
        if top is not None and top > MOST_TOP:
            raise InputError(f"The number of chunks may be at most {MOST_TOP}; got {top:,}.")
        return cls(tokens, top)


def fitting_budget(characters: int) -> int:
    """Return a token budget of about a quarter of a text of this length, at most 500 tokens.

    With a larger budget, retrieval would return the whole of a short text.
    """
    return max([size for size in (50, 100, 250, 500) if size <= characters / _CHARACTERS_A_TOKEN / 4], default=50)


def checked_question(text: str) -> str:
    """Return the question, stripped. Raise InputError if it is empty, too long or invalid Unicode."""
    if len(text) > LONGEST_QUESTION:
        raise InputError(f"A question may have at most {LONGEST_QUESTION:,} characters; this one has {len(text):,}.")
    if not text.strip():
        raise InputError("A question must have at least one word; this one is empty.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("A question must be valid Unicode; it contains a lone surrogate. Remove the broken character.")
    return text.strip()


@dataclass(frozen=True, eq=False)
class Passages:
    """The chunks of a text, embedded and indexed for search.

    Attributes
    ----------
    texts
        The texts that are searched, as embedded.
    vectors
        Unit vectors, shape (chunks, dimension); None without an embedder, or if the search uses words alone.
    bm25
        Word index of the texts; None if the search does not use words.
    """

    chunking: Chunking
    texts: tuple[str, ...]
    vectors: VectorArray | None
    bm25: Bm25 | None

    @property
    def spans(self) -> list[tuple[Span, ...]]:
        """Spans of each chunk in the text."""
        return [chunk.spans for chunk in self.chunking.chunks]


def prepare(chunking: Chunking, tools: Tools, method: Method, embedded_as: EmbeddedAs = "plain") -> Passages:
    """Prepare chunks for search: embed them, index their words, or both, as the search method requires.

    The vectors equal those from `evaluation.search.index.build_index` for a corpus of this text alone.

    Raises
    ------
    ChunkingError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    document = chunking.document
    texts = tuple([embedded_text(document, chunk, embedded_as) for chunk in chunking.chunks])
    vectors = None
    if method != "bm25" and tools.embedder is not None:
        vectors = embed_late([chunking], tools) if embedded_as == "late" else embed_together(document, texts, tools)
    bm25 = Bm25(texts, detect_language(document.text)) if method != "embedding" or vectors is None else None
    return Passages(chunking, texts, vectors, bm25)


def has_stated(chunking: Chunking) -> bool:
    """Return whether any chunk has a text written by a language model, which is then searched instead of its own."""
    return any(chunk.stated is not None for chunk in chunking.chunks)


def embed_question(chunking: Chunking, tools: Tools, question: str) -> VectorArray:
    """Return a question's unit vector, shape (dimension,), from the embedder of the chunks.

    Raises the same errors as `prepare`.
    """
    vector: VectorArray = embed_together(chunking.document, [question], tools)[0]
    return vector


class Hit(NamedTuple):
    """Retrieved chunk, with its rank, its score and the part of its text that fits the limit.

    Attributes
    ----------
    chunk
        Number of the chunk, from 0.
    rank
        From 1.
    score
        Cosine, BM25, sum of reciprocal ranks, or score of the cross-encoder; NaN if the cross-encoder did not score the
        chunk.
    parts
        Retrieved part of the chunk's text: all of its spans, or their beginning if the budget ends inside the chunk.
    whole
        True if the whole chunk is retrieved.
    """

    chunk: int
    rank: int
    score: float
    parts: tuple[Span, ...]
    whole: bool


@dataclass(frozen=True, eq=False)
class Asked:
    """Ranking of the chunks for one question, and the chunks retrieved within the limit.

    Attributes
    ----------
    method
        Method by which the chunks were ranked; ``bm25`` if there was no embedder.
    ranking
        All chunks that were ranked.
    sources
        The rankings that were fused, by method; otherwise the one ranking, before any reranking.
    hits
        The chunks within the limit, best first.
    tokens
        Number of tokens in the retrieved text.
    fused
        True if the scores are sums of reciprocal ranks.
    reranked
        True if the scores are from a cross-encoder.
    """

    passages: Passages
    method: Method
    ranking: Ranking
    sources: dict[str, Ranking]
    hits: tuple[Hit, ...]
    tokens: int
    fused: bool
    reranked: bool

    @property
    def has_all(self) -> bool:
        """True if every chunk is retrieved in full."""
        return len(self.hits) == len(self.passages.texts) and all(hit.whole for hit in self.hits)


def ask(
    passages: Passages,
    question: str,
    vector: VectorArray | None,
    method: Method,
    limit: Limit,
    ruler: Measuring,
    reranker: Reranker | None = None,
) -> Asked:
    """Rank the chunks for a question and return the ranking with the best chunks up to the limit.

    Parameters
    ----------
    vector
        The question's unit vector, shape (dimension,). With None, chunks are ranked by words alone, whatever the method.
    ruler
        Counts the tokens of ranges of the text.
    reranker
        Cross-encoder that reorders the first `RERANKED` chunks; None for no reordering.
    """
    method = checked_method(method)
    sources: dict[str, Ranking] = {}
    if method != "bm25" and vector is not None and passages.vectors is not None:
        sources["embedding"] = by_embedding(vector, passages.vectors)
    if (method != "embedding" or not sources) and passages.bm25 is not None:
        sources["bm25"] = by_score(passages.bm25.scores(question))
    done: Method = "hybrid" if len(sources) > 1 else "embedding" if "embedding" in sources else "bm25"
    ranking = fused([*sources.values()], len(passages.texts)) if len(sources) > 1 else next(iter(sources.values()))
    if reranker is not None:
        first = [passages.texts[chunk] for chunk in ranking.order[:RERANKED]]
        ranking = reranked(ranking, reranker.scores(question, first))
    spans = passages.spans
    given = _parts_within([spans[chunk] for chunk in ranking.order], limit, ruler)
    hits = tuple(
        Hit(int(chunk), rank, float(score), parts, parts == spans[chunk])
        for rank, (chunk, score, parts) in enumerate(zip(ranking.order, ranking.scores, given, strict=False), start=1)
    )
    tokens = ruler([part for hit in hits for part in hit.parts])
    return Asked(passages, done, ranking, sources, hits, tokens, done == "hybrid" and reranker is None, reranker is not None)


def _parts_within(ranked: Sequence[tuple[Span, ...]], limit: Limit, ruler: Measuring) -> list[tuple[Span, ...]]:
    """Return the parts of each chunk within the limit, best first."""
    if limit.tokens is None:
        return [*ranked[: limit.top]]
    taken = iter(filled(ranked, limit.tokens, ruler))
    return [*takewhile(len, (tuple(islice(taken, len(spans))) for spans in ranked))]


def score_said(score: float, *, fused: bool = False) -> str:
    """Format a search score with one or two decimals, or four for fused ranks; return an empty string for NaN."""
    if np.isnan(score):
        return ""
    places = 4 if fused else 2 if abs(score) < 10 else 1
    return signed(score, f".{places}f")
