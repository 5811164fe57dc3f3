"""The Tune page: which setting finds known boundaries best, by how much, and whether it holds on other documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from chunkers import CHUNKERS, Document, FieldSpec, InputError, build_chunker
from chunkers.arguments import value as read_value
from evaluation.sweep import MEASURES, Marked, Setting, Summary, grid, published, summaries, to_csv
from sample_docs import load_sample, sample_splitters, sample_titles
from viz import controls, embedding, figures
from viz.palette import EDGES, INK
from viz.reader import notice
from viz.session import Opened, close_page, open_page
from viz.state import Choices, ColumnChoice, at_rest
from viz.sweeping import Sweep

PAGE = "tune"
ALL = "published"
"""What the link calls the published grids of all chunkers."""

TITLES = {
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "precision": "Boundary precision",
    "recall": "Boundary recall",
    "f1": "Boundary F1",
    "f1_near": "Boundary F1, one sentence off allowed",
    "boundary_similarity": "Boundary similarity",
    "misassigned": "Misassigned sentences, share",
    "crossing": "Chunks that cross a boundary, share",
}
MOST_RUNS = 20_000
SHOWN = 15
"""Settings in the ranking."""


def show() -> None:
    """Draw the page."""
    if st.session_state.pop("tune_applied", False):
        st.switch_page("pages/compare.py")
    rest = {"what": "breakpoint", "first": "amount", "second": "", "measure": "pk"}
    rest |= {"values": "", "others": "", "documents": ",".join(_marked_samples()), "held": "report"}
    default = Choices("stubs", "lines", [ColumnChoice("breakpoint")], extra=rest)
    opened = open_page(PAGE, default, about_a_text=False)
    words = opened.choices.extra
    with st.sidebar:
        settings, complaint = _choose_settings(words)
        documents, held = _choose_documents(words)
        controls.shared_controls(opened.choices, opened.embedder)
    embedding.ask(opened.choices)
    st.title("Tune", anchor=False)
    st.markdown("Runs many settings on documents whose boundaries are known, and ranks them. Every text is embedded once.")
    measure = _choose_measure(words)
    if complaint:
        notice(complaint, "info" if settings else "error", key="tune_complaint")
    _start_row(opened, settings, documents, held)
    running: Sweep | None = st.session_state.get("sweep")
    if running is None:
        notice("Nothing has run yet: choose what to sweep at the left, then press “Run”.", key="tune_empty")
    else:
        if running.running and not running.stopped:
            _poll()
        _results(running, measure, set(st.session_state.get("sweep_held", ())))
    close_page(opened)


def _marked_samples() -> list[str]:
    return [name for name in sample_titles() if load_sample(name).known]


def _keep(words: dict[str, str], name: str, key: str) -> Any:
    """Return what writes a widget's value into the link."""

    def changed() -> None:
        chosen = st.session_state[key]
        words[name] = ",".join(chosen) if isinstance(chosen, list) else str(chosen or "")

    return changed


def _select(label: str, words: dict[str, str], name: str, options: dict[str, str], help_text: str | None = None) -> str:
    key = f"tune/{name}/{words['what']}"
    if words[name] not in options:
        words[name] = next(iter(options))
    if st.session_state.get(key) != words[name]:
        st.session_state[key] = words[name]
    st.selectbox(
        label, list(options), format_func=options.__getitem__, key=key, on_change=_keep(words, name, key), help=help_text
    )
    return words[name]


def _choose_settings(words: dict[str, str]) -> tuple[list[Setting], str]:
    """Draw the choice of a grid; return its settings, and a sentence where some are not allowed."""
    whole = {ALL: "Published grids, all chunkers"}
    key = "tune/what"
    options = whole | {name: kind.title for name, kind in CHUNKERS.items()}
    if words["what"] not in options:
        words["what"] = "breakpoint"
    if st.session_state.get(key) != words["what"]:
        st.session_state[key] = words["what"]

    def changed() -> None:
        words.update(what=st.session_state[key], first="", second="", values="", others="")

    st.selectbox("Sweep", list(options), format_func=options.__getitem__, key=key, on_change=changed)
    if words["what"] == ALL:
        st.caption("The grid of Qu et al., appendix B: 30 settings of breakpoint, 45, 125 and 18 of the others.")
        return published(), ""
    specs = {spec.name: spec for spec in CHUNKERS[words["what"]].fields()}
    names = {name: spec.title for name, spec in specs.items()}
    axes = {}
    first = _select("Along", words, "first", names)
    axes[first] = _values(words, "values", specs[first])
    second = _select("and along", words, "second", {"": "nothing else"} | {k: v for k, v in names.items() if k != first})
    if second:
        axes[second] = _values(words, "others", specs[second])
    allowed, refused = [], []
    for setting in grid(words["what"], **axes):
        try:
            build_chunker(setting.chunker, dict(setting.parameters))
        except InputError as error:
            refused.append(str(error))
        else:
            allowed.append(setting)
    if refused and allowed:
        return allowed, f"{len(refused):,} of {len(refused) + len(allowed):,} combinations are left out: {refused[0]}"
    return allowed, refused[0] if refused else ""


