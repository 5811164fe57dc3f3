"""Measures of a segmentation against known boundaries, and the trivial baselines to compare them with.

A segmentation of ``units`` sentences or characters is the sorted places 1..units - 1 before which a segment begins. Where a
measure has no value, such as a precision without a single boundary, it says why instead of giving a number.
"""

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from chunkers import Chunking, Document, Gap, Reason, Verdict
from chunkers.support import FloatArray, IntArray


@dataclass(frozen=True)
class Score:
    """Value of a measure, or the reason why it is undefined."""

    value: float | None
    undefined: str = ""

    @classmethod
    def undefined_score_with_reason(cls, why: str) -> "Score":
        """Return a score without a value, with the reason why it is undefined."""
        return cls(None, why)

    def __str__(self) -> str:
        return f"{self.value:.3g}" if self.value is not None else f"undefined: {self.undefined}"


@dataclass(frozen=True)
class Segmentation:
    """Segmentation of a text, in units of sentences or characters.

    Attributes
    ----------
    units
        Number of sentences or characters.
    boundaries
        Distinct positions from 1 to units - 1, ascending.

    Raises
    ------
    ValueError
        If a boundary is out of range or out of order.
    """

    units: int
    boundaries: tuple[int, ...]

    def __post_init__(self) -> None:
        if list(self.boundaries) != sorted(set(self.boundaries)):
            raise ValueError(f"boundaries must be in ascending order, each once; got {self.boundaries}.")
        if self.boundaries and not (self.boundaries[0] >= 1 and self.boundaries[-1] < self.units):
            raise ValueError(f"boundaries must lie between 1 and {self.units - 1}; got {self.boundaries}.")

    @property
    def mean_length(self) -> float:
        """Mean number of units, such as sentences, in a segment."""
        return self.units / (len(self.boundaries) + 1)

    def cumulative_boundary_counts(self) -> IntArray:
        """Return the number of boundaries at or before each unit, such as a sentence, shape (units,)."""
        is_unit_after_boundary = np.zeros(self.units, dtype=np.intp)
        is_unit_after_boundary[list(self.boundaries)] = 1
        return np.cumsum(is_unit_after_boundary)


def segmentation_in_sentences(document: Document, offsets: Iterable[int]) -> Segmentation:
    """Return a segmentation in sentences, with each boundary moved to the nearer end of its sentence.

    An offset that moves to the beginning or the end of the document is dropped.
    """
    first_sentences_after_boundaries = set()
    for offset in offsets:
        offset_sentence_index = max(document.sentence_at(offset), 0)
        sentence_start, sentence_end = document.sentences[offset_sentence_index]
        first_sentences_after_boundaries.add(
            offset_sentence_index if offset - sentence_start <= sentence_end - offset else offset_sentence_index + 1
        )
    sentence_count = len(document.sentences)
    return Segmentation(
        sentence_count, tuple(sorted(place for place in first_sentences_after_boundaries if 0 < place < sentence_count))
    )


def cut_offsets(chunking: Chunking) -> list[int]:
    """Return the offsets, in code points, at which the spans of the chunks begin, except the first."""
    return sorted({span.start for chunk in chunking.chunks for span in chunk.spans})[1:]


def window_size_for_pk(reference: Segmentation) -> int:
    """Return the window size k of Pk and WindowDiff: half the reference's mean segment length, rounded, at least 1."""
    return max(1, round(reference.mean_length / 2))


_UNDEFINED_WITHOUT_BOUNDARIES_REASON = "no boundary is known"


def _boundaries_per_window(reference: Segmentation, segmentation: Segmentation) -> tuple[IntArray, IntArray] | Score:
    """Count the boundaries of both segmentations in each window of k gaps, or return the reason why there are no windows."""
    _check_same_units(reference, segmentation)
    window_gap_count = window_size_for_pk(reference)
    if not reference.boundaries:
        return Score.undefined_score_with_reason(_UNDEFINED_WITHOUT_BOUNDARIES_REASON)
    if reference.units <= window_gap_count:
        return Score.undefined_score_with_reason(f"{reference.units} units are too few for a window of {window_gap_count}")
    cumulative_reference_counts, cumulative_segmentation_counts = (
        reference.cumulative_boundary_counts(),
        segmentation.cumulative_boundary_counts(),
    )
    return cumulative_reference_counts[window_gap_count:] - cumulative_reference_counts[
        :-window_gap_count
    ], cumulative_segmentation_counts[window_gap_count:] - cumulative_segmentation_counts[:-window_gap_count]


