"""The linked reader: the barcode, curve and text of all columns in one browser component."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from chunkers import Chunker, Chunking, Document
from viz.components.browser_exchange import (
    Component,
    browser_text_store,
    compact_json,
    convert_offsets_to_sentence_positions,
    no_op_callback,
    take_event,
    text_payload,
    utf16_offsets,
)
from viz.components.reader.column_body import score_curve_data, text_segments
from viz.components.reader.payload import (
    AskingData,
    ClickedGaps,
    ColumnBody,
    ColumnData,
    MarkingData,
    ReaderData,
    ResultsData,
    clicked_gaps_from_event,
)
from viz.jobs import MOST_CACHED_BYTES, cached_while_shown
from viz.state import session

_reader_component = Component[ReaderData](
    "seamark_reader",
    "components/reader/reader.js",
    "components/shared/common.css",
    "components/reader/reader.css",
    "components/shared/zoom_window.css",
    "components/reader/disagreements/disagreements.css",
    "components/reader/ask/ask.css",
    "components/remedies/remedy_list.css",
    "components/gaps/gaps.css",
    "components/reader/marking/marking.css",
    html='<div class="seamark"></div>',
    colour_group_name="seamark",
)


@dataclass(frozen=True)
class HeadRow:
    """A row of a column's summary; ``brief`` is always visible, the rest only in the details."""

    label: str
    value: str
    tone: str = ""
    brief: str = ""


@dataclass(frozen=True)
class ReaderResult:
    """A chunker and its chunking of the document; results with the same ``identity`` are equal.

    If ``has_movable_lines``, the threshold lines can be dragged.
    """

    identity: Hashable
    chunker: Chunker
    chunking: Chunking
    has_movable_lines: bool = True


