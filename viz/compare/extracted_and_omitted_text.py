"""The text as read from a file, part by part, with the content that was left out."""

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import NamedTuple

import streamlit as st

from chunkers.support import pluralize
from chunkers.text import Omission, TextParts, shorten
from viz.components.page_elements import show_remark
from viz.state import HEADER_FOOTER_RESTORE_LABELS, TextWithDetails, restore_omitted_headers_or_footers, session

LONGEST_EXTRACTED_PASSAGE = 20_000
"""Most characters shown at one time."""

MOST_NAMED_PAGE_RANGES = 8
"""Most page ranges named for one kind of omitted content."""

MOST_QUOTED_CHARACTERS = 60
"""Most characters quoted from an omitted line."""


class PageStretch(NamedTuple):
    """A passage that is shown at one time: a page, part of a page, or part of a text without pages."""

    part: int | None
    start: int
    end: int


def show_extracted_text(text_with_details: TextWithDetails) -> None:
    """Draw the text as read from a file, one page at a time, and a table of the omitted content."""
    if text_with_details.left_out:
        st.dataframe(
            build_omission_table(text_with_details.left_out, text_with_details.parts),
            hide_index=True,
            width="stretch",
            placeholder="",
        )
        if text_with_details is session.own:
            _offer_to_restore_lines(text_with_details)
    text_origin_description = text_with_details.teaches or "not read from a file"
    no_omissions_phrase = (
        "" if text_with_details.left_out or "left out" in text_origin_description else " · nothing was left out"
    )
    show_remark(
        f"{text_with_details.name}: {text_origin_description}{no_omissions_phrase}. The text below is what is cut.",
        key="parsing_said",
    )
    # Rows are too short to be shown one at a time.
    page_or_chapter_parts = (
        text_with_details.parts if text_with_details.parts is not None and text_with_details.parts.kind != "row" else None
    )
    text_stretches = page_stretches(text_with_details.text, page_or_chapter_parts)
    shown_stretch_index = 0
    if len(text_stretches) > 1:
        page_or_chapter_word = (
            page_or_chapter_parts.kind.capitalize()
            if page_or_chapter_parts is not None and len(text_stretches) == len(page_or_chapter_parts.starts)
            else "Stretch"
        )
        # Each text has its own widget, so that another text starts on its first page.
        stretch_number_input_key = f"parsing/{len(text_with_details.text)}/{len(text_stretches)}"
        shown_stretch_index = (
            st.number_input(
                f"{page_or_chapter_word} (1 to {len(text_stretches):,})",
                1,
                len(text_stretches),
                key=stretch_number_input_key,
                width=260,
            )
            - 1
        )
    shown_stretch = text_stretches[shown_stretch_index]
    if stretch_description := describe_stretch(shown_stretch, text_with_details):
        show_remark(stretch_description, key="parsing_about")
    stretch_text = text_with_details.text[shown_stretch.start : shown_stretch.end].strip("\n")
    if stretch_text.strip():
        st.code(stretch_text, language=None, wrap_lines=True)
    else:
        show_remark("No text.", key="parsing_empty")


def _offer_to_restore_lines(own_text_with_details: TextWithDetails) -> None:
    """Draw the buttons that put left-out lines back into the text."""
    omitted_line_kinds = {
        omission.noun for omission in own_text_with_details.left_out if omission.part_number is not None and omission.text
    }
    put_back_buttons_row = st.container(horizontal=True)
    for omitted_line_kind, button_label in HEADER_FOOTER_RESTORE_LABELS.items():
        if own_text_with_details.parts is not None and omitted_line_kind in omitted_line_kinds:
            put_back_buttons_row.button(
                button_label,
                on_click=restore_omitted_headers_or_footers,
                args=(omitted_line_kind,),
                help="They become text of their pages again, as they are if they are headings. Upload the file to undo it.",
            )


def page_stretches(text: str, text_parts: TextParts | None) -> list[PageStretch]:
    """Return the text's pages or chapters as passages, split where longer than `LONGEST_EXTRACTED_PASSAGE` characters."""
    part_edge_offsets = [0, *text_parts.starts[1:], len(text)] if text_parts is not None else [0, len(text)]
    return [
        PageStretch(None if text_parts is None else number, start, min(last, start + LONGEST_EXTRACTED_PASSAGE))
        for number, (first, last) in enumerate(pairwise(part_edge_offsets))
        for start in range(first, max(last, first + 1), LONGEST_EXTRACTED_PASSAGE)
    ]


def describe_stretch(page_stretch: PageStretch, text_with_details: TextWithDetails) -> str:
    """Describe a passage: its page or chapter, and the content omitted from it; empty for a text without pages."""
    text_parts = text_with_details.parts
    if text_parts is None or page_stretch.part is None:
        return ""
    stretch_part_label = text_parts.label_of_part(page_stretch.part)
    omission_phrases = [
        _omission_in_words(omission) for omission in text_with_details.left_out if omission.part_number == page_stretch.part
    ]
    return f"{stretch_part_label} · left out here: {', '.join(omission_phrases)}" if omission_phrases else stretch_part_label


def _omission_in_words(omission: Omission) -> str:
    omission_phrase = pluralize(omission.occurrence_count, omission.noun)
    return f"{omission_phrase}, “{shorten(omission.text, MOST_QUOTED_CHARACTERS)}”" if omission.text else omission_phrase


def build_omission_table(omissions: Iterable[Omission], text_parts: TextParts | None) -> dict[str, list[str] | list[int]]:
    """Return a table of the content omitted from a file, with one row per kind of content."""
    omissions_by_kind: dict[str, list[Omission]] = {}
    for omission_from_file in omissions:
        omissions_by_kind.setdefault(omission_from_file.noun, []).append(omission_from_file)
    table: dict[str, list[str] | list[int]] = {
        "left out": [*omissions_by_kind],
        "times": [sum(omission.occurrence_count for omission in some) for some in omissions_by_kind.values()],
    }
    if text_parts is not None:
        table[f"{text_parts.kind}s"] = [
            _parts_with_omissions_phrase(some, text_parts) for some in omissions_by_kind.values()
        ]
    if any(omission.text for some in omissions_by_kind.values() for omission in some):
        table["for example"] = [
            next((omission.text for omission in some if omission.text), "") for some in omissions_by_kind.values()
        ]
    return table


def _parts_with_omissions_phrase(omissions: Iterable[Omission], text_parts: TextParts) -> str:
    """Return the labels of the pages, with consecutive ones as a range."""
    omission_part_indices = sorted(
        {
            omission.part_number
            for omission in omissions
            if omission.part_number is not None and omission.part_number < len(text_parts.labels)
        }
    )
    consecutive_part_runs = [
        [number for _, number in run] for _, run in groupby(enumerate(omission_part_indices), lambda pair: pair[1] - pair[0])
    ]
    part_range_labels = [
        text_parts.short_label_of_part(run[0])
        if len(run) == 1
        else f"{text_parts.short_label_of_part(run[0])}–{text_parts.short_label_of_part(run[-1])}"
        for run in consecutive_part_runs[:MOST_NAMED_PAGE_RANGES]
    ]
    return ", ".join([*part_range_labels, "…"] if len(consecutive_part_runs) > MOST_NAMED_PAGE_RANGES else part_range_labels)
