"""A chunking as a small SVG picture, without any text of the document."""

from collections.abc import Sequence
from itertools import pairwise

from chunkers import Chunking
from chunkers.support import pluralize
from viz.components.browser_exchange import convert_offsets_to_sentence_positions
from viz.theme import CHUNK_COLOURS, CHUNK_EDGE_COLOURS, THEME_COLOURS

PICTURE_WIDTH, STRIP_HEIGHT, STRIP_GAP, CURVE_HEIGHT = 600, 22, 8, 90

MOST_NAMED_CHUNKS = 40
"""Most chunks that the description lists."""


def miniature_svg(chunking: Chunking, known_boundaries: Sequence[int] | None, theme: str) -> str:
    """Return an SVG of the known boundaries, the chunks and the score curve, on a common sentence axis."""
    axis_sentence_count = max(1, len(chunking.document.sentences))
    svg_elements: list[str] = []
    strip_top = 0
    if known_boundaries is not None:
        section_edges = [
            0.0,
            *convert_offsets_to_sentence_positions(chunking.document, known_boundaries),
            float(axis_sentence_count),
        ]
        svg_elements += _strip_boxes_svg(
            "known",
            [(*span, number) for number, span in enumerate(pairwise(section_edges))],
            axis_sentence_count,
            strip_top,
            theme,
        )
        strip_top += STRIP_HEIGHT + STRIP_GAP
    spans_with_chunk_numbers = [(span, number) for number, chunk in enumerate(chunking.chunks) for span in chunk.spans]
    span_start_sentence_positions = convert_offsets_to_sentence_positions(
        chunking.document, [span.start for span, _ in spans_with_chunk_numbers]
    )
    span_end_sentence_positions = convert_offsets_to_sentence_positions(
        chunking.document, [span.end for span, _ in spans_with_chunk_numbers]
    )
    numbered_chunk_ranges = [
        (first, last, number)
        for first, last, (_, number) in zip(
            span_start_sentence_positions, span_end_sentence_positions, spans_with_chunk_numbers, strict=True
        )
    ]
    svg_elements += _strip_boxes_svg("chunks", numbered_chunk_ranges, axis_sentence_count, strip_top, theme)
    strip_top += STRIP_HEIGHT + STRIP_GAP
    if _has_score_curve(chunking):
        svg_elements += _score_curve_svg(chunking, axis_sentence_count, strip_top, theme)
    picture_height = miniature_height(chunking, known_boundaries)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PICTURE_WIDTH} {picture_height}" font-family="sans-serif" '
        f'role="img">'
        f"<title>{miniature_description(chunking)}</title>{''.join(svg_elements)}</svg>"
    )


def miniature_height(chunking: Chunking, known_boundaries: Sequence[int] | None) -> int:
    """Return the height in pixels of a chunking's picture, which page.css reserves until the picture has loaded."""
    return (1 if known_boundaries is None else 2) * (STRIP_HEIGHT + STRIP_GAP) + CURVE_HEIGHT * _has_score_curve(chunking)


def _has_score_curve(chunking: Chunking) -> bool:
    return bool(chunking.curves) and any(score == score for score in chunking.curves[0].scores)


def miniature_description(chunking: Chunking) -> str:
    """Return the alternative text of a chunking's picture: the number of chunks, and their first sentences."""
    span_start_offsets = [span.start for chunk in chunking.chunks for span in chunk.spans]
    first_sentence_numbers = [
        f"{int(place) + 1}" for place in convert_offsets_to_sentence_positions(chunking.document, span_start_offsets)
    ]
    if not first_sentence_numbers:
        return "No chunks"
    sentence_numbers_phrase = (
        f"sentence{'s' if len(first_sentence_numbers) > 1 else ''} "
        f"{', '.join(first_sentence_numbers[:MOST_NAMED_CHUNKS])}{' …' * (len(first_sentence_numbers) > MOST_NAMED_CHUNKS)}"
    )
    return f"{pluralize(len(chunking.chunks), 'chunk')}, beginning at {sentence_numbers_phrase}"


def _strip_boxes_svg(
    strip_name: str, numbered_box_ranges: Sequence[tuple[float, float, int]], axis_sentence_count: int, top: int, theme: str
) -> list[str]:
    strip_box_elements = []
    for box_start, box_end, chunk_number in numbered_box_ranges:
        box_left, box_width = (
            box_start / axis_sentence_count * PICTURE_WIDTH,
            max(1.0, (box_end - box_start) / axis_sentence_count * PICTURE_WIDTH - 2),
        )
        box_colour_index = chunk_number % len(CHUNK_COLOURS[theme])
        strip_box_elements.append(
            f'<rect x="{box_left:.1f}" y="{top + 1}" width="{box_width:.1f}" height="{STRIP_HEIGHT - 2}" rx="2" '
            f'fill="{CHUNK_COLOURS[theme][box_colour_index]}" stroke="{CHUNK_EDGE_COLOURS[theme][box_colour_index]}"/>'
        )
        if box_width > 24:
            chunk_number_label = chunk_number + 1 if strip_name == "chunks" else ""
            strip_box_elements.append(
                f'<text x="{box_left + 6:.1f}" y="{top + 15}" font-size="11" '
                f'fill="{THEME_COLOURS[theme]["ink"]}">{chunk_number_label}</text>'
            )
    return strip_box_elements


def _score_curve_svg(chunking: Chunking, sentence_count: int, curve_top: int, theme: str) -> list[str]:
    """Draw the scores of the gaps, with filled dots for cuts, and the threshold lines."""
    score_curve, ink_colours = chunking.curves[0], THEME_COLOURS[theme]
    defined_scores = [score for score in score_curve.scores if score == score]
    threshold_line_levels = [line.level for line in score_curve.lines if line.level == line.level]
    lowest_value, highest_value = (
        min([*defined_scores, *threshold_line_levels]),
        max([*defined_scores, *threshold_line_levels]),
    )

    def y_coordinate_of_score(value: float) -> float:
        return (
            curve_top
            + CURVE_HEIGHT
            - 12
            - (value - lowest_value) / (highest_value - lowest_value or 1.0) * (CURVE_HEIGHT - 24)
        )

    score_curve_points = [
        ((gap + 1) / sentence_count * PICTURE_WIDTH, y_coordinate_of_score(score))
        for gap, score in enumerate(score_curve.scores)
        if score == score
    ]
    points_attribute = " ".join(f"{x:.1f},{height:.1f}" for x, height in score_curve_points)
    svg_elements = [f'<polyline points="{points_attribute}" fill="none" stroke="{ink_colours["muted"]}"/>']
    svg_elements += [
        f'<line x1="0" x2="{PICTURE_WIDTH}" y1="{y_coordinate_of_score(level):.1f}" y2="{y_coordinate_of_score(level):.1f}" '
        f'stroke="{ink_colours["accent"]}" stroke-width="1.5"/>'
        for level in threshold_line_levels
    ]
    if sentence_count <= 120:
        gaps_between_sentences = [gap for gap in chunking.gaps if gap.offset is None]
        svg_elements += [
            f'<circle cx="{(gap.index + 1) / sentence_count * PICTURE_WIDTH:.1f}" cy="{y_coordinate_of_score(score):.1f}" '
            'r="4" '
            f'stroke="{ink_colours["muted"]}" '
            f'fill="{ink_colours["ink"] if gap.verdict.is_cut else ink_colours["page"]}"/>'
            for gap, score in zip(gaps_between_sentences, score_curve.scores, strict=True)
            if score == score
        ]
    return svg_elements
