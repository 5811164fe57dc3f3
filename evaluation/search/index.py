"""An index of a corpus's chunks, and exact search in it: by the cosine with the question's embedding, by words, or by both.

All chunks of all documents are searched together: as they are, or with their heading paths or contexts in front. What is in
front is among the words too, as in the contextual BM25 of Anthropic (2024), "Introducing contextual retrieval".
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan

import numpy as np

from chunkers import Chunker, Chunking, Document, InputError, Span, Tools, run_chunker
from chunkers.contract import Meter
from chunkers.embedders.late_chunking import LateChunks
from chunkers.recipes import takes_over_existing_chunks
from chunkers.results import EmbeddedAs, embedded_text, parent_index_by_child
from chunkers.support import FloatArray, IntArray, VectorArray, raise_if_cancelled
from chunkers.text import detect_language
from evaluation.questions import Corpus, CoveredRanges, Question, numbers_of_overlapping_chunks
from evaluation.search.near_duplicates import NearDuplicates
from evaluation.search.ranking import (
    Bm25,
    Ranking,
    SearchMethod,
    checked_search_method,
    fuse_rankings,
    nearest_vector_indices_per_query,
    rank_by_embedding,
    rank_by_score,
    recompute_near_tied_scores,
)

QUERIES_PER_BLOCK = 512
"""Number of questions compared with a block of chunks at a time."""

PARENTS_AND_CHILDREN_SEARCHED_NOTE = "Parents are searched beside their children."

NO_PARENTS_NOTE = "The chunks have one level: without parents, each returns itself."

TIMED_RUN_COUNT = 5
"""Number of timed searches; the fastest counts, as other work slows the rest."""


@dataclass(frozen=True)
class Indexed:
    """Chunks of a corpus and the cost of indexing them, without vectors.

    Attributes
    ----------
    chunks
        Spans of every chunk, in corpus-wide offsets.
    chunk_s
        Seconds for chunking, as if the cache were empty, without sentence splitting, which all chunkers share. None for
        chunks that were made elsewhere.
    decide_s
        Part of ``chunk_s`` spent on decisions, without embedding.
    embed_s
        Seconds for embedding the chunks and indexing their words; cached embeddings count with their original time.
    embedded, cached
        Number of distinct texts embedded, for chunking and for search, and number found in the cache.
    returns
        Text returned for each chunk, see `copy_index_with_returned_text`; None if chunks return themselves.
    caveat
        A caveat shown next to every measurement, see `Chunker.caveat`.
    parents
        Parent of each chunk, in corpus-wide offsets, if only children are indexed; None if all chunks are.
    """

    corpus: Corpus
    chunks: tuple[tuple[Span, ...], ...]
    chunk_s: float | None
    decide_s: float | None
    embed_s: float
    embedded: int
    cached: int
    returns: tuple[tuple[Span, ...], ...] | None = field(default=None, kw_only=True)
    caveat: str = field(default="", kw_only=True)
    parents: tuple[tuple[Span, ...], ...] | None = field(default=None, kw_only=True)

    @cached_property
    def edges(self) -> IntArray:
        """Corpus-wide start and end offset of every chunk, shape (chunks, 2)."""
        return np.array([(spans[0].start, spans[-1].end) for spans in self.chunks], dtype=np.intp).reshape(-1, 2)

    @cached_property
    def returned_edges(self) -> IntArray:
        """Corpus-wide start and end offset of the text returned for each chunk, shape (chunks, 2)."""
        if self.returns is None:
            return self.edges
        return np.array([(spans[0].start, spans[-1].end) for spans in self.returns], dtype=np.intp).reshape(-1, 2)

    def returned_spans_without_repeats(self, ranked_chunk_numbers: Iterable[int]) -> Iterator[tuple[Span, ...]]:
        """Yield the spans that each ranked chunk returns, without text that a better chunk has already returned."""
        if self.returns is None:
            yield from (self.chunks[number] for number in ranked_chunk_numbers)
            return
        already_returned_ranges = CoveredRanges()
        for chunk_number in ranked_chunk_numbers:
            yield tuple(already_returned_ranges.add_and_return_new_parts(self.returns[chunk_number]))

    def returned_spans_of_excerpt_chunks(self, excerpts: Sequence[Span]) -> list[tuple[Span, ...]]:
        """Return, for each chunk that overlaps an excerpt, the spans of the text that it returns."""
        returned_spans_by_chunk = self.chunks if self.returns is None else self.returns
        return [returned_spans_by_chunk[number] for number in numbers_of_overlapping_chunks(self.edges, excerpts)]


@dataclass(frozen=True, eq=False)
class Index(Indexed):
    """Search index over all chunks of a corpus.

    Attributes
    ----------
    searched_by
        Search method that compares a question with the texts.
    texts
        Text of each chunk, as embedded.
    vectors
        Unit vectors of the texts, shape (chunks, dimension); the dimension is 0 if they are searched by words alone.
    bm25
        Word index of the texts; None if they are searched by embedding alone.
    reasons
        Reasons for cuts, if the chunker gives any, by the corpus-wide offset at which the later chunk begins.
    chunking
        The chunks of the one text that is asked; None for a corpus, as decisions take more memory than the vectors.
    missing_context_count
        Number of chunks without a context sentence, if chunks are embedded with one.
    demoted_near_duplicates
        Near-duplicates among the texts, if rankings put each near-duplicate of a better-ranked chunk behind all other
        chunks; None if rankings leave them in place.
    """

    searched_by: SearchMethod
    texts: tuple[str, ...]
    vectors: VectorArray
    bm25: Bm25 | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)
    chunking: Chunking | None = None
    missing_context_count: int = 0
    demoted_near_duplicates: NearDuplicates | None = None


def cut_and_index_corpus(
    corpus: Corpus,
    chunker: Chunker,
    tools: Tools,
    embedded_as: EmbeddedAs = "plain",
    search_method: SearchMethod = "embedding",
    only_children: bool = False,
) -> Index:
    """Cut every document of a corpus and return a search index over the chunks.

    The chunks are embedded, their words are indexed, or both, as the search method requires. With ``only_children``, parents
    are left out of the index, if the chunks have two levels.

    Raises
    ------
    InputError
        If the chunker rejects a document or the combination of documents, or if the search method does not exist.
    Cancelled
        If the user asked to stop.
    """
    search_method = checked_search_method(search_method)
    chunker = chunker.for_documents([document.name for document in corpus.documents if document.sentences])
    chunkings = []
    for document in corpus.documents:
        raise_if_cancelled(tools.cancelled)
        chunkings.append(run_chunker(chunker, document, tools, embedded_as))
    corpus_wide_chunk_spans = _spans_in_corpus(corpus, chunkings)
    parent_by_child_number = parent_index_by_child(corpus_wide_chunk_spans)
    parent_spans, parents_in_search_note = None, ""
    if parent_by_child_number and only_children:
        parent_spans = tuple(corpus_wide_chunk_spans[parent] for parent in parent_by_child_number.values())
        chunkings = [*_chunkings_with_selected_chunks(chunkings, parent_by_child_number)]
    elif parent_by_child_number or only_children:
        parents_in_search_note = PARENTS_AND_CHILDREN_SEARCHED_NOTE if parent_by_child_number else NO_PARENTS_NOTE
    index = build_index_of_corpus_chunks(corpus, chunkings, tools, embedded_as, search_method)
    return replace(index, caveat=" ".join(filter(None, [chunker.caveat(), parents_in_search_note])), parents=parent_spans)


def build_index_of_corpus_chunks(
    corpus: Corpus, chunkings: Sequence[Chunking], tools: Tools, embedded_as: EmbeddedAs, search_method: SearchMethod
) -> Index:
    """Return a search index over the chunks of every document of a corpus, in the order of the documents.

    The chunks are embedded, their words are indexed, or both, as the search method requires. An embedder that needs fitting
    is fitted on the whole corpus, whose language is that of the words.

    Raises
    ------
    InputError
        If the embedding mode does not suit the chunks, see `embed_chunks_late`.
    ModelError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    embedding_meter = Meter()
    tools = replace(tools, meter=embedding_meter)
    chunk_texts_to_embed = tuple(
        [embedded_text(chunking.document, chunk, embedded_as) for chunking in chunkings for chunk in chunking.chunks]
    )
    vectors = np.zeros((len(chunk_texts_to_embed), 0), np.float32)
    if search_method != "bm25":
        vectors = (
            embed_chunks_late(chunkings, tools)
            if embedded_as == "late"
            else embed_texts(corpus.joined_document, chunk_texts_to_embed, tools)
        )
    embed_and_index_seconds, word_search_index = embedding_meter.uncached_embedding_s, None
    if search_method != "embedding":
        start_time = time.perf_counter()
        word_search_index = Bm25(chunk_texts_to_embed, detect_language(corpus.joined_document.text))
        embed_and_index_seconds += time.perf_counter() - start_time
    document_chunking_timings = [chunking.timing for chunking in chunkings if chunking.timing is not None]
    cut_decision_milliseconds = sum(timing.decide_ms + timing.merge_ms for timing in document_chunking_timings)
    # Not a number where it was not recorded.
    chunking_milliseconds = cut_decision_milliseconds + sum(
        timing.embed_ms if isnan(timing.cold_ms) else timing.cold_ms for timing in document_chunking_timings
    )
    is_chunking_time_known = not any(
        chunking.made_by is not None and takes_over_existing_chunks(chunking.made_by.chunker) for chunking in chunkings
    )
    return Index(
        corpus=corpus,
        chunks=_spans_in_corpus(corpus, chunkings),
        chunk_s=chunking_milliseconds / 1000 if is_chunking_time_known else None,
        decide_s=cut_decision_milliseconds / 1000 if is_chunking_time_known else None,
        embed_s=embed_and_index_seconds,
        embedded=embedding_meter.embedded + sum(timing.embedded for timing in document_chunking_timings),
        cached=embedding_meter.cached + sum(timing.cached for timing in document_chunking_timings),
        searched_by=search_method,
        texts=chunk_texts_to_embed,
        vectors=vectors,
        bm25=word_search_index,
        reasons={
            offset + gap.start_after(chunking.document): gap.reason
            for offset, chunking in zip(corpus.offsets, chunkings, strict=True)
            for gap in chunking.gaps
            if gap.verdict.is_cut
        },
        missing_context_count=sum(not chunk.situation for chunking in chunkings for chunk in chunking.chunks)
        if embedded_as == "context"
        else 0,
    )


