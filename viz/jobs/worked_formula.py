"""The formula of a chunker worked out for one gap: the definition, the values, the result."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from chunkers import Chunk, Chunker, Chunking, Gap, Tools
from chunkers.building_blocks.recursive_splitting import text_size_function
from chunkers.building_blocks.sentence_distances import join_with_neighbours, row_cosines
from chunkers.results import indices_of_parent_chunks
from chunkers.support import FloatArray, format_number

LISTED = 4
"""Most similarities of a sentence that are written out; of more, the greatest is named."""

_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

LinesAndValue = tuple[list[str], float | None]
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
    if chunker.name in _BY_SIZE:
        return _size_lines(chunker, chunking, gap, tools)
    if chunker.name not in _VALUES:
        return []
    formula_lines, worked_score = _VALUES[chunker.name](chunker, chunking, gap, tools)
    if worked_score is not None and (gap.score is None or not abs(worked_score - gap.score) < _TOLERANCE):
        return []
    return formula_lines


def decision_in_words(gap: Gap) -> str:
    """Return the reason for the decision at a gap, and the decision."""
    return f"{gap.reason}: {'cut' if gap.verdict.is_cut else 'no cut'}"


def _number(value: float) -> str:
    return format_number(float(value), ".2f")


def vector_name(number: int) -> str:
    """Return the symbol of the vector of a sentence, counted from 0."""
    return f"e{_index(number)}"


def _index(number: int) -> str:
    return str(number + 1).translate(_BELOW)


def _vectors(chunking: Chunking, tools: Tools, start: int, end: int, buffer: int = 0) -> FloatArray:
    """Return the vectors of a range of sentences, shape (n, dimension), each joined with ``buffer`` others on both sides."""
    document_sentence_texts = chunking.document.sentence_texts
    first_sentence, end_sentence = max(0, start - buffer), min(len(document_sentence_texts), end + buffer)
    joined_texts = join_with_neighbours(document_sentence_texts[first_sentence:end_sentence], buffer)[
        start - first_sentence : end - first_sentence
    ]
    return tools.embed(joined_texts).astype(np.float64)


def _cosine_similarity(left: FloatArray, right: FloatArray) -> float:
    return float(row_cosines(left[None], right[None])[0])


def _cosine_distance(chunking: Chunking, tools: Tools, gap: int, buffer: int) -> float:
    left, right = _vectors(chunking, tools, gap, gap + 2, buffer)
    return 1 - _cosine_similarity(left, right)


def _distances(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> LinesAndValue:
    """Work out the distance at a gap, and the score that the threshold's rule derives from it."""
    buffer, index = chunker.buffer, gap.index
    distance_at_gap = _cosine_distance(chunking, tools, index, buffer)
    sentence_count = len(chunking.document.sentences)
    buffer_phrase = ""
    if buffer:
        left_range, right_range = (
            _sentences(max(0, centre - buffer), min(sentence_count, centre + buffer + 1)) for centre in (index, index + 1)
        )
        buffer_phrase = f", {vector_name(index)} of sentences {left_range}, {vector_name(index + 1)} of {right_range}"
    distance_formula_lines = [
        f"distance = 1 − {vector_name(index)} · {vector_name(index + 1)}{buffer_phrase}",
        f"= 1 − {_number(1 - distance_at_gap)} = {_number(distance_at_gap)}",
    ]
    derived_score_function = _DERIVED.get(getattr(chunker, "threshold", ""))
    if derived_score_function is None:
        return distance_formula_lines, distance_at_gap
    derived_lines, value = derived_score_function(
        lambda number: _cosine_distance(chunking, tools, number, buffer), index, sentence_count - 1
    )
    return [*distance_formula_lines, *derived_lines], value


def _gradient_lines(distance: Callable[[int], float], gap: int, count: int) -> LinesAndValue:
    previous_gap, next_gap = max(0, gap - 1), min(count - 1, gap + 1)
    if previous_gap == next_gap:
        return [], None
    gaps_apart, neighbour_distances = next_gap - previous_gap, (distance(next_gap), distance(previous_gap))
    distance_gradient = (neighbour_distances[0] - neighbour_distances[1]) / gaps_apart
    divisor_phrase = f" / {gaps_apart}" if gaps_apart > 1 else ""
    gradient_formula = f"gradient = (d{_index(next_gap)} − d{_index(previous_gap)}){divisor_phrase}"
    return [
        f"{gradient_formula} = ({_number(neighbour_distances[0])} − {_number(neighbour_distances[1])}){divisor_phrase} = "
        f"{_number(distance_gradient)}"
    ], distance_gradient


def _slope_lines(distance: Callable[[int], float], gap: int, count: int) -> LinesAndValue:
    if not gap:
        return [], None
    before, similarity = 1 - distance(gap - 1), 1 - distance(gap)
    return [
        f"slope = s{_index(gap)} − s{_index(gap - 1)} = {_number(similarity)} − {_number(before)} = "
        f"{_number(similarity - before)}"
    ], similarity - before


