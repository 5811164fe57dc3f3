"""The formula of a chunker worked out for one gap: the definition, the values, the result."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from chunkers import Chunk, Chunker, Chunking, Gap, Tools
from chunkers.building_blocks.recursive_splitting import text_size_function
from chunkers.building_blocks.sentence_distances import join_with_neighbours, row_cosines
from chunkers.results import find_chunk_indices_with_children
from chunkers.support import FloatArray, format_number

MOST_SIMILARITIES = 4
"""Most similarities of a sentence that are written out; of more, the greatest is named."""

_SUBSCRIPT_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

FormulaLinesAndValue = tuple[list[str], float | None]
"""Lines of a formula with its values, and the value that they end in; None if it is not the gap's score."""


def worked_formula(chunker: Chunker, chunking: Chunking, gap: Gap, tools: Tools) -> list[str]:
    """Return the formula behind a chunker's decision at one gap, with the values put in, as lines.

    Empty if the chunker has no formula with numbers, or if the values do not give the gap's score, as where a size limit
    has changed the chunks that they were computed from.

    Raises
    ------
    Cancelled
        If the tools may not embed, and the embedding of a sentence is not cached.
    """
    if chunker.name in _SIZE_CHUNKER_NAMES:
        return _chunk_size_lines(chunker, chunking, gap, tools)
    if chunker.name not in _FORMULA_LINE_FUNCTION_BY_CHUNKER:
        return []
    formula_lines, score_from_formula = _FORMULA_LINE_FUNCTION_BY_CHUNKER[chunker.name](chunker, chunking, gap, tools)
    if score_from_formula is not None and (
        gap.score is None or not abs(score_from_formula - gap.score) < _EQUAL_SCORES_TOLERANCE
    ):
        return []
    return formula_lines


def decision_in_words(gap: Gap) -> str:
    """Return the reason for the decision at a gap, and the decision."""
    return f"{gap.reason}: {'cut' if gap.verdict.is_cut else 'no cut'}"


def _two_decimals(value: float) -> str:
    return format_number(float(value), ".2f")


def vector_symbol(sentence_number: int) -> str:
    """Return the symbol of the vector of a sentence, counted from 0."""
    return f"e{_format_one_based_subscript(sentence_number)}"


def _format_one_based_subscript(number: int) -> str:
    return str(number + 1).translate(_SUBSCRIPT_DIGITS)


def _embed_sentences_with_neighbours(
    chunking: Chunking, tools: Tools, range_start_index: int, range_end_index: int, neighbour_count: int = 0
) -> FloatArray:
    """Return the vectors of a range of sentences, each joined with ``neighbour_count`` others on both sides.

    The result has the shape (n, dimension).
    """
    document_sentence_texts = chunking.document.sentence_texts
    first_sentence_index, index_after_last_sentence = (
        max(0, range_start_index - neighbour_count),
        min(len(document_sentence_texts), range_end_index + neighbour_count),
    )
    joined_texts = join_with_neighbours(
        document_sentence_texts[first_sentence_index:index_after_last_sentence], neighbour_count
    )[range_start_index - first_sentence_index : range_end_index - first_sentence_index]
    return tools.embed(joined_texts).astype(np.float64)


def _compute_cosine_similarity(left_vector: FloatArray, right_vector: FloatArray) -> float:
    return float(row_cosines(left_vector[None], right_vector[None])[0])


def _compute_distance_at_gap(chunking: Chunking, tools: Tools, gap_index: int, neighbour_count: int) -> float:
    left_vector, right_vector = _embed_sentences_with_neighbours(chunking, tools, gap_index, gap_index + 2, neighbour_count)
    return 1 - _compute_cosine_similarity(left_vector, right_vector)


