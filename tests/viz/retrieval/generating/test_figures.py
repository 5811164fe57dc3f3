"""The histograms of the filters count what the filters do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.retrieval.generated_questions import BIN_WIDTH, count_kept_dropped_per_bin, draw_filter_histogram_figure


def test_every_question_is_in_its_bar_on_its_side_of_the_line():
    values = np.array([0.31, 0.32, 0.34, 0.9, np.nan])
    bars = count_kept_dropped_per_bin(values, 0.32, drops_below_threshold=True)
    assert bars.edges[0] == pytest.approx(0.3)
    assert (bars.dropped_counts[0], bars.kept_counts[0], bars.kept_counts[1], bars.kept_counts[-1]) == (1, 1, 1, 1)
    figure = draw_filter_histogram_figure(bars, 0.32, "cosine", drops_below=True)
    assert [annotation.text for annotation in figure.layout.annotations] == ["1 dropped ←", "→ 3 kept"]
    other = draw_filter_histogram_figure(
        count_kept_dropped_per_bin(values, 0.33, drops_below_threshold=False), 0.33, "cosine", drops_below=False
    )
    assert [annotation.text for annotation in other.layout.annotations] == ["2 kept ←", "→ 2 dropped"]
    assert draw_filter_histogram_figure(
        count_kept_dropped_per_bin(np.array([np.nan]), 0.5, drops_below_threshold=False), 0.5, "cosine", drops_below=False
    ).data


@given(st.lists(st.floats(-1, 1), max_size=30), st.floats(-1, 1), st.booleans())
def test_no_question_is_lost_between_the_bars(values, line, below):
    bars = count_kept_dropped_per_bin(np.array(values, dtype=float), line, drops_below_threshold=below)
    dropped = sum(value < line if below else value > line for value in values)
    assert (sum(bars.kept_counts), sum(bars.dropped_counts)) == (len(values) - dropped, dropped)
    assert np.diff(bars.edges) == pytest.approx(BIN_WIDTH)
    assert len(bars.edges) == len(bars.kept_counts) + 1 == len(bars.dropped_counts) + 1
