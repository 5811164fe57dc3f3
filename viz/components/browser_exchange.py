"""The exchange with the browser: components and their data, stores, events, and a text with offsets in UTF-16."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import numpy as np
import streamlit as st

from chunkers import Document
from chunkers.support import IntArray
from viz.components import script_bundler
from viz.components.bold_and_monospaced_ranges import FormattedRangeKind, find_formatted_ranges
from viz.jobs import MOST_CACHED_BYTES, cached_while_shown, register_text_gone_callback
from viz.state import session
from viz.theme import palette

Data = Mapping[str, object] | bytes
"""Payload of a component: JSON, or a line of JSON followed by arbitrary bytes."""

Payload = TypeVar("Payload", bound=Data)


class Component(Generic[Payload]):
    """A browser component, registered when it is made, and drawn with its payload when it is called.

    Each payload has a sequence number. A browser that receives new data while it fetches the script draws all payloads, in
    any order; ``shared/in_order.js`` skips outdated ones.

    Parameters
    ----------
    script, styles
        Paths of the script and of the style sheets, below ``viz/``.
    html
        The element that the script fills.
    colour_group_name
        The class of the element that has the colours of the theme as custom properties; empty if the component needs none.
    draw_function_name
        The name of the script's exported function that draws the component, if it has no default export.
    """

    def __init__(
        self,
        name: str,
        script: str,
        *styles: str,
        html: str = "",
        colour_group_name: str = "",
        draw_function_name: str | None = None,
    ) -> None:
        css = "\n".join(
            [
                *([palette.style_sheet_of_both_themes(colour_group_name)] if colour_group_name else []),
                script_bundler.joined_style_sheets(*styles),
            ]
        )
        self._mount = st.components.v2.component(
            name, html=html, css=css, js=script_bundler.join_script_with_imports(script, draw_function_name)
        )

    def __call__(
        self,
        *,
        key: str,
        data: Payload | None = None,
        height: Literal["content", "stretch"] | int = "content",
        **on_change: Any,
    ) -> None:
        """Draw the component with ``data``; unchanged data is not sent again.

        ``on_NAME_change`` is called when the script sets the state NAME.
        """
        self._mount(
            key=_streamlit_safe_key(key),
            data=None if data is None else _with_sequence_number(key, data),
            height=height,
            **on_change,
        )


class Store(Generic[Payload]):
    """An invisible component that stores data in the browser for other components, by calling ``store_function_name``."""

    def __init__(self, name: str, store_function_name: str) -> None:
        self._component = Component[Payload](name, "components/shared/store.js", draw_function_name=store_function_name)

    def __call__(self, data: Payload, *, key: str) -> None:
        """Send ``data``; unchanged data is not sent again."""
        # Streamlit turns the key into a CSS class, by which the page's style sheet hides all stores.
        self._component(key=f"store_{key}", data=data, height=0)


def take_event(key: str, event_name: str) -> dict[str, Any] | None:
    """Return the detail of a component's latest event called ``event_name``, or None if there is no new event.

    A detail has the browser's timestamp as ``at``. After a change of the page Streamlit forgets the component's state, hears
    it again from the browser, and calls the callbacks once more; so callbacks too must take their event by this function.
    """
    return _take_new_event(key, event_name) or session.unhandled_events.pop((key, event_name), None)


def no_op_callback() -> None:
    """Do nothing; with a callback, Streamlit keeps the component's state and reruns the page or the fragment."""


def keep_event_until_taken(key: str, event_name: str) -> None:
    """Keep an event that Streamlit holds for a single run until the page takes it; for use as a callback.

    Another input may interrupt that run before the page takes the event.
    """
    if new_event := _take_new_event(key, event_name):
        session.unhandled_events[key, event_name] = new_event


def _take_new_event(key: str, event_name: str) -> dict[str, Any] | None:
    event_detail: dict[str, Any] | None = (st.session_state.get(_streamlit_safe_key(key)) or {}).get(event_name)
    if not event_detail or session.handled_event_times.get((key, event_name)) == event_detail["at"]:
        return None
    session.handled_event_times[key, event_name] = event_detail["at"]
    session.unhandled_events.pop((key, event_name), None)
    return event_detail


def _streamlit_safe_key(key: str) -> str:
    """Return a component's key without two underscores in a row, which Streamlit refuses; a run's token may contain them."""
    return re.sub("_(?=_)", "_-", key)


def _with_sequence_number(component_key: str, data: Data) -> bytes | list[object]:
    sequence_number_of_data = session.sent.sequence_number(component_key, data)
    if isinstance(data, bytes):
        return f"{sequence_number_of_data.session} {sequence_number_of_data.number}\n".encode() + data
    # Streamlit looks for tables among the values of a mapping, and imports pandas for that, but not inside a list.
    return [data, sequence_number_of_data]


# Offsets in UTF-16, and positions on the sentence axis.