def _depth_lines(distance: Callable[[int], float], gap: int, count: int) -> LinesAndValue:
    similarity_peaks = []
    for direction in (-1, 1):
        peak_gap, similarity_at_gap = gap, distance(gap)
        while 0 <= peak_gap + direction < count and (next_distance := distance(peak_gap + direction)) <= similarity_at_gap:
            peak_gap, similarity_at_gap = peak_gap + direction, next_distance
        similarity_peaks.append(1 - similarity_at_gap)
    similarity_at_gap = 1 - distance(gap)
    depth_score = similarity_peaks[0] + similarity_peaks[1] - 2 * similarity_at_gap
    depth_formula = (
        f"depth = {_number(similarity_peaks[0])} + {_number(similarity_peaks[1])} − 2 · {_number(similarity_at_gap)} "
        f"= {_number(depth_score)}"
    )
    return [f"{depth_formula}, from the peaks of similarity on both sides"], depth_score


def _joint(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> LinesAndValue:
    left_sentence, right_sentence, count = gap.index, gap.index + 1, len(chunking.document.sentences)
    weight, semantic = (
        chunker.position_weight,
        1 - max(_cosine_similarity(*_vectors(chunking, tools, left_sentence, right_sentence + 1)), 0.0),
    )
    joint_distance_at_gap = weight / count + (1 - weight) * semantic
    product_symbols = f"{vector_name(left_sentence)} · {vector_name(right_sentence)}"
    return [
        f"joint distance = λ · |{left_sentence + 1} − {right_sentence + 1}| / {count} + (1 − λ) · (1 − {product_symbols})",
        f"= {_number(weight)} · {_number(1 / count)} + {_number(1 - weight)} · {_number(semantic)} = "
        f"{_number(joint_distance_at_gap)}",
    ], joint_distance_at_gap


def _comparisons(_: Any, chunking: Chunking, gap: Gap, __: Tools) -> LinesAndValue:
    comparison_lines = []
    for comparison in chunking.comparisons:
        if comparison.right.start == gap.index + 1:
            left_range, right_range = (_sentences(span.start, span.end) for span in (comparison.left, comparison.right))
            threshold_relation_sign = ">" if comparison.similarity > comparison.threshold else "≤"
            similarity, threshold = _number(comparison.similarity), _number(comparison.threshold)
            comparison_lines.append(
                f"{comparison.kind}: cos({left_range}, {right_range}) = {similarity} {threshold_relation_sign} {threshold}"
            )
    return comparison_lines, None


def _max_min(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> LinesAndValue:
    document, next_sentence = chunking.document, gap.index + 1
    open_chunk = next(chunk for chunk in chunking.chunks if chunk.start <= document.sentences[gap.index].start < chunk.end)
    first_member = document.sentence_at(open_chunk.start)
    *member_vectors, next_vector = _vectors(chunking, tools, first_member, next_sentence + 1)
    similarity_to = {first_member + place: float(member @ next_vector) for place, member in enumerate(member_vectors)}
    nearest_member = max(similarity_to, key=lambda number: similarity_to[number])
    top_similarity = similarity_to[nearest_member]
    product_symbols = {number: f"{vector_name(number)} · {vector_name(next_sentence)}" for number in similarity_to}
    if len(similarity_to) == 1:
        factor_in_words, value = f"{chunker.initial_factor:g}", chunker.initial_factor * top_similarity
        return [
            f"{factor_in_words} · {product_symbols[first_member]} = {factor_in_words} · {_number(top_similarity)} = "
            f"{_number(value)}"
        ], value
    if len(similarity_to) > LISTED:
        return [
            f"greatest of {len(similarity_to)} similarities: {product_symbols[nearest_member]} = {_number(top_similarity)}"
        ], top_similarity
    similarities_phrase = ", ".join(
        f"{product_symbols[number]} = {_number(product)}" for number, product in similarity_to.items()
    )
    return [f"greatest of {similarities_phrase}"], top_similarity


def _sum_squared_deviations(vectors: FloatArray) -> float:
    return float(np.sum((vectors - vectors.mean(axis=0)) ** 2)) if len(vectors) else 0.0


def _change(_: Any, chunking: Chunking, gap: Gap, tools: Tools) -> LinesAndValue:
    cut_gap_indexes = [
        -1,
        *[other.index for other in chunking.gaps if other.verdict.is_cut],
        len(chunking.document.sentences) - 1,
    ]
    segment_start = max(cut for cut in cut_gap_indexes if cut < gap.index) + 1
    segment_end = min(cut for cut in cut_gap_indexes if cut > gap.index) + 1
    vectors, left_length = _vectors(chunking, tools, segment_start, segment_end), gap.index + 1 - segment_start
    whole, left_spread, right_spread = (
        _sum_squared_deviations(vectors),
        _sum_squared_deviations(vectors[:left_length]),
        _sum_squared_deviations(vectors[left_length:]),
    )
    sentence_ranges = [
        _sentences(*part)
        for part in ((segment_start, segment_end), (segment_start, gap.index + 1), (gap.index + 1, segment_end))
    ]
    spread_reduction_at_cut = whole - left_spread - right_spread
    return [
        "gain = " + " − ".join(f"spread of {part}" for part in sentence_ranges),
        f"= {_number(whole)} − {_number(left_spread)} − {_number(right_spread)} = {_number(spread_reduction_at_cut)}",
    ], spread_reduction_at_cut


def _optimal(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> LinesAndValue:
    document = chunking.document
    pieces, reward_table = chunker.pieces_and_table(document, tools)
    gap_offset = document.starts[gap.index + 1] if gap.offset is None else gap.offset
    piece_index_at_gap = bisect_left(pieces, (gap_offset, 0))
    if gap.score is None or pieces[piece_index_at_gap][0] != gap_offset:
        return [], None
    best_total, gain = float(reward_table.totals[-1]), float(reward_table.gains()[piece_index_at_gap - 1])
    with_cut, without_cut = (best_total, best_total - gain) if gap.verdict.is_cut else (best_total + gain, best_total)
    return [
        "reward = sum of (eᵢ · eⱼ − s̄) over the pairs of pieces i, j of each chunk",
        f"gain = {_number(with_cut)} with a cut here − {_number(without_cut)} without = {_number(gain)}",
    ], gain


def _centres(_: Any, chunking: Chunking, gap: Gap, __: Tools) -> LinesAndValue:
    centre_distances = chunking.clusters
    if centre_distances is None or not centre_distances.own:
        return [], None
    return [
        f"sentence {number + 1}: own centre {_number(centre_distances.own[number])}, other "
        f"{_number(centre_distances.other[number])}"
        for number in (gap.index, gap.index + 1)
    ], None


def _size_lines(chunker: Any, chunking: Chunking, gap: Gap, tools: Tools) -> list[str]:
    """Count what the open chunk holds at a gap, and what it would hold with the next sentence."""
    document, next_sentence = chunking.document, gap.index + 1
    gap_offset = document.sentences[gap.index].end if gap.offset is None else gap.offset
    chunks: Sequence[Chunk] = chunking.chunks
    chunker_size_setting = getattr(chunker, "size", None)
    if gap.verdict.is_cut and getattr(chunker, "parent_size", None):
        parent_chunks = [chunks[number] for number in indices_of_parent_chunks(chunks)]
        if gap.start_after(document) in [parent.start for parent in parent_chunks]:
            chunks, chunker_size_setting = parent_chunks, chunker.parent_size
    earlier_chunk_starts = [chunk.start for chunk in chunks if chunk.start < gap_offset]
    if gap.verdict.is_cut:
        # With an overlap, the chunk that ends here began before the last one that is open.
        earlier_chunk_starts = [
            chunk.start for chunk in chunks if chunk.start < gap_offset and chunk.end <= gap_offset
        ] or earlier_chunk_starts
    chunk_start = earlier_chunk_starts[-1]
    unit: Any = "sentences" if chunker.name == "fixed_sentences" else getattr(chunker, "unit", "tokens")
    # With a number of chunks, the size follows from the text, and the reason has it.
    size_limit = None if getattr(chunker, "chunks", None) else chunker_size_setting or chunker.max_size

    def count(end: int) -> int:
        if unit == "sentences":
            return document.sentence_at(end - 1) - document.sentence_at(chunk_start) + 1
        return text_size_function(unit, tools)(document.text[chunk_start:end].strip())

    chunk_size_lines = [f"chunk so far: {count(gap_offset):,}{f' of {size_limit:,}' if size_limit else ''} {unit}"]
    if gap.offset is None and unit != "sentences":
        chunk_size_lines.append(f"with the next sentence: {count(document.sentences[next_sentence].end):,} {unit}")
    return chunk_size_lines


def _sentences(start: int, end: int) -> str:
    return f"{start + 1}–{end}" if end - start > 1 else str(start + 1)


_TOLERANCE = 1e-3

_BY_SIZE = ("fixed_sentences", "fixed_words", "fixed_characters", "fixed_tokens", "recursive", "structure")

_DERIVED: Mapping[str, Callable[[Callable[[int], float], int, int], LinesAndValue]] = {
    **dict.fromkeys(("gradient", "absolute_gradient"), _gradient_lines),
    "slope": _slope_lines,
    "depth": _depth_lines,
}

_VALUES: Mapping[str, Callable[[Any, Chunking, Gap, Tools], LinesAndValue]] = {
    **dict.fromkeys(("breakpoint", "target_size"), _distances),
    **dict.fromkeys(("single_linkage", "dbscan"), _joint),
    "double_pass": _comparisons,
    "max_min": _max_min,
    "change_point": _change,
    "kmeans": _centres,
    "optimal": _optimal,
}
