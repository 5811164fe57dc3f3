"""Ask one question over the chunks of one text: which are retrieved within a budget, and what becomes of the answer."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from chunkers import Chunking, InputError, Span, Tools
from chunkers.results import EmbeddedAs
from chunkers.support import format_number
from evaluation.questions import AnyRuler, Corpus, numbers_of_overlapping_chunks, ruler_for_unit
from evaluation.retrieval.budget import Limit, fill_budget
from evaluation.retrieval.retrieved_chunks_and_failures import AnswerRetrieval, RankedChunk, judge_answer_retrieval
from evaluation.search import (
    MOST_RERANKED_CHUNKS,
    Index,
    PreparedQuestions,
    Ranking,
    Reranker,
    SearchMethod,
    build_index_of_corpus_chunks,
    checked_search_method,
    reorder_first_chunks,
)
from evaluation.segmentation import cut_offsets

MOST_QUESTION_CHARACTERS = 2_000
"""Maximum number of characters of a question: embedders read a few hundred words at most."""

MODEL_TEXT_SEARCHED_NOTE = (
    "Propositions are searched by what the language model stated; what is given is the text that it came from."
)
"""Note where a language model wrote the searched texts; a hit has the spans of the text that a chunk came from."""

_CHARACTERS_A_TOKEN = 4


def budget_for_text_length(character_count: int) -> int:
    """Return a token budget of about a quarter of a text of this length, at most 500 tokens.

    With a larger budget, retrieval would return the whole of a short text.
    """
    return max([size for size in (50, 100, 250, 500) if size <= character_count / _CHARACTERS_A_TOKEN / 4], default=50)


def checked_question(question_text: str) -> str:
    """Return the question, stripped. Raise InputError if it is empty, too long or invalid Unicode."""
    if len(question_text) > MOST_QUESTION_CHARACTERS:
        raise InputError(
            f"A question may have at most {MOST_QUESTION_CHARACTERS:,} characters; this one has {len(question_text):,}."
        )
    if not question_text.strip():
        raise InputError("A question must have at least one word; this one is empty.")
    if any("\ud800" <= character <= "\udfff" for character in question_text):
        raise InputError("A question must be valid Unicode; it contains a lone surrogate. Remove the broken character.")
    return question_text.strip()


def build_search_index_of_text(
    chunking: Chunking, tools: Tools, method: SearchMethod, embedded_as: EmbeddedAs = "plain"
) -> Index:
    """Return a search index over the chunks of one text, searched by a method; without an embedder, by words alone.

    Raises the same errors as `evaluation.search.build_index_of_corpus_chunks`.
    """
    method = checked_search_method(method) if tools.embedder is not None else "bm25"
    search_index = build_index_of_corpus_chunks(Corpus((chunking.document,)), [chunking], tools, embedded_as, method)
    return replace(search_index, chunking=chunking)


def has_model_written_texts(chunking: Chunking) -> bool:
    """Return whether any chunk has a text written by a language model, which is then searched instead of its own."""
    return any(chunk.stated is not None for chunk in chunking.chunks)


@dataclass(frozen=True, eq=False)
class AskedQuestion:
    """Ranking of the chunks for one question, and the chunks retrieved within the limit.

    Attributes
    ----------
    ranking
        All chunks that were ranked.
    sources
        The rankings that were fused, by method; otherwise the one ranking, before any reranking.
    hits
        The chunks within the limit, best first.
    tokens
        Number of tokens in the retrieved text.
    reranked
        True if the scores are from a cross-encoder.
    """

    index: Index
    ranking: Ranking
    sources: dict[str, Ranking]
    hits: tuple[RankedChunk, ...]
    tokens: int
    reranked: bool

    @property
    def chunking(self) -> Chunking:
        """The chunks of the text, as the chunker made them."""
        assert self.index.chunking is not None
        return self.index.chunking

    @property
    def has_fused_scores(self) -> bool:
        """True if the scores are sums of reciprocal ranks."""
        return len(self.sources) > 1 and not self.reranked

    @property
    def is_every_chunk_retrieved(self) -> bool:
        """True if every chunk is retrieved in full."""
        return len(self.hits) == len(self.index.chunks) and all(hit.is_wholly_retrieved for hit in self.hits)


def retrieve_for_question(
    index: Index,
    question: str,
    tools: Tools,
    retrieval_limit: Limit,
    ruler: AnyRuler,
    reranker: Reranker | None = None,
) -> AskedQuestion:
    """Rank the chunks for a question and return the ranking with the best chunks up to the limit.

    Raises the same errors as `Tools.embed`.

    Parameters
    ----------
    tools
        Embeds the question, unless the chunks are searched by words alone.
    ruler
        Counts the tokens of ranges of the text.
    reranker
        Cross-encoder that reorders the first `MOST_RERANKED_CHUNKS` chunks; None for no reordering.
    """
    final_chunk_ranking, rankings_by_method = PreparedQuestions.of(index, [question], tools).fused_and_method_rankings(0)
    if reranker is not None:
        texts_to_rerank = [index.texts[chunk] for chunk in final_chunk_ranking.order[:MOST_RERANKED_CHUNKS]]
        final_chunk_ranking = reorder_first_chunks(final_chunk_ranking, reranker.scores(question, texts_to_rerank))
    ranked_chunk_spans = [index.chunks[chunk] for chunk in final_chunk_ranking.order]
    retrieved_parts_by_rank = (
        fill_budget(
            ranked_chunk_spans,
            retrieval_limit.budget,
            ruler_for_unit(retrieval_limit.unit, ruler),
            retrieval_limit.last,
        )
        if retrieval_limit.budget
        else ranked_chunk_spans[: retrieval_limit.top]
    )
    best_chunk_hits = tuple(
        RankedChunk(rank, int(chunk), index.chunks[chunk], parts, float(score))
        for rank, (chunk, score, parts) in enumerate(
            zip(final_chunk_ranking.order, final_chunk_ranking.scores, retrieved_parts_by_rank, strict=False), start=1
        )
    )
    retrieved_token_count = ruler([part for hit in best_chunk_hits for part in hit.given])
    return AskedQuestion(
        index,
        final_chunk_ranking,
        rankings_by_method,
        best_chunk_hits,
        retrieved_token_count,
        reranker is not None,
    )


def format_search_score(score: float, *, is_fused: bool = False) -> str:
    """Format a search score with one or two decimals, or four for fused ranks; return an empty string for NaN."""
    if np.isnan(score):
        return ""
    decimal_place_count = 4 if is_fused else 2 if abs(score) < 10 else 1
    return format_number(score, f".{decimal_place_count}f")


# Fate of a marked answer.


MOST_ANSWER_CHARACTERS = 10_000
"""Maximum number of characters of the marked answer to a question; what is longer is a chapter."""


class PosedQuestion(NamedTuple):
    """A question, with the span of its answer in the text."""

    question: str
    answer: Span


def check_and_trim_answer_span(document_text: str, start: int, end: int) -> Span:
    """Return the span of an answer without surrounding white space.

    Raises
    ------
    InputError
        If the span is empty, too long or outside the text.
    """
    if not 0 <= start < end <= len(document_text):
        raise InputError(
            f"An answer must lie within the text, from 0 to {len(document_text):,} characters; got {start:,} to {end:,}. "
            "Mark the "
            "answer again."
        )
    if end - start > MOST_ANSWER_CHARACTERS:
        raise InputError(
            f"An answer may have at most {MOST_ANSWER_CHARACTERS:,} characters; this one has {end - start:,}. Mark a "
            "shorter "
            "passage."
        )
    untrimmed_answer_text = document_text[start:end]
    start, end = (
        start + len(untrimmed_answer_text) - len(untrimmed_answer_text.lstrip()),
        end - len(untrimmed_answer_text) + len(untrimmed_answer_text.rstrip()),
    )
    if start >= end:
        raise InputError("An answer must have at least one word; only white space was marked. Mark a passage with words.")
    return Span(start, end)


def judge_retrieval(asked_question: AskedQuestion, answer_span: Span) -> AnswerRetrieval:
    """Return the retrieval outcome for an answer: retrieved whole, cut off, split or not retrieved.

    White space is ignored.
    """
    search_index = asked_question.index
    return judge_answer_retrieval(
        search_index.corpus.joined_document.text,
        {number: search_index.chunks[number] for number in numbers_of_overlapping_chunks(search_index.edges, [answer_span])},
        asked_question.ranking.ranks_by_chunk(),
        {hit.number: hit.given for hit in asked_question.hits},
        answer_span,
    )


def first_cut_reason(chunking: Chunking, answer_span: Span) -> str:
    """Return the reason of the first cut within the answer; empty if no cut made the chunks that it is split between."""
    for gap in chunking.gaps:
        if gap.verdict.is_cut and answer_span.start < gap.start_after(chunking.document) < answer_span.end:
            return f"cut: {gap.why.brief()}"
    return ""


# Effect of cutting the text otherwise.


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
    def between(cls, before: Chunking, after: Chunking, known_boundary_offsets: Collection[int] = ()) -> "CutChange":
        """Return the cuts that differ between two results of the same text."""
        all_cuts_before_change, all_cuts_after_change, known_boundaries = (
            set(cut_offsets(before)),
            set(cut_offsets(after)),
            set(known_boundary_offsets),
        )
        added_cuts, removed_cuts = (
            all_cuts_after_change - all_cuts_before_change,
            all_cuts_before_change - all_cuts_after_change,
        )
        changed_cut_sets = (added_cuts, removed_cuts, added_cuts & known_boundaries, removed_cuts & known_boundaries)
        return cls(*(tuple(sorted(places)) for places in changed_cut_sets))


class SearchSettings(NamedTuple):
    """Search settings: the ranking method, the retrieval limit, and the text that is embedded."""

    method: SearchMethod
    limit: Limit
    embedded_as: EmbeddedAs = "plain"
    reranker: Reranker | None = None


def whole_answer_retrieved_per_question(
    chunking: Chunking, questions: Sequence[PosedQuestion], search_settings: SearchSettings, tools: Tools, ruler: AnyRuler
) -> list[bool]:
    """Return for each question whether a retrieved chunk contains its whole answer.

    Raises the same errors as `build_search_index_of_text`.
    """
    if not questions:
        return []
    search_index = build_search_index_of_text(chunking, tools, search_settings.method, search_settings.embedded_as)
    return [
        judge_retrieval(
            retrieve_for_question(
                search_index, posed.question, tools, search_settings.limit, ruler, search_settings.reranker
            ),
            posed.answer,
        ).fate
        == "whole"
        for posed in questions
    ]