def utf16_offsets(text: str, offsets: Sequence[int]) -> list[int]:
    """Convert offsets in code points of ``text`` to offsets in UTF-16 code units, which browsers use."""
    astral_offsets = _astral_character_offsets(text)
    return (
        (np.asarray(offsets, dtype=np.int64) + np.searchsorted(astral_offsets, offsets)).tolist()
        if len(astral_offsets)
        else [*offsets]
    )


def code_point_offsets_from_utf16(text: str, offsets: Sequence[int]) -> list[int]:
    """Convert offsets in UTF-16 code units of ``text`` to offsets in code points, the inverse of `utf16_offsets`.

    An offset between the two units of a character is converted to the start of that character.
    """
    astral_offsets = _astral_character_offsets(text)
    if not len(astral_offsets):
        return [*offsets]
    astral_counts_before = np.searchsorted(astral_offsets + np.arange(len(astral_offsets)), offsets)
    offsets_in_code_points: list[int] = (np.asarray(offsets, dtype=np.int64) - astral_counts_before).tolist()
    return offsets_in_code_points


@lru_cache(maxsize=4)
def _astral_character_offsets(text: str) -> IntArray:
    """Return the offsets, in code points, of the characters with two UTF-16 code units."""
    if text.isascii():
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) > 0xFFFF)


register_text_gone_callback(lambda _: _astral_character_offsets.cache_clear())


def convert_offsets_to_sentence_positions(document: Document, offsets: Sequence[int]) -> list[float]:
    """Convert offsets in code points to positions on the sentence axis: 2.5 is the middle of the third sentence."""
    if not (offsets and document.sentences):
        return [0.0 for _ in offsets]
    offset_array = np.asarray(offsets, dtype=np.int64)
    sentence_starts, sentence_ends = np.asarray(document.sentences).T
    offset_sentence_indices = np.maximum(np.searchsorted(sentence_starts, offset_array, side="right") - 1, 0)
    fraction_within_sentence = (offset_array - sentence_starts[offset_sentence_indices]) / (sentence_ends - sentence_starts)[
        offset_sentence_indices
    ]
    positions_on_sentence_axis: list[float] = np.round(
        offset_sentence_indices + np.clip(fraction_within_sentence, 0, 1), 4
    ).tolist()
    return positions_on_sentence_axis


# The text, sent to the browser once and stored there for all components.


browser_text_store = Store[bytes]("seamark_text", "storeText")


class HeadingData(TypedDict):
    """A heading, with its level from 1 to 6, and its title without Markdown marks."""

    start: int
    end: int
    level: int
    title: str


class Pages(TypedDict):
    """Pages, chapters, rows, slides or cells of a text. One that has no text begins where the next one begins."""

    kind: Literal["page", "chapter", "row", "slide", "cell"]
    starts: list[int]
    names: list[str]


class TextHead(TypedDict):
    """A text's sentences, formatting and pages for the browser's store; all offsets are in UTF-16 code units.

    Attributes
    ----------
    id
        Identity of the document.
    starts, ends
        Offsets of the sentences.
    looks
        Start, end and kind of the parts that are drawn differently, in order and without overlap.
    pages
        The parts of the text's file, if it has any.
    """

    id: str
    starts: list[int]
    ends: list[int]
    looks: list[tuple[int, int, FormattedRangeKind]]
    headings: list[HeadingData]
    pages: NotRequired[Pages]


@cached_while_shown(MOST_CACHED_BYTES, lambda document: (document.identity,), len)
def text_payload(document: Document) -> bytes:
    """Return the bytes for the browser's store: a line of JSON, a `TextHead`, then the text."""
    formatted_ranges, headings = find_formatted_ranges(document.text)
    text_header: TextHead = {
        "id": document.identity,
        "starts": utf16_offsets(document.text, document.starts),
        "ends": utf16_offsets(document.text, [span.end for span in document.sentences]),
        "looks": [
            (start, end, look.kind)
            for look, start, end in zip(
                formatted_ranges,
                utf16_offsets(document.text, [look.start for look in formatted_ranges]),
                utf16_offsets(document.text, [look.end for look in formatted_ranges]),
                strict=True,
            )
        ],
        "headings": [
            {"start": start, "end": end, "level": heading.level, "title": heading.title}
            for heading in headings
            for start, end in [utf16_offsets(document.text, heading.span)]
        ],
    }
    document_pages_or_chapters = document.parts
    if document_pages_or_chapters is not None:
        text_header["pages"] = {
            "kind": document_pages_or_chapters.kind,
            "starts": utf16_offsets(document.text, document_pages_or_chapters.starts),
            "names": [
                document_pages_or_chapters.short_label_of_part(number)
                for number in range(len(document_pages_or_chapters.starts))
            ],
        }
    return f"{compact_json(text_header)}\n{document.text}".encode()


def compact_json(data: Any) -> str:
    """Return ``data`` as JSON without whitespace between tokens."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
