"""The palette: what Streamlit's theme shares with it is the same, and can be read on every ground."""

import tomllib

import pytest

from tests import ROOT
from viz.theme.palette import CHUNK_EDGE_COLOURS, THEME_COLOURS

SHARED = {
    "primaryColor": "accent",
    "linkColor": "accent",
    "backgroundColor": "page",
    "secondaryBackgroundColor": "panel",
    "textColor": "ink",
    "codeTextColor": "ink",
    "borderColor": "rule",
    "redColor": "error",
    "redTextColor": "error",
    "grayColor": "muted",
    "grayTextColor": "muted",
}


def config(theme):
    return tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"][theme]


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_has_the_colours_of_the_palette(theme):
    given = {name: value for name, value in config(theme).items() if isinstance(value, str)}
    assert given == {name: THEME_COLOURS[theme][colour] for name, colour in SHARED.items()}
    assert config(theme)["chartCategoricalColors"] == list(CHUNK_EDGE_COLOURS[theme])
    # The side bar stands on the panel.
    assert config(theme)["sidebar"] == {
        "backgroundColor": THEME_COLOURS[theme]["panel"],
        "secondaryBackgroundColor": THEME_COLOURS[theme]["page"],
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "panel"])
@pytest.mark.parametrize("colour", ["ink", "muted", "accent", "error"])
def test_text_can_be_read_on_page_and_panel(theme, ground, colour):
    assert contrast(THEME_COLOURS[theme][colour], THEME_COLOURS[theme][ground]) >= 4.5
