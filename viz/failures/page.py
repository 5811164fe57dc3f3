"""The Failures page: chunkers at published and best-found settings on documents with known boundaries."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chunkers import ADAPTERS, ASKING, CHUNKERS, Chunking
from evaluation.inbox.checked_chunking import HAIR
from evaluation.segmentation.measures import crossings
from evaluation.segmentation.sweep import SEARCHED, Setting, as_published
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.gaps.gaps import marking_data
from viz.components.mounting import take_event
from viz.components.reader.reader import Column, HeadRow, reader, take_clicks
from viz.controls.language_model import any_asks, model_form
from viz.failures.boundary_marking import marking_controls
from viz.failures.inbox import show_inbox
from viz.failures.lists import CardData, draw_list, show_table
from viz.failures.results import RESULTS, MeasuredSetting, best_settings, measure_setting, search_controls, search_of
from viz.jobs.sweep import Sweep
from viz.shell.column_exchange import columns_to_open_with, say_added, take_button
from viz.shell.column_head import column_of
from viz.shell.page import Page, page, sides
from viz.shell.results import run_columns, show_misfits, show_progress
from viz.state.choices import OWN, Choices, ColumnChoice
from viz.state.compare_choices import columns_of_compare, compared
from viz.state.models import chosen_model
from viz.state.own_marks import set_clicked
from viz.state.own_text import choose_document
from viz.state.session_state import session
from viz.state.text import Text
from viz.theme import palette
from viz.theme.numbers import counted, known_boundaries

PAGE = "failures"
READER = "reader"

ASKED = ("llm",)
"""Chunkers shown next to the others if a language model is named; they are measured without a settings search."""


def show() -> None:
    """Draw the Failures page."""
    document, sentences = next(iter(sample_splitters().items()))
    columns = [ColumnChoice(name, dict(as_published(name)[0].parameters)) for name in _names()]
    default = Choices(document, sentences, columns, selected=1, extra={"result": "published", "hair": f"{HAIR:g}"})
    opening = columns_to_open_with(PAGE, [{*CHUNKERS, *ASKING, *ADAPTERS}])
    with page(PAGE, default) as here:
        # The settings of this page are fixed; a link only selects a row.
        here.choices.columns = columns
        if opening:
            here.choices.selected, here.choices.extra["result"] = compared().selected, "compare"
        _draw(here)


def _draw(here: Page) -> None:
    choices, text = here.choices, here.text
    clicked = take_event(READER, "selected")
    if clicked is not None and choices.extra["result"] != "compare":
        choices.extra["result"] = RESULTS[bool(clicked["column"])]
    choices.selected = min(choices.selected, len(choices.columns) - 1)
    if choices.extra["result"] not in RESULTS:
        choices.extra["result"] = "published"
    _gallery(choices)
    if text is None:
        return
    marking = False
    if choices.document == OWN:
        # A click on a gap in the reader marks or unmarks a boundary.
        if set_clicked(text.document, [change.places for change in take_clicks(READER, text.document)]):
            st.rerun()
        marking = marking_controls(text)
    search = search_of(here, text)
    best = best_settings(search)
    settings = [("published", number, *as_published(name)) for number, name in enumerate(_names())]
    settings += [("best", number, best[name], "found here") for number, name in enumerate(SEARCHED) if name in best]
    settings += [
        ("compare", number, Setting.of(column.chunker, **column.parameters), f"column {number + 1}")
        for number, column in enumerate(columns_of_compare())
    ]
    columns = [ColumnChoice(setting.chunker, dict(setting.parameters)) for _, _, setting, _ in settings]
    outcomes = run_columns(here, text, columns)
    if any_asks(column.chunker for column in columns):
        with here.controls:
            model_form()
    shown = [measure_setting(*described, result, text) for described, result in zip(settings, outcomes, strict=True)]
    show_progress(outcomes)
    show_misfits(here.choices, outcomes)
    results, selected = _selected(choices, shown)
    palette.colour_page()
    left, right = sides(PAGE, 12, 13)
    with left, st.container(key="beside"):
        show_table(choices, shown)
        # Each in a place of its own: what comes and goes in one must not make Streamlit build the other anew.
        with st.container():
            ready = all(outcome.chunking is not None or outcome.error for outcome in outcomes)
            _actions(here, text, search, selected, ready=ready)
        with st.container():
            show_inbox(choices, selected, text, here.embedder)
    with right:
        _reader(text, results, selected, marking)


def _names() -> list[str]:
    """Return the names of the page's chunkers in order; links refer to them by index."""
    return [*SEARCHED, *(ASKED if chosen_model() is not None else ())]


