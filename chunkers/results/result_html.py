"""HTML of results for notebooks and reports: colours, style sheet, list of chunks, curve and strips."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkers.results.titles_summaries_and_propositions import StatedContent
from chunkers.support import InputError, format_number, pluralize
from chunkers.text import Document, Span

if TYPE_CHECKING:
    from chunkers.results.result import Chunk, Chunking, Gap


# Colours of both themes, the style sheet of results, and escaping of texts in HTML.

CHUNK_COLOURS = {
    "light": ("#dcebfb", "#fdebc8", "#dff2dc", "#f6dff0", "#e4e2fb", "#fbe0d8", "#d8f1f0", "#ecebdc"),
    "dark": ("#1d3146", "#40331a", "#1f3a22", "#3d2338", "#2b2a4d", "#452a22", "#1a3b3a", "#35341f"),
}
"""Background colours of chunks; adjacent ones are distinguishable for colour-blind readers too."""

CHUNK_COLOUR_COUNT = len(CHUNK_COLOURS["light"])
"""The number of chunk colours; scripts of the page read it as ``--ground-count``."""

CHUNK_EDGE_COLOURS = {
    "light": ("#4a86c5", "#c58f1e", "#4f9c47", "#b4559a", "#6f68c9", "#cc6a4a", "#3c9a96", "#8f8a4d"),
    "dark": ("#6ea8e6", "#d9a63a", "#74c06c", "#d57fbd", "#9a94ee", "#ea8f70", "#5fc0bc", "#b8b26c"),
}
"""Colours of the bar to the left of a chunk, in the order of `CHUNK_COLOURS`."""

THEME_COLOURS = {
    "light": {"page": "#fbfaf7", "panel": "#f3f1ec", "ink": "#1d1f21", "muted": "#62666d", "rule": "#d9d5cc"}
    | {"accent": "#2456c7", "error": "#c0392b"},
    "dark": {"page": "#16181b", "panel": "#1e2125", "ink": "#e7e5e0", "muted": "#9aa0a8", "rule": "#33373d"}
    | {"accent": "#7fa6ff", "error": "#ff8a7a"},
}
"""Colours of everything else. Red is reserved for errors, the accent for what can be moved."""


def find_colours_of_theme(theme_name: str) -> dict[str, str]:
    """Return all colours of a theme, keyed by the names of their custom properties in style sheets, without dashes."""
    background_colour_by_property = {f"ground-{number}": colour for number, colour in enumerate(CHUNK_COLOURS[theme_name])}
    edge_colour_by_property = {f"edge-{number}": colour for number, colour in enumerate(CHUNK_EDGE_COLOURS[theme_name])}
    return THEME_COLOURS[theme_name] | background_colour_by_property | edge_colour_by_property


ROOT_CLASS = "seamark-out"
"""The class of the outermost element. Whatever else is on a notebook's page, the style sheet is about what is inside."""

NO_MATHJAX_CLASSES = "tex2jax_ignore mathjax_ignore"
"""Classes by which MathJax, which notebooks run over all output, is told to leave a text alone."""


def escape_html(text: str) -> str:
    """Escape text for an HTML element or a quoted attribute; characters that HTML cannot hold are replaced.

    A carriage return would be read as a line feed, and a null character not at all.
    """
    escaped_text = escape(text).replace("\r", "&#13;").replace("\0", "\ufffd")
    return escaped_text.encode("utf-8", "replace").decode()


def _theme_colour_declarations(theme_name: str) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in find_colours_of_theme(theme_name).items())


def style_sheet() -> str:
    """Return the style sheet of results in notebooks, for light and dark themes and for print."""
    chunk_colour_template = "--ground: var(--ground-{0}); --edge: var(--edge-{0});"
    chunk_css_rules = "\n".join(
        f".{ROOT_CLASS} .k{number} {{ {chunk_colour_template.format(number)} }}" for number in range(CHUNK_COLOUR_COUNT)
    )
    return f"""
.{ROOT_CLASS} {{ {_theme_colour_declarations("light")} }}
@media (prefers-color-scheme: dark) {{ .{ROOT_CLASS} {{ {_theme_colour_declarations("dark")} }} }}
@media print {{
  .{ROOT_CLASS} {{
    {_theme_colour_declarations("light")} --page: #ffffff; print-color-adjust: exact; -webkit-print-color-adjust: exact;
  }}
}}
{chunk_css_rules}
{_STYLE_RULES.replace("ROOT", ROOT_CLASS)}"""


