"""The scenes of a lecture: all of them on paper, with exercises and their answers, or one as a picture."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from chunkers import Chunking, Document
from chunkers.results import (
    CHUNK_COLOUR_COUNT,
    CHUNK_COLOURS,
    CHUNK_EDGE_COLOURS,
    THEME_COLOURS,
    build_html_column_of_result,
    chunker_title_without_settings,
    escape_html,
    settings_phrase,
)
from chunkers.support import format_number, pluralize
from evaluation.report.html_page import MOST_CHARACTERS_ALL_COLUMNS, cut_strips, wrap_body_in_html_page
from evaluation.segmentation import cut_offsets

MOST_EXERCISE_SENTENCES = 60
"""Most sentences of a text that becomes an exercise."""

_STYLE_RULES = """
.ROOT .scene { margin-top: 2rem; }
.ROOT .scene dl, .ROOT .answers dl { font-size: 0.95rem; margin: 0.4rem 0 0.8rem; }
.ROOT .scene dd, .ROOT .answers dd { color: var(--ink); }
.ROOT .exercise { padding-inline-start: 2.2rem; }
.ROOT .exercise li { margin: 0.15rem 0; white-space: pre-wrap; unicode-bidi: plaintext; }
.ROOT .exercises h3, .ROOT .answers h3 { margin-top: 1.2rem; }
@media print {
  .ROOT .exercises, .ROOT .answers { break-before: page; }
  .ROOT .scene dl, .ROOT .box, .ROOT .exercise { break-inside: avoid; }
  .ROOT .scene dl, .ROOT .strips { break-after: avoid; }
}
"""


@dataclass(frozen=True)
class SceneSheet:
    """A scene on paper.

    Attributes
    ----------
    words
        The words of the scene by part.
    document, known
        The text, or None if the scene shows none, and its known boundaries in code points, or None.
    columns
        The results of the scene's chunkers for the text.
    """

    title: str
    words: Mapping[str, str]
    document: Document | None = None
    known: tuple[int, ...] | None = None
    columns: Sequence[Chunking] = ()


def handout_html(title: str, facts_line: str, scene_sheets: Sequence[SceneSheet]) -> str:
    """Return a lecture as one HTML page to print, which loads nothing and runs nothing."""
    lecture_scenes_html = "".join(_scene_html(number, sheet) for number, sheet in enumerate(scene_sheets, start=1))
    handout_body_html = (
        f"<h1>{escape_html(title)}</h1><p "
        f'class="facts">{escape_html(facts_line)}</p>{lecture_scenes_html}{_cutting_exercises_html(scene_sheets)}'
    )
    return wrap_body_in_html_page(title, handout_body_html, _STYLE_RULES)


def _scene_html(scene_number: int, scene_sheet: SceneSheet) -> str:
    headings_with_scene_texts = [
        (part.capitalize(), words_html) for part, words_html in scene_sheet.words.items() if words_html
    ]
    scene_explanations_html = "".join(
        f"<dt>{escape_html(part)}</dt><dd>{escape_html(line)}</dd>" for part, line in headings_with_scene_texts
    )
    max_column_characters = MOST_CHARACTERS_ALL_COLUMNS // max(1, len(scene_sheet.columns))
    column_sections_html = "".join(
        f"<section>{build_html_column_of_result(cut, max_column_characters)}</section>" for cut in scene_sheet.columns
    )
    cuts_and_columns_html = ""
    if scene_sheet.columns:
        cut_strips_html = cut_strips(
            [(chunker_title_without_settings(cut), cut) for cut in scene_sheet.columns], scene_sheet.known
        )
        cuts_and_columns_html = f'{cut_strips_html}<div class="columns">{column_sections_html}</div>'
    return (
        f'<section class="scene"><h2>{scene_number}. '
        f"{escape_html(scene_sheet.title)}</h2><dl>{scene_explanations_html}</dl>{cuts_and_columns_html}</section>"
    )


def _cutting_exercises_html(scene_sheets: Sequence[SceneSheet]) -> str:
    """Return each short text once, uncut, and on the last page where it was cut."""
    scene_sheets_by_text: dict[str, list[SceneSheet]] = {}
    for scene_sheet in scene_sheets:
        if (
            scene_sheet.document is not None
            and scene_sheet.columns
            and 1 < len(scene_sheet.document.sentences) <= MOST_EXERCISE_SENTENCES
        ):
            scene_sheets_by_text.setdefault(scene_sheet.document.identity, []).append(scene_sheet)
    if not scene_sheets_by_text:
        return ""
    uncut_texts_html, answer_sections_html = [], []
    for text_number, scene_sheets_of_text in enumerate(scene_sheets_by_text.values(), start=1):
        document = scene_sheets_of_text[0].document
        assert document is not None
        text_heading_html = f"<h3>Text {text_number}: {escape_html(document.name)}</h3>"
        sentence_items_html = "".join(f"<li>{escape_html(sentence.strip())}</li>" for sentence in document.sentence_texts)
        uncut_texts_html.append(f'{text_heading_html}<ol class="exercise">{sentence_items_html}</ol>')
        answer_sections_html.append(
            f"{text_heading_html}<dl>{''.join(_cut_exercise_answers_html(document, scene_sheets_of_text))}</dl>"
        )
    return (
        '<section class="exercises"><h2>Where would you cut?</h2><p class="said">Draw a line before each sentence with '
        f"which a chunk begins. The answers are on the last page.</p>{''.join(uncut_texts_html)}</section>"
        f'<section class="answers"><h2>Answers</h2>{"".join(answer_sections_html)}</section>'
    )


def _cut_exercise_answers_html(document: Document, scene_sheets: Sequence[SceneSheet]) -> list[str]:
    """Return the known boundaries, and the cuts of each chunker."""
    cut_places_phrase_by_chunker: dict[str, str] = {}
    known_boundaries = scene_sheets[0].known
    if known_boundaries is not None:
        cut_places_phrase_by_chunker["known boundaries"] = _describe_offsets_by_sentence(document, known_boundaries)
    for scene_sheet in scene_sheets:
        for chunking in scene_sheet.columns:
            cut_places_phrase_by_chunker[chunker_title_and_settings(chunking)] = _describe_offsets_by_sentence(
                document, cut_offsets(chunking)
            )
    return [
        f"<dt>{escape_html(name)}</dt><dd>{escape_html(places)}</dd>"
        for name, places in cut_places_phrase_by_chunker.items()
    ]


def chunker_title_and_settings(chunking: Chunking) -> str:
    """Return the title and the settings of the chunker that made a result."""
    chunker_settings_phrase = "" if chunking.made_by is None else chunking.made_by.build().describe()
    return ", ".join(filter(None, (chunker_title_without_settings(chunking), chunker_settings_phrase)))


def _describe_offsets_by_sentence(document: Document, offsets: Sequence[int]) -> str:
    """Describe positions in a text by the sentences that begin there, and those inside a sentence."""
    sentence_starts = document.starts
    place_phrase_per_offset = [
        f"{'before' if place in sentence_starts else 'in'} {bisect_right(sentence_starts, place)}" for place in offsets
    ]
    return ", ".join(place_phrase_per_offset) or "nowhere"


# A scene as one SVG picture: strips and curves of its chunkers' results, with the scene's words below.


PICTURE_WIDTH = 1280
"""Width of the picture in its own units, in which type is at least 22 high."""

PICTURE_MARGIN = 44
"""Free space around everything."""

CURVE_HEIGHT = 150
"""Height of a curve; the height of a strip is a third of it."""

LINE_HEIGHT = 30
"""Height of a line of words."""

LETTERS_PER_LINE = 98
"""Letters of a line of the caption."""

_LIGHT_COLOURS = THEME_COLOURS["light"]
_FORBIDDEN_XML_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def scene_picture(drawn_scene: SceneSheet, caption: Sequence[str], drawn_sentence_count: int | None = None) -> str:
    """Return the results of a scene as an SVG document without scripts, style sheets and references.

    Parameters
    ----------
    caption
        Paragraphs below the drawing.
    drawn_sentence_count
        The number of sentences up to which the first column is drawn, as a step of its stepper shows it; None for all.
    """
    return "".join(_Drawing(drawn_scene, drawn_sentence_count).svg_document_parts(caption))


class _Drawing:
    """The rows of a picture, from the top: ``y`` is where the next one begins."""

    def __init__(self, drawn_scene_sheet: SceneSheet, drawn_sentence_count: int | None) -> None:
        self.sheet, self.until, self.y = drawn_scene_sheet, drawn_sentence_count, PICTURE_MARGIN

    def svg_document_parts(self, caption: Sequence[str]) -> Iterator[str]:
        """Yield the parts of the document; its height is known at the end."""
        svg_elements = [self._text_element(self.sheet.title, 34, _LIGHT_COLOURS["ink"], "600")]
        document = self.sheet.document
        if document is not None:
            svg_elements.append(self._text_element(f"{document.name} · {pluralize(len(document.sentences), 'sentence')}"))
        for column_index, chunking in enumerate(self.sheet.columns):
            self.y += 14
            svg_elements.extend(self._column_svg_elements(column_index, chunking))
        self.y += 14
        for single_caption_paragraph in caption:
            svg_elements += [
                self._text_element(line, 24, _LIGHT_COLOURS["ink"])
                for line in wrap(single_caption_paragraph, LETTERS_PER_LINE)
            ]
        svg_height = self.y + PICTURE_MARGIN - 10
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{PICTURE_WIDTH}" height="{svg_height}" viewBox="0 0 '
            f"{PICTURE_WIDTH} "
            f'{svg_height}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="22"><title>{_escape_svg_text(self.sheet.title)}</title>'
            f'<rect width="{PICTURE_WIDTH}" height="{svg_height}" fill="{_LIGHT_COLOURS["page"]}"/>'
        )
        yield from svg_elements
        yield "</svg>\n"

    def _text_element(self, words: str, size: int = 22, colour: str = _LIGHT_COLOURS["muted"], weight: str = "400") -> str:
        self.y += LINE_HEIGHT * size // 22
        font_attributes = f'font-size="{size}" font-weight="{weight}" fill="{colour}"'
        return f'<text x="{PICTURE_MARGIN}" y="{self.y - 8}" {font_attributes}>{_escape_svg_text(words)}</text>'

    def _column_svg_elements(self, column_index: int, chunking: Chunking) -> Iterator[str]:
        known_boundaries = self.sheet.known or ()
        drawn_end_offset = len(chunking.document.text)
        if self.until is not None and column_index == 0:
            sentence_end_offsets = [0, *(span.end for span in chunking.document.sentences)]
            drawn_end_offset = sentence_end_offsets[min(max(0, self.until), len(sentence_end_offsets) - 1)]
        chunk_count_phrase = pluralize(
            sum(chunk.spans[0].start < drawn_end_offset for chunk in chunking.chunks), "chunk"
        ) + (" so far" if drawn_end_offset < len(chunking.document.text) else "")
        yield self._text_element(
            " · ".join(
                filter(
                    None,
                    (
                        f"{column_index + 1} {chunker_title_without_settings(chunking)}",
                        settings_phrase(chunking),
                        chunk_count_phrase,
                    ),
                )
            ),
            24,
            _LIGHT_COLOURS["ink"],
        )
        if chunking.curves and any(map(math.isfinite, chunking.curves[0].scores)):
            yield from self._score_curve_svg_elements(chunking, drawn_end_offset)
        yield from self._chunk_strip_svg_elements(chunking, drawn_end_offset, known_boundaries)

    def _score_curve_svg_elements(self, chunking: Chunking, drawn_end_offset: int) -> Iterator[str]:
        first_curve_of_chunking = chunking.curves[0]
        finite_threshold_levels = [line.level for line in first_curve_of_chunking.lines if math.isfinite(line.level)]
        finite_scores_and_levels = [*filter(math.isfinite, first_curve_of_chunking.scores), *finite_threshold_levels]
        lowest_value, value_range = (
            min(finite_scores_and_levels),
            (max(finite_scores_and_levels) - min(finite_scores_and_levels)) or 1.0,
        )
        curve_top_y = self.y + 16
        self.y += CURVE_HEIGHT + 26

        def y_of_score(score: float) -> float:
            return curve_top_y + (CURVE_HEIGHT - 10) * (1 - (score - lowest_value) / value_range)

        score_curve_label = first_curve_of_chunking.label
        for threshold_line_level in finite_threshold_levels:
            yield (
                f'<path d="M{PICTURE_MARGIN} {y_of_score(threshold_line_level):.1f}H{PICTURE_WIDTH - PICTURE_MARGIN}" '
                f'stroke="{_LIGHT_COLOURS["accent"]}" '
                'stroke-width="2" '
                'stroke-dasharray="8 6"/>'
            )
            score_curve_label += f" · threshold {format_number(threshold_line_level, '.2f')}"
        curve_points_with_gaps = [
            (_x_of_text_offset(chunking, span.end), y_of_score(score), index)
            for index, (span, score) in enumerate(
                zip(chunking.document.sentences, first_curve_of_chunking.scores, strict=False)
            )
            if math.isfinite(score) and span.end < drawn_end_offset
        ]
        curve_path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in curve_points_with_gaps)
        yield (
            f'<path d="M{curve_path}" fill="none" stroke="{_LIGHT_COLOURS["muted"]}" stroke-width="2"/>'
            if curve_points_with_gaps
            else ""
        )
        is_cut_by_gap_index = {gap.index: gap.verdict.is_cut for gap in chunking.gaps if gap.offset is None}
        for x, y, gap_index in curve_points_with_gaps:
            point_fill_colour = _LIGHT_COLOURS["accent"] if is_cut_by_gap_index.get(gap_index) else _LIGHT_COLOURS["page"]
            point_outline_colour = (
                _LIGHT_COLOURS["accent"] if is_cut_by_gap_index.get(gap_index) else _LIGHT_COLOURS["muted"]
            )
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{point_fill_colour}" stroke="{point_outline_colour}" '
                'stroke-width="2"/>'
            )
        yield self._text_element(f"{score_curve_label} · ● cut ○ no cut")

    def _chunk_strip_svg_elements(
        self, chunking: Chunking, drawn_end_offset: int, known_boundaries: Sequence[int]
    ) -> Iterator[str]:
        strip_top, strip_height = self.y + 6, CURVE_HEIGHT // 3
        self.y += strip_height + 12
        yield (
            f'<rect x="{PICTURE_MARGIN}" y="{strip_top}" width="{PICTURE_WIDTH - 2 * PICTURE_MARGIN}" '
            f'height="{strip_height}" fill="{_LIGHT_COLOURS["panel"]}"/>'
        )
        for chunk_index, chunk in enumerate(chunking.chunks):
            for span in chunk.spans:
                if span.start >= drawn_end_offset:
                    continue
                left_x, right_x = (
                    _x_of_text_offset(chunking, span.start),
                    _x_of_text_offset(chunking, min(span.end, drawn_end_offset)),
                )
                fill_colour, edge_colour = (
                    colours["light"][chunk_index % CHUNK_COLOUR_COUNT] for colours in (CHUNK_COLOURS, CHUNK_EDGE_COLOURS)
                )
                yield (
                    f'<rect x="{left_x:.1f}" y="{strip_top}" width="{right_x - left_x:.1f}" height="{strip_height}" '
                    f'fill="{fill_colour}" '
                    f'stroke="{edge_colour}" stroke-width="1.5"/>'
                )
                if right_x - left_x > 16 * len(str(chunk_index + 1)):
                    yield (
                        f'<text x="{(left_x + right_x) / 2:.1f}" y="{strip_top + strip_height / 2 + 8:.1f}" '
                        'text-anchor="middle" '
                        f'fill="{_LIGHT_COLOURS["ink"]}">{chunk_index + 1}</text>'
                    )
        if known_boundaries and drawn_end_offset == len(chunking.document.text):
            known_boundary_marks_path = "".join(
                f"M{_x_of_text_offset(chunking, place):.1f} {strip_top - 5}v{strip_height + 10}"
                for place in known_boundaries
            )
            yield f'<path d="{known_boundary_marks_path}" stroke="{_LIGHT_COLOURS["ink"]}" stroke-width="4"/>'
            yield self._text_element("▎known boundaries")


def _x_of_text_offset(chunking: Chunking, offset: int) -> float:
    return PICTURE_MARGIN + (PICTURE_WIDTH - 2 * PICTURE_MARGIN) * offset / max(1, len(chunking.document.text))


def _escape_svg_text(words: str) -> str:
    return escape_html(_FORBIDDEN_XML_CHARACTERS.sub("\ufffd", words))
