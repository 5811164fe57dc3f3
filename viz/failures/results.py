"""Every chunker of the Failures page at its published settings and at the best that a search finds on the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Chunking
from evaluation.segmentation.grids import OURS, SEARCHED, as_published
from evaluation.segmentation.measures import Score, chunks_of, in_sentences, misassigned, sections_of
from evaluation.segmentation.sweep import Marked, Setting, scores_of, summaries
from viz.components.reader.reader import notice
from viz.jobs import chunking as work
from viz.jobs.sweep import Sweep
from viz.shell import results as runs
from viz.shell.page import Opened, Text
from viz.shell.progress import show_progress

RESULTS = ("published", "best")
"""What the link calls the two results of a chunker."""

BY = "misassigned"
"""The measure by which the search chooses."""

MOST_SEARCHES = 8
"""Searches whose rows are kept."""


@dataclass(frozen=True)
class Shown:
    """A chunker's setting on the document, its result where there is one, and what it is worth where that is known."""

    which: str
    setting: Setting
    origin: str
    made: runs.Made
    scores: Mapping[str, Score] | None = None
    wrong: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """Say where the setting is from."""
        if self.which == "best":
            return "best found"
        return "at rest" if self.origin == OURS else "published"


def measured(which: str, setting: Setting, origin: str, made: runs.Made, text: Text) -> Shown:
    """Return a setting with its result and, where boundaries are known, what it is worth."""
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


def search_of(opened: Opened, text: Text) -> Sweep | None:
    """Return the search over this document's settings, if there was one; one over another document stops."""
    key = _search_key(opened, text)
    for other, search in _searches().items():
        if other != key and search.running:
            search.cancel()
    return _searches().get(key)


def best_of(search: Sweep | None) -> dict[str, Setting]:
    """Return for every chunker the setting that misassigns fewest sentences so far; of equals the fewest chunks."""
    rows = list(search.rows) if search is not None and (search.cancelled or not search.running) else []
    best: dict[str, Setting] = {}
    for one in summaries(rows, BY):
        best.setdefault(one.setting.chunker, one.setting)
    return best


def search_controls(opened: Opened, text: Text, search: Sweep | None, ready: bool) -> None:
    """Draw the button that looks for the best settings, or how far it is."""
    if search is not None and search.running and not search.cancelled:
        show_progress(search)
        return
    settings = list(dict.fromkeys(one for name, some in SEARCHED.items() for one in (as_published(name)[0], *some)))

    def find() -> None:
        assert opened.embedder is not None
        marked = Marked(text.document, text.source.known or ())
        on_disk = bool(st.session_state.get("on_disk"))
        search = Sweep([text.document.name], lambda: [marked], settings, opened.embedder, opened.choices.tokenizer, on_disk)
        kept = _searches()
        kept.pop(_search_key(opened, text), None)
        kept[_search_key(opened, text)] = search
        for old in list(kept)[:-MOST_SEARCHES]:
            kept.pop(old).cancel()
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
