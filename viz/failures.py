"""The Failures page: documents with known boundaries, chunkers at published and best-found settings, suspicious cuts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Chunking, Document, Embedder
from chunkers.registry import chunker_class
from evaluation.boundaries import Score, chunks_of, crossings, in_sentences, misassigned, sections_of
from evaluation.grids import SEARCHED, as_published
from evaluation.inbox import HAIR, RULES, Finding, counts, inbox
from evaluation.sweep import MEASURES, Marked, Setting, scores_of, summaries
from sample_docs import load_sample, sample_splitters, sample_titles
from viz import controls, embedding, figures, marking, palette, runs, work
from viz.reader import Column, Result, Row, notice, reader, source_id, take
from viz.session import Opened, Text, close_page, open_page
from viz.source import turn_to
from viz.state import OWN, Choices, ColumnChoice
from viz.sweeping import Sweep

PAGE = "failures"
READER = "reader"
MOST_FINDINGS = 200
"""Findings that are listed; the others are counted."""

MOST_SEARCHES = 8
"""Searches whose rows are kept."""

SHOWN = {
    "misassigned": "Misassigned",
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "f1": "Boundary F1",
    "crossing": "Crossing",
}
"""The measures of the table; settings are searched by the first."""

RESULTS = {"published": "published", "best": "best found"}

_HERE = Path(__file__).parent
_JS = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("common.js", "failures.js"))
_failures = st.components.v2.component(
    "seamark_failures",
    html='<div class="failures"></div>',
    css=palette.css("failures") + "\n" + (_HERE / "failures.css").read_text(encoding="utf-8"),
    js=_JS,
)


@dataclass(frozen=True)
class Shown:
    """A chunker's setting on the document, its result where there is one, and what it is worth where that is known."""

    which: str
    setting: Setting
    origin: str
    made: runs.Made
    scores: Mapping[str, Score] | None = None
    wrong: tuple[int, ...] = ()


def show() -> None:
    """Draw the page."""
    document, sentences = next(iter(sample_splitters().items()))
    columns = [ColumnChoice(name, dict(as_published(name)[0].parameters)) for name in SEARCHED]
    default = Choices(document, sentences, columns, selected=1, extra={"result": "published", "hair": f"{HAIR:g}"})
    opened = open_page(PAGE, default)
    choices, text = opened.choices, opened.text
    told = take(READER, "selected")
    if told is not None:
        choices.extra["result"] = list(RESULTS)[bool(told["column"])]
    # The settings of this page are not the user's to move: a link says which chunker, and which of its two results.
    choices.columns = columns
    choices.selected = min(choices.selected, len(columns) - 1)
    if choices.extra["result"] not in RESULTS:
        choices.extra["result"] = "published"
    with st.sidebar:
        controls.shared_controls(choices, opened.embedder)
    _gallery(choices)
    embedding.ask(choices)
    if text is None:
        return
    offers_gaps = False
    if choices.document == OWN:
        if marking.take_mark(text, READER):
            st.rerun()
        offers_gaps = marking.controls(text)
    search = _search_of(opened, text)
    best = _best(search)
    settings = [("published", *as_published(name)) for name in SEARCHED]
    settings += [("best", best[name], "found here") for name in SEARCHED if name in best]
    made = runs.make(opened, text, [ColumnChoice(setting.chunker, dict(setting.parameters)) for _, setting, _ in settings])
    shown = [_measured(*one, result, text) for one, result in zip(settings, made, strict=True)]
    runs.show_progress(made)
    if text.source.known is not None:
        _table(choices, shown)
        _search_controls(opened, text, search, ready=all(one.chunking is not None for one in made))
    chunker = list(SEARCHED)[choices.selected]
    mine = [one for one in shown if one.setting.chunker == chunker]
    here = next((one for one in mine if one.which == choices.extra["result"]), mine[0])
    figures.colour_page()
    left, right = st.columns([8, 5], gap="medium")
    with left:
        _reader(text, mine, here, offers_gaps)
    with right, st.container(key="beside"):
        _inbox(choices, here, opened.embedder)
    close_page(opened)


# The gallery


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
        turn_to(choices, st.session_state["gallery"]["chosen"]["id"])

    _failures(key="gallery", data={"part": "gallery", "cards": cards, "chosen": choices.document}, on_chosen_change=chosen)


def _card(name: str, title: str) -> dict[str, str]:
    sample = load_sample(name)
    return {"id": name, "title": title, "teaches": sample.teaches, "known": _known_words(sample.known)}


def _known_words(known: Sequence[int] | None) -> str:
    if known is None:
        return "no known boundary"
    if not known:
        return "one topic"
    return f"{len(known):,} known boundar{'y' if len(known) == 1 else 'ies'}"


# Published and best-found settings


def _measured(which: str, setting: Setting, origin: str, made: runs.Made, text: Text) -> Shown:
    known = text.source.known
    if made.chunking is None or known is None or made.task is None:
        return Shown(which, setting, origin, made)
    scores, wrong = _against(made.task, made.chunking, known)
    return Shown(which, setting, origin, made, scores, wrong)