def _spans_in_corpus(corpus: Corpus, chunkings: Sequence[Chunking]) -> tuple[tuple[Span, ...], ...]:
    """Return the corpus-wide spans of the chunks of every document."""
    return tuple(
        tuple(corpus.span_in_corpus(number, span) for span in chunk.spans)
        for number, chunking in enumerate(chunkings)
        for chunk in chunking.chunks
    )


def _chunkings_with_selected_chunks(
    unfiltered_chunkings: Iterable[Chunking], chunk_numbers: Collection[int]
) -> Iterator[Chunking]:
    """Yield the results with only those chunks whose number, counted over all results, is in ``chunk_numbers``."""
    first_chunk_number = 0
    for chunking in unfiltered_chunkings:
        selected_chunks = [
            chunk for number, chunk in enumerate(chunking.chunks, start=first_chunk_number) if number in chunk_numbers
        ]
        first_chunk_number += len(chunking.chunks)
        yield replace(chunking, chunks=tuple(selected_chunks))


def embed_texts(document_for_embedder_fitting: Document, texts: Sequence[str], tools: Tools) -> VectorArray:
    """Return the vectors of texts, from an embedder fitted on the document if it needs fitting.

    Raises the same errors as `Tools.embed`.
    """
    embedder = tools.embedder.for_document(document_for_embedder_fitting) if tools.embedder is not None else None
    return replace(tools, embedder=embedder).embed(texts)