_STYLE_RULES = """
.ROOT { background: var(--page); color: var(--ink); color-scheme: light dark; padding: 1rem; border-radius: 4px;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
.ROOT, .ROOT * { box-sizing: border-box; text-align: start; }
.ROOT h1, .ROOT h2, .ROOT h3, .ROOT p, .ROOT ol, .ROOT li, .ROOT figure { margin: 0; padding: 0; }
.ROOT h3 { font-size: 1rem; font-weight: 650; overflow-wrap: anywhere; }
.ROOT .facts, .ROOT .note, .ROOT .why, .ROOT .legend, .ROOT .scale { color: var(--muted); font-size: 0.8rem; }
.ROOT .facts, .ROOT .note, .ROOT .name { overflow-wrap: anywhere; unicode-bidi: isolate; }
.ROOT .chunks { list-style: none; margin-top: 0.5rem; }
.ROOT .why { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.25rem 0; overflow-wrap: anywhere; }
.ROOT .why::before { content: ""; flex: none; width: 1.6rem; border-top: 1px solid var(--muted);
  transform: translateY(-0.3em); }
.ROOT .box { background: var(--ground); border-inline-start: 3px solid var(--edge); border-radius: 0 2px 2px 0;
  padding: 0.4rem 0.7rem; display: grid; grid-template-columns: 2rem minmax(0, 1fr); }
.ROOT .number { color: var(--muted); font-size: 0.75rem; padding-top: 0.15rem; }
.ROOT .text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 78ch; unicode-bidi: plaintext; }
.ROOT .text span[title]:hover { text-decoration: underline dotted; text-underline-offset: 3px; }
.ROOT .again { background: none; color: inherit; text-decoration: underline wavy var(--edge) 1px;
  text-underline-offset: 4px; }
.ROOT .context, .ROOT .between { color: var(--muted); }
.ROOT .between { display: block; font-size: 0.75rem; border-top: 1px dashed var(--edge); margin: 0.3rem 0;
  white-space: normal; }
.ROOT .axis { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); column-gap: 0.5rem; margin-top: 0.6rem; }
.ROOT .axis svg { display: block; width: 100%; overflow: visible; }
.ROOT .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: end; line-height: 1; }
.ROOT .scale span { text-align: end; }
.ROOT .axis path, .ROOT .axis rect { vector-effect: non-scaling-stroke; }
.ROOT .curve svg { height: 96px; fill: none; stroke-linecap: round; }
.ROOT .legend { grid-column: 2; padding-top: 0.35rem; }
.ROOT .strips { grid-template-columns: minmax(5rem, 22%) minmax(0, 1fr); row-gap: 0.25rem; align-items: center; }
.ROOT .strips svg { height: 11px; }
.ROOT .strips .name { font-size: 0.75rem; line-height: 1.2; }
.ROOT .columns { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
  margin-top: 1rem; }
.ROOT .columns > section { min-width: 0; }
@media print { .ROOT .box { break-inside: avoid; } .ROOT .why { break-after: avoid; } }
"""


MOST_SHOWN_CHARACTERS = 60_000
"""Maximum number of characters of chunks that a notebook shows of a result; a notebook keeps what it shows in its file."""


def result_html(chunking: Chunking) -> str:
    """Return a result as self-contained HTML: heading, curve, chunks and notes."""
    return styled_html(build_html_column_of_result(chunking, MOST_SHOWN_CHARACTERS))


