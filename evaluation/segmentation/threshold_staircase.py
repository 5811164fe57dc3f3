"""The staircase: the chunks of a document at every amount of the slider, and the stretches without change."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from chunkers import Breakpoint, Chunking, Document
from chunkers.building_blocks.thresholds import mark_scores_passing_level
from chunkers.support import IntArray, format_number, pluralize

MIN_FLAT_STRETCH_AMOUNTS = 4
"""Minimum number of consecutive amounts with the same cuts that count as a flat stretch."""


@dataclass(frozen=True)
class Stretch:
    """Range of threshold amounts, from ``low`` to ``high``, that give the same chunks."""

    low: float
    high: float
    chunks: int

    def in_words(self) -> str:
        """Return a phrase on the range of threshold amounts that give the same chunks."""
        chunk_count_phrase = pluralize(self.chunks, "chunk")
        return f"between {format_number(self.low)} and {format_number(self.high)} nothing changes: {chunk_count_phrase}"


@dataclass(frozen=True)
class Staircase:
    """Number of chunks and their median and largest size in characters, for every threshold amount.

    ``flat_stretches`` holds the ranges of at least `MIN_FLAT_STRETCH_AMOUNTS` amounts that give the same chunks.
    """

    amounts: tuple[float, ...]
    chunks: tuple[int, ...]
    median: tuple[float, ...]
    largest: tuple[int, ...]
    flat_stretches: tuple[Stretch, ...]

    def flat_stretch_containing(self, amount: float) -> Stretch | None:
        """Return the range in ``flat_stretches`` that contains ``amount``; None if there is none."""
        return next((stretch for stretch in self.flat_stretches if stretch.low <= amount <= stretch.high), None)


def chunk_sizes_by_threshold(
    document: Document, chunker: Breakpoint, scores: Sequence[float], run_chunker: Callable[[Breakpoint], Chunking]
) -> Staircase:
    """Return the number and the sizes of the chunks at every slider position of the threshold amount.

    Parameters
    ----------
    document
        The document, of at least one sentence.
    chunker
        The chunker; its amount is ignored.
    scores
        Scores of the document's gaps, NaN where undefined.
    run_chunker
        Cuts the document. It is called once for each set of candidates, and only if sizes are constrained; otherwise the
        candidates are the cuts.
    """
    threshold_slider_amounts = next(spec for spec in chunker.fields(chunker.model_dump()) if spec.name == "amount").stops
    gap_score_array = np.asarray(scores, dtype=np.float64)
    threshold_level_by_amount = chunker.levels("amount", threshold_slider_amounts, scores)
    chunker_size_limits = chunker.limits
    chunk_sizes_by_candidate_cuts: dict[bytes, IntArray] = {}
    chunk_sizes_by_amount: list[IntArray] = []
    for amount, threshold_score in zip(threshold_slider_amounts, threshold_level_by_amount, strict=True):
        # A comparison with NaN is false: such a gap is no candidate.
        is_candidate_cut_at = chunker.selected_threshold_rule.passes(gap_score_array, threshold_score)
        candidate_cuts_key = is_candidate_cut_at.tobytes()
        if candidate_cuts_key not in chunk_sizes_by_candidate_cuts:
            if chunker_size_limits.least is None and chunker_size_limits.most is None:
                chunk_sizes_by_candidate_cuts[candidate_cuts_key] = _measure_chunk_lengths_in_characters(
                    document, is_candidate_cut_at
                )
            else:
                chunks_cut_at_amount = run_chunker(chunker.model_copy(update={"amount": amount})).chunks
                chunk_sizes_by_candidate_cuts[candidate_cuts_key] = np.array(
                    [chunk.end - chunk.start for chunk in chunks_cut_at_amount]
                )
        chunk_sizes_by_amount.append(chunk_sizes_by_candidate_cuts[candidate_cuts_key])
    return Staircase(
        tuple(threshold_slider_amounts),
        tuple(len(lengths) for lengths in chunk_sizes_by_amount),
        tuple(float(np.median(lengths)) for lengths in chunk_sizes_by_amount),
        tuple(int(lengths.max()) for lengths in chunk_sizes_by_amount),
        tuple(_threshold_ranges_with_equal_chunks(threshold_slider_amounts, chunk_sizes_by_amount)),
    )


def _measure_chunk_lengths_in_characters(document: Document, is_cut_after_sentence: npt.NDArray[np.bool_]) -> IntArray:
    """Return the length of every chunk in characters, if the document is cut where ``is_cut_after_sentence`` is true."""
    sentence_starts, sentence_ends = np.asarray(document.sentences, dtype=np.int64).T
    sentence_indexes_before_cuts = np.flatnonzero(is_cut_after_sentence)
    chunk_lengths: IntArray = np.append(sentence_ends[sentence_indexes_before_cuts], sentence_ends[-1]) - np.append(
        sentence_starts[0], sentence_starts[sentence_indexes_before_cuts + 1]
    )
    return chunk_lengths


def _threshold_ranges_with_equal_chunks(
    amounts: Sequence[float], chunk_sizes_by_amount: Sequence[IntArray]
) -> list[Stretch]:
    """Return the long stretches with equal sizes in the same order, which means equal chunks."""
    amount_ranges_with_equal_chunks = []
    for shared_chunk_sizes_key, amount_size_pairs in groupby(
        zip(amounts, chunk_sizes_by_amount, strict=True), key=lambda pair: pair[1].tobytes()
    ):
        amounts_with_equal_chunks = [amount for amount, _ in amount_size_pairs]
        if len(amounts_with_equal_chunks) >= MIN_FLAT_STRETCH_AMOUNTS:
            amount_ranges_with_equal_chunks.append(
                Stretch(
                    amounts_with_equal_chunks[0],
                    amounts_with_equal_chunks[-1],
                    len(shared_chunk_sizes_key) // chunk_sizes_by_amount[0].itemsize,
                )
            )
    return amount_ranges_with_equal_chunks


@dataclass(frozen=True)
class ScoreHistogram:
    """Histogram of gap scores; ``edges`` has one more entry than the counts.

    Gaps whose score passes the threshold are counted in ``candidate_counts``, others in ``uncut_counts``.
    """

    edges: tuple[float, ...]
    uncut_counts: tuple[int, ...]
    candidate_counts: tuple[int, ...]


MOST_HISTOGRAM_BINS = 60
"""Maximum number of bars of the histogram."""

SCORE_DECIMALS = 9
"""Decimal places to which the histogram rounds a score."""


def score_histogram(scores: Sequence[float], level: float, is_cutting_high_scores: bool) -> ScoreHistogram:
    """Return a histogram of the gap scores, ignoring undefined scores.

    The bin width is by Freedman-Diaconis or Sturges, whichever is narrower, with at most `MOST_HISTOGRAM_BINS` bins.
    """
    defined_gap_scores = np.array([score for score in scores if not math.isnan(score)])
    passing_score_mask = mark_scores_passing_level(defined_gap_scores, level, is_cutting_high_scores)
    # Between scores that differ only by the rounding of their computation there is no room for bins.
    rounded_gap_scores = np.round(defined_gap_scores, SCORE_DECIMALS)
    score_bin_edges = np.histogram_bin_edges(rounded_gap_scores, "auto")
    if len(score_bin_edges) - 1 > MOST_HISTOGRAM_BINS:
        score_bin_edges = np.histogram_bin_edges(rounded_gap_scores, MOST_HISTOGRAM_BINS)
    failing_score_counts_by_bin, passing_score_counts_by_bin = (
        np.histogram(rounded_gap_scores[side], score_bin_edges)[0] for side in (~passing_score_mask, passing_score_mask)
    )
    return ScoreHistogram(
        tuple(score_bin_edges.tolist()),
        tuple(failing_score_counts_by_bin.tolist()),
        tuple(passing_score_counts_by_bin.tolist()),
    )
