"""The body of a column as sent to the browser: the segments of its text, and its score curve with threshold lines."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import numpy as np

from chunkers import Chunker, Chunking, Curve, Document, Line, Span, Verdict
from chunkers.results import Proposition, find_chunk_indices_with_children
from chunkers.support import FloatArray
from viz.components.browser_exchange import convert_offsets_to_sentence_positions, utf16_offsets
from viz.components.reader.payload import (
    CurveData,
    LineData,
    PropositionData,
    Segments,
    StatedData,
    encode_verdicts,
    verdict_kind_payload,
)
from viz.theme import palette


def covering_chunks_by_range(spans_per_chunk: Sequence[Sequence[Span]]) -> list[tuple[int, int, list[int]]]:
    """Split the text covered by chunks at each start and end of a chunk's spans.

    Returns
    -------
    list of (start, end, chunks)
        Non-overlapping ranges in order, each with the numbers of the chunks that cover it, at least one.
    """
    chunks_by_start: dict[int, list[int]] = {}
    chunks_by_end: dict[int, list[int]] = {}
    for chunk_number, spans_of_chunk in enumerate(spans_per_chunk):
        for start, end in spans_of_chunk:
            chunks_by_start.setdefault(start, []).append(chunk_number)
            chunks_by_end.setdefault(end, []).append(chunk_number)
    covered_text_ranges = []
    open_chunk_numbers: list[int] = []
    for edge_offset, next_edge_offset in pairwise(sorted(chunks_by_start.keys() | chunks_by_end.keys())):
        open_chunk_numbers = [
            number for number in open_chunk_numbers if number not in chunks_by_end.get(edge_offset, ())
        ] + chunks_by_start.get(edge_offset, [])
        if open_chunk_numbers:
            covered_text_ranges.append((edge_offset, next_edge_offset, sorted(open_chunk_numbers)))
    return covered_text_ranges


def _ranges_without_leading_space(text: str, ranges: list[tuple[int, int, list[int]]]) -> list[tuple[int, int, list[int]]]:
    """Strip leading white space from each range: after the end of an overlap it would show as an odd indent."""
    trimmed_text_ranges = []
    for start, end, covering_chunks in ranges:
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            trimmed_text_ranges.append((start, end, covering_chunks))
    return trimmed_text_ranges


def text_segments(
    document: Document, chunking: Chunking, known_boundaries: frozenset[int] | None, new_cuts: frozenset[int]
) -> Segments:
    """Split a text wherever the set of covering chunks changes; return the segments as one list per property."""
    text = document.text
    number_by_parent_chunk = {
        chunk: number for number, chunk in enumerate(find_chunk_indices_with_children(chunking.chunks), start=1)
    }
    segment_ranges = [
        (start, end, sorted(over, key=lambda chunk: (chunk in number_by_parent_chunk, chunk)))
        for start, end, over in _ranges_without_leading_space(
            text, covering_chunks_by_range([chunk.spans for chunk in chunking.chunks])
        )
    ]
    parent_number_by_start = {chunking.chunks[chunk].start: number for chunk, number in number_by_parent_chunk.items()}
    segment_parent_counts = [_count_covering_parents(over, number_by_parent_chunk) for _, _, over in segment_ranges]
    segment_leaf_chunks = [
        over[: len(over) - count] for (_, _, over), count in zip(segment_ranges, segment_parent_counts, strict=True)
    ]
    gap_by_cut = {gap.start_after(document): gap for gap in chunking.gaps if gap.verdict.is_cut}
    numbered_chunks = [*enumerate(chunking.chunks)]
    continued_chunk_by_start = {span.start: number for number, chunk in numbered_chunks for span in chunk.spans[1:]}
    first_chunk_by_start = {chunk.start: number for number, chunk in reversed(numbered_chunks)}
    boundary_label_per_segment: list[str] = []
    segment_style_classes: list[str] = []
    for (start, _, covering_chunk_numbers), previous_chunk_numbers in zip(
        segment_ranges, [[], *[over for _, _, over in segment_ranges]], strict=False
    ):
        gap = gap_by_cut.get(start)
        if start in continued_chunk_by_start and start not in first_chunk_by_start:
            segment_start_label = f"chunk {continued_chunk_by_start[start] + 1} goes on" + (
                f" · {gap.reason}" if gap is not None else ""
            )
        elif gap is not None:
            segment_start_label = f"{'forced' if gap.verdict is Verdict.FORCED else 'cut'}: {gap.reason}"
        elif start in first_chunk_by_start:
            segment_start_label = f"chunk {first_chunk_by_start[start] + 1} begins"
        else:
            segment_start_label = _ended_chunks_label({*previous_chunk_numbers} - {*covering_chunk_numbers})
        if start in parent_number_by_start:
            segment_start_label = f"parent {parent_number_by_start[start]} begins · {segment_start_label}"
        is_spurious_boundary = (
            known_boundaries is not None
            and (start in first_chunk_by_start or start in continued_chunk_by_start)
            and start not in known_boundaries
        )
        boundary_label_per_segment.append(segment_start_label + (" · not a known boundary" if is_spurious_boundary else ""))
        segment_style_classes.append(
            ("wrong " if is_spurious_boundary else "")
            + ("fresh" if start in new_cuts else "")
            + " parent" * (start in parent_number_by_start)
        )
    # If several chunks begin here, as with overlaps, use the first, as the reason does.
    chunk_context_by_segment = [
        chunking.chunks[first_chunk_by_start[start]].context if start in first_chunk_by_start else ""
        for start, _, _ in segment_ranges
    ]
    distinct_contexts = [*dict.fromkeys(filter(None, chunk_context_by_segment))]
    number_by_context = {context: number for number, context in enumerate(distinct_contexts, start=1)}
    segment_starts, segment_ends = [start for start, _, _ in segment_ranges], [end for _, end, _ in segment_ranges]
    return {
        "start": utf16_offsets(text, segment_starts),
        "end": utf16_offsets(text, segment_ends),
        "over": [over for _, _, over in segment_ranges],
        "from": convert_offsets_to_sentence_positions(document, segment_starts),
        "to": convert_offsets_to_sentence_positions(document, segment_ends),
        "label": boundary_label_per_segment,
        "tone": segment_style_classes,
        "colours": chunk_colour_numbers(segment_leaf_chunks, len(numbered_chunks)),
        "outer": segment_parent_counts if number_by_parent_chunk else [],
        "parentFrom": convert_offsets_to_sentence_positions(
            document, [chunking.chunks[chunk].start for chunk in number_by_parent_chunk]
        ),
        "parentTo": convert_offsets_to_sentence_positions(
            document, [chunking.chunks[chunk].end for chunk in number_by_parent_chunk]
        ),
        "contexts": distinct_contexts,
        "context": [number_by_context.get(context, 0) for context in chunk_context_by_segment] if distinct_contexts else [],
        "split": [number for number, chunk in numbered_chunks if len(chunk.spans) > 1],
        "stated": _model_written_data(document, chunking, [over for _, _, over in segment_ranges]),
    }


def _count_covering_parents(covering_chunks: Collection[int], numbers_of_all_parents: Collection[int]) -> int:
    """Return the number of chunks over a segment that are parents of others there; 0 where a parent has no child."""
    parent_count_over_segment = sum(chunk in numbers_of_all_parents for chunk in covering_chunks)
    return parent_count_over_segment if parent_count_over_segment < len(covering_chunks) else 0


def _ended_chunks_label(chunk_indexes: Collection[int]) -> str:
    """Name the chunks that end where no other chunk begins."""
    numbers_phrase = " and ".join(f"{chunk + 1}" for chunk in sorted(chunk_indexes))
    return (
        f"chunk{'s' * (len(chunk_indexes) > 1)} {numbers_phrase} end{'s' * (len(chunk_indexes) == 1)}"
        if chunk_indexes
        else "an overlap ends"
    )


def _model_written_data(
    document: Document, chunking: Chunking, chunks_per_segment: Sequence[Sequence[int]]
) -> list[StatedData]:
    """Return the titles, summaries and propositions that a language model wrote for the chunks; empty if it wrote none."""
    first_segment_by_chunk: dict[int, int] = {}
    for segment_index, chunks_of_segment in enumerate(chunks_per_segment):
        for chunk_number in chunks_of_segment:
            first_segment_by_chunk.setdefault(chunk_number, segment_index)
    unlocated_propositions = unlocated_propositions_by_chunk(chunking)
    return [
        {
            "at": first_segment_by_chunk[number],
            "title": chunk.stated.title,
            "summary": chunk.stated.summary,
            "propositions": [
                _proposition_data(document, proposition.text, proposition.span, proposition.remark_on_source_match)
                for proposition in chunk.stated.propositions
                if proposition.span is not None
            ],
            "left_out": [
                _proposition_data(
                    document,
                    proposition.text,
                    document.sentences[sentence],
                    _describe_proposition_quotation(proposition.quotation),
                )
                for sentence, proposition in unlocated_propositions.get(number, [])
            ],
        }
        for number, chunk in enumerate(chunking.chunks)
        if chunk.stated is not None
    ]


def _describe_proposition_quotation(quotation: str) -> str:
    return f"quotes “{quotation}”" if quotation else "quotes nothing"


def unlocated_propositions_by_chunk(chunking: Chunking) -> dict[int, list[tuple[int, Proposition]]]:
    """Return, by chunk, the propositions whose quotation is not in the text, each with the sentence that it names.

    The keys are the numbers, from 0, of the first chunk that overlaps the sentence, or 0 if none does.
    """
    propositions_by_chunk: dict[int, list[tuple[int, Proposition]]] = {}
    for proposition in chunking.left_out:
        if proposition.sentence is not None:
            proposition_sentence_start_offset, sentence_end = chunking.document.sentences[proposition.sentence]
            overlapping_chunk_numbers = (
                number
                for number, chunk in enumerate(chunking.chunks)
                if any(span.start < sentence_end and proposition_sentence_start_offset < span.end for span in chunk.spans)
            )
            propositions_by_chunk.setdefault(next(overlapping_chunk_numbers, 0), []).append(
                (proposition.sentence, proposition)
            )
    return propositions_by_chunk


def _proposition_data(document: Document, proposition_text: str, span: Span, remark: str) -> PropositionData:
    start, end = utf16_offsets(document.text, span)
    first_sentence_index, last_sentence_index = document.sentence_at(span.start), document.sentence_at(span.end - 1)
    return {
        "text": proposition_text,
        "start": start,
        "end": end,
        "first": first_sentence_index,
        "last": last_sentence_index,
        "remark": remark,
    }


def chunk_colour_numbers(chunks_per_segment: Sequence[Sequence[int]], chunk_count: int) -> list[int]:
    """Return a background colour number for each of ``chunk_count`` chunks, so that neighbouring chunks differ.

    ``chunks_per_segment`` has the numbers of the chunks that cover each segment of the text.

    The colours are assigned in rotation, skipping those of neighbours. If the neighbours use all colours, the one used by
    the fewest is assigned.
    """
    neighbours_by_chunk: list[set[int]] = [set() for _ in range(chunk_count)]
    for left_segment_chunks, right_segment_chunks in pairwise(chunks_per_segment):
        for left_chunk_number in left_segment_chunks:
            neighbours_by_chunk[left_chunk_number].update(right_segment_chunks)
        for right_chunk_number in right_segment_chunks:
            neighbours_by_chunk[right_chunk_number].update(left_segment_chunks)
    assigned_colours: list[int] = []
    for chunk_number in range(chunk_count):
        neighbour_colour_counts = Counter(
            assigned_colours[other] for other in neighbours_by_chunk[chunk_number] if other < chunk_number
        )
        # Among equally good colours, min returns the first, which is the next in turn.
        assigned_colours.append(
            min(
                ((chunk_number + step) % palette.CHUNK_COLOUR_COUNT for step in range(palette.CHUNK_COLOUR_COUNT)),
                key=lambda colour: neighbour_colour_counts[colour],
            )
        )
    return assigned_colours


# The score curve and its threshold lines.


MOST_GAPS_WITH_REASONS = 2000
"""Most gaps for which all reasons are sent; in longer texts, only cuts have reasons, as labels of the segments."""

_ROUNDED_DISTANCE_TOLERANCE = 2e-6
"""Upper bound of the change in the distance between two numbers when both are rounded to six decimals."""


_PLACEHOLDER_PARAMETER_VALUE = 987.123
"""A placeholder for the amount that no description contains otherwise; its position is the amount's."""


