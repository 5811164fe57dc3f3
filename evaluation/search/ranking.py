"""Rankings of chunks for one question: by embeddings, by words (BM25), by both fused, and by a cross-encoder."""

import math
import re
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from chunkers.support import FloatArray, InputError, IntArray, ModelError, VectorArray, raise_if_extra_missing, short_repr

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


# Exact search for the vectors nearest to others, in blocks.


CHUNKS_PER_BLOCK = 8192
"""Number of chunks compared in one block."""

PRODUCT_TOLERANCE = 2e-6
"""Tolerance for equal products in single precision: each was off by 6e-7 at most, over 384 to 4,096 numbers."""


def nearest_vector_indices_per_query(
    query_vectors: VectorArray, vectors: VectorArray, count: int, vectors_per_block: int = CHUNKS_PER_BLOCK
) -> IntArray:
    """Return the indices of the vectors with the greatest dot products with each query, best first.

    The result has shape (queries, min(count, rows)).

    The result is exact, and ties go to the earlier row. The vectors are compared ``vectors_per_block`` rows at a time,
    which does not affect the result, since `recompute_near_tied_scores` recomputes near-ties.
    """
    count = min(count, len(vectors))
    best_vector_scores = np.zeros((len(query_vectors), 0))
    best_vector_indexes = np.zeros((len(query_vectors), 0), np.intp)
    for vector_block_start in range(0, len(vectors), vectors_per_block):
        vector_block_scores = query_vectors @ vectors[vector_block_start : vector_block_start + vectors_per_block].T
        best_vector_scores = np.hstack([best_vector_scores, vector_block_scores])
        best_vector_indexes = np.hstack(
            [
                best_vector_indexes,
                np.broadcast_to(
                    np.arange(vector_block_start, vector_block_start + vector_block_scores.shape[1]),
                    vector_block_scores.shape,
                ),
            ]
        )
        best_count = min(count, best_vector_scores.shape[1])
        lowest_best_scores = -np.partition(-best_vector_scores, best_count - 1, axis=1)[:, best_count - 1]
        chosen_columns_by_query = np.empty((len(query_vectors), best_count), np.intp)
        for query_index, query_scores in enumerate(best_vector_scores):
            candidate_columns_of_query = np.flatnonzero(query_scores >= lowest_best_scores[query_index] - PRODUCT_TOLERANCE)
            query_scores[candidate_columns_of_query] = recompute_near_tied_scores(
                query_scores[candidate_columns_of_query],
                best_vector_indexes[query_index, candidate_columns_of_query],
                query_vectors[query_index],
                vectors,
            )
            chosen_columns_by_query[query_index] = candidate_columns_of_query[
                np.argsort(-query_scores[candidate_columns_of_query], kind="stable")
            ][:best_count]
        best_vector_scores, best_vector_indexes = (
            np.take_along_axis(best_vector_scores, chosen_columns_by_query, axis=1),
            np.take_along_axis(best_vector_indexes, chosen_columns_by_query, axis=1),
        )
    return best_vector_indexes


def recompute_near_tied_scores(
    scores: FloatArray, vector_indices: IntArray, query_vector: VectorArray, vectors: VectorArray
) -> FloatArray:
    """Return the scores with near-ties recomputed, so that rounding errors cannot change the ranking.

    The last digits of a matrix product depend on the position of a row and on the other queries. Without this function, two
    copies of the same text could come in any order.
    """
    ascending_score_order = np.argsort(scores)
    near_tie_positions = np.flatnonzero(np.diff(scores[ascending_score_order]) <= PRODUCT_TOLERANCE)
    if not len(near_tie_positions):
        return scores
    near_tied_score_indexes = ascending_score_order[np.union1d(near_tie_positions, near_tie_positions + 1)]
    # Row by row, and not as a product of matrices: equal rows have equal sums.
    exact_scores = scores.copy()
    exact_scores[near_tied_score_indexes] = (
        vectors[vector_indices[near_tied_score_indexes]].astype(float) * query_vector
    ).sum(axis=1)
    return exact_scores


# Rankings by embeddings or scores, and their fusion.


SearchMethod = Literal["embedding", "bm25", "hybrid"]

SEARCH_METHODS: tuple[SearchMethod, ...] = ("embedding", "bm25", "hybrid")