def pk(reference: Segmentation, segmentation: Segmentation) -> Score:
    """Return Pk: the share of windows whose ends are in the same segment in only one of two segmentations.

    Source: Beeferman et al. (1999).
    """
    window_boundaries_or_undefined_score = _boundaries_per_window(reference, segmentation)
    return (
        window_boundaries_or_undefined_score
        if isinstance(window_boundaries_or_undefined_score, Score)
        else Score(
            float(np.mean((window_boundaries_or_undefined_score[0] > 0) != (window_boundaries_or_undefined_score[1] > 0)))
        )
    )


def window_diff(reference: Segmentation, segmentation: Segmentation) -> Score:
    """Return WindowDiff: the share of windows in which two segmentations have different numbers of boundaries.

    Source: Pevzner and Hearst (2002).
    """
    window_counts_or_undefined_score = _boundaries_per_window(reference, segmentation)
    return (
        window_counts_or_undefined_score
        if isinstance(window_counts_or_undefined_score, Score)
        else Score(float(np.mean(window_counts_or_undefined_score[0] != window_counts_or_undefined_score[1])))
    )


def count_matching_boundaries(reference_boundaries: Sequence[int], boundaries: Sequence[int], tolerance: int) -> int:
    """Return the size of a maximum one-to-one matching of boundaries that are at most ``tolerance`` apart.

    Greedy matching from the left is optimal here, since no later partner could be better for the first boundary.
    """
    match_count = reference_boundary_index = 0
    for boundary in boundaries:
        while (
            reference_boundary_index < len(reference_boundaries)
            and reference_boundaries[reference_boundary_index] < boundary - tolerance
        ):
            reference_boundary_index += 1
        if (
            reference_boundary_index < len(reference_boundaries)
            and reference_boundaries[reference_boundary_index] <= boundary + tolerance
        ):
            match_count += 1
            reference_boundary_index += 1
    return match_count


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision, recall and F1 of boundaries."""

    precision: Score
    recall: Score
    f1: Score


def boundary_precision_recall(reference: Segmentation, segmentation: Segmentation, tolerance: int = 0) -> PrecisionRecall:
    """Return precision, recall and F1 of boundaries that are matched one to one, at most ``tolerance`` units apart."""
    _check_same_units(reference, segmentation)
    matched_boundary_count = count_matching_boundaries(reference.boundaries, segmentation.boundaries, tolerance)
    boundary_precision = (
        Score(matched_boundary_count / len(segmentation.boundaries))
        if segmentation.boundaries
        else Score.undefined_score_with_reason("no boundary was found")
    )
    boundary_recall = (
        Score(matched_boundary_count / len(reference.boundaries))
        if reference.boundaries
        else Score.undefined_score_with_reason(_UNDEFINED_WITHOUT_BOUNDARIES_REASON)
    )
    total_boundary_count = len(reference.boundaries) + len(segmentation.boundaries)
    boundary_f1 = (
        Score(2 * matched_boundary_count / total_boundary_count)
        if total_boundary_count
        else Score.undefined_score_with_reason("there is no boundary in either")
    )
    return PrecisionRecall(boundary_precision, boundary_recall, boundary_f1)


def boundary_similarity(reference: Segmentation, segmentation: Segmentation, move_limit: int = 2) -> Score:
    """Return Fournier's boundary similarity B; boundaries less than ``move_limit`` units apart count as moved.

    Source: Fournier (2013).

    B = 1 - (missing + moved distance / move limit) / (missing + moved + matching).
    """
    _check_same_units(reference, segmentation)
    reference_only_boundaries = set(reference.boundaries) - set(segmentation.boundaries)
    segmentation_only_boundaries = set(segmentation.boundaries) - set(reference.boundaries)
    identical_boundary_count = len(reference.boundaries) - len(reference_only_boundaries)
    moved_distances: list[int] = []
    for move_distance_in_units in range(1, move_limit):
        for boundary in sorted(reference_only_boundaries | segmentation_only_boundaries):
            for set_holding_earlier_boundary, set_holding_later_boundary in (
                (reference_only_boundaries, segmentation_only_boundaries),
                (segmentation_only_boundaries, reference_only_boundaries),
            ):
                if (
                    boundary in set_holding_earlier_boundary
                    and boundary + move_distance_in_units in set_holding_later_boundary
                ):
                    set_holding_earlier_boundary.discard(boundary)
                    set_holding_later_boundary.discard(boundary + move_distance_in_units)
                    moved_distances.append(move_distance_in_units)
    unmatched_boundary_count = len(reference_only_boundaries) + len(segmentation_only_boundaries)
    edit_and_match_count = unmatched_boundary_count + len(moved_distances) + identical_boundary_count
    if not edit_and_match_count:
        return Score.undefined_score_with_reason("there is no boundary in either")
    return Score(1 - (unmatched_boundary_count + sum(moved_distances) / move_limit) / edit_and_match_count)


@dataclass(frozen=True)
class MisassignedUnits:
    """Sentences or characters that lie outside the chunk matched to their section.

    Attributes
    ----------
    units
        Numbers of the misassigned units, ascending.
    chunk_by_section
        Chunk matched to each section, one to one.
    """

    units: tuple[int, ...]
    chunk_by_section: dict[int, int]


def find_misassigned_units(
    section_of_each_unit: Sequence[int], chunk_of_each_unit: Sequence[int | None]
) -> MisassignedUnits:
    """Match sections to chunks one to one by largest overlap, and return the units outside their section's chunk.

    Source: Qu et al., figures 6 and 7. A chunk need not be contiguous. A unit whose chunk is None is outside every match.
    """
    if len(section_of_each_unit) != len(chunk_of_each_unit):
        raise ValueError(
            f"sections and chunks must have the same length; got {len(section_of_each_unit)} and {len(chunk_of_each_unit)}."
        )
    if not section_of_each_unit:
        return MisassignedUnits((), {})
    section_and_chunk_of_units = [
        (section, chunk)
        for section, chunk in zip(section_of_each_unit, chunk_of_each_unit, strict=True)
        if chunk is not None
    ]
    unit_counts_by_section_chunk = np.zeros(
        (max(section_of_each_unit) + 1, max((chunk for _, chunk in section_and_chunk_of_units), default=0) + 1),
        dtype=np.intp,
    )
    np.add.at(unit_counts_by_section_chunk, tuple(zip(*section_and_chunk_of_units, strict=True)) or ([], []), 1)
    chunk_by_matched_section = find_assignment_with_largest_sum(unit_counts_by_section_chunk)
    misassigned_unit_numbers = [
        unit
        for unit, (section, chunk) in enumerate(zip(section_of_each_unit, chunk_of_each_unit, strict=True))
        if chunk is None or chunk_by_matched_section.get(section) != chunk
    ]
    return MisassignedUnits(tuple(misassigned_unit_numbers), chunk_by_matched_section)


def segment_numbers(segmentation: Segmentation) -> list[int]:
    """Return the number of the segment that contains each unit, such as a sentence."""
    segment_number_by_unit: list[int] = segmentation.cumulative_boundary_counts().tolist()
    return segment_number_by_unit


def chunk_number_per_sentence(chunking: Chunking) -> list[int | None]:
    """Return the number of the chunk in which each sentence begins; the first such chunk if chunks overlap.

    If no chunk contains the first character of a sentence, the sentence belongs to the first chunk that overlaps it. It
    belongs to None if no chunk does, since chunkers of other libraries sometimes lose text.
    """
    spans_with_chunk_numbers = sorted(
        (span.start, span.end, number) for number, chunk in enumerate(chunking.chunks) for span in chunk.spans
    )
    chunk_numbers: list[int | None] = []
    next_span_index = 0
    open_span_indexes: list[int] = []
    for sentence_start, sentence_end in chunking.document.sentences:
        while (
            next_span_index < len(spans_with_chunk_numbers)
            and spans_with_chunk_numbers[next_span_index][0] <= sentence_start
        ):
            heappush(open_span_indexes, next_span_index)
            next_span_index += 1
        # A span that ended before this sentence has ended before all that follow.
        while open_span_indexes and spans_with_chunk_numbers[open_span_indexes[0]][1] <= sentence_start:
            heappop(open_span_indexes)
        if open_span_indexes:
            chunk_numbers.append(spans_with_chunk_numbers[open_span_indexes[0]][2])
        else:
            chunk_numbers.append(
                spans_with_chunk_numbers[next_span_index][2]
                if next_span_index < len(spans_with_chunk_numbers)
                and spans_with_chunk_numbers[next_span_index][0] < sentence_end
                else None
            )
    return chunk_numbers


def mixed_chunk_section_counts(chunking: Chunking, known_boundaries: Sequence[int]) -> dict[int, int]:
    """Return the number of sections in each chunk that overlaps several sections, keyed by chunk number.

    Parameters
    ----------
    known_boundaries
        Ascending offsets, in code points, at which the sections after the first begin.
    """
    section_count_by_chunk = {}
    for chunk_number, chunk in enumerate(chunking.chunks):
        overlapped_section_numbers: set[int] = set()
        for start, chunk_span_end in chunk.spans:
            overlapped_section_numbers.update(
                range(bisect_right(known_boundaries, start), bisect_right(known_boundaries, chunk_span_end - 1) + 1)
            )
        if len(overlapped_section_numbers) > 1:
            section_count_by_chunk[chunk_number] = len(overlapped_section_numbers)
    return section_count_by_chunk


@dataclass(frozen=True)
class CrossingChunks:
    """Number of chunks that contain text of more than one section."""

    count: int
    share: Score


def count_crossing_chunks(known_boundaries: Sequence[int], chunking: Chunking) -> CrossingChunks:
    """Count the chunks that cross a known boundary, given as an offset in code points."""
    if not chunking.chunks:
        return CrossingChunks(0, Score.undefined_score_with_reason("there is no chunk"))
    if not known_boundaries:
        return CrossingChunks(0, Score.undefined_score_with_reason(_UNDEFINED_WITHOUT_BOUNDARIES_REASON))
    crossing_chunk_count = len(mixed_chunk_section_counts(chunking, sorted(known_boundaries)))
    return CrossingChunks(crossing_chunk_count, Score(crossing_chunk_count / len(chunking.chunks)))


def _check_same_units(reference: Segmentation, segmentation: Segmentation) -> None:
    if reference.units != segmentation.units:
        raise ValueError(
            f"both segmentations must have the same number of units; got {reference.units} and {segmentation.units}."
        )


# The measures of a segmentation against known boundaries that are shown together, as no one of them says enough.


BOUNDARY_MEASURES_EXPLAINED = {
    "Precision": "Share of the cuts that are at known boundaries; higher is better.",
    "Recall": "Share of the known boundaries at which it cuts; higher is better.",
    "Similarity": "Boundary similarity, Fournier's B: a cut one sentence away counts half; higher is better.",
    "Pk": "Share of windows whose two ends are in one section and in two chunks, or the reverse; lower is better.",
    "WindowDiff": "Share of windows with another number of boundaries; lower is better.",
}
"""Description of each measure."""


def boundary_scores(reference: Segmentation, segmentation: Segmentation) -> dict[str, Score]:
    """Return the scores of boundaries against a reference, one for each measure in `BOUNDARY_MEASURES_EXPLAINED`.

    Raises ValueError if the segmentations have different numbers of units.
    """
    boundary_match_scores = boundary_precision_recall(reference, segmentation)
    return {
        "Precision": boundary_match_scores.precision,
        "Recall": boundary_match_scores.recall,
        "Similarity": boundary_similarity(reference, segmentation),
        "Pk": pk(reference, segmentation),
        "WindowDiff": window_diff(reference, segmentation),
    }


def explain_why_no_cut_wins(reference: Segmentation, segmentations: Sequence[Segmentation]) -> str:
    """Return an explanation if making no cut has a lower Pk than every result; otherwise an empty string."""
    no_cut_pk = pk(reference, Segmentation(reference.units, ())).value
    pk_values_with_cuts = [pk(reference, segmentation).value for segmentation in segmentations if segmentation.boundaries]
    if (
        no_cut_pk is None
        or not pk_values_with_cuts
        or any(value is None or value <= no_cut_pk for value in pk_values_with_cuts)
    ):
        return ""
    pk_window_size = window_size_for_pk(reference)
    distance_from_boundary_phrase = (
        f"less than {pk_window_size / 2:g} sentences from a known boundary"
        if pk_window_size > 1
        else "exactly at a known boundary"
    )
    return (
        f"No cut has a lower Pk than every column ({no_cut_pk:.2f}). Pk compares the two ends of windows of "
        f"{pk_window_size:,} sentence{'s' * (pk_window_size != 1)}: a cut lowers it only {distance_from_boundary_phrase}, "
        "and one "
        "farther off raises it. Where few boundaries are found, it is best by Pk not to cut at all, which finds none: read "
        "precision and recall."
    )


# Rows and columns matched one to one: the linear assignment problem, by shortest augmenting paths.


def find_assignment_with_largest_sum(values: IntArray) -> dict[int, int]:
    """Return the one-to-one assignment of a matrix's columns to its rows with the largest sum of ``values``."""
    if len(values) > values.shape[1]:
        return {
            row: column
            for column, row in sorted(find_assignment_with_largest_sum(values.T).items(), key=lambda pair: pair[1])
        }
    assignment_cost_matrix = -values.astype(np.float64)
    row_count, column_count = assignment_cost_matrix.shape
    row_prices, column_prices = np.zeros(row_count), np.zeros(column_count)
    column_of_row, row_of_column = np.full(row_count, -1), np.full(column_count, -1)
    for row in range(row_count):
        _add_row_to_assignment(row, assignment_cost_matrix, row_prices, column_prices, column_of_row, row_of_column)
    return dict(enumerate(column_of_row.tolist()))