def embed_chunks_late(chunkings: Sequence[Chunking], tools: Tools) -> VectorArray:
    """Return the vectors of all chunks of several results, in order, by late chunking, see `LateChunks`.

    Raises
    ------
    ModelError
        If the embedder cannot do late chunking, or as in `Tools.embed`.
    InputError
        If a chunk's text is not a part of its document, but was written by a language model.
    """
    if any(chunk.stated is not None for chunking in chunkings for chunk in chunking.chunks):
        raise InputError("Late chunking embeds the document's own words; a language model wrote the texts of these chunks.")
    if tools.embedder is None:
        return tools.embed(())
    chunk_place_keys = [
        LateChunks.build_key_of_chunk_place(chunking.document.text, chunk.spans)
        for chunking in chunkings
        for chunk in chunking.chunks
    ]
    late_embedder = LateChunks(tools.embedder, [chunking.document.text for chunking in chunkings])
    return replace(tools, embedder=late_embedder).embed(chunk_place_keys)


@dataclass(frozen=True, eq=False)
class PreparedQuestions:
    """Questions prepared for searching an index, embedded if the search method needs it.

    Attributes
    ----------
    texts
        The questions.
    vectors
        Unit vectors, shape (questions, dimension); the dimension is 0 if chunks are searched by words alone.
    """

    index: Index
    texts: tuple[str, ...]
    vectors: VectorArray

    @classmethod
    def of(cls, index: Index, texts: Sequence[str], tools: Tools) -> "PreparedQuestions":
        """Return questions prepared for search, embedded unless the index is searched by words alone or is empty.

        Raises the same errors as `Tools.embed`.
        """
        if index.searched_by == "bm25" or not index.texts:
            return cls(index, tuple(texts), np.zeros((len(texts), 0), np.float32))
        return cls(index, tuple(texts), embed_texts(index.corpus.joined_document, texts, tools))

    def fused_and_method_rankings(self, question_number: int) -> tuple[Ranking, dict[str, Ranking]]:
        """Rank the chunks for a question; return the ranking, and by method the rankings that it is fused from."""
        rankings_by_method: dict[str, Ranking] = {}
        if self.index.searched_by != "bm25":
            rankings_by_method["embedding"] = rank_by_embedding(self.vectors[question_number], self.index.vectors)
        if self.index.bm25 is not None:
            rankings_by_method["bm25"] = rank_by_score(self.index.bm25.scores(self.texts[question_number]))
        first_method_ranking, *other_rankings = rankings_by_method.values()
        return fuse_rankings(
            [first_method_ranking, *other_rankings], len(self.index.texts)
        ) if other_rankings else first_method_ranking, rankings_by_method

    def ranked(self, question_numbers: IntArray, max_ranks: int) -> IntArray:
        """Return the numbers of the best chunks for each selected question, best first.

        The result has shape (questions, min(max_ranks, chunks)).

        Ties go to the earlier chunk, so that chunks without any word of the question come last, in their order.
        """
        near_duplicates_to_demote = self.index.demoted_near_duplicates
        if near_duplicates_to_demote is None:
            return self._ranked_keeping_near_duplicates(question_numbers, max_ranks)
        rankings_by_question = []
        for question_number, ranked_chunk_numbers in zip(
            question_numbers, self._ranked_keeping_near_duplicates(question_numbers, 2 * max_ranks), strict=True
        ):
            while len(ranked_chunk_numbers) - len(
                repeats := near_duplicates_to_demote.repeats_of_better_ranked_chunks(ranked_chunk_numbers.tolist())
            ) < max_ranks and len(ranked_chunk_numbers) < len(self.index.chunks):
                (ranked_chunk_numbers,) = self._ranked_keeping_near_duplicates(
                    np.array([question_number]), 2 * len(ranked_chunk_numbers)
                )
            unrepeated_chunk_numbers = ranked_chunk_numbers[~np.isin(ranked_chunk_numbers, repeats)]
            rankings_by_question.append(
                np.concatenate([unrepeated_chunk_numbers, np.array(repeats, dtype=np.intp)])[:max_ranks]
            )
        return np.array(rankings_by_question, dtype=np.intp).reshape(len(question_numbers), -1)

    def _ranked_keeping_near_duplicates(self, question_numbers: IntArray, max_ranks: int) -> IntArray:
        """Return the same as `ranked`, with near-duplicates in place."""
        max_ranks = min(max_ranks, len(self.index.chunks))
        if self.index.bm25 is None:
            return nearest_vector_indices_per_query(self.vectors[question_numbers], self.index.vectors, max_ranks)
        rankings_by_question = [
            np.argsort(-self._chunk_scores_for_question(number), kind="stable")[:max_ranks]
            for number in question_numbers.tolist()
        ]
        return np.array(rankings_by_question, dtype=np.intp).reshape(len(question_numbers), max_ranks)

    def scores(self, question_numbers: Sequence[int]) -> FloatArray:
        """Return the score of every chunk for the selected questions, shape (questions, chunks).

        The score is the cosine, BM25, or the sum of reciprocal ranks by both, as in `fuse_rankings`.
        """
        if self.index.bm25 is None:
            question_vectors, chunk_vectors = self.vectors[[*question_numbers]], self.index.vectors
            all_chunk_numbers = np.arange(len(chunk_vectors))
            scores_and_query_vector_pairs = zip(
                (question_vectors @ chunk_vectors.T).astype(float), question_vectors, strict=True
            )
            return np.array(
                [
                    recompute_near_tied_scores(line, all_chunk_numbers, query, chunk_vectors)
                    for line, query in scores_and_query_vector_pairs
                ]
            ).reshape(len(question_vectors), -1)
        return np.array([self._chunk_scores_for_question(number) for number in question_numbers]).reshape(
            len(question_numbers), -1
        )

    def _chunk_scores_for_question(self, question_number: int) -> FloatArray:
        """Return the score of every chunk for one question; 0 for chunks that are left out of its ranking."""
        if self.index.bm25 is not None and self.index.searched_by == "bm25":
            return self.index.bm25.scores(self.texts[question_number])
        ranking, _ = self.fused_and_method_rankings(question_number)
        scores = np.zeros(len(self.index.chunks))
        scores[ranking.order] = ranking.scores
        return scores


