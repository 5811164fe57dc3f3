"""The Compare page: choose, run, show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Chunker, Chunking, Document, Embedder, Recipe, load_tokenizer
from chunkers.export import ledger_to_csv, to_csv, to_json, to_jsonl, to_parquet
from chunkers.registry import chunker_class
from evaluation.segmentation import chunk_facts as stats
from sample_docs import sample_splitters
from viz.compare import figures
from viz.components.reader.reader import Column, Result, Row, reader, take
from viz.controls import chunker as controls
from viz.controls import embedder as embedding
from viz.controls import text_source as source
from viz.jobs import chunking as work
from viz.jobs import timing
from viz.shell import results as runs
from viz.shell.page import close_page, open_page
from viz.state import session_file
from viz.state.choices import Choices, at_rest, effective
from viz.theme.figure import show_figure

READER = "reader"


def show() -> None:
    """Draw the page."""
    opened = open_page("compare", at_rest(*next(iter(sample_splitters().items()))))
    choices, text = opened.choices, opened.text
    _take_events(choices)
    if text is None:
        with st.sidebar:
            controls.column_controls(choices, None, opened.embedder)
            controls.shared_controls(choices, opened.embedder)
        return
    made = runs.make(opened, text, choices.columns)
    with st.sidebar:
        controls.column_controls(choices, made[choices.selected].chunker, opened.embedder)
        controls.shared_controls(choices, opened.embedder)
        _timing_controls(made, text.document, opened.embedder)
    embedding.ask(choices)
    runs.show_progress(made)
    session_file.compare(made)
    reader(
        text.document,
        [_column(number, one, text.source, text.document, opened.embedder) for number, one in enumerate(made)],
        title=text.source.name,
        summary=_summary(text.document, text.source),
        selected=choices.selected,
        known=text.source.known,
        key=READER,
    )
    _below(choices, made, text.source, opened.embedder)
    close_page(opened)


def _column(number: int, made: runs.Made, chosen: source.Source, document: Document, embedder: Embedder | None) -> Column:
    """Return what the reader shows of a column."""
    title = chunker_class(made.choice.chunker).title
    if made.chunker is None:
        values = effective(made.choice, {})
        said = ", ".join(f"{name} {value}" for name, value in values.items() if name in made.choice.parameters)
        return Column(title, said, message=made.error, tone="error")
    if made.error:
        return Column(title, made.chunker.describe(), message=made.error, tone="error")
    if made.chunking is None:
        job: work.Job | None = st.session_state.get("job")
        stopped = job is not None and job.cancelled
        return Column(
            title, made.chunker.describe(), message="Stopped before it was embedded." if stopped else "Being embedded …"
        )
    rows, table, fresh = _facts(number, made, chosen, document, embedder)
    result = Result(made.task, made.chunker, made.chunking)
    return Column(title, made.chunker.describe(), result, rows, table, made.chunking.notes, fresh=fresh)


def _facts(
    number: int, made: runs.Made, chosen: source.Source, document: Document, embedder: Embedder | None
) -> tuple[tuple[Row, ...], tuple[tuple[str, ...], ...], frozenset[int]]:
    """Return a column's head: how many, how large, how long, how wrong, and what changed."""
    chunking, task = made.chunking, made.task
    assert chunking is not None
    assert task is not None
    facts = _measured(task, chunking, embedder)
    rows = [Row("chunks", f"{len(chunking.chunks):,}")]
    if facts.sizes:
        first = facts.sizes[0]
        rows.append(Row("sentences", f"{first.least:,} to {first.most:,}, median {first.median:,g}"))
    if facts.pieces.chunks:
        rows.append(Row("in pieces", facts.pieces.words(len(chunking.chunks))))
    rows.append(Row("time", _time(chunking, st.session_state.get("repeats", {}).get(task))))
    if made.chunker is not None and made.chunker.embeds:
        rows.append(Row("embedding", stats.embedding(chunking.timing)))
    if chosen.known is not None:
        found, missed, added = stats.against_known(facts.cuts, chosen.known)
        perfect = not missed and not added
        praise = f"all {found} found, none added" if found else "one topic, not cut"
        said = praise if perfect else f"{missed} missed, {added} added"
        rows.append(Row("against known", said, "" if perfect else "wrong"))
    if facts.unread is not None and embedder is not None:
        rows.append(Row("too long", facts.unread.words(embedder), "wrong"))
    changed, fresh = _changed(number, made, document, facts.cuts)
    if changed:
        rows.append(Row("changed", changed, "changed"))
    table: tuple[tuple[str, ...], ...] = ()
    if st.session_state.get("all_sizes"):
        lines = [(size.unit, *map(stats.figures, (size.least, size.median, size.mean, size.most))) for size in facts.sizes]
        table = (("size", "min", "median", "mean", "max"), *lines)
    return tuple(rows), table, fresh


