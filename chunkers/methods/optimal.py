"""Optimal partition: dynamic programming finds the one that keeps the most similar pieces together."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks import (
    add_uncut_gaps,
    build_cut_gaps_only,
    recursive_spans,
    refuse_size_yielding_excess_chunks,
    text_size_function,
)
from chunkers.building_blocks.change_point_search import backtrack_cuts
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunk, Chunking, Curve, Gap, Reason, Verdict
from chunkers.support import MOST_OPTIMAL_PIECE_RUNS, FloatArray, InputError, IntArray, VectorArray
from chunkers.text import Document, Span, word_starts

SIMILARITY_ROUNDING_ERROR = 1e-6
"""The rounding error of single precision in a similarity equal to the mean; it must not decide a tie."""

_PIECES_PER_BLOCK = 256
"""Pieces whose similarities are computed at a time; a larger block of them leaves the processor's caches."""


def mean_similarity(vectors: VectorArray) -> float:
    """Return the mean dot product over all pairs of different rows; at least two rows are required."""
    vector_count = len(vectors)
    vector_sum = vectors.sum(axis=0, dtype=np.float64)
    self_similarity_sum = float(np.einsum("ij,ij->i", vectors, vectors).sum(dtype=np.float64))
    return (float(vector_sum @ vector_sum) - self_similarity_sum) / (vector_count * (vector_count - 1))


def rewards_of_runs(vectors: VectorArray, max_run_length: int) -> FloatArray:
    """Return the rewards of runs by start and by length up to ``max_run_length``, shape (n, ``max_run_length``).

    The reward of a run past the end is -inf.
    """
    piece_count = len(vectors)
    run_reward_table = np.full((piece_count, max_run_length), -np.inf)
    run_reward_table[:, 0] = 0.0
    mean_piece_similarity = mean_similarity(vectors) if piece_count > 1 else 0.0
    for block_start_piece_index in reversed(range(0, piece_count, _PIECES_PER_BLOCK)):
        # The pairs of a run are those of the run that begins one piece later, and its first piece's with each of the others.
        cumulative_first_piece_similarities = np.cumsum(
            _excess_similarities_to_later_pieces(vectors, mean_piece_similarity, block_start_piece_index, max_run_length),
            axis=1,
        )
        for run_start in range(
            min(block_start_piece_index + _PIECES_PER_BLOCK, piece_count - 1) - 1, block_start_piece_index - 1, -1
        ):
            longest_run_length_from_start = min(max_run_length, piece_count - run_start)
            run_reward_table[run_start, 1:longest_run_length_from_start] = (
                run_reward_table[run_start + 1, : longest_run_length_from_start - 1]
                + 2
                * cumulative_first_piece_similarities[
                    run_start - block_start_piece_index, : longest_run_length_from_start - 1
                ]
            )
    return run_reward_table


def _excess_similarities_to_later_pieces(
    vectors: VectorArray, mean_piece_similarity: float, block_start_piece_index: int, max_run_length: int
) -> FloatArray:
    """Return the similarities of each piece to the pieces after it minus the mean, shape (block, longest - 1).

    Each product is added up in the same order wherever its pieces are, as no product of matrices promises: of pieces that
    are repeated, all must have the same.
    """
    piece_index_after_block = min(block_start_piece_index + _PIECES_PER_BLOCK, len(vectors))
    excess_similarities = np.zeros((piece_index_after_block - block_start_piece_index, max_run_length - 1))
    for distance_in_pieces in range(1, min(max_run_length, len(vectors) - block_start_piece_index)):
        earlier_pieces_end_index = min(piece_index_after_block, len(vectors) - distance_in_pieces)
        excess_similarities[: earlier_pieces_end_index - block_start_piece_index, distance_in_pieces - 1] = np.einsum(
            "ij,ij->i",
            vectors[block_start_piece_index:earlier_pieces_end_index],
            vectors[block_start_piece_index + distance_in_pieces : earlier_pieces_end_index + distance_in_pieces],
        )
        excess_similarities[: earlier_pieces_end_index - block_start_piece_index, distance_in_pieces - 1] -= (
            mean_piece_similarity
        )
    excess_similarities[abs(excess_similarities) < SIMILARITY_ROUNDING_ERROR] = 0.0
    return excess_similarities