def score_curve_data(chunker: Chunker, chunking: Chunking, are_lines_movable: bool) -> CurveData | None:
    """Return the payload of a result's score curve, or None if the result has no scores.

    If ``are_lines_movable``, the threshold lines can be dragged.
    """
    if not chunking.curves or not chunking.curves[0].scores:
        return None
    first_score_curve = chunking.curves[0]
    sentence_boundary_gaps = [gap for gap in chunking.gaps if gap.offset is None]
    distinct_verdicts, verdict_digit_per_gap = encode_verdicts(sentence_boundary_gaps)
    slider_stops_of_each_line = [
        _line_slider_stops(chunker, first_score_curve, line.parameter) if are_lines_movable else []
        for line in first_score_curve.lines
    ]
    line_and_stop_levels = [line.level for line in first_score_curve.lines] + [
        level for some in slider_stops_of_each_line for _, level in some
    ]
    round_score = score_rounder(first_score_curve.scores, line_and_stop_levels)
    threshold_lines: list[LineData] = [
        {
            "label": line.label,
            "level": round_score(line.level),
            "parameter": line.parameter,
            "value": _line_parameter_value(chunker, line),
            "stops": [(amount, round_score(level)) for amount, level in some],
            "around": _split_chunker_description_around_value(chunker, line.parameter) if some else None,
        }
        for line, some in zip(first_score_curve.lines, slider_stops_of_each_line, strict=True)
        if not math.isnan(line.level)
    ]
    return {
        "label": first_score_curve.label,
        "scores": [None if math.isnan(score) else round_score(score) for score in first_score_curve.scores],
        "above": first_score_curve.cut_above,
        "live": first_score_curve.live,
        "constrained": any(verdict.is_sized for verdict in {gap.verdict for gap in chunking.gaps}),
        "verdicts": [verdict_kind_payload(verdict) for verdict in distinct_verdicts],
        "verdictOf": verdict_digit_per_gap,
        "reasons": [gap.reason for gap in sentence_boundary_gaps]
        if len(sentence_boundary_gaps) <= MOST_GAPS_WITH_REASONS
        else None,
        "lines": threshold_lines,
        "null": None if first_score_curve.null is None else (first_score_curve.null.low, first_score_curve.null.high),
    }