@cached(LRUCache(32), key=lambda task, chunking, embedder: task, lock=Lock())
def _measured(task: work.Task, chunking: Chunking, embedder: Embedder | None) -> stats.Facts:
    """Return the facts of a result; equal tasks have equal results, so they are measured once and not at every run."""
    return stats.Facts.of(chunking, load_tokenizer(task.tokenizer), embedder)


def _changed(number: int, made: runs.Made, document: Document, cuts: tuple[int, ...]) -> tuple[str, frozenset[int]]:
    """Say what the last change of this column's parameters did to its boundaries."""
    history: dict[int, tuple[object, tuple[int, ...], str, frozenset[int]]] = st.session_state.setdefault("history", {})
    assert made.task is not None
    assert made.chunker is not None
    # That an embedder was loaded in between is no change of the user's; to a chunker that does not embed, none is.
    task = replace(made.task, revision="", embedder=made.task.embedder if made.chunker.embeds else "")
    place = (task.document, task.sentences, made.choice.chunker)
    task_place, before, said, fresh = history.get(number, ((None, None), (), "", frozenset()))
    if task_place != (place, task):
        if task_place[0] == place:  # type: ignore[index]
            said = stats.change(document, before, cuts).words()
            fresh = frozenset(cuts) - frozenset(before)
        else:
            said, fresh = "", frozenset()
        history[number] = ((place, task), cuts, said, fresh)
    return said, fresh


def _time(chunking: Chunking, repeats: timing.Repeats | None) -> str:
    timing = chunking.timing
    if repeats is not None and timing is not None:
        split = f"split {stats.milliseconds(timing.split_ms)}"
        decide = f"decide {stats.milliseconds(repeats.median)}"
        spread = f"{stats.milliseconds(repeats.lower)} to {stats.milliseconds(repeats.upper)} in {repeats.runs} runs"
        return f"{split} · {decide}\N{NO-BREAK SPACE}ms ({spread})"
    return stats.stages(timing)


def _summary(document: Document, chosen: source.Source) -> str:
    parts = [f"{len(document.sentences):,} sentences", f"{len(document.text):,} characters"]
    if chosen.known is not None:
        parts.append(f"{len(chosen.known)} known boundaries" if chosen.known else "one topic: no known boundary")
    job: work.Job | None = st.session_state.get("job")
    if job is not None and job.embedded:
        parts.append(f"embedded {job.embedded:,} texts in {stats.milliseconds(job.embed_ms)} ms, once for all columns")
    if chosen.teaches:
        parts.append(chosen.teaches)
    return " · ".join(parts)


def _take_events(choices: Choices) -> None:
    """Take from the reader, each once, the value at which a line was let go and the column that was clicked."""
    line, selected = take(READER, "line"), take(READER, "selected")
    if line and 0 <= line["column"] < len(choices.columns):
        choices.columns[line["column"]].parameters[str(line["parameter"])] = float(line["value"])
    if selected and 0 <= selected["column"] < len(choices.columns):
        choices.selected = int(selected["column"])


