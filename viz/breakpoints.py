"""The Breakpoints page: the greedy chunker's curve and text, what its slider does, every gap, and the scan step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

import streamlit as st
from cachetools import LRUCache, cached

from chunkers import Breakpoint, Cancelled, Chunking, Document, Embedder, Tools, load_tokenizer
from chunkers.cohesion import Comparison, Similarities, compare
from chunkers.registry import chunker_class
from chunkers.result import Verdict
from sample_docs import sample_splitters
from viz import controls, embedding, figures, greedy, runs, source, stats, work
from viz.ledger import ledger
from viz.reader import Column, Result, Row, notice, reader, take
from viz.session import Text, close_page, open_page
from viz.staircase import FLAT, Staircase, histogram, staircase
from viz.state import Choices, ColumnChoice, effective
from viz.stepper import Step, stepper
from viz.turned import Turned, as_similarity, can_turn

PAGE = "breakpoints"
READER = "reader"

VIEWS = {"scores": "Scores", "gaps": "Gaps", "steps": "Steps"}
"""What stands beside the text, as the link calls it and as the page does."""

READINGS = ("distance", "similarity")
MOST_MARGIN = 0.5

AT_REST = ColumnChoice("breakpoint", {"amount": 72.0, "buffer": 1})
"""On the first sample it cuts a lone title line off, and all but cuts before the next."""


@dataclass(frozen=True)
class Shown:
    """The result as the page shows it: read as distance or as similarity, and named by ``identity``."""

    identity: tuple[work.Task, str]
    chunker: Breakpoint
    chunking: Chunking


def show() -> None:
    """Draw the page."""
    come_with = _from_compare()
    document, sentences = next(iter(sample_splitters().items()))
    rest = {"view": "scores", "axis": "distance", "margin": "0.02", "step": "1"}
    opened = open_page(PAGE, Choices(document, sentences, [AT_REST], extra=rest))
    choices, text = opened.choices, opened.text
    if come_with is not None:
        choices.columns = [come_with]
    _one_breakpoint(choices)
    column = choices.columns[0]
    line = take(READER, "line")
    if line is not None:
        column.parameters[str(line["parameter"])] = float(line["value"])
    view, axis, margin = _word(choices, "view", VIEWS), _word(choices, "axis", READINGS), _margin(choices)
    wanted = [column]
    if view == "steps":
        wanted += [ColumnChoice("optimal"), ColumnChoice("breakpoint", {"buffer": 0})]
    made = runs.make(opened, text, wanted) if text is not None else [runs.Made(column)]
    with st.sidebar:
        defaults = embedding.defaults_of(opened.embedder, column.chunker)
        controls.parameter_controls(0, column, made[0].chunker, defaults)
        _choose_axis(choices, axis, made[0].chunker)
        _choose_margin(choices, margin)
        controls.shared_controls(choices, opened.embedder)
    embedding.ask(choices)
    if text is None:
        return
    runs.show_progress(made)
    shown = _shown(made[0], axis)
    figures.colour_page()
    left, right = st.columns([8, 5], gap="medium")
    with left:
        reader(
            text.document,
            [_column(made[0], shown, text.source)],
            title=text.source.name,
            summary=_summary(text),
            selected=0,
            known=text.source.known,
            key=READER,
            margin=margin,
        )
    with right, st.container(key="beside"):
        _choose_view(choices, view)
        if shown is None:
            notice("There is nothing to show before the text is cut.", key="nothing_beside")
        elif not shown.chunking.curves or not shown.chunking.curves[0].scores:
            notice("The text has no two sentences, so there is no gap to decide.", key="no_gap")
        elif view == "scores":
            _scores(shown, text, opened.embedder, choices)
        elif view == "gaps":
            ledger(shown.chunking, margin, key="ledger")
        else:
            _steps(shown, made, text.document, opened.embedder, choices, margin)
    close_page(opened)


# What the page takes from elsewhere


def _from_compare() -> ColumnChoice | None:
    """Return a copy of the column that was selected on Compare, where the user comes from there and it is one of ours."""
    session = st.session_state
    if session.get("page") != "compare" or "c1" in st.query_params:
        return None
    compared: Choices = session["choices/compare"]
    column = compared.columns[compared.selected]
    return ColumnChoice("breakpoint", dict(column.parameters)) if column.chunker == "breakpoint" else None


def _one_breakpoint(choices: Choices) -> None:
    """Hold the page to its one chunker, whatever the link names."""
    first = choices.columns[0]
    if first.chunker != "breakpoint":
        notice(f"This page is about breakpoint alone; the link's c1 is {first.chunker}.", "error", key="other_chunker")
        first = ColumnChoice("breakpoint")
    choices.columns = [first]
    choices.selected = 0


def _word(choices: Choices, name: str, allowed: Mapping[str, str] | tuple[str, ...]) -> str:
    word = choices.extra[name]
    if word in allowed:
        return word
    notice(f"The link's {name} must be one of {', '.join(allowed)}; got {word[:60]!r}.", "error", key=f"bad_{name}")
    return next(iter(allowed))


def _margin(choices: Choices) -> float:
    word = choices.extra["margin"]
    try:
        margin = float(word)
    except ValueError:
        margin = math.nan
    if 0 <= margin <= MOST_MARGIN:
        return margin
    notice(f"The link's margin must be a number from 0 to {MOST_MARGIN:g}; got {word[:60]!r}.", "error", key="bad_margin")
    return 0.02


# The controls that are this page's own


def _choose_axis(choices: Choices, axis: str, chunker: object) -> None:
    if not (isinstance(chunker, Breakpoint) and can_turn(chunker)):
        return
    key = f"{PAGE}/axis"
    if st.session_state.get(key) != axis:
        st.session_state[key] = axis

    def changed() -> None:
        choices.extra["axis"] = st.session_state[key]

    st.segmented_control(
        "Read the curve as",
        READINGS,
        key=key,
        on_change=changed,
        required=True,
        help="Similarity is 1 less the distance: curve, line and words turn over together, the cuts stay.",
    )


def _choose_view(choices: Choices, view: str) -> None:
    key = f"{PAGE}/view"
    if st.session_state.get(key) != view:
        st.session_state[key] = view

    def changed() -> None:
        choices.extra["view"] = st.session_state[key]

    st.segmented_control(
        "Beside the text",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        key=key,
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )


def _choose_margin(choices: Choices, margin: float) -> None:
    key = f"{PAGE}/margin"
    if st.session_state.get(key) != margin:
        st.session_state[key] = margin

    def changed() -> None:
        choices.extra["margin"] = f"{st.session_state[key]:g}"

    st.number_input(
        "Near the line is within",
        0.0,
        MOST_MARGIN,
        step=0.01,
        format="%.2f",
        key=key,
        on_change=changed,
        help="A gap whose score is no further than this from the line, on either side: another text would tip it.",
    )


# The text


def _shown(made: runs.Made, axis: str) -> Shown | None:
    if made.task is None or made.chunking is None or not isinstance(made.chunker, Breakpoint):
        return None
    if axis == "similarity" and can_turn(made.chunker) and made.chunking.curves:
        return Shown((made.task, axis), Turned(**made.chunker.model_dump()), _turned(made.task, made.chunking))
    return Shown((made.task, "distance"), made.chunker, made.chunking)


@cached(LRUCache(8), key=lambda task, chunking: task, lock=Lock())
def _turned(task: work.Task, chunking: Chunking) -> Chunking:
    return as_similarity(chunking)


def _column(made: runs.Made, shown: Shown | None, chosen: source.Source) -> Column:
    title = chunker_class("breakpoint").title
    if made.chunker is None:
        values = effective(made.choice, {})
        said = ", ".join(f"{name} {value}" for name, value in values.items() if name in made.choice.parameters)
        return Column(title, said, message=made.error, tone="error")
    subtitle = made.chunker.describe()
    if made.error:
        return Column(title, subtitle, message=made.error, tone="error")
    if shown is None:
        job: work.Job | None = st.session_state.get("job")
        stopped = job is not None and job.cancelled
        return Column(title, subtitle, message="Stopped before it was embedded." if stopped else "Being embedded …")
    result = Result(shown.identity, shown.chunker, shown.chunking)
    return Column(title, subtitle, result, tuple(_rows(shown.chunking, chosen)), notes=shown.chunking.notes)


def _rows(chunking: Chunking, chosen: source.Source) -> list[Row]:
    """Return the head of the column: how many, how large, what the sizes changed, how wrong."""
    counts = stats.sentence_counts(chunking)
    rows = [Row("chunks", f"{len(counts):,}")]
    if counts:
        rows.append(Row("sentences", f"{min(counts):,} to {max(counts):,}"))
    rejected = sum(gap.verdict is Verdict.REJECTED for gap in chunking.gaps)
    forced = sum(gap.verdict is Verdict.FORCED for gap in chunking.gaps)
    if rejected or forced:
        candidates = rejected + sum(gap.verdict is Verdict.CUT for gap in chunking.gaps)
        rows.append(Row("candidates", f"{candidates:,}, of which {rejected:,} rejected; cuts forced: {forced:,}"))
    if chosen.known is not None:
        found, missed, added = stats.against_known(stats.boundaries(chunking), chosen.known)
        wrong = f"{missed} missed, {added} added"
        right = f"all {found} found, none added" if found else "one topic, not cut"
        rows.append(Row("against known", wrong, "wrong") if missed or added else Row("against known", right))
    return rows


def _summary(text: Text) -> str:
    parts = [f"{len(text.document.sentences):,} sentences", f"{len(text.document.text):,} characters"]
    return " · ".join([*parts, text.source.teaches] if text.source.teaches else parts)


# Beside the text: scores


def _scores(shown: Shown, text: Text, embedder: Embedder | None, choices: Choices) -> None:
    """Draw the histogram of the scores, and the staircase from the amount to the chunks."""
    chunker, curve = shown.chunker, shown.chunking.curves[0]
    level = curve.lines[0].level
    if math.isnan(level):
        notice(f"No gap has a {curve.label}: it needs a gap beside it.", key="no_scores")
        return
    counted = histogram(curve.scores, level, curve.cut_above)
    table = {
        f"{curve.label} from": [f"{edge:.3f}" for edge in counted.edges[:-1]],
        "to": [f"{edge:.3f}" for edge in counted.edges[1:]],
        "kept": counted.short,
        "past the line": counted.beyond,
    }
    st.subheader(f"The {curve.label} of every gap", anchor=False)
    figures.show_figure(figures.score_histogram(counted, level, curve.label), table, "Histogram", "histogram")
    task = shown.identity[0]
    on_disk = bool(st.session_state.get("on_disk"))

    def chunk(other: Breakpoint) -> Chunking:
        there = work.Task.of(text.identity, text.document, embedder, choices.tokenizer, other)
        made = work.at_once(there, other, text.document, embedder, on_disk)
        assert made is not None  # the amount changes nothing of what is embedded
        return made

    plain = Breakpoint(**chunker.model_dump())
    scores = tuple(1 - score for score in curve.scores) if isinstance(chunker, Turned) else curve.scores
    stairs = _stairs(task, text.document, plain, scores, chunk)
    rule = chunker.rule
    st.subheader("What the slider does", anchor=False)
    st.caption(_flat_words(stairs, chunker.amount))
    figure = figures.staircase_figure(stairs, chunker.amount, rule.title)
    columns = {
        rule.title: stairs.amounts,
        "chunks": stairs.chunks,
        "median characters": stairs.median,
        "largest": stairs.largest,
    }
    figures.show_figure(figure, columns, "Staircase", "staircase")


@cached(
    LRUCache(16),
    key=lambda task, document, chunker, scores, chunk: (
        *(part for name, part in vars(task).items() if name != "chunker"),
        chunker.model_copy(update={"amount": 0.0}),
    ),
    lock=Lock(),
)
def _stairs(task: work.Task, document: Document, chunker: Breakpoint, scores: tuple[float, ...], chunk: object) -> Staircase:
    return staircase(document, chunker, scores, chunk)  # type: ignore[arg-type]


def _flat_words(stairs: Staircase, amount: float) -> str:
    """Say where the slider does nothing: here, or at its widest stretch."""
    here = stairs.around(amount)
    if here is not None:
        words = here.words()
        return f"{words[0].upper()}{words[1:]}. Bands are stretches that make the same chunks."
    if not stairs.flat:
        return f"Nowhere do {FLAT} amounts of the slider in a row make the same chunks."
    widest = max(stairs.flat, key=lambda stretch: stretch.high - stretch.low)
    return f"A few steps from here the chunks change; {widest.words()}. Bands are stretches that make the same chunks."


# Beside the text: steps


def _steps(
    shown: Shown, made: list[runs.Made], document: Document, embedder: Embedder | None, choices: Choices, margin: float
) -> None:
    """Draw the stepper through the greedy scan, with what the best partition did at every cut."""
    _, best, sentences = made
    compared: Mapping[int, Comparison] | None = None
    if best.error:
        notice(f"optimal, which every cut is compared with: {best.error}", "error", key="optimal_error")
    elif best.chunking is not None and best.task is not None and sentences.chunking is not None and embedder is not None:
        with suppress(Cancelled):
            compared = _compared(shown.identity[0], best.task, shown.chunking, best.chunking, embedder)
    elif made[0].chunking is not None:
        notice("Each cut is told without “optimal” until that is computed.", key="optimal_waits")
    stepper(_told(shown, margin, compared), choices, key="stepper")


@cached(LRUCache(8), key=lambda task, best_task, *_: (task, best_task), lock=Lock())
def _compared(
    task: work.Task, best_task: work.Task, chunking: Chunking, best: Chunking, embedder: Embedder
) -> Mapping[int, Comparison]:
    document = chunking.document
    # The page's job has embedded all of it; the rest would be another job's to embed.
    tools = Tools(
        embedder.for_document(document),
        load_tokenizer(task.tokenizer),
        work.cache(bool(st.session_state.get("on_disk"))),
        cancelled=lambda: True,
    )
    return compare(chunking, best, Similarities(tools.embed(document.sentence_texts)))


@cached(LRUCache(8), key=lambda shown, margin, compared: (shown.identity, margin, compared is None), lock=Lock())
def _told(shown: Shown, margin: float, compared: Mapping[int, Comparison] | None) -> list[Step]:
    return greedy.steps(shown.chunking, margin, compared)