def checked_search_method(method: object) -> SearchMethod:
    """Return ``method`` if it is a valid search method. Raise InputError otherwise."""
    for valid_method in SEARCH_METHODS:
        if valid_method == method:
            return valid_method
    raise InputError(f"The search method must be one of {', '.join(SEARCH_METHODS)}; got {short_repr(method)}.")


RANK_FUSION_CONSTANT = 60
"""The constant of reciprocal rank fusion, as its authors chose it."""


class Ranking(NamedTuple):
    """Chunk numbers, best first, with their scores; chunks without a score are left out."""

    order: IntArray
    scores: FloatArray

    def ranks_by_chunk(self) -> dict[int, int]:
        """Return each chunk's rank, counted from 1, by chunk number."""
        return {int(chunk): rank for rank, chunk in enumerate(self.order, start=1)}


def rank_by_embedding(question_vector: VectorArray, vectors: VectorArray) -> Ranking:
    """Rank all chunks by their exact cosine with the question's unit vector, shape (dimension,)."""
    if not len(vectors):
        return Ranking(np.zeros(0, np.intp), np.zeros(0))
    best_first_chunk_numbers = nearest_vector_indices_per_query(question_vector[np.newaxis], vectors, len(vectors))[0]
    return Ranking(best_first_chunk_numbers, np.asarray(vectors[best_first_chunk_numbers] @ question_vector, dtype=float))


def rank_by_score(scores: FloatArray) -> Ranking:
    """Rank the chunks that have a positive score, best first.

    ``scores`` has shape (chunks,). Ties go to the earlier chunk.
    """
    best_first_chunk_numbers = np.argsort(-scores, kind="stable")
    best_first_chunk_numbers = best_first_chunk_numbers[scores[best_first_chunk_numbers] > 0]
    return Ranking(best_first_chunk_numbers, scores[best_first_chunk_numbers])


def fuse_rankings(rankings: Sequence[Ranking], chunk_count: int) -> Ranking:
    """Combine rankings by reciprocal rank fusion: a chunk's score is the sum of 1 / (60 + rank).

    ``chunk_count`` is the number of all chunks, ranked or not.

    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR, with their k of 60. Ties go to the earlier chunk.
    """
    fused_chunk_scores = np.zeros(chunk_count)
    for ranking in rankings:
        fused_chunk_scores[ranking.order] += 1 / (RANK_FUSION_CONSTANT + np.arange(1, len(ranking.order) + 1))
    return rank_by_score(fused_chunk_scores)


def reorder_first_chunks(ranking: Ranking, scores: FloatArray) -> Ranking:
    """Reorder the first chunks of a ranking by their new ``scores``, and keep the others in their order.

    The scores of the other chunks become NaN, since they are in another unit.
    """
    reranked_chunk_count = len(scores)
    rescored_best_first_order = np.argsort(-scores, kind="stable")
    nans_for_unreranked_chunks = np.full(len(ranking.order) - reranked_chunk_count, np.nan)
    return Ranking(
        np.concatenate(
            [ranking.order[:reranked_chunk_count][rescored_best_first_order], ranking.order[reranked_chunk_count:]]
        ),
        np.concatenate([scores[rescored_best_first_order], nans_for_unreranked_chunks]),
    )


# BM25 as `bm25s` computes it by default: without an embedder, for any language with words or characters of its own.


UNSPACED_SCRIPT_CHARACTERS = (
    "\u3005-\u3007\u3040-\u309f\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Han, Hiragana and Katakana, which have no spaces between words: each character is a token, as in Lucene's tokenizer."""

TOKEN_PATTERN = re.compile(rf"(?u)[{UNSPACED_SCRIPT_CHARACTERS}]|[^\W{UNSPACED_SCRIPT_CHARACTERS}]{{2,}}")
"""Pattern of a token, as in `bm25s`: two or more letters or digits in a row; one character in scripts without spaces."""

ENGLISH_LANGUAGE_CODE = "en"
"""The language, a key of `chunkers.text.language_detection.LANGUAGE_NAME_BY_CODE`, whose stop words are left out."""

STOP_WORDS = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of"),
        *("on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with"),
    ]
)
"""Lucene's stop words of English, which `bm25s` leaves out."""

BM25_K1, BM25_B = 1.5, 0.75