@dataclass(frozen=True)
class ReaderColumn:
    """A chunker's column: its summary, and its result or a message that explains its absence.

    ``new_cuts`` holds the offsets, in code points, of the cuts added by the last change; ``misassigned_sentences`` holds the
    numbers of the sentences outside the chunk that fits their section best.
    """

    title: str = ""
    subtitle: str = ""
    result: ReaderResult | None = None
    rows: tuple[HeadRow, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    message: str = ""
    tone: str = ""
    new_cuts: frozenset[int] = field(default_factory=frozenset)
    misassigned_sentences: tuple[int, ...] = ()


def draw_reader_and_hash_columns(
    document: Document,
    columns: Sequence[ReaderColumn],
    *,
    title: str,
    summary: str,
    selected_column_index: int,
    known_boundaries: Sequence[int] | None,
    key: str,
    draws_axis: bool = True,
    score_margin: float = 0.0,
    clickable_gaps: MarkingData | None = None,
    unavailable_reason_by_folding_purpose: Mapping[str, str] | None = None,
    question_form_data: AskingData | None = None,
    shows_card: bool = False,
) -> list[str]:
    """Mount the reader, which shows the columns and their text, and return the hash of each column's body.

    Pass ``draws_axis=False`` if the page draws its own axis. Gaps whose score is within ``score_margin`` of a threshold
    line are marked on the curve. ``unavailable_reason_by_folding_purpose`` has the purposes for which the columns can
    fold into one text with clickable gaps, each with the reason why it is unavailable, empty if it is available. A page
    that calls `viz.shell.card.verdicts.send_verdicts_on_pointed_gap` passes ``shows_card=True``.

    The page reruns after each of these events, whose details are by name in ``st.session_state[key]``:

    - ``line``: the user dropped a threshold line; ``{"column", "parameter", "value", "at"}``.
    - ``selected``: the user clicked a column's head; ``{"column", "at"}``.
    - ``mark``: the user set gaps, if there are ``clickable_gaps``; read by
      `viz.components.reader.payload.clicked_gaps_from_event`.
    - ``fold``: the user folded the columns, if there are purposes for it; ``{"purpose", "at"}``. The purpose is empty if
      the user unfolded them.
    - ``asking``: the user chose how a question is answered; ``{"ask", "ask_limit", "at"}``.
    - ``answer``: the user marked part of the text as the answer; ``{"start", "end", "at"}``, in UTF-16 code units or None.
    - ``remedy``: the user wants a remedy as a column, ``{"setting", "at"}``, or tested on Tune, ``{"tune", "at"}``.
    - ``change``: the user applied a change that a verdict names, ``{"column", "values", "at"}``, or undid the change,
      ``{"undo", "at"}``.
    """
    browser_text_store(text_payload(document), key=f"{key}_text")
    reader_data: ReaderData = {
        **results_payload(document, columns, known_boundaries),
        "source": document.identity,
        "title": title,
        "summary": summary,
        "selected": selected_column_index,
        "margin": score_margin,
        "heard": session.handled_event_times.get((key, "line")),
        "axis": draws_axis,
        "marking": None
        if clickable_gaps is None
        else {**clickable_gaps, "heard": session.handled_event_times.get((key, "mark"))},
        "offers": {**(unavailable_reason_by_folding_purpose or {})},
        "lecture": bool(session.is_in_lecture_mode),
        "asking": question_form_data,
        "card": shows_card,
    }
    _reader_component(
        key=key,
        data=reader_data,
        on_line_change=no_op_callback,
        on_selected_change=no_op_callback,
        on_mark_change=no_op_callback,
        on_fold_change=no_op_callback,
        on_asking_change=no_op_callback,
        on_answer_change=no_op_callback,
        on_remedy_change=no_op_callback,
        on_change_change=no_op_callback,
    )
    return [column["hash"] for column in reader_data["columns"]]


def take_clicked_gaps(key: str, document: Document) -> list[ClickedGaps]:
    """Return the user's changes of the gaps of the reader's text that are new, in order."""
    last_received_timestamp = session.handled_event_times.get((key, "mark"))
    return clicked_gaps_from_event(take_event(key, "mark"), document, last_received_timestamp)


def results_payload(
    document: Document, columns: Sequence[ReaderColumn], known_boundaries: Sequence[int] | None
) -> ResultsData:
    """Return the reader's payload apart from the text: the columns and the known boundaries."""
    return {
        "known": None if known_boundaries is None else utf16_offsets(document.text, known_boundaries),
        "knownAt": convert_offsets_to_sentence_positions(document, known_boundaries or ()),
        "columns": [
            _column_data(document, column, None if known_boundaries is None else frozenset(known_boundaries))
            for column in columns
        ],
    }


def _column_data(document: Document, column: ReaderColumn, known_boundaries: frozenset[int] | None) -> ColumnData:
    # The body is sent as a string, so that an unchanged body is neither parsed nor compared in parts.
    body_hash, body_json = (
        ("", "")
        if column.result is None
        else _hash_and_body_json(document, column.result, known_boundaries, column.new_cuts)
    )
    return {
        "title": column.title,
        "subtitle": column.subtitle,
        "brief": [
            [row.brief, row.tone, row.value if len(row.value) > len(row.brief) else ""] for row in column.rows if row.brief
        ],
        "rows": [[row.label, row.value, row.tone] for row in column.rows],
        "table": [list(row) for row in column.table],
        "notes": list(column.notes),
        "message": column.message,
        "tone": column.tone,
        "wrong": list(column.misassigned_sentences),
        "hash": body_hash,
        "body": body_json,
    }


@cached_while_shown(
    MOST_CACHED_BYTES,
    lambda document, result, known, fresh: (document.identity, result.identity, result.has_movable_lines, known, fresh),
    lambda hash_and_body: len(hash_and_body[1]),
)
def _hash_and_body_json(
    document: Document,
    result_shown_in_reader: ReaderResult,
    known_boundaries: frozenset[int] | None,
    new_cuts: frozenset[int],
) -> tuple[str, str]:
    """Return the hash of a column's body, and the body as JSON."""
    column_body: ColumnBody = {
        "segments": text_segments(document, result_shown_in_reader.chunking, known_boundaries, new_cuts),
        "curve": score_curve_data(
            result_shown_in_reader.chunker, result_shown_in_reader.chunking, result_shown_in_reader.has_movable_lines
        ),
    }
    column_body_json = compact_json(column_body)
    return hashlib.blake2b(column_body_json.encode(), digest_size=12).hexdigest(), column_body_json