def _values(words: dict[str, str], name: str, spec: FieldSpec) -> list[Any]:
    """Draw the values of an axis as text, and return them."""
    key = f"tune/{name}/{words['what']}/{spec.name}"
    text = words[name] or ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in _offered(spec))
    if key not in st.session_state:
        st.session_state[key] = text
    st.text_input(f"{spec.title}: values", key=key, on_change=_keep(words, name, key), help=spec.help or None)
    return [read_value(word.strip()) for word in st.session_state[key].split(",") if word.strip()]


def _offered(spec: FieldSpec, count: int = 9) -> list[Any]:
    """Return some values over the range of a slider, on its steps."""
    if spec.choices:
        return list(spec.choices)
    low, high = spec.offered or (spec.low or 0, spec.high or 1)
    step = spec.step or 1
    steps = round((high - low) / step)
    places = sorted({round(place * steps / (count - 1)) for place in range(count)})
    number = int if spec.kind == "integer" else lambda value: round(value, 6)
    return [number(min(high, low + place * step)) for place in places]


def _choose_documents(words: dict[str, str]) -> tuple[list[str], list[str]]:
    """Draw the choice of documents; return those to tune on and those held out."""
    titles = sample_titles()
    known = _marked_samples()

    def some(label: str, name: str, help_text: str) -> list[str]:
        key = f"tune/{name}"
        wanted = [one for one in words[name].split(",") if one in known]
        if st.session_state.get(key) != wanted:
            st.session_state[key] = wanted
        st.multiselect(
            label, known, format_func=titles.__getitem__, key=key, on_change=_keep(words, name, key), help=help_text
        )
        return wanted

    chosen = some("Documents", "documents", "Bundled documents with a known boundary.")
    held = some("Held out", "held", "The ranking does not look at these; the best setting is then measured on them.")
    return [name for name in chosen if name not in held], held


def _choose_measure(words: dict[str, str]) -> str:
    key = "tune/measure"
    if words["measure"] not in MEASURES:
        words["measure"] = "pk"
    if st.session_state.get(key) != words["measure"]:
        st.session_state[key] = words["measure"]
    st.selectbox(
        "Ranked by",
        list(MEASURES),
        format_func=lambda name: f"{TITLES[name]} ({'more' if MEASURES[name] else 'less'} is better)",
        key=key,
        on_change=_keep(words, "measure", key),
        width=420,
    )
    return words["measure"]


def _start_row(opened: Opened, settings: Sequence[Setting], documents: Sequence[str], held: Sequence[str]) -> None:
    """Draw the button that runs the sweep, and say what it will run."""
    names = [*documents, *held]
    runs = len(settings) * len(names)
    fits = 0 < runs <= MOST_RUNS and bool(documents) and opened.embedder is not None

    def run() -> None:
        before: Sweep | None = st.session_state.get("sweep")
        if before is not None:
            before.stop()
        assert opened.embedder is not None
        marked = [_marked(name) for name in names]
        job = Sweep(marked, settings, opened.embedder, opened.choices.tokenizer, bool(st.session_state.get("on_disk")))
        st.session_state["sweep"] = job
        st.session_state["sweep_held"] = list(held)
        job.start()

    row = st.container(horizontal=True, vertical_alignment="center")
    row.button("Run", on_click=run, disabled=not fits, type="primary")
    if opened.embedder is None:
        said = opened.complaint
    elif not documents:
        said = "Choose at least one document that is not held out."
    elif runs > MOST_RUNS:
        said = f"A sweep may have at most {MOST_RUNS:,} runs; this one has {runs:,}."
    else:
        said = f"{len(settings):,} settings on {len(names)} documents: {runs:,} runs"
    row.caption(said)


