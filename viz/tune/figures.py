"""The figures of a sweep: a curve over one parameter, a heatmap over two, or a strip for each of several chunkers."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from chunkers import CHUNKERS
from chunkers.support.numbers import signed
from evaluation.segmentation.sweep import MEASURES, Setting, Summary
from viz.theme import palette
from viz.theme.palette import EDGES, INK

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
    "blocks_whole": "Blocks whole, share",
}
"""The titles of the measures on the page."""


def setting_in_words(setting: Setting) -> str:
    """Describe a chunker setting in words without user text, so that figures can show the description safely."""
    if setting.trivial:
        return setting.words().capitalize()
    given = dict(setting.parameters)
    specs = {spec.name: spec for spec in CHUNKERS[setting.chunker].fields(given)}
    # A threshold method is named with its amount: "percentile 80".
    implied = {specs[name].depends for name in given}
    values = ", ".join(f"{_name(setting, name)} {_word(value)}" for name, value in given.items() if name not in implied)
    return CHUNKERS[setting.chunker].title + (f" ({values})" if values else "")


def _name(setting: Setting, parameter: str) -> str:
    """Return a parameter's name in words, or the value of the parameter that determines its meaning, as for an amount."""
    given = dict(setting.parameters)
    specs = {spec.name: spec for spec in CHUNKERS[setting.chunker].fields(given)}
    depends = specs[parameter].depends
    return _word(given.get(depends, specs[depends].default)) if depends else parameter.replace("_", " ")


def _word(value: object) -> str:
    """Format a parameter's value: names without underscores, whole numbers without a fraction."""
    return signed(value) if isinstance(value, float) else str(value).replace("_", " ")


def sweep_figure(
    settings: Sequence[Setting], ranked: Sequence[Summary], measure: str, held: Sequence[Summary] = ()
) -> go.Figure:
    """Return the figure of a sweep's results that suits its grid: a curve, a heatmap, or a strip per chunker.

    ``ranked`` has the settings that have a value, best first. ``held`` has their values on the held-out documents, which a
    curve shows as a second line. Trivial baselines are omitted, since they are ranked but have no position on an axis.
    """
    settings = [setting for setting in settings if not setting.trivial]
    ranked = [summary for summary in ranked if not summary.setting.trivial]
    chunkers = list(dict.fromkeys(setting.chunker for setting in settings))
    if len(chunkers) > 1:
        return _strips(ranked, chunkers, measure)
    two_axes = len(settings[0].parameters) == 2
    return _heatmap(settings, ranked, measure) if two_axes else _curve(settings, ranked, measure, held)


def _curve(settings: Sequence[Setting], ranked: Sequence[Summary], measure: str, held: Sequence[Summary]) -> go.Figure:
    colours = INK[palette.theme()]
    by_setting = {summary.setting: summary for summary in ranked}
    summaries = [by_setting[setting] for setting in settings if setting in by_setting]
    ((name, _),) = settings[0].parameters
    best = summaries.index(ranked[0])
    figure = go.Figure(
        go.Scatter(
            x=[_word(dict(summary.setting.parameters)[name]) for summary in summaries],
            y=[summary.mean for summary in summaries],
            customdata=[summary.chunks for summary in summaries],
            mode="lines+markers",
            line={"color": colours["muted"]},
            marker={
                "size": [11 if place == best else 7 for place in range(len(summaries))],
                "color": [colours["accent"] if place == best else colours["muted"] for place in range(len(summaries))],
            },
            hovertemplate="%{x}: %{y:.3f}, %{customdata:.1f} chunks<extra></extra>",
            name="ranked",
        )
    )
    if held:
        apart = {summary.setting: summary.mean for summary in held}
        places = [setting for setting in settings if setting in apart]
        figure.add_scatter(
            x=[_word(dict(setting.parameters)[name]) for setting in places],
            y=[apart[setting] for setting in places],
            mode="lines+markers",
            line={"color": colours["muted"], "dash": "dot"},
            marker={"symbol": "circle-open", "size": 7},
            hovertemplate="%{x}: %{y:.3f}<extra>held out</extra>",
            name="held out",
        )
    figure.update_layout(
        height=320,
        xaxis={"title": _name(settings[0], name), "type": "category"},
        showlegend=bool(held),
        legend={"orientation": "h", "y": 1.12},
    )
    figure.update_yaxes(title=TITLES[measure])
    return figure


def _heatmap(settings: Sequence[Setting], ranked: Sequence[Summary], measure: str) -> go.Figure:
    colours = INK[palette.theme()]
    by_setting = {summary.setting: summary.mean for summary in ranked}
    (across, _), (down, _) = settings[0].parameters
    places = {
        setting: (_word(dict(setting.parameters)[down]), _word(dict(setting.parameters)[across])) for setting in settings
    }
    lines = list(dict.fromkeys(line for line, _ in places.values()))
    columns = list(dict.fromkeys(column for _, column in places.values()))
    cells = {place: by_setting.get(setting) for setting, place in places.items()}
    # If the threshold method is an axis, its amounts have no common name.
    depends = {spec.name: spec.depends for spec in CHUNKERS[settings[0].chunker].fields()}
    titles = {
        name: name.replace("_", " ") if depends[name] in (across, down) else _name(settings[0], name)
        for name in (across, down)
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
            hovertemplate=f"{titles[across]} %{{x}}, {titles[down]} %{{y}}: %{{z:.3f}}<extra></extra>",
        )
    )
    figure.update_layout(height=max(260, 60 + 34 * len(lines)))
    figure.update_xaxes(title=titles[across], type="category")
    figure.update_yaxes(title=titles[down], type="category")
    return figure


def _strips(ranked: Sequence[Summary], chunkers: Sequence[str], measure: str) -> go.Figure:
    edges = EDGES[palette.theme()]
    figure = go.Figure()
    for number, chunker in enumerate(chunkers):
        mine = [summary for summary in ranked if summary.setting.chunker == chunker]
        figure.add_trace(
            go.Box(
                x=[summary.mean for summary in mine],
                text=[setting_in_words(summary.setting) for summary in mine],
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