def _add_row_to_assignment(
    row_index: int,
    costs: FloatArray,
    row_prices: FloatArray,
    column_prices: FloatArray,
    column_of_row: IntArray,
    row_of_column: IntArray,
) -> None:
    """Assign one more row, by the shortest path from it to a column that is free."""
    column_count = costs.shape[1]
    # The last is looked at first, so that rows which are all alike take the columns in order.
    unvisited_columns = np.arange(column_count)[::-1].copy()
    shortest_path_costs, previous_row_by_column = np.full(column_count, np.inf), np.full(column_count, -1)
    seen_row_indexes, seen_column_indexes = [], []
    current_row_index, path_cost = row_index, 0.0
    while True:
        seen_row_indexes.append(current_row_index)
        path_costs_via_current_row = (
            path_cost
            + costs[current_row_index, unvisited_columns]
            - row_prices[current_row_index]
            - column_prices[unvisited_columns]
        )
        is_path_shorter_at = path_costs_via_current_row < shortest_path_costs[unvisited_columns]
        (
            shortest_path_costs[unvisited_columns[is_path_shorter_at]],
            previous_row_by_column[unvisited_columns[is_path_shorter_at]],
        ) = (
            path_costs_via_current_row[is_path_shorter_at],
            current_row_index,
        )
        path_cost = shortest_path_costs[unvisited_columns].min()
        cheapest_unvisited_column_positions = np.flatnonzero(shortest_path_costs[unvisited_columns] == path_cost)
        free_cheapest_column_positions = cheapest_unvisited_column_positions[
            row_of_column[unvisited_columns[cheapest_unvisited_column_positions]] < 0
        ]
        chosen_unvisited_position = (
            free_cheapest_column_positions[-1]
            if len(free_cheapest_column_positions)
            else cheapest_unvisited_column_positions[0]
        )
        chosen_column_number = int(unvisited_columns[chosen_unvisited_position])
        seen_column_indexes.append(chosen_column_number)
        unvisited_columns[chosen_unvisited_position] = unvisited_columns[-1]
        unvisited_columns = unvisited_columns[:-1]
        if row_of_column[chosen_column_number] < 0:
            break
        current_row_index = int(row_of_column[chosen_column_number])
    row_prices[row_index] += path_cost
    seen_rows_after_first = np.array(seen_row_indexes[1:], dtype=np.intp)
    row_prices[seen_rows_after_first] += path_cost - shortest_path_costs[column_of_row[seen_rows_after_first]]
    column_prices[seen_column_indexes] -= path_cost - shortest_path_costs[seen_column_indexes]
    while True:
        current_row_index = int(previous_row_by_column[chosen_column_number])
        row_of_column[chosen_column_number] = current_row_index
        column_of_row[current_row_index], chosen_column_number = chosen_column_number, int(column_of_row[current_row_index])
        if current_row_index == row_index:
            return