@cached(LRUCache(64), key=lambda task, chunking, known: (task, known), lock=Lock())
def _against(task: work.Task, chunking: Chunking, known: tuple[int, ...]) -> tuple[dict[str, Score], tuple[int, ...]]:
    """Return the measures of a result and its misassigned sentences; the task stands for the result."""
    document = chunking.document
    wrong = misassigned(sections_of(in_sentences(document, known)), chunks_of(chunking)) if document.sentences else None
    return scores_of(Marked(document, known), chunking), wrong.units if wrong is not None else ()


def _searches() -> dict[tuple[object, ...], Sweep]:
    kept: dict[tuple[object, ...], Sweep] = st.session_state.setdefault("failure_searches", {})
    return kept


def _search_key(opened: Opened, text: Text) -> tuple[object, ...]:
    name = opened.embedder.name if opened.embedder is not None else ""
    return (text.identity, text.document.splitter, name, opened.choices.tokenizer, text.source.known)


def _search_of(opened: Opened, text: Text) -> Sweep | None:
    """Return the search over this document's settings, if there was one; one over another document stops."""
    key = _search_key(opened, text)
    for other, search in _searches().items():
        if other != key and search.running:
            search.stop()
    return _searches().get(key)


def _best(search: Sweep | None) -> dict[str, Setting]:
    """Return for every chunker the setting that misassigns fewest sentences so far; of equals the fewest chunks."""
    rows = list(search.rows) if search is not None and (search.stopped or not search.running) else []
    best: dict[str, Setting] = {}
    for one in summaries(rows, next(iter(SHOWN))):
        best.setdefault(one.setting.chunker, one.setting)
    return best


def _search_controls(opened: Opened, text: Text, search: Sweep | None, ready: bool) -> None:
    """Draw the button that looks for the best settings, or how far it is."""
    if search is not None and search.running and not search.stopped:
        _poll(search)
        return
    settings = list(dict.fromkeys(one for name, some in SEARCHED.items() for one in (as_published(name)[0], *some)))

    def find() -> None:
        assert opened.embedder is not None
        marked = Marked(text.document, text.source.known or ())
        on_disk = bool(st.session_state.get("on_disk"))
        search = Sweep([marked], settings, opened.embedder, opened.choices.tokenizer, on_disk)
        kept = _searches()
        kept.pop(_search_key(opened, text), None)
        kept[_search_key(opened, text)] = search
        for old in list(kept)[:-MOST_SEARCHES]:
            kept.pop(old).stop()
        opened.choices.extra["result"] = "best"
        search.start()

    row = st.container(horizontal=True, vertical_alignment="center")
    done = search is not None and len(search.rows) == search.total
    if not done:
        row.button("Find the best settings", on_click=find, disabled=not ready or opened.embedder is None, width="content")
    if search is None:
        row.caption(f"Tries {len(settings):,} settings on this document, and keeps each chunker's best.")
    elif search.error:
        notice(search.error, "error", key="failures_search_error")
    elif done:
        row.caption(
            f"Best of {search.total:,} settings by misassigned sentences; of equals, the one with the fewest chunks."
        )
    else:
        row.caption(f"Stopped after {len(search.rows):,} of {search.total:,} settings; the best of these are shown.")


@st.fragment(run_every=1.0)
def _poll(search: Sweep) -> None:
    """Show how far the search is; when it ends, draw the page again."""
    if not search.running or search.stopped:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    done = len(search.rows)
    said = f"{done:,} of {search.total:,} settings" if done else "Embedding what they need"
    row.progress(done / max(1, search.total), text=said)
    row.button("Cancel", on_click=search.stop, width="content")


def _table(choices: Choices, shown: Sequence[Shown]) -> None:
    """Draw the measures; a click on a row shows that result in the text."""
    ordered = sorted(shown, key=lambda one: list(SEARCHED).index(one.setting.chunker))
    values = {
        name: [value for one in ordered if one.scores and (value := one.scores[name].value) is not None] for name in SHOWN
    }
    tops = {name: (max if MEASURES[name] else min)(some) for name, some in values.items() if some}
    rows = [
        {
            "column": list(SEARCHED).index(one.setting.chunker),
            "result": one.which,
            "title": chunker_class(one.setting.chunker).title,
            "which": RESULTS[one.which],
            "settings": one.made.chunker.describe() if one.made.chunker is not None else one.setting.words(),
            "message": one.made.error or ("" if one.made.chunking is not None else "waits for its embeddings"),
            "cells": _cells(one, tops),
        }
        for one in ordered
    ]
    scores = [one.scores[name] for one in ordered if one.scores for name in SHOWN]
    reasons = {score.undefined for score in scores if score.value is None}

    def chosen() -> None:
        told = st.session_state["measures"]["chosen"]
        choices.selected, choices.extra["result"] = int(told["column"]), str(told["result"])

    data = {
        "part": "table",
        "head": ["Chunker and its settings", "Chunks", *SHOWN.values()],
        "rows": rows,
        "chosen": {"column": choices.selected, "result": choices.extra["result"]},
        "note": "Undefined where " + " or ".join(sorted(reasons)) + "." if reasons else "",
    }
    _failures(key="measures", data=data, on_chosen_change=chosen)


