"""The look of figures: enlarged as a whole, with what they set themselves."""

import plotly.graph_objects as go
import pytest

from viz.components.figure import style_figure


def drawn(scale):
    figure = go.Figure(go.Scatter(x=[1, 2], y=[1, 2], marker={"size": [5, 9]}, line={"width": 2}))
    figure.add_vline(x=1, line={"width": 2})
    figure.add_annotation(x=1, y=1, text="here", font={"size": 10})
    figure.update_xaxes(tickfont={"size": 10})
    figure.update_layout(height=200)
    style_figure(figure, scale)
    return figure


@pytest.mark.parametrize("scale", [1, 1.5, 2])
def test_type_lines_dots_and_height_grow_together(scale):
    figure = drawn(scale)
    (trace,) = figure.data
    assert figure.layout.font.size == 13 * scale
    assert figure.layout.height == 200 * scale
    assert list(trace.marker.size) == [5 * scale, 9 * scale]
    assert trace.line.width == figure.layout.shapes[0].line.width == 2 * scale
    assert figure.layout.annotations[0].font.size == figure.layout.xaxis.tickfont.size == 10 * scale


def test_what_a_figure_leaves_to_plotly_stays_so():
    figure = go.Figure(go.Bar(x=[1], y=[1]))
    style_figure(figure, 1.5)
    assert figure.layout.height is None
    assert figure.data[0].marker.line.width is None