# Trivial baselines that do not read the text, which any chunker should beat.


MEAN_DRAW_COUNT = 20
"""Number of random draws averaged for a mean."""

NO_CUT_BASELINE_NAME = "no cut"
EVERY_N_SENTENCES = "a cut every n sentences"
RANDOM_CUTS_BASELINE_NAME = "cuts at random places"

TRIVIAL_BASELINES_EXPLAINED = {
    NO_CUT_BASELINE_NAME: "the text stays whole.",
    EVERY_N_SENTENCES: "n is the mean length of the known sections, which no chunker is told.",
    RANDOM_CUTS_BASELINE_NAME: (
        f"as many as boundaries are known, which no chunker is told; the mean of {MEAN_DRAW_COUNT} draws."
    ),
}
"""The names of the answers, and what each is."""


def random_cuts_name(cut_count: int) -> str:
    """Return the name of the trivial baseline that makes ``cut_count`` randomly placed cuts."""
    return f"{cut_count:,} cut{'s' * (cut_count != 1)} at random places"


def evenly_spaced_cuts_name(cut_count: int) -> str:
    """Return the name of the trivial baseline that makes ``cut_count`` evenly spaced cuts."""
    return f"{cut_count:,} cut{'s' * (cut_count != 1)} evenly spaced"