@dataclass(frozen=True)
class Search:
    """Search results: the best chunks for every question, and the time that the search took.

    Attributes
    ----------
    ranked
        Numbers of the best chunks for each question, best first, shape (questions, min(depth, chunks)).
    embed_s
        Seconds for embedding all questions; cached embeddings count with their original time.
    search_s
        Seconds for searching for all questions, the fastest of `TIMED_RUN_COUNT` runs.
    """

    index: Indexed
    questions: tuple[Question, ...]
    ranked: IntArray
    embed_s: float
    search_s: float


def search_for_all_questions(index: Index, questions: Sequence[Question], tools: Tools, max_chunk_count: int) -> Search:
    """Return the best chunks for every question, at most ``max_chunk_count``, and the time that the search took.

    Raises the same errors as `Tools.embed`.
    """
    question_embedding_meter = Meter()
    prepared_questions = PreparedQuestions.of(
        index, [question.text for question in questions], replace(tools, meter=question_embedding_meter)
    )
    rankings_by_question = np.zeros((len(questions), 0), np.intp)
    search_seconds_per_run = [0.0]
    if index.chunks and questions:
        search_seconds_per_run = []
        question_numbers = np.arange(len(questions))
        for _ in range(TIMED_RUN_COUNT):
            search_start_time = time.perf_counter()
            rankings_by_question = np.vstack(
                [
                    prepared_questions.ranked(question_numbers[at : at + QUERIES_PER_BLOCK], max_chunk_count)
                    for at in range(0, len(question_numbers), QUERIES_PER_BLOCK)
                ]
            )
            search_seconds_per_run.append(time.perf_counter() - search_start_time)
    return Search(
        index,
        tuple(questions),
        rankings_by_question,
        question_embedding_meter.uncached_embedding_s,
        min(search_seconds_per_run),
    )