def comparison_html(chunkings: Sequence[Chunking], titles: Sequence[str]) -> str:
    """Return several results for one text as self-contained HTML: strips of chunks on one axis, and a column per result."""
    column_character_limit = MOST_SHOWN_CHARACTERS // len(chunkings)
    columns_html = "".join(
        f"<section>{build_html_column_of_result(chunking, column_character_limit, title)}</section>"
        for chunking, title in zip(chunkings, titles, strict=True)
    )
    result_strips_html = "".join(
        chunk_strip_html(chunking, f"{number} {title}")
        for number, (chunking, title) in enumerate(zip(chunkings, titles, strict=True), 1)
    )
    return styled_html(f'<div class="axis strips">{result_strips_html}</div><div class="columns">{columns_html}</div>')


def styled_html(inner_html: str) -> str:
    """Wrap HTML together with the results' style sheet in a single element."""
    return f'<div class="{ROOT_CLASS} {NO_MATHJAX_CLASSES}"><style>{style_sheet()}</style>{inner_html}</div>'


def build_html_column_of_result(chunking: Chunking, max_characters: int | None, title: str = "") -> str:
    """Return a result as a column of HTML: heading, curve, chunks and notes."""
    settings_and_sizes_line = " · ".join(filter(None, (settings_phrase(chunking), chunk_sizes_phrase(chunking))))
    notes_html = "".join(f'<p class="note">{escape_html(note)}</p>' for note in chunking.notes)
    heading_html = (
        f"<h3>{escape_html(title or chunker_title_without_settings(chunking))}</h3><p "
        f'class="facts">{escape_html(settings_and_sizes_line)}</p>'
    )
    return f"{heading_html}{curve_html(chunking)}{chunk_list_html(chunking, max_characters)}{notes_html}"


def chunker_title_without_settings(chunking: Chunking) -> str:
    """Return the title of the chunker that made a result."""
    if chunking.made_by is None:
        return "Chunks"
    try:
        return chunking.made_by.build().title
    except InputError:
        # An adapter or somebody's own chunker, which another machine need not have.
        return chunking.made_by.chunker.replace("_", " ")


def settings_phrase(chunking: Chunking) -> str:
    """Return the most important settings of a result's chunker as a short phrase; empty if they are unknown."""
    try:
        return "" if chunking.made_by is None else chunking.made_by.build().describe()
    except InputError:
        return ""


def chunk_sizes_phrase(chunking: Chunking) -> str:
    """Return a phrase with the number of chunks, their lengths in characters, and the number of sentences."""
    chunk_character_counts = [len(chunk.text) for chunk in chunking.chunks]
    chunk_count_phrase = pluralize(len(chunk_character_counts), "chunk")
    if chunk_character_counts:
        chunk_count_phrase += (
            f" of {min(chunk_character_counts):,} to {max(chunk_character_counts):,} characters, median "
            f"{statistics.median(chunk_character_counts):,.0f}"
        )
    return f"{chunk_count_phrase} · {pluralize(len(chunking.document.sentences), 'sentence')} of {chunking.document.name}"


# The list of chunks.

_REPEATED_TEXT_TOOLTIP = "the chunk before has this too"