def _marked(name: str) -> Marked:
    sample = load_sample(name)
    return Marked(Document.from_text(sample.text, sample.sentences, name), sample.known or ())


@st.fragment(run_every=1.0)
def _poll() -> None:
    """Show how far the sweep is; when it ends, draw the page again."""
    job: Sweep | None = st.session_state.get("sweep")
    if job is None or not job.running or job.stopped:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    done = len(job.rows)
    row.progress(done / max(1, job.total), text=f"{done:,} of {job.total:,} runs" if done else "Embedding the documents")
    row.button("Cancel", on_click=job.stop, width="content")


def _results(job: Sweep, measure: str, held: set[str]) -> None:
    """Draw the ranking, the figure, and what to do with them, from the rows that there are."""
    if job.error:
        notice(job.error, "error", key="tune_error")
    rows = list(job.rows)
    if job.stopped and len(rows) < job.total:
        notice(f"Stopped after {len(rows):,} of {job.total:,} runs; what was measured stays.", key="tune_stopped")
    ranked = summaries([row for row in rows if row.document not in held], measure)
    if not ranked:
        if rows and not job.running:
            notice(f"{TITLES[measure]} is undefined for every setting on these documents.", key="tune_undefined")
        return
    kept = {one.setting: one for one in summaries([row for row in rows if row.document in held], measure)}
    _verdict(ranked, kept, measure)
    _figure(job.settings, ranked, measure)
    st.dataframe(_ranking(ranked[:SHOWN], kept, measure), hide_index=True, width="stretch")
    row = st.container(horizontal=True)
    best = ranked[0].setting
    row.button("Apply the best to Compare", on_click=_apply, args=(best,))
    row.download_button("Every run, as CSV", lambda: to_csv(rows), "seamark-sweep.csv", "text/csv", on_click="ignore")


def _verdict(ranked: Sequence[Summary], kept: dict[Setting, Summary], measure: str) -> None:
    """Say the best setting, its margin over the next that differs, how many share it, and what it reaches elsewhere."""
    best = ranked[0]
    level = [one for one in ranked if one.mean == best.mean]
    said = f"**{_named(best.setting)}** is best: {TITLES[measure]} {best.mean:.3f} over {_documents(best.documents)}."
    if len(level) > 1:
        said += f" {len(level) - 1:,} other settings reach the same."
    behind = next((one for one in ranked if one.mean != best.mean), None)
    if behind is not None:
        said += f" The next, {_named(behind.setting)}, is {abs(behind.mean - best.mean):.3f} behind."
    if best.setting in kept:
        other = kept[best.setting]
        place = f"place {_place(other, list(kept.values()), measure)} of {len(kept):,}"
        said += f" Held out, it reaches {other.mean:.3f} over {_documents(other.documents)}: {place}."
    st.markdown(said)


def _place(one: Summary, among: Sequence[Summary], measure: str) -> int:
    """Return the place of a setting, which those that reach the same share."""
    return 1 + sum(other.mean > one.mean if MEASURES[measure] else other.mean < one.mean for other in among)


def _documents(count: int) -> str:
    return f"{count} document" + ("s" if count != 1 else "")


def _named(setting: Setting) -> str:
    """Say a setting in the page's words; these are names and numbers of ours, not the user's."""
    values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in setting.parameters)
    return CHUNKERS[setting.chunker].title + (f" ({values})" if values else "")


def _ranking(ranked: Sequence[Summary], kept: dict[Setting, Summary], measure: str) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {
        "setting": [_named(one.setting) for one in ranked],
        TITLES[measure]: [round(one.mean, 4) for one in ranked],
    }
    if kept:
        table["held out"] = [round(kept[one.setting].mean, 4) if one.setting in kept else None for one in ranked]
    return table | {"chunks": [round(one.chunks, 1) for one in ranked]}


def _figure(settings: Sequence[Setting], ranked: Sequence[Summary], measure: str) -> None:
    """Draw a curve over one axis, a heatmap over two, and a strip for each chunker over the published grids."""
    axes = {name for setting in settings for name, _ in setting.parameters}
    chunkers = list(dict.fromkeys(setting.chunker for setting in settings))
    table: dict[str, list[Any]] = {
        "setting": [_named(one.setting) for one in ranked],
        TITLES[measure]: [round(one.mean, 4) for one in ranked],
    }
    if len(chunkers) > 1:
        figure = _strips(ranked, chunkers, measure)
    elif len(axes) == 2:
        figure = _heatmap(settings, ranked, measure)
    else:
        figure = _curve(settings, ranked, measure)
    figures.show_figure(figure, table, TITLES[measure].split(",")[0], key="tune_figure")