@dataclass(frozen=True, eq=False)
class PartitionTable:
    """The best partitions of the first i pieces, for each i from 0 to n: the table of the dynamic program.

    Attributes
    ----------
    rewards
        Reward of each run by start and length, shape (n, longest); -inf where there is no such run.
    best_totals
        Greatest total reward of the first i pieces, shape (n + 1,).
    last_run_starts
        First piece of the last run in the best partition of the first i pieces, shape (n + 1,).
    """

    rewards: FloatArray
    best_totals: FloatArray
    last_run_starts: IntArray

    @classmethod
    def from_rewards(cls, run_rewards: FloatArray) -> "PartitionTable":
        """Fill the table from left to right; of equally good last runs, it takes the shortest."""
        piece_count = len(run_rewards)
        best_reward_by_end, run_start_by_end = np.full(piece_count + 1, -np.inf), np.zeros(piece_count + 1, np.intp)
        best_reward_by_end[0] = 0.0
        for run_start in range(piece_count):
            candidate_total_by_end = best_reward_by_end[run_start] + run_rewards[run_start, : piece_count - run_start]
            possible_run_ends_slice = slice(run_start + 1, run_start + 1 + len(candidate_total_by_end))
            better_totals_mask = candidate_total_by_end >= best_reward_by_end[possible_run_ends_slice]
            best_reward_by_end[possible_run_ends_slice][better_totals_mask] = candidate_total_by_end[better_totals_mask]
            run_start_by_end[possible_run_ends_slice][better_totals_mask] = run_start
        return cls(run_rewards, best_reward_by_end, run_start_by_end)

    def cuts(self) -> IntArray:
        """Return the first piece of each run but the first in the best partition."""
        return np.array(backtrack_cuts(self.last_run_starts), dtype=np.intp)

    def ranked_last_runs(self, piece_index_after_run: int) -> list[tuple[int, float]]:
        """Return all last runs that end before ``piece_index_after_run``, best first: (first piece, total reward)."""
        candidate_run_starts = np.arange(max(0, piece_index_after_run - self.rewards.shape[1]), piece_index_after_run)[::-1]
        total_reward_by_start = (
            self.best_totals[candidate_run_starts]
            + self.rewards[candidate_run_starts, piece_index_after_run - 1 - candidate_run_starts]
        )
        descending_reward_order = np.argsort(-total_reward_by_start, kind="stable")
        return [
            (int(candidate_run_starts[at]), float(total_reward_by_start[at]))
            for at in descending_reward_order
            if total_reward_by_start[at] > -np.inf
        ]

    def cut_gain_before_each_piece(self) -> FloatArray:
        """Return the gain in total reward from a cut before each piece from 1 to n - 1, shape (n - 1,).

        A gain is above 0 at the cuts of a unique best partition, below 0 elsewhere, and 0 if cutting and not cutting are
        equally good; +inf where every partition must cut.
        """
        piece_count = len(self.rewards)
        best_remaining_rewards = np.zeros(piece_count + 1)
        totals_without_cut = np.full(piece_count + 1, -np.inf)
        for run_start in range(piece_count - 1, -1, -1):
            run_reward_by_end = self.rewards[run_start, : piece_count - run_start]
            totals_by_run_end = (
                run_reward_by_end + best_remaining_rewards[run_start + 1 : run_start + 1 + len(run_reward_by_end)]
            )
            best_remaining_rewards[run_start] = totals_by_run_end.max()
            # The best total through the run of k + 1 pieces or more from here: those are the runs that span first + k.
            best_longer_run_totals = np.maximum.accumulate((self.best_totals[run_start] + totals_by_run_end)[::-1])[::-1]
            spanned_cuts_slice = slice(run_start + 1, run_start + len(run_reward_by_end))
            np.maximum(
                totals_without_cut[spanned_cuts_slice],
                best_longer_run_totals[1:],
                out=totals_without_cut[spanned_cuts_slice],
            )
        return np.asarray((self.best_totals + best_remaining_rewards - totals_without_cut)[1:piece_count])