def chunk_list_html(chunking: Chunking, max_total_characters: int | None = None) -> str:
    """Return an HTML list of a result's chunks, with the reason for each cut and, as tooltips, for each uncut gap.

    Parameters
    ----------
    chunking
        The result.
    max_total_characters
        Number of characters after which further chunks are only counted; None to show all chunks.
    """
    document = chunking.document
    cut_reason_by_start, uncut_reason_by_sentence = _cut_and_uncut_reason_maps(chunking)
    item_htmls: list[str] = []
    total_shown_character_count = 0
    previous_chunk_span: Span | None = None
    for chunk_number, chunk in enumerate(chunking.chunks, start=1):
        if (
            max_total_characters is not None
            and total_shown_character_count
            and total_shown_character_count + len(chunk.text) > max_total_characters
        ):
            unshown_chunk_count = len(chunking.chunks) - chunk_number + 1
            item_htmls.append(f'<li class="note">{pluralize(unshown_chunk_count, "further chunk")} not shown here.</li>')
            break
        total_shown_character_count += len(chunk.text)
        reason_for_cut_before_chunk = cut_reason_by_start.get(chunk.start, "") if chunk_number > 1 else ""
        reason_html = (
            f'<p class="why">cut: {escape_html(reason_for_cut_before_chunk)}</p>' if reason_for_cut_before_chunk else ""
        )
        item_htmls.append(
            f'<li class="k{(chunk_number - 1) % CHUNK_COLOUR_COUNT}" '
            f'aria-label="{_chunk_label_for_screen_readers(chunk_number, chunk, reason_for_cut_before_chunk)}">{reason_html}'
            f'<div class="box"><span class="number" aria-hidden="true">{chunk_number:,}</span>'
            f'<div class="text {NO_MATHJAX_CLASSES}" '
            f'dir="auto">{_chunk_html(document, chunk, previous_chunk_span, uncut_reason_by_sentence)}</div></div></li>'
        )
        previous_chunk_span = chunk.spans[-1] if len(chunk.spans) == 1 else None
    return f'<ol class="chunks">{"".join(item_htmls)}</ol>' if item_htmls else '<p class="note">No chunk.</p>'


def _chunk_label_for_screen_readers(number: int, chunk: Chunk, reason: str) -> str:
    """Return the introduction to a chunk for screen readers."""
    chunk_number_and_range_phrase = f"Chunk {number:,}, characters {chunk.start:,} to {chunk.end:,}"
    return escape_html(f"{chunk_number_and_range_phrase}, cut: {reason}" if reason else chunk_number_and_range_phrase)


def _cut_and_uncut_reason_maps(chunking: Chunking) -> tuple[dict[int, str], dict[int, str]]:
    """Return the reasons for chunks by their starts, and the reasons for kept gaps by the sentence before each."""
    cut_reason_by_start, uncut_reason_by_sentence = {}, {}
    for gap in chunking.gaps:
        if gap.verdict.is_cut:
            cut_reason_by_start[gap.start_after(chunking.document)] = gap.reason
        elif gap.offset is None:
            uncut_reason_by_sentence[gap.index] = gap.reason
    return cut_reason_by_start, uncut_reason_by_sentence


def _chunk_html(
    document: Document, chunk: Chunk, previous_chunk_span: Span | None, uncut_reason_by_sentence: dict[int, str]
) -> str:
    if chunk.stated is not None:
        return _model_written_html(document, chunk.stated)
    html_parts = [f'<span class="context">{escape_html(chunk.context)}</span>\n'] if chunk.context else []
    for chunk_span_number, chunk_span in enumerate(chunk.spans):
        if chunk_span_number:
            html_parts.append(f'<span class="between">from character {chunk_span.start:,}</span>')
        repeated_text_end = (
            chunk_span.start
            if previous_chunk_span is None or chunk_span_number
            else min(max(previous_chunk_span.end, chunk_span.start), chunk_span.end)
        )
        if repeated_text_end > chunk_span.start:
            html_parts.append(
                '<mark class="again" '
                f'title="{_REPEATED_TEXT_TOOLTIP}">{escape_html(document.text[chunk_span.start : repeated_text_end])}</mark>'
            )
        html_parts += _sentences_html(document, Span(repeated_text_end, chunk_span.end), uncut_reason_by_sentence)
    return "".join(html_parts)


def _model_written_html(document: Document, model_written_content: StatedContent) -> str:
    """Return title and summary, and below them the propositions, each with its source and its remark."""
    html_parts = [f"<b>{escape_html(model_written_content.title)}</b>\n"] if model_written_content.title else []
    html_parts += (
        [f'<span class="context">{escape_html(model_written_content.summary)}</span>\n']
        if model_written_content.summary
        else []
    )
    for proposition in model_written_content.propositions:
        source_passage_phrase = "" if proposition.span is None else f"from: {document.text[slice(*proposition.span)]}"
        proposition_tooltip = "; ".join(filter(None, (source_passage_phrase, proposition.remark_on_source_match)))
        html_parts.append(f'<span title="{escape_html(proposition_tooltip)}">{escape_html(proposition.text)}</span>\n')
    return "".join(html_parts)