def every_n_sentences_name(sentence_count: int) -> str:
    """Return the name of the trivial baseline that cuts after every ``sentence_count`` sentences."""
    return "a cut after every sentence" if sentence_count == 1 else f"a cut after every {sentence_count:,} sentences"


def cuts_at_mean_length(reference: Segmentation) -> tuple[int, ...]:
    """Return the cuts of a baseline that cuts at regular intervals, as long as the reference's mean section."""
    section_length = max(1, round(reference.mean_length))
    return (*range(section_length, reference.units, section_length),)


def evenly_spaced_cuts(unit_count: int, cut_count: int) -> tuple[int, ...]:
    """Return ``cut_count`` evenly spaced cut positions from 1 to ``unit_count`` - 1, ascending."""
    return tuple(number * unit_count // (cut_count + 1) for number in range(1, cut_count + 1))


def random_cuts(unit_count: int, cut_count: int, random_seed: int) -> tuple[int, ...]:
    """Return ``cut_count`` random cut positions from 1 to ``unit_count`` - 1, ascending, drawn with ``random_seed``."""
    return tuple(sorted(random.Random(random_seed).sample(range(1, unit_count), cut_count)))


def cuts_of_trivial_baseline(name: str, reference: Segmentation) -> list[tuple[int, ...]]:
    """Return the cuts of the trivial baseline called ``name``; a random baseline is drawn several times."""
    if name == RANDOM_CUTS_BASELINE_NAME:
        return [random_cuts(reference.units, len(reference.boundaries), draw) for draw in range(MEAN_DRAW_COUNT)]
    return [cuts_at_mean_length(reference) if name == EVERY_N_SENTENCES else ()]


def chunking_from_cuts(document: Document, sentence_numbers: Iterable[int]) -> Chunking:
    """Return a chunking with cuts before exactly the sentences in ``sentence_numbers``."""
    sentences_begun_by_cuts, cut_reason = set(sentence_numbers), Reason(remark="whatever the text says")
    gaps_with_verdicts = [
        Gap(index, None, None, Verdict.CUT if index + 1 in sentences_begun_by_cuts else Verdict.KEPT, cut_reason)
        for index in range(len(document.sentences) - 1)
    ]
    return Chunking.from_gaps(document, gaps_with_verdicts)