class Optimal(Chunker):
    """Chunker that splits a text into small pieces and joins neighbouring pieces to maximise a total reward.

    A chunk is rewarded with the sum, over its ordered pairs of pieces, of their similarity less the mean similarity of all
    pairs; dynamic programming finds the partition of the greatest total. Source: ClusterSemanticChunker of Chroma's report.
    A piece that is rewarded as much alone as joined stays alone; Chroma's code then falls back to one chunk from the
    start of the text, which can exceed the size. Pieces may be whole sentences instead of Chroma's, of about equal size.
    """

    name: ClassVar[str] = "optimal"
    title: ClassVar[str] = "Optimal"
    idea: ClassVar[str] = "Weighs all ways to cut the text, and takes the one that keeps the most alike together."
    source: ClassVar[str] = "Chroma technical report (2024), ClusterSemanticChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\max_{\text{partitions}} \; \sum_{c} \sum_{i \neq j \in c} \left( e_i \cdot e_j - \bar{s} "
        r"\right), \\ &|c| \le \lfloor \text{maximum} / \text{piece} \rfloor \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$c$ a chunk; $e_i$ vector of piece $i$; $\bar{s}$ mean similarity of all pairs; $|c|$ number of pieces"
    )
    failure: ClassVar[str] = (
        "Measures against the text's own mean: a text of one subject is cut all the same, and a subject "
        "longer than the maximum too."
    )
    embeds: ClassVar[bool] = True

    max_size: int = Field(
        400,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="A chunk holds as many pieces as fit into this; a longer sentence is a chunk of its own.",
        json_schema_extra={"unit": "tokens", "step": 50, "offered": [50, 2000], "main": True},
    )
    pieces: Literal["recursive", "sentences"] = Field(
        "recursive",
        title="Piece type",
        description="Pieces of about equal size from the recursive chunker, as Chroma has them, or whole sentences.",
        json_schema_extra={"main": True},
    )
    piece_size: int = Field(
        50,
        ge=1,
        le=100_000,
        title="Piece size",
        description="The most that a piece of the recursive chunker may hold; no larger than the maximum size.",
        json_schema_extra={"unit": "tokens", "step": 5, "offered": [10, 200], "main": True},
    )

    @model_validator(mode="after")
    def _check_piece_size(self) -> Self:
        if self.pieces == "recursive" and self.piece_size > self.max_size:
            raise ValueError(
                f"piece_size must be at most max_size ({self.max_size}); got {self.piece_size}. Lower piece_size or raise "
                "max_size."
            )
        return self

    @property
    def most_pieces_per_chunk(self) -> int:
        """Maximum number of pieces in a chunk, for pieces cut by the recursive chunker."""
        return self.max_size // self.piece_size

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect: the piece size, if the pieces are sentences."""
        return frozenset({"piece_size"} if self.pieces == "sentences" else ())

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        piece_kind_phrase = "whole sentences" if self.pieces == "sentences" else f"pieces of {self.piece_size:,}"
        return f"at most {self.max_size:,} tokens, in {piece_kind_phrase}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document into small pieces and join them into the partition with the greatest total reward.

        Raises
        ------
        InputError
            If the search is too much work for the number of pieces in the text and in a chunk.
        """
        piece_offset_ranges, partition_table = self.pieces_and_partition_table(document, tools)
        if not piece_offset_ranges:
            return Chunking(document, (), ())
        chunk_start_piece_indices = partition_table.cuts().tolist()
        gaps = self._all_gaps(
            document, piece_offset_ranges, chunk_start_piece_indices, partition_table.cut_gain_before_each_piece()
        )
        chunk_edge_piece_indices = [0, *chunk_start_piece_indices, len(piece_offset_ranges)]
        chunk_spans = [
            Span(piece_offset_ranges[first][0], piece_offset_ranges[last - 1][1])
            for first, last in pairwise(chunk_edge_piece_indices)
        ]
        gap_gains = tuple(math.nan if gap.score is None else gap.score for gap in gaps if gap.offset is None)
        cut_gain_curve = Curve("gain of a cut over the best partition without it", gap_gains, (), cut_above=True, live=False)
        return Chunking(document, tuple(Chunk.of(document, span) for span in chunk_spans), gaps, curves=(cut_gain_curve,))

    def pieces_and_partition_table(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], PartitionTable]:
        """Return the pieces, as offsets, and the table of their best partitions; raises as `chunk` does."""
        piece_offset_ranges, max_run_length_by_piece = (
            self._sentences_and_run_limits(document, tools)
            if self.pieces == "sentences"
            else self._pieces_and_run_limits(document, tools)
        )
        if not piece_offset_ranges:
            return [], PartitionTable.from_rewards(np.zeros((0, 1)))
        piece_vectors = tools.embed([document.text[start:end] for start, end in piece_offset_ranges])
        run_reward_table = rewards_of_runs(piece_vectors, int(max_run_length_by_piece.max()))
        run_reward_table[np.arange(run_reward_table.shape[1]) >= max_run_length_by_piece[:, None]] = -np.inf
        return piece_offset_ranges, PartitionTable.from_rewards(run_reward_table)

    def _pieces_and_run_limits(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], IntArray]:
        """Return the pieces of the recursive chunker, and for each the most pieces of a chunk that begins with it."""
        refuse_size_yielding_excess_chunks(self.name, document.text, self.piece_size, "tokens")
        # A word has a token, but for the few without any, so there are no fewer pieces.
        piece_count_lower_bound = len(word_starts(document.text)) // self.piece_size
        self._check_run_count(piece_count_lower_bound, min(self.most_pieces_per_chunk, piece_count_lower_bound), "at least ")
        piece_spans = recursive_spans(document.text, self.piece_size, 0, text_size_function("tokens", tools), "chroma")
        most_pieces_per_chunk = min(self.most_pieces_per_chunk, len(piece_spans))
        self._check_run_count(len(piece_spans), most_pieces_per_chunk)
        return piece_spans, np.full(len(piece_spans), most_pieces_per_chunk)

    def _sentences_and_run_limits(self, document: Document, tools: Tools) -> tuple[list[tuple[int, int]], IntArray]:
        """Return the sentences, and for each the most sentences of a chunk that begins with it."""
        sentence_ranges = [(start, end) for start, end in document.sentences]
        cumulative_token_counts = np.cumsum([0, *tools.count_tokens(document.sentence_texts)])
        fitting_sentence_counts = (
            np.searchsorted(cumulative_token_counts, cumulative_token_counts[:-1] + self.max_size, side="right")
            - 1
            - np.arange(len(sentence_ranges))
        )
        # Sentences without a token fit anywhere, those that are too long stand alone.
        max_run_length_by_sentence = np.clip(
            fitting_sentence_counts, 1, len(sentence_ranges) - np.arange(len(sentence_ranges))
        )
        self._check_run_count(len(sentence_ranges), int(max_run_length_by_sentence.max(initial=0)))
        return sentence_ranges, max_run_length_by_sentence

    def _check_run_count(self, piece_count: int, longest_run_length: int, piece_count_qualifier: str = "") -> None:
        """Raise InputError if there are too many runs of at most ``longest_run_length`` pieces."""
        if piece_count * longest_run_length > MOST_OPTIMAL_PIECE_RUNS:
            raise InputError(
                f"optimal: pieces in the text × pieces in the largest chunk must be at most {MOST_OPTIMAL_PIECE_RUNS:,}; "
                "this text has "
                f"{piece_count_qualifier}{piece_count:,} pieces, and its largest chunk up to {longest_run_length:,}. "
                "Choose a larger piece size."
            )

    def _all_gaps(
        self,
        document: Document,
        piece_offset_ranges: list[tuple[int, int]],
        chunk_start_piece_indices: list[int],
        cut_gains: FloatArray,
    ) -> tuple[Gap, ...]:
        """Return a gap for each pair of neighbouring sentences, and for each cut inside one."""
        gain_by_piece_start = {
            start: gain for (start, _), gain in zip(piece_offset_ranges[1:], cut_gains.tolist(), strict=True)
        }
        chunk_start_offsets = [piece_offset_ranges[cut][0] for cut in chunk_start_piece_indices]
        uncut_piece_starts = sorted(gain_by_piece_start.keys() - {*chunk_start_offsets})
        gaps_at_piece_starts = [
            *build_cut_gaps_only(
                document,
                chunk_start_offsets,
                Verdict.CUT,
                lambda start: self._explain_verdict_by_gain(gain_by_piece_start[start], True),
            ),
            *build_cut_gaps_only(
                document,
                uncut_piece_starts,
                Verdict.KEPT,
                lambda start: self._explain_verdict_by_gain(gain_by_piece_start[start], False),
            ),
        ]
        cut_or_sentence_gaps = [gap for gap in gaps_at_piece_starts if gap.verdict.is_cut or gap.offset is None]
        decided_and_uncut_gaps = add_uncut_gaps(
            document, cut_or_sentence_gaps, Reason(remark=f"inside a piece of at most {self.piece_size:,} tokens")
        )
        gap_cut_gains = [gain_by_piece_start.get(gap.start_after(document), math.inf) for gap in decided_and_uncut_gaps]
        return tuple(
            gap._replace(score=score if math.isfinite(score) else None, threshold=0.0)
            for gap, score in zip(decided_and_uncut_gaps, gap_cut_gains, strict=True)
        )

    def _explain_verdict_by_gain(self, cut_gain: float, is_cut: bool) -> Reason:
        if math.isinf(cut_gain):
            limit_phrase = (
                f"{self.most_pieces_per_chunk:,} pieces" if self.pieces == "recursive" else f"{self.max_size:,} tokens"
            )
            cut_gain_remark = f"a chunk may hold {limit_phrase}, so every partition cuts here"
        elif is_cut:
            cut_gain_remark = f"the best partition with this cut gains {cut_gain:.2f} over the best without"
        else:
            cut_gain_remark = f"the best partition with a cut here loses {-cut_gain:.2f} against the best without"
        return Reason(remark=cut_gain_remark)