def _sentences_html(document: Document, span: Span, uncut_reason_by_sentence: dict[int, str]) -> Iterator[str]:
    """Yield a stretch of text sentence by sentence, each with why no chunk ends after it."""
    sentence_starts = document.starts
    inner_sentence_starts = sentence_starts[document.sentence_at(span.start) + 1 : bisect_left(sentence_starts, span.end)]
    for sentence_start, sentence_end in pairwise([span.start, *inner_sentence_starts, span.end]):
        sentence_index = document.sentence_at(sentence_start)
        reason_for_no_cut_after = uncut_reason_by_sentence.get(sentence_index, "") if sentence_end < span.end else ""
        escaped_sentence = escape_html(document.text[sentence_start:sentence_end])
        yield (
            f'<span title="{escape_html(f"not cut after this: {reason_for_no_cut_after}")}">{escaped_sentence}</span>'
            if reason_for_no_cut_after
            else escaped_sentence
        )


# The curve and the strips of chunks, as SVG on one axis of characters, without a script.

_CURVE_HEIGHT = 100.0
"""Height of the curve in its own units; the width is the number of characters of the text."""

_MOST_DOTS = 400
"""Gaps up to which each has a dot with its reason; of more only cuts have one."""

_MOST_POINTS = 3_000
"""Points of a curve; of more, the least and the greatest of each stretch are drawn."""


def curve_html(chunking: Chunking) -> str:
    """Return an SVG of a result's first curve, with threshold lines and a dot per gap; empty if there is no curve."""
    if not chunking.curves or not any(map(math.isfinite, chunking.curves[0].scores)):
        return ""
    first_score_curve = chunking.curves[0]
    finite_values = [*filter(math.isfinite, [*first_score_curve.scores, *(line.level for line in first_score_curve.lines)])]
    lowest_value, highest_value = min(finite_values), max(finite_values)
    curve_value_range = highest_value - lowest_value or 1.0
    sentence_ends = [span.end for span in chunking.document.sentences[:-1]]
    curve_svg_points = [
        (x, _CURVE_HEIGHT * (1 - (score - lowest_value) / curve_value_range))
        for x, score in zip(sentence_ends, first_score_curve.scores, strict=False)
    ]
    threshold_lines_svg = "".join(
        f'<path d="M0 {_CURVE_HEIGHT * (1 - (line.level - lowest_value) / curve_value_range):.2f}H{_svg_width(chunking)}" '
        'stroke="var(--accent)" stroke-width="1.5"/>'
        for line in first_score_curve.lines
        if math.isfinite(line.level)
    )
    threshold_levels_phrase = ", ".join(
        f"{escape_html(line.label)} {format_number(line.level, '.2f')}"
        for line in first_score_curve.lines
        if math.isfinite(line.level)
    )
    formatted_highest_value, formatted_lowest_value = format_number(highest_value, ".2f"), format_number(lowest_value, ".2f")
    curve_svg = (
        f'<svg viewBox="0 0 {_svg_width(chunking)} {_CURVE_HEIGHT:g}" preserveAspectRatio="none" '
        'role="img" '
        f'aria-label="{escape_html(first_score_curve.label)} at {pluralize(len(first_score_curve.scores), "gap")}">'
        f'{threshold_lines_svg}<path d="{_svg_path(curve_svg_points)}" stroke="var(--muted)" '
        f'stroke-width="1.2"/>{_svg_gap_dots(chunking, curve_svg_points)}</svg>'
    )
    return (
        '<figure class="axis curve"><div '
        f'class="scale"><span>{formatted_highest_value}</span><span>{formatted_lowest_value}</span></div>{curve_svg}'
        f'<figcaption class="legend">{escape_html(first_score_curve.label)}'
        f"{f' · line: {threshold_levels_phrase}' if threshold_levels_phrase else ''} · ● cut ○ kept</figcaption></figure>"
    )


