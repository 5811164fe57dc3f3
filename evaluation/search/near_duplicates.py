"""Near-duplicate chunks: chunks that share most of their shingles, that is of their runs of words.

Source: Broder (1997), "On the resemblance of documents". Two texts are as alike as the Jaccard similarity of their sets of
shingles. All pairs are found exactly, by the prefix filter of Chaudhuri, Ganti and Kaushik (2006) and Bayardo, Ma and
Srikant (2007), without comparing each chunk with every other.

Case, punctuation and white space do not count, digits do. Scripts without spaces are read by character, as in `Bm25`, except
Thai, Khmer, Lao and Burmese, whose unspaced runs are one word each. A short chunk inside a long one is not near it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.search.ranking import UNSPACED_SCRIPT_CHARACTERS

SHINGLE_WORDS = 4
"""Words of a shingle, a usual number (Manning, Raghavan and Schütze 2008, section 19.6); a shorter text is one shingle."""

NEAR_DUPLICATE_SIMILARITY = 0.8
"""Jaccard similarity from which two chunks are near-duplicates: one changed word in 39, or four in 147."""

_WORDS = re.compile(rf"[{UNSPACED_SCRIPT_CHARACTERS}]|[^\W{UNSPACED_SCRIPT_CHARACTERS}]+")

_HASH_FACTOR = 0x9E3779B97F4A7C15
"""Odd factor of the hashes of runs."""

_ROUNDING_TOLERANCE = 1e-9
"""Tolerance for products of a share and a count that should be whole numbers."""


class NearPair(NamedTuple):
    """Two near-duplicate chunks, by number, the earlier one first, with their Jaccard similarity."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True)