def score_rounder(scores: Sequence[float], levels: Sequence[float]) -> Callable[[float], float]:
    """Return a function that rounds numbers to six decimals unless that would change what the browser shows.

    If a score and a level differ by less than the rounding, both keep all decimals, so that the score stays on the same
    side of the level. A number that would end in the digit 5 keeps more decimals, because rounding it again in the browser
    could otherwise differ from rounding the full number.
    """
    score_values, level_values = (
        np.unique([number for number in values if not math.isnan(number)]) for values in (scores, levels)
    )
    never_rounded_numbers = _numbers_almost_equal_to_others(score_values, level_values) | _numbers_almost_equal_to_others(
        level_values, score_values
    )

    def rounded_if_safe(number: float) -> float:
        return number if number in never_rounded_numbers else _round_without_double_rounding_error(number)

    return rounded_if_safe


def _numbers_almost_equal_to_others(numbers: FloatArray, others: FloatArray) -> set[float]:
    """Return the numbers less than `_ROUNDED_DISTANCE_TOLERANCE` from one of ``others`` but not equal to it.

    Both arrays are in ascending order.
    """
    nearest_other_below_each = np.concatenate([[-np.inf], others])[np.searchsorted(others, numbers, side="left")]
    nearest_other_above_each = np.concatenate([others, [np.inf]])[np.searchsorted(others, numbers, side="right")]
    return set(
        numbers[
            np.minimum(numbers - nearest_other_below_each, nearest_other_above_each - numbers) < _ROUNDED_DISTANCE_TOLERANCE
        ].tolist()
    )