def _curve(settings: Sequence[Setting], ranked: Sequence[Summary], measure: str) -> go.Figure:
    colours = INK[figures.theme()]
    by_setting = {one.setting: one for one in ranked}
    found = [by_setting[setting] for setting in settings if setting in by_setting]
    values = [str(dict(one.setting.parameters).popitem()[1]) for one in found]
    best = found.index(ranked[0])
    figure = go.Figure(
        go.Scatter(
            x=values,
            y=[one.mean for one in found],
            customdata=[one.chunks for one in found],
            mode="lines+markers",
            line={"color": colours["muted"]},
            marker={
                "size": [11 if place == best else 7 for place in range(len(found))],
                "color": [colours["accent"] if place == best else colours["muted"] for place in range(len(found))],
            },
            hovertemplate="%{x}: %{y:.3f}, %{customdata:.1f} chunks<extra></extra>",
        )
    )
    name = settings[0].parameters[0][0]
    figure.update_layout(height=320, xaxis={"title": name.replace("_", " "), "type": "category"})
    figure.update_yaxes(title=TITLES[measure])
    return figure


def _heatmap(settings: Sequence[Setting], ranked: Sequence[Summary], measure: str) -> go.Figure:
    colours = INK[figures.theme()]
    by_setting = {one.setting: one.mean for one in ranked}
    (across, _), (down, _) = settings[0].parameters
    columns = list(dict.fromkeys(str(dict(setting.parameters)[across]) for setting in settings))
    lines = list(dict.fromkeys(str(dict(setting.parameters)[down]) for setting in settings))
    cells = {
        (str(dict(setting.parameters)[down]), str(dict(setting.parameters)[across])): by_setting.get(setting)
        for setting in settings
    }
    low_high = (colours["panel"], colours["accent"])
    scale = list(enumerate(low_high if MEASURES[measure] else reversed(low_high)))
    figure = go.Figure(
        go.Heatmap(
            x=columns,
            y=lines,
            z=[[cells.get((line, column)) for column in columns] for line in lines],
            colorscale=scale,
            texttemplate="%{z:.2f}" if len(columns) * len(lines) <= 120 else None,
            colorbar={"title": {"text": ""}, "thickness": 12},
            hovertemplate=f"{across} %{{x}}, {down} %{{y}}: %{{z:.3f}}<extra></extra>",
        )
    )
    figure.update_layout(height=max(260, 60 + 34 * len(lines)))
    figure.update_xaxes(title=across.replace("_", " "), type="category")
    figure.update_yaxes(title=down.replace("_", " "), type="category")
    return figure


def _strips(ranked: Sequence[Summary], chunkers: Sequence[str], measure: str) -> go.Figure:
    edges = EDGES[figures.theme()]
    figure = go.Figure()
    for number, chunker in enumerate(chunkers):
        mine = [one for one in ranked if one.setting.chunker == chunker]
        figure.add_trace(
            go.Box(
                x=[one.mean for one in mine],
                text=[_named(one.setting) for one in mine],
                name=CHUNKERS[chunker].title,
                boxpoints="all",
                jitter=0.6,
                pointpos=0,
                marker={"color": edges[number % len(edges)], "size": 5, "opacity": 0.8},
                line={"width": 1.2},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate="%{text}: %{x:.3f}<extra></extra>",
            )
        )
    figure.update_layout(height=90 + 70 * len(chunkers), showlegend=False)
    figure.update_xaxes(title=TITLES[measure])
    figure.update_yaxes(autorange="reversed")
    return figure


def _apply(setting: Setting) -> None:
    """Put a setting into Compare in place of the chosen column, and go there."""
    if "choices/compare" not in st.session_state:
        st.session_state["choices/compare"] = at_rest(*next(iter(sample_splitters().items())))
        st.session_state["complaints/compare"] = []
    kept: Choices = st.session_state["choices/compare"]
    kept.columns[kept.selected] = ColumnChoice(setting.chunker, dict(setting.parameters))
    st.session_state["tune_applied"] = True