def _distance_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> FormulaLinesAndValue:
    """Work out the distance at a gap, and the score that the threshold's rule derives from it."""
    neighbour_count_per_side, gap_index = chunker.buffer, gap.index
    distance_at_gap = _compute_distance_at_gap(chunking, tools, gap_index, neighbour_count_per_side)
    sentence_count = len(chunking.document.sentences)
    buffer_phrase = ""
    if neighbour_count_per_side:
        left_range_text, right_range_text = (
            _sentence_range_in_numbers(
                max(0, centre - neighbour_count_per_side), min(sentence_count, centre + neighbour_count_per_side + 1)
            )
            for centre in (gap_index, gap_index + 1)
        )
        buffer_phrase = (
            f", {vector_symbol(gap_index)} of sentences {left_range_text}, {vector_symbol(gap_index + 1)} of "
            f"{right_range_text}"
        )
    distance_formula_lines = [
        f"distance = 1 − {vector_symbol(gap_index)} · {vector_symbol(gap_index + 1)}{buffer_phrase}",
        f"= 1 − {_two_decimals(1 - distance_at_gap)} = {_two_decimals(distance_at_gap)}",
    ]
    derived_score_function = _FORMULA_LINE_FUNCTION_BY_THRESHOLD_KIND.get(getattr(chunker, "threshold", ""))
    if derived_score_function is None:
        return distance_formula_lines, distance_at_gap
    derived_score_lines, derived_score = derived_score_function(
        lambda number: _compute_distance_at_gap(chunking, tools, number, neighbour_count_per_side),
        gap_index,
        sentence_count - 1,
    )
    return [*distance_formula_lines, *derived_score_lines], derived_score


def _gradient_lines(distance_at: Callable[[int], float], gap_index: int, gap_count: int) -> FormulaLinesAndValue:
    previous_gap_index, next_gap_index = max(0, gap_index - 1), min(gap_count - 1, gap_index + 1)
    if previous_gap_index == next_gap_index:
        return [], None
    gap_index_difference, next_and_previous_distance = (
        next_gap_index - previous_gap_index,
        (distance_at(next_gap_index), distance_at(previous_gap_index)),
    )
    distance_gradient = (next_and_previous_distance[0] - next_and_previous_distance[1]) / gap_index_difference
    divisor_phrase = f" / {gap_index_difference}" if gap_index_difference > 1 else ""
    gradient_formula = (
        f"gradient = (d{_format_one_based_subscript(next_gap_index)} − "
        f"d{_format_one_based_subscript(previous_gap_index)}){divisor_phrase}"
    )
    return [
        f"{gradient_formula} = ({_two_decimals(next_and_previous_distance[0])} − "
        f"{_two_decimals(next_and_previous_distance[1])}){divisor_phrase} = {_two_decimals(distance_gradient)}"
    ], distance_gradient


def _slope_lines(distance_at: Callable[[int], float], gap_index: int, gap_count: int) -> FormulaLinesAndValue:
    if not gap_index:
        return [], None
    similarity_at_previous_gap, similarity = 1 - distance_at(gap_index - 1), 1 - distance_at(gap_index)
    return [
        f"slope = s{_format_one_based_subscript(gap_index)} − s{_format_one_based_subscript(gap_index - 1)} = "
        f"{_two_decimals(similarity)} − {_two_decimals(similarity_at_previous_gap)} = "
        f"{_two_decimals(similarity - similarity_at_previous_gap)}"
    ], similarity - similarity_at_previous_gap