def _selected(choices: Choices, shown: Sequence[MeasuredSetting]) -> tuple[list[MeasuredSetting], MeasuredSetting]:
    """Return the results shown in the text, and the one whose suspicious cuts are listed.

    They are a chunker's published and its best settings, or a column of Compare. If Compare does not have the link's column,
    the chunker with that number is selected.
    """
    wanted = (choices.extra["result"], choices.selected)
    alone = next((row for row in shown if row.which == "compare" and (row.which, row.column) == wanted), None)
    if alone is not None:
        return [alone], alone
    results = [row for row in shown if row.which != "compare" and row.column == choices.selected]
    selected = next((row for row in results if row.which == choices.extra["result"]), results[0])
    if choices.extra["result"] == "compare":
        choices.extra["result"] = selected.which
    return results, selected


def _actions(here: Page, text: Text, search: Sweep | None, selected: MeasuredSetting, *, ready: bool) -> None:
    """Draw the buttons that search for the best settings and open the selected row on Compare."""
    if text.source.known is not None:
        search_controls(here, text, search, ready=ready)
    setting = selected.setting
    column = ColumnChoice(setting.chunker, dict(setting.parameters))
    take_button("Take to Compare", column, key="take/failures", disabled=selected.which == "compare")
    say_added()


def _gallery(choices: Choices) -> None:
    cards = [_card(name, title) for name, title in sample_titles().items()]
    own = session.own
    cards.append(
        {
            "id": OWN,
            "title": own.name if own is not None else "Your own text",
            "teaches": "Paste or upload it; mark where its sections end.",
            "known": _known_words(own.known if own is not None else None),
        }
    )

    def chosen(card: dict[str, Any]) -> None:
        choose_document(choices, str(card["id"]))

    draw_list({"part": "gallery", "cards": cards, "chosen": choices.document}, key="gallery", on_chosen=chosen)


def _card(name: str, title: str) -> CardData:
    sample = load_sample(name)
    return {"id": name, "title": title, "teaches": sample.teaches, "known": _known_words(sample.known)}


def _known_words(known: Sequence[int] | None) -> str:
    if known is None:
        return "no known boundary"
    if not known:
        return "one topic"
    return known_boundaries(len(known))


def _reader(text: Text, results: Sequence[MeasuredSetting], selected: MeasuredSetting, marking: bool) -> None:
    source = text.source

    def column(setting: MeasuredSetting) -> Column:
        prefix = " · ".join(dict.fromkeys((setting.title, setting.origin)))
        return column_of(setting.made, lambda chunking: _head(setting, chunking, source.known), prefix=prefix, movable=False)

    parts = [_known_words(source.known)]
    if source.known is not None:
        parts.append("wavy red: outside the chunk that fits its section best")
    reader(
        text.document,
        [column(row) for row in results],
        title=source.name,
        summary=" · ".join([*parts, *([source.teaches] if source.teaches else [])]),
        selected=results.index(selected),
        known=source.known,
        key=READER,
        marking=marking_data(text.document, "marks", source.known or (), folded=False) if marking else None,
    )


def _head(setting: MeasuredSetting, chunking: Chunking, known: Sequence[int] | None) -> Column:
    rows = [HeadRow("chunks", f"{len(chunking.chunks):,}", brief=counted(len(chunking.chunks), "chunk"))]
    if setting.scores is not None:
        total = len(chunking.document.sentences)
        words = f"{len(setting.wrong):,} of {total:,} sentences" if setting.wrong else "no sentence"
        rows.append(HeadRow("misassigned", words, "wrong" if setting.wrong else "", f"misassigned: {words}"))
        crossing = crossings(known or (), chunking)
        rows.append(HeadRow("crossing", f"{crossing.count:,} of {len(chunking.chunks):,} chunks"))
    return Column(rows=tuple(rows), wrong=setting.wrong)