def _svg_width(chunking: Chunking) -> int:
    return max(1, len(chunking.document.text))


def _svg_path(curve_points: Sequence[tuple[int, float]]) -> str:
    """Return a line through points, broken where one is undefined."""
    path_commands: list[str] = []
    continues_line = False
    for x, y in _thinned_points(curve_points):
        if math.isfinite(y):
            path_commands.append(f"{'L' if continues_line else 'M'}{x} {y:.2f}")
        continues_line = math.isfinite(y)
    return "".join(path_commands)


def _thinned_points(curve_points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    if len(curve_points) <= _MOST_POINTS:
        return [*curve_points]
    stretch_length = math.ceil(2 * len(curve_points) / _MOST_POINTS)
    kept_points = []
    for stretch_start in range(0, len(curve_points), stretch_length):
        finite_points = [
            place for place in curve_points[stretch_start : stretch_start + stretch_length] if math.isfinite(place[1])
        ]
        kept_points += (
            sorted({min(finite_points, key=lambda point: point[1]), max(finite_points, key=lambda point: point[1])})
            if finite_points
            else []
        )
    return kept_points


def _svg_gap_dots(chunking: Chunking, curve_points: Sequence[tuple[int, float]]) -> str:
    gaps_with_dots: list[Gap] = [gap for gap in chunking.gaps if gap.offset is None and gap.index < len(curve_points)]
    if len(gaps_with_dots) > _MOST_DOTS:
        gaps_with_dots = [gap for gap in gaps_with_dots if gap.verdict.is_cut][: 5 * _MOST_DOTS]
    dot_svgs = []
    for gap in gaps_with_dots:
        x, y = curve_points[gap.index]
        if not math.isfinite(y):
            continue
        is_cut = gap.verdict.is_cut
        escaped_gap_tooltip = escape_html(f"after sentence {gap.index + 1:,}, {'cut' if is_cut else 'kept'}: {gap.reason}")
        outer_dot_svg = f'<path d="M{x} {y:.2f}h0" stroke="var(--{"accent" if is_cut else "muted"})" stroke-width="8">'
        inner_dot_svg = (
            "" if is_cut else f'<path d="M{x} {y:.2f}h0" stroke="var(--page)" stroke-width="5" pointer-events="none"/>'
        )
        dot_svgs.append(f"{outer_dot_svg}<title>{escaped_gap_tooltip}</title></path>{inner_dot_svg}")
    return "".join(dot_svgs)


def chunk_strip_html(chunking: Chunking, strip_name: str) -> str:
    """Return an HTML row for a grid of strips that shows a result's chunks as coloured segments."""
    strip_svg_width = _svg_width(chunking)
    chunk_rects_svg = "".join(
        f'<rect class="k{number % CHUNK_COLOUR_COUNT}" x="{span.start}" y="0" width="{span.end - span.start}" height="1" '
        'fill="var(--ground)" stroke="var(--edge)"/>'
        for number, chunk in enumerate(chunking.chunks)
        for span in chunk.spans
    )
    return (
        f'<span class="name">{escape_html(strip_name)}</span><svg viewBox="0 0 {strip_svg_width} 1" '
        'preserveAspectRatio="none" '
        f'role="img" '
        f'aria-label="{pluralize(len(chunking.chunks), "chunk")}">{chunk_rects_svg}</svg>'
    )


def marked_offsets_row_html(chunking: Chunking, offsets: Sequence[int], row_name: str) -> str:
    """Return an HTML row for a grid of strips, with a mark at each of the ``offsets``, in code points."""
    path_data = "".join(f"M{place} 0V1" for place in offsets)
    return (
        f'<span class="name">{escape_html(row_name)}</span><svg viewBox="0 0 {_svg_width(chunking)} 1" '
        'preserveAspectRatio="none" '
        f'role="img" aria-label="{pluralize(len(offsets), "place")}">'
        f'<path d="{path_data}" stroke="var(--ink)" stroke-width="3" fill="none"/></svg>'
    )