def _depth_lines(distance_at: Callable[[int], float], gap_index: int, gap_count: int) -> FormulaLinesAndValue:
    similarity_peaks = []
    for direction in (-1, 1):
        similarity_peak_gap_index, peak_distance = gap_index, distance_at(gap_index)
        while (
            0 <= similarity_peak_gap_index + direction < gap_count
            and (distance_one_step_farther := distance_at(similarity_peak_gap_index + direction)) <= peak_distance
        ):
            similarity_peak_gap_index, peak_distance = similarity_peak_gap_index + direction, distance_one_step_farther
        similarity_peaks.append(1 - peak_distance)
    similarity_at_gap = 1 - distance_at(gap_index)
    depth_score = similarity_peaks[0] + similarity_peaks[1] - 2 * similarity_at_gap
    depth_formula = (
        f"depth = {_two_decimals(similarity_peaks[0])} + {_two_decimals(similarity_peaks[1])} − 2 · "
        f"{_two_decimals(similarity_at_gap)} = {_two_decimals(depth_score)}"
    )
    return [f"{depth_formula}, from the peaks of similarity on both sides"], depth_score


def _joint_distance_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> FormulaLinesAndValue:
    left_sentence_index, right_sentence_index, sentence_count = gap.index, gap.index + 1, len(chunking.document.sentences)
    position_weight, semantic_distance = (
        chunker.position_weight,
        1
        - max(
            _compute_cosine_similarity(
                *_embed_sentences_with_neighbours(chunking, tools, left_sentence_index, right_sentence_index + 1)
            ),
            0.0,
        ),
    )
    joint_distance_at_gap = position_weight / sentence_count + (1 - position_weight) * semantic_distance
    product_symbols = f"{vector_symbol(left_sentence_index)} · {vector_symbol(right_sentence_index)}"
    return [
        f"joint distance = λ · |{left_sentence_index + 1} − {right_sentence_index + 1}| / {sentence_count} + (1 − λ) · (1 − "
        f"{product_symbols})",
        f"= {_two_decimals(position_weight)} · {_two_decimals(1 / sentence_count)} + {_two_decimals(1 - position_weight)} · "
        f"{_two_decimals(semantic_distance)} = {_two_decimals(joint_distance_at_gap)}",
    ], joint_distance_at_gap


def _similarity_against_threshold_lines(_: Any, chunking: Chunking, gap: Gap, __: Tools) -> FormulaLinesAndValue:
    similarity_and_threshold_lines = []
    for comparison in chunking.comparisons:
        if comparison.right.start == gap.index + 1:
            left_range_text, right_range_text = (
                _sentence_range_in_numbers(span.start, span.end) for span in (comparison.left, comparison.right)
            )
            threshold_relation_sign = ">" if comparison.similarity > comparison.threshold else "≤"
            similarity_text, threshold_text = _two_decimals(comparison.similarity), _two_decimals(comparison.threshold)
            similarity_and_threshold_lines.append(
                f"{comparison.kind}: cos({left_range_text}, {right_range_text}) = {similarity_text} "
                f"{threshold_relation_sign} {threshold_text}"
            )
    return similarity_and_threshold_lines, None


def _max_min_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> FormulaLinesAndValue:
    document, next_sentence_index = chunking.document, gap.index + 1
    open_chunk = next(chunk for chunk in chunking.chunks if chunk.start <= document.sentences[gap.index].start < chunk.end)
    first_sentence_index = document.sentence_at(open_chunk.start)
    *open_chunk_vectors, next_sentence_vector = _embed_sentences_with_neighbours(
        chunking, tools, first_sentence_index, next_sentence_index + 1
    )
    similarity_by_sentence_index = {
        first_sentence_index + place: float(member @ next_sentence_vector) for place, member in enumerate(open_chunk_vectors)
    }
    nearest_sentence_index = max(similarity_by_sentence_index, key=lambda number: similarity_by_sentence_index[number])
    top_similarity = similarity_by_sentence_index[nearest_sentence_index]
    product_formula_by_sentence = {
        number: f"{vector_symbol(number)} · {vector_symbol(next_sentence_index)}" for number in similarity_by_sentence_index
    }
    if len(similarity_by_sentence_index) == 1:
        factor_text, scaled_top_similarity = f"{chunker.initial_factor:g}", chunker.initial_factor * top_similarity
        return [
            f"{factor_text} · {product_formula_by_sentence[first_sentence_index]} = {factor_text} · "
            f"{_two_decimals(top_similarity)} = {_two_decimals(scaled_top_similarity)}"
        ], scaled_top_similarity
    if len(similarity_by_sentence_index) > MOST_SIMILARITIES:
        return [
            f"greatest of {len(similarity_by_sentence_index)} similarities: "
            f"{product_formula_by_sentence[nearest_sentence_index]} = {_two_decimals(top_similarity)}"
        ], top_similarity
    similarities_phrase = ", ".join(
        f"{product_formula_by_sentence[number]} = {_two_decimals(product)}"
        for number, product in similarity_by_sentence_index.items()
    )
    return [f"greatest of {similarities_phrase}"], top_similarity