def _round_without_double_rounding_error(number: float) -> float:
    decimal_string = f"{number:.6f}"
    decimal_place_count = 6
    while decimal_string[-1] in "05" and decimal_string.rstrip("0")[-1] == "5":
        decimal_place_count += 1
        if decimal_place_count > 16:
            return number
        decimal_string = f"{number:.{decimal_place_count}f}"
    return float(decimal_string)


def _line_parameter_value(chunker: Chunker, threshold_line: Line) -> float:
    """Return the value of the parameter that moves a line, or the line's level if the parameter is not set."""
    value: float | None = getattr(chunker, threshold_line.parameter)
    return threshold_line.level if value is None else value


def _split_chunker_description_around_value(chunker: Chunker, parameter_name: str) -> tuple[str, str] | None:
    """Return the chunker's description before and after the parameter's value; None unless it has the value once."""
    description_parts = (
        chunker.model_copy(update={parameter_name: _PLACEHOLDER_PARAMETER_VALUE})
        .describe()
        .split(f"{_PLACEHOLDER_PARAMETER_VALUE:g}")
    )
    return (description_parts[0], description_parts[1]) if len(description_parts) == 2 else None


def _line_slider_stops(chunker: Chunker, score_curve: Curve, parameter_name: str) -> list[tuple[float, float]]:
    """Return the amounts to which the line can be dragged (the slider's steps), each with its level."""
    parameter_spec = next(field for field in chunker.fields(chunker.model_dump()) if field.name == parameter_name)
    line_stop_levels = chunker.levels(parameter_name, parameter_spec.stops, score_curve.scores)
    return [
        (amount, level)
        for amount, level in zip(parameter_spec.stops, line_stop_levels, strict=True)
        if not math.isnan(level)
    ]