def _timing_controls(made: list[runs.Made], document: Document, embedder: Embedder | None) -> None:
    def again() -> None:
        on_disk = bool(st.session_state.get("on_disk"))
        st.session_state["repeats"] = {
            one.task: timing.repeat(one.task, one.chunker, document, embedder, on_disk)
            for one in made
            if one.task and one.chunker
        }

    st.toggle(
        "All sizes", key="all_sizes", help="Minimum, median, mean and maximum in sentences, words, characters and tokens."
    )
    st.button(
        "Time again", on_click=again, width="stretch", help="Runs every column's decision 11 times: median and quartiles."
    )


def _below(choices: Choices, made: list[runs.Made], chosen: source.Source, embedder: Embedder | None) -> None:
    """Draw what is looked at on demand: size distributions, the table of gaps, downloads."""
    done = [(number, one) for number, one in enumerate(made) if one.chunking is not None]
    if not done:
        return
    wanted = st.segmented_control(
        "Below the text", ["Chunk sizes", "Every gap", "Downloads"], key="below", label_visibility="collapsed"
    )
    here = made[choices.selected]
    if wanted == "Chunk sizes":
        unit = st.segmented_control(
            "Sizes in", ["sentences", "characters"], default="sentences", key="size_unit", required=True
        )
        values = {
            f"{number + 1} {chunker_class(one.choice.chunker).title}": stats.sentence_counts(one.chunking)
            if unit == "sentences"
            else [len(chunk.text) for chunk in one.chunking.chunks]
            for number, one in done
            if one.chunking
        }
        figure = figures.size_distributions(values, str(unit))
        sizes = [(name, size) for name, among in values.items() for size in among]
        table: dict[str, list[str] | list[int]] = {
            "chunker": [name for name, _ in sizes],
            str(unit): [size for _, size in sizes],
        }
        show_figure(figure, table, "Chunk sizes", key="sizes")
    elif wanted == "Every gap" and here.chunking is not None:
        st.dataframe(_ledger(here.chunking), hide_index=True, width="stretch", height=420)
    elif wanted == "Downloads" and here.chunking is not None and here.chunker is not None:
        _downloads(choices, here.chunker, here.chunking, embedder)
        if len(done) == len(made):
            st.download_button(
                "The whole session, with its text",
                lambda: session_file.write(chosen, choices, made, embedder),
                "seamark-session.json",
                "application/json",
                on_click="ignore",
                help="Text, known boundaries, the recipe and the chunks of every column; upload it to go on from here.",
            )


def _ledger(chunking: Chunking) -> dict[str, list[object]]:
    texts = chunking.document.sentence_texts
    return {
        "after sentence": [gap.index + 1 for gap in chunking.gaps],
        "verdict": [str(gap.verdict) for gap in chunking.gaps],
        "score": [gap.score for gap in chunking.gaps],
        "threshold": [gap.threshold for gap in chunking.gaps],
        "reason": [gap.reason for gap in chunking.gaps],
        "sentence": [texts[gap.index] for gap in chunking.gaps],
    }


def _downloads(choices: Choices, chunker: Chunker, chunking: Chunking, embedder: Embedder | None) -> None:
    recipe = Recipe.of(chunker, choices.sentences, embedder, choices.tokenizer)
    stem = f"seamark-{chunker.name}"
    files: tuple[tuple[str, str, str, Callable[[], str | bytes]], ...] = (
        ("Chunks, JSON", f"{stem}.json", "application/json", lambda: to_json(chunking, recipe)),
        ("Chunks, JSON lines", f"{stem}.jsonl", "application/jsonl", lambda: to_jsonl(chunking)),
        ("Chunks, CSV", f"{stem}.csv", "text/csv", lambda: to_csv(chunking)),
        ("Chunks, Parquet", f"{stem}.parquet", "application/vnd.apache.parquet", lambda: to_parquet(chunking)),
        ("Every gap, CSV", f"{stem}-gaps.csv", "text/csv", lambda: ledger_to_csv(chunking)),
        ("Recipe", f"{stem}.recipe.json", "application/json", recipe.to_json),
    )
    st.caption(
        f"Column {choices.selected + 1}. The recipe gives the same chunks again: python -m chunkers FILE --recipe RECIPE"
    )
    row = st.container(horizontal=True)
    for label, name, mime, data in files:
        row.download_button(label, data, name, mime, on_click="ignore")
