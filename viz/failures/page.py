"""The Failures page: documents with known boundaries, chunkers at published and best-found settings, suspicious cuts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkers.registry import chunker_class
from evaluation.inbox.rules import HAIR
from evaluation.segmentation.grids import SEARCHED, as_published
from evaluation.segmentation.measures import crossings
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.reader.reader import Column, Result, Row, reader, take_event
from viz.controls.embedder import ask_about_embedder
from viz.controls.shared import shared_controls
from viz.failures.inbox import show_inbox
from viz.failures.lists import draw
from viz.failures.marking import controls, take_mark
from viz.failures.results import RESULTS, MeasuredSetting, measured
from viz.failures.search import best_of, search_controls, search_of
from viz.failures.table import show_table
from viz.shell.page import close_page, open_page
from viz.shell.progress import show_progress
from viz.shell.results import run_columns
from viz.state.choices import OWN, Choices, ColumnChoice
from viz.state.text import Text, choose_document, sentences_said
from viz.theme import palette

PAGE = "failures"
READER = "reader"


def show() -> None:
    """Draw the page."""
    document, sentences = next(iter(sample_splitters().items()))
    columns = [ColumnChoice(name, dict(as_published(name)[0].parameters)) for name in SEARCHED]
    default = Choices(document, sentences, columns, selected=1, extra={"result": "published", "hair": f"{HAIR:g}"})
    opened = open_page(PAGE, default)
    choices, text = opened.choices, opened.text
    told = take_event(READER, "selected")
    if told is not None:
        choices.extra["result"] = RESULTS[bool(told["column"])]
    # The settings of this page are not the user's to move: a link says which chunker, and which of its two results.
    choices.columns = columns
    choices.selected = min(choices.selected, len(columns) - 1)
    if choices.extra["result"] not in RESULTS:
        choices.extra["result"] = "published"
    with st.sidebar:
        shared_controls(choices, opened.embedder)
    _gallery(choices)
    ask_about_embedder(choices)
    if text is None:
        return
    offers_gaps = False
    if choices.document == OWN:
        if take_mark(text, READER):
            st.rerun()
        offers_gaps = controls(text)
    search = search_of(opened, text)
    best = best_of(search)
    settings = [("published", *as_published(name)) for name in SEARCHED]
    settings += [("best", best[name], "found here") for name in SEARCHED if name in best]
    made = run_columns(opened, text, [ColumnChoice(setting.chunker, dict(setting.parameters)) for _, setting, _ in settings])
    shown = [measured(*one, result, text) for one, result in zip(settings, made, strict=True)]
    show_progress(made)
    if text.source.known is not None:
        show_table(choices, shown)
        search_controls(opened, text, search, ready=all(one.chunking is not None for one in made))
    chunker = list(SEARCHED)[choices.selected]
    mine = [one for one in shown if one.setting.chunker == chunker]
    here = next((one for one in mine if one.which == choices.extra["result"]), mine[0])
    palette.colour_page()
    left, right = st.columns([8, 5], gap="medium")
    with left:
        _reader(text, mine, here, offers_gaps)
    with right, st.container(key="beside"):
        show_inbox(choices, here, opened.embedder)
    close_page(opened)


def _gallery(choices: Choices) -> None:
    cards = [_card(name, title) for name, title in sample_titles().items()]
    own = st.session_state.get("own")
    cards.append(
        {
            "id": OWN,
            "title": own.name if own is not None else "Your own text",
            "teaches": "Paste or upload it; mark where its sections end.",
            "known": _known_words(own.known if own is not None else None),
        }
    )

    def chosen() -> None:
        choose_document(choices, st.session_state["gallery"]["chosen"]["id"])

    draw("gallery", {"cards": cards, "chosen": choices.document}, "gallery", chosen)


def _card(name: str, title: str) -> dict[str, str]:
    sample = load_sample(name)
    return {"id": name, "title": title, "teaches": sample.teaches, "known": _known_words(sample.known)}


def _known_words(known: Sequence[int] | None) -> str:
    if known is None:
        return "no known boundary"
    if not known:
        return "one topic"
    return f"{len(known):,} known boundar{'y' if len(known) == 1 else 'ies'}"


def _reader(text: Text, mine: Sequence[MeasuredSetting], here: MeasuredSetting, offers_gaps: bool) -> None:
    given = text.source

    def column(one: MeasuredSetting) -> Column:
        title = chunker_class(one.setting.chunker).title
        made = one.made
        said = f"{one.title} · {one.origin}"
        if made.chunker is None or made.error:
            return Column(title, said, message=made.error, tone="error")
        said = f"{said}: {made.chunker.describe()}"
        if made.chunking is None or made.task is None:
            return Column(title, said, message="Being embedded …")
        rows = [Row("chunks", f"{len(made.chunking.chunks):,}")]
        if one.scores is not None:
            total = len(text.document.sentences)
            words = f"{len(one.wrong):,} of {total:,} sentences" if one.wrong else "no sentence"
            rows.append(Row("misassigned", words, "wrong" if one.wrong else ""))
            crossing = crossings(given.known or (), made.chunking)
            rows.append(Row("crossing", f"{crossing.count:,} of {len(made.chunking.chunks):,} chunks"))
        result = Result(made.task, made.chunker, made.chunking, movable=False)
        return Column(title, said, result, tuple(rows), notes=made.chunking.notes, wrong=one.wrong)

    parts = [sentences_said(text.document), _known_words(given.known)]
    if given.known is not None:
        parts.append("wavy red: outside of the chunk that fits its section best")
    reader(
        text.document,
        [column(one) for one in mine],
        title=given.name,
        summary=" · ".join([*parts, *([given.teaches] if given.teaches else [])]),
        selected=mine.index(here),
        known=given.known,
        key=READER,
        marking=offers_gaps,
    )