def _sum_squared_deviations(vectors: FloatArray) -> float:
    return float(np.sum((vectors - vectors.mean(axis=0)) ** 2)) if len(vectors) else 0.0


def _change_point_lines(_: Any, chunking: Chunking, gap: Gap, tools: Tools) -> FormulaLinesAndValue:
    cut_gap_indexes = [
        -1,
        *[other.index for other in chunking.gaps if other.verdict.is_cut],
        len(chunking.document.sentences) - 1,
    ]
    segment_start = max(cut for cut in cut_gap_indexes if cut < gap.index) + 1
    segment_end = min(cut for cut in cut_gap_indexes if cut > gap.index) + 1
    segment_vectors, left_sentence_count = (
        _embed_sentences_with_neighbours(chunking, tools, segment_start, segment_end),
        gap.index + 1 - segment_start,
    )
    segment_spread, left_spread, right_spread = (
        _sum_squared_deviations(segment_vectors),
        _sum_squared_deviations(segment_vectors[:left_sentence_count]),
        _sum_squared_deviations(segment_vectors[left_sentence_count:]),
    )
    sentence_range_texts = [
        _sentence_range_in_numbers(*part)
        for part in ((segment_start, segment_end), (segment_start, gap.index + 1), (gap.index + 1, segment_end))
    ]
    spread_reduction_at_cut = segment_spread - left_spread - right_spread
    return [
        "gain = " + " − ".join(f"spread of {part}" for part in sentence_range_texts),
        f"= {_two_decimals(segment_spread)} − {_two_decimals(left_spread)} − {_two_decimals(right_spread)} = "
        f"{_two_decimals(spread_reduction_at_cut)}",
    ], spread_reduction_at_cut


def _reward_gain_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> FormulaLinesAndValue:
    document = chunking.document
    piece_spans, reward_table = chunker.pieces_and_partition_table(document, tools)
    gap_offset = document.starts[gap.index + 1] if gap.offset is None else gap.offset
    piece_index_after_gap = bisect_left(piece_spans, (gap_offset, 0))
    if gap.score is None or piece_spans[piece_index_after_gap][0] != gap_offset:
        return [], None
    best_total_reward, reward_gain = (
        float(reward_table.best_totals[-1]),
        float(reward_table.cut_gain_before_each_piece()[piece_index_after_gap - 1]),
    )
    reward_with_cut, reward_without_cut = (
        (best_total_reward, best_total_reward - reward_gain)
        if gap.verdict.is_cut
        else (best_total_reward + reward_gain, best_total_reward)
    )
    return [
        "reward = sum of (eᵢ · eⱼ − s̄) over the pairs of pieces i, j of each chunk",
        f"gain = {_two_decimals(reward_with_cut)} with a cut here − {_two_decimals(reward_without_cut)} without = "
        f"{_two_decimals(reward_gain)}",
    ], reward_gain


def _centre_distance_lines(_: Any, chunking: Chunking, gap: Gap, __: Tools) -> FormulaLinesAndValue:
    own_and_other_centre_distances = chunking.clusters
    if own_and_other_centre_distances is None or not own_and_other_centre_distances.own:
        return [], None
    return [
        f"sentence {number + 1}: own centre {_two_decimals(own_and_other_centre_distances.own[number])}, other "
        f"{_two_decimals(own_and_other_centre_distances.other[number])}"
        for number in (gap.index, gap.index + 1)
    ], None