class Bm25:
    """BM25 index over texts, in Lucene's variant (Lù 2024, arXiv:2407.03618).

    Words are lower-cased but not stemmed, since a stemmer suits only a single language. Stop words are removed only from
    English texts.

    Parameters
    ----------
    texts
        The texts to search.
    stop_word_language
        Language code of the texts; decides whether stop words are removed.
    """

    def __init__(self, texts: Sequence[str], stop_word_language: str) -> None:
        self._stop_words = STOP_WORDS if stop_word_language == ENGLISH_LANGUAGE_CODE else frozenset()
        self._text_count = len(texts)
        tokens_by_text = [self._tokens(text) for text in texts]
        mean_text_token_count = sum(map(len, tokens_by_text)) / max(1, len(texts))
        # For each word the texts that have it, with the share of its score that its frequency in them makes.
        self._postings_by_word: dict[str, list[tuple[int, float]]] = {}
        for text_index, text_tokens in enumerate(tokens_by_text):
            for word, frequency in Counter(text_tokens).items():
                occurrences_in_text_weight = frequency / (
                    BM25_K1 * (1 - BM25_B + BM25_B * len(text_tokens) / mean_text_token_count) + frequency
                )
                self._postings_by_word.setdefault(word, []).append((text_index, occurrences_in_text_weight))

    def scores(self, question: str) -> FloatArray:
        """Return the BM25 score of every text for a question, shape (texts,); 0 for texts without any of its words."""
        relevance_score_of_each_text = np.zeros(self._text_count)
        for word in self._tokens(question):
            word_postings = self._postings_by_word.get(word, ())
            word_rarity_weight = math.log(1 + (self._text_count - len(word_postings) + 0.5) / (len(word_postings) + 0.5))
            for text_index, occurrences_in_text_weight in word_postings:
                relevance_score_of_each_text[text_index] += word_rarity_weight * occurrences_in_text_weight
        return relevance_score_of_each_text

    def _tokens(self, text: str) -> list[str]:
        return [word for word in TOKEN_PATTERN.findall(text.lower()) if word not in self._stop_words]


# A cross-encoder from a folder of this machine, which reads the question together with each chunk.


MOST_RERANKED_CHUNKS = 50
"""Number of best chunks passed to a cross-encoder, which takes time for each."""


class Reranker:
    """Local sentence-transformers cross-encoder, loaded on first use.

    Parameters
    ----------
    model_folder
        Folder of the model.
    """

    def __init__(self, model_folder: str) -> None:
        self.name = model_folder
        self._lock = threading.Lock()
        self._model: CrossEncoder | None = None

    def ensure_model_loaded(self) -> None:
        """Load the cross-encoder unless it is already loaded.

        Raises
        ------
        ModelError
            If the folder does not exist or contains no cross-encoder with one score per pair, or if a required package is
            missing.
        """
        with self._lock:
            if self._model is not None:
                return
            model_folder_path = Path(self.name).expanduser()
            if not model_folder_path.is_dir():
                raise ModelError(
                    f"{self.name}: a cross-encoder must be a folder on this machine; this folder does not exist. Check its "
                    "path."
                )
            raise_if_extra_missing("models", f"{self.name}: a cross-encoder")
            from sentence_transformers import CrossEncoder

            try:
                loaded_cross_encoder = CrossEncoder(
                    str(model_folder_path.resolve()), trust_remote_code=False, local_files_only=True
                )
            except Exception as error:
                # Depending on what is in the folder, loading raises errors of any type.
                raise ModelError(
                    f"{self.name}: the folder must contain a cross-encoder of sentence-transformers without custom code; "
                    f"loading it failed with {type(error).__name__}. Choose another folder."
                ) from error
            if loaded_cross_encoder.num_labels != 1:
                raise ModelError(
                    f"{self.name}: a cross-encoder must return one score for each pair of texts; this one returns "
                    f"{loaded_cross_encoder.num_labels}. Choose another model."
                )
            self._model = loaded_cross_encoder

    def scores(self, question: str, texts: Sequence[str]) -> FloatArray:
        """Return each text's relevance to the question, shape (texts,); higher is better.

        Raises the same errors as `ensure_model_loaded`.
        """
        self.ensure_model_loaded()
        if not texts:
            return np.zeros(0)
        with self._lock:
            assert self._model is not None
            predicted_text_relevances = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        relevance_score_of_each_text = np.asarray(predicted_text_relevances, dtype=float)
        if relevance_score_of_each_text.shape != (len(texts),) or not np.isfinite(relevance_score_of_each_text).all():
            raise ModelError(
                f"{self.name}: a cross-encoder must return one finite score for each pair of texts; this one does not. "
                "Choose another model."
            )
        return relevance_score_of_each_text