def _cells(one: Shown, tops: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return the cells of a row: words, why there is no value, and whether no other row is better."""
    if one.scores is None or one.made.chunking is None:
        return []
    chunking = one.made.chunking
    cells: list[dict[str, Any]] = [{"text": f"{len(chunking.chunks):,}", "why": "", "best": False}]
    for name in SHOWN:
        score = one.scores[name]
        text = "undefined" if score.value is None else f"{score.value:.2f}"
        if name == "misassigned":
            text = f"{len(one.wrong):,} of {len(chunking.document.sentences):,}"
        elif name == "crossing" and score.value is not None:
            text = f"{round(score.value * len(chunking.chunks)):,} of {len(chunking.chunks):,}"
        cells.append({"text": text, "why": score.undefined, "best": score.value is not None and score.value == tops[name]})
    return cells


# The text and its inbox


def _reader(text: Text, mine: Sequence[Shown], here: Shown, offers_gaps: bool) -> None:
    source = text.source

    def column(one: Shown) -> Column:
        title = chunker_class(one.setting.chunker).title
        made = one.made
        said = f"{RESULTS[one.which]} · {one.origin}"
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
            crossing = crossings(source.known or (), made.chunking)
            rows.append(Row("crossing", f"{crossing.count:,} of {len(made.chunking.chunks):,} chunks"))
        result = Result(made.task, made.chunker, made.chunking, movable=False)
        return Column(title, said, result, tuple(rows), notes=made.chunking.notes, wrong=one.wrong)

    parts = [f"{len(text.document.sentences):,} sentences", _known_words(source.known)]
    if source.known is not None:
        parts.append("wavy red: outside of the chunk that fits its section best")
    reader(
        text.document,
        [column(one) for one in mine],
        title=source.name,
        summary=" · ".join([*parts, *([source.teaches] if source.teaches else [])]),
        selected=mine.index(here),
        known=source.known,
        key=READER,
        marking=offers_gaps,
    )


def _inbox(choices: Choices, here: Shown, embedder: Embedder | None) -> None:
    made = here.made
    st.markdown("##### Suspicious cuts")
    if made.chunking is None or made.task is None:
        notice("There is nothing to look through before the text is cut.", key="no_inbox")
        return
    hair = _choose_hair(choices)
    findings = _found(made.task, made.chunking, embedder, hair)
    title = chunker_class(here.setting.chunker).title
    data = {
        "part": "inbox",
        "source": f"{source_id(made.chunking.document)} {made.task.chunker}",
        "summary": f"{title}, {RESULTS[here.which]} settings: {_counted(len(findings))} by rules that may be mistaken",
        "counts": [[RULES[name].title, count, RULES[name].why] for name, count in counts(findings).items()],
        "rows": json.dumps([_line(made.chunking.document, one) for one in findings[:MOST_FINDINGS]], ensure_ascii=False),
        "more": max(0, len(findings) - MOST_FINDINGS),
    }
    _failures(key="inbox", data=data)
    with st.expander("The rules"):
        st.markdown("\n".join(f"- **{rule.title}.** {rule.why}" for rule in RULES.values()))


def _counted(findings: int) -> str:
    return "nothing found" if not findings else f"{findings:,} finding{'' if findings == 1 else 's'}"


def _choose_hair(choices: Choices) -> float:
    """Draw how near to its threshold a cut is there by a hair; a link's word that is none is said."""
    try:
        value = float(choices.extra["hair"])
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.1:
        notice(
            f"The link's hair must be a number from 0 to 0.1; got {choices.extra['hair'][:60]!r}.", "error", key="bad_hair"
        )
        value = HAIR

    def changed() -> None:
        choices.extra["hair"] = f"{st.session_state['hair']:g}"

    if st.session_state.get("hair") != value:
        st.session_state["hair"] = value
    hair: float = st.slider(
        "A hair, in units of the score",
        0.0,
        0.1,
        step=0.005,
        format="%.3f",
        key="hair",
        on_change=changed,
        help="A cut whose score lies within this of its threshold is listed: it could as well not be there.",
    )
    return hair


@cached(LRUCache(32), key=lambda task, chunking, embedder, hair: (task, hair), lock=Lock())
def _found(task: work.Task, chunking: Chunking, embedder: Embedder | None, hair: float) -> list[Finding]:
    """Return the findings of a result; the task stands for it and its embedder."""
    return inbox(chunking, embedder, hair)


def _line(document: Document, finding: Finding) -> dict[str, Any]:
    """Return a finding as the browser lists it: in its rule's words, with its passage and its sentences."""
    start, end = finding.span
    return {
        "title": RULES[finding.rule].title,
        "reason": finding.reason,
        "passage": shortened(document.text[start:end]),
        "range": [max(0, document.sentence_at(start)), document.sentence_at(max(start, end - 1)) + 1],
    }


def shortened(passage: str, most: int = 150) -> str:
    """Return a passage on one line, its middle left out where it is longer than ``most`` characters."""
    line = " ".join(passage.split())
    return line if len(line) <= most else f"{line[: most * 2 // 3]} … {line[-most // 3 :]}"