def _chunk_size_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> list[str]:
    """Count what the open chunk holds at a gap, and what it would hold with the next sentence."""
    document, next_sentence_index = chunking.document, gap.index + 1
    gap_offset = document.sentences[gap.index].end if gap.offset is None else gap.offset
    chunks: Sequence[Chunk] = chunking.chunks
    size_setting_value = getattr(chunker, "size", None)
    if gap.verdict.is_cut and getattr(chunker, "parent_size", None):
        parent_chunks = [chunks[number] for number in find_chunk_indices_with_children(chunks)]
        if gap.start_after(document) in [parent.start for parent in parent_chunks]:
            chunks, size_setting_value = parent_chunks, chunker.parent_size
    earlier_chunk_starts = [chunk.start for chunk in chunks if chunk.start < gap_offset]
    if gap.verdict.is_cut:
        # With an overlap, the chunk that ends here began before the last one that is open.
        earlier_chunk_starts = [
            chunk.start for chunk in chunks if chunk.start < gap_offset and chunk.end <= gap_offset
        ] or earlier_chunk_starts
    open_chunk_start_offset = earlier_chunk_starts[-1]
    size_unit: Any = "sentences" if chunker.name == "fixed_sentences" else getattr(chunker, "unit", "tokens")
    # With a number of chunks, the size follows from the text, and the reason has it.
    chunk_size_maximum = None if getattr(chunker, "chunks", None) else size_setting_value or chunker.max_size

    def count_open_chunk_size_until(end_offset: int) -> int:
        if size_unit == "sentences":
            return document.sentence_at(end_offset - 1) - document.sentence_at(open_chunk_start_offset) + 1
        return text_size_function(size_unit, tools)(document.text[open_chunk_start_offset:end_offset].strip())

    chunk_size_lines = [
        "chunk so far: "
        f"{count_open_chunk_size_until(gap_offset):,}{f' of {chunk_size_maximum:,}' if chunk_size_maximum else ''} "
        f"{size_unit}"
    ]
    if gap.offset is None and size_unit != "sentences":
        chunk_size_lines.append(
            f"with the next sentence: {count_open_chunk_size_until(document.sentences[next_sentence_index].end):,} "
            f"{size_unit}"
        )
    return chunk_size_lines


def _sentence_range_in_numbers(range_start_index: int, range_end_index: int) -> str:
    return (
        f"{range_start_index + 1}–{range_end_index}"
        if range_end_index - range_start_index > 1
        else str(range_start_index + 1)
    )


_EQUAL_SCORES_TOLERANCE = 1e-3

_SIZE_CHUNKER_NAMES = ("fixed_sentences", "fixed_words", "fixed_characters", "fixed_tokens", "recursive", "structure")

_FORMULA_LINE_FUNCTION_BY_THRESHOLD_KIND: Mapping[
    str, Callable[[Callable[[int], float], int, int], FormulaLinesAndValue]
] = {
    **dict.fromkeys(("gradient", "absolute_gradient"), _gradient_lines),
    "slope": _slope_lines,
    "depth": _depth_lines,
}

_FORMULA_LINE_FUNCTION_BY_CHUNKER: Mapping[str, Callable[[Any, Chunking, Gap, Tools], FormulaLinesAndValue]] = {
    **dict.fromkeys(("breakpoint", "target_size"), _distance_lines),
    **dict.fromkeys(("single_linkage", "dbscan"), _joint_distance_lines),
    "double_pass": _similarity_against_threshold_lines,
    "max_min": _max_min_lines,
    "change_point": _change_point_lines,
    "kmeans": _centre_distance_lines,
    "optimal": _reward_gain_lines,
}