class NearDuplicates:
    """Near-duplicates among chunks.

    Attributes
    ----------
    copies
        For each chunk the first chunk with the same shingles, often itself; None for a chunk without words, which is never
        a near-duplicate.
    pairs
        Pairs of near-duplicates, in ascending order. Of several chunks with the same shingles, each later chunk is paired
        with the first one, and only the first one with other chunks, so that a thousand copies are not half a million pairs.
    """

    copies: tuple[int | None, ...]
    pairs: tuple[NearPair, ...]

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Chunks joined by pairs, in ascending order; the ends of a chain of pairs may be less alike."""
        group_leader_by_chunk = list(range(len(self.copies)))

        def group_leader(chunk_number: int) -> int:
            while group_leader_by_chunk[chunk_number] != chunk_number:
                group_leader_by_chunk[chunk_number] = chunk_number = group_leader_by_chunk[
                    group_leader_by_chunk[chunk_number]
                ]
            return chunk_number

        for first_chunk_of_pair, second_chunk_number, _ in self.pairs:
            first_group_leader, second_group_leader = sorted(
                (group_leader(first_chunk_of_pair), group_leader(second_chunk_number))
            )
            group_leader_by_chunk[second_group_leader] = first_group_leader
        chunks_by_group_leader = defaultdict(list)
        for chunk_number in range(len(group_leader_by_chunk)):
            chunks_by_group_leader[group_leader(chunk_number)].append(chunk_number)
        return tuple(tuple(group) for group in chunks_by_group_leader.values() if len(group) > 1)

    def repeats_of_better_ranked_chunks(self, ranked_chunk_numbers: Iterable[int]) -> list[int]:
        """Return the chunks of a ranking, best first, that are near-duplicates of a better-ranked chunk.

        In a top k, these are the places that near-duplicates take.
        """
        better_ranked_first_copies: set[int] = set()
        repeating_chunk_numbers = []
        for ranked_chunk_number in ranked_chunk_numbers:
            first_copy_number = self.copies[ranked_chunk_number]
            if first_copy_number is None:
                continue
            if first_copy_number in better_ranked_first_copies or not better_ranked_first_copies.isdisjoint(
                self._near_duplicates_by_chunk.get(first_copy_number, frozenset())
            ):
                repeating_chunk_numbers.append(ranked_chunk_number)
            better_ranked_first_copies.add(first_copy_number)
        return repeating_chunk_numbers

    @cached_property
    def _near_duplicates_by_chunk(self) -> dict[int, frozenset[int]]:
        """Near-duplicates with other shingles, for every first chunk of its shingles that has any."""
        near_duplicates_by_chunk: dict[int, set[int]] = defaultdict(set)
        for first_chunk_number, second_chunk_number, _ in self.pairs:
            if self.copies[first_chunk_number] != self.copies[second_chunk_number]:
                near_duplicates_by_chunk[first_chunk_number].add(second_chunk_number)
                near_duplicates_by_chunk[second_chunk_number].add(first_chunk_number)
        return {chunk: frozenset(near) for chunk, near in near_duplicates_by_chunk.items()}


@dataclass(frozen=True, eq=False)
class RepeatedRuns:
    """Runs of `SHINGLE_WORDS` words that a document contains more than once; a chunk without any has no near-duplicate.

    Attributes
    ----------
    starts
        Offset of each word, in code points, ascending.
    repeated
        For each word, how many of the runs that begin before it are repeated.
    """

    starts: npt.NDArray[np.int32]
    repeated: npt.NDArray[np.int32]

    def repeated_share_of_passage(self, start: int, end: int) -> float:
        """Return the share of the runs of a passage that the document repeats; 0 for a passage shorter than one.

        Of a near-duplicate, this share is at least the Jaccard similarity.
        """
        passage_first_run_index, end_word_index = np.searchsorted(self.starts, (start, end))
        first_run_after_passage_index = end_word_index - SHINGLE_WORDS + 1
        return (
            float(self.repeated[first_run_after_passage_index] - self.repeated[passage_first_run_index])
            / (first_run_after_passage_index - passage_first_run_index)
            if first_run_after_passage_index > passage_first_run_index
            else 0.0
        )


@lru_cache(maxsize=1)
def find_repeated_word_runs(text: str) -> RepeatedRuns:
    """Return the repeated runs of a document; its chunks by many settings are compared with the same ones."""
    number_by_word: dict[str, int] = {}
    word_starts_and_numbers = [
        (word.start(), number_by_word.setdefault(word[0].lower(), len(number_by_word))) for word in _WORDS.finditer(text)
    ]
    word_start_offsets = np.array([start for start, _ in word_starts_and_numbers], np.int32)
    word_number_codes = np.array([number + 1 for _, number in word_starts_and_numbers], np.uint64)
    word_run_hashes = np.zeros(max(0, len(word_number_codes) - SHINGLE_WORDS + 1), np.uint64)
    for word_position_in_run in range(SHINGLE_WORDS):
        # Hashes: two runs with the same one only cost a comparison of chunks.
        word_run_hashes = (
            word_run_hashes * np.uint64(_HASH_FACTOR)
            + word_number_codes[word_position_in_run : word_position_in_run + len(word_run_hashes)]
        )
    _, distinct_hash_index_by_run, run_hash_counts = np.unique(word_run_hashes, return_inverse=True, return_counts=True)
    cumulative_repeated_run_counts = np.zeros(len(word_number_codes) + 1, np.int32)
    np.cumsum(
        run_hash_counts[distinct_hash_index_by_run] > 1, out=cumulative_repeated_run_counts[1 : len(word_run_hashes) + 1]
    )
    cumulative_repeated_run_counts[len(word_run_hashes) + 1 :] = cumulative_repeated_run_counts[len(word_run_hashes)]
    return RepeatedRuns(word_start_offsets, cumulative_repeated_run_counts)


def find_near_duplicate_texts(texts: Sequence[str], min_similarity: float = NEAR_DUPLICATE_SIMILARITY) -> NearDuplicates:
    """Find all near-duplicates among the texts of chunks.

    Parameters
    ----------
    texts
        The chunks' texts; the result numbers chunks by their position here.
    min_similarity
        Minimum Jaccard similarity of near-duplicates, above 0 and at most 1.
    """
    number_by_shingle: dict[tuple[str, ...], int] = {}
    first_chunk_by_shingles: dict[frozenset[int], int] = {}
    first_equal_chunk_by_chunk: list[int | None] = []
    for chunk_number, text in enumerate(texts):
        own_shingles = frozenset(number_by_shingle.setdefault(shingle, len(number_by_shingle)) for shingle in shingles(text))
        first_equal_chunk_by_chunk.append(
            first_chunk_by_shingles.setdefault(own_shingles, chunk_number) if own_shingles else None
        )
    duplicate_pairs = [
        NearPair(copy, chunk, 1.0)
        for chunk, copy in enumerate(first_equal_chunk_by_chunk)
        if copy is not None and copy != chunk
    ]
    first_chunk_by_shingles.pop(frozenset(), None)
    duplicate_pairs += _similar_pairs(
        {chunk: own_shingles for own_shingles, chunk in first_chunk_by_shingles.items()}, min_similarity
    )
    return NearDuplicates(tuple(first_equal_chunk_by_chunk), tuple(sorted(duplicate_pairs)))


def shingles(text: str) -> set[tuple[str, ...]]:
    """Return the runs of `SHINGLE_WORDS` words of a text; the whole text if it has fewer words, nothing if it has none."""
    lowercase_text_words = _WORDS.findall(text.lower())
    shingle_start_indexes = range(max(1, len(lowercase_text_words) - SHINGLE_WORDS + 1)) if lowercase_text_words else ()
    return {tuple(lowercase_text_words[start : start + SHINGLE_WORDS]) for start in shingle_start_indexes}


def _similar_pairs(shingles_by_chunk: dict[int, frozenset[int]], min_similarity: float) -> list[NearPair]:
    """Return the pairs of chunks, given as different sets of shingles, with a similarity of at least ``min_similarity``."""
    chunk_count_by_shingle = Counter(shingle for own_shingles in shingles_by_chunk.values() for shingle in own_shingles)
    shorter_chunks_by_shingle: dict[int, list[int]] = defaultdict(list)
    similar_chunk_pairs = []
    for chunk_number, own_shingles in sorted(shingles_by_chunk.items(), key=lambda item: len(item[1])):
        # Two sets that share at least this many of their shingles have one of the rarest in common, all but that number - 1.
        min_shared_shingle_count = ceil(min_similarity * len(own_shingles) - _ROUNDING_TOLERANCE)
        rarest_own_shingles = sorted(own_shingles, key=lambda shingle: (chunk_count_by_shingle[shingle], shingle))[
            : len(own_shingles) - min_shared_shingle_count + 1
        ]
        candidate_chunk_numbers = {
            other
            for shingle in rarest_own_shingles
            for other in shorter_chunks_by_shingle[shingle]
            if len(shingles_by_chunk[other]) >= min_shared_shingle_count
        }
        for other_chunk_number in candidate_chunk_numbers:
            shared_shingle_count = len(own_shingles & shingles_by_chunk[other_chunk_number])
            shingle_jaccard_similarity = shared_shingle_count / (
                len(own_shingles) + len(shingles_by_chunk[other_chunk_number]) - shared_shingle_count
            )
            if shingle_jaccard_similarity >= min_similarity - _ROUNDING_TOLERANCE:
                similar_chunk_pairs.append(
                    NearPair(
                        min(chunk_number, other_chunk_number),
                        max(chunk_number, other_chunk_number),
                        shingle_jaccard_similarity,
                    )
                )
        for shingle in rarest_own_shingles:
            shorter_chunks_by_shingle[shingle].append(chunk_number)
    return similar_chunk_pairs
