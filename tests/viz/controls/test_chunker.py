"""The side bar's controls for a chunker."""

import pytest

from chunkers import CHUNKERS
from chunkers.presets import presets_of
from viz.controls.chunker import LONG, guide_link
from viz.state.choices import ColumnChoice
from viz.state.compared import COMPARE, default_choices

LONG_NAMES = [(chunker, preset) for chunker in CHUNKERS for preset in presets_of(chunker) if len(preset.title) > LONG]


@pytest.mark.parametrize(("chunker", "preset"), LONG_NAMES[::4])
def test_a_preset_whose_name_the_box_cuts_off_is_named_below_it(app, chunker, preset):
    app.query_params["embedder"] = "tfidf"
    choices = default_choices()
    choices.columns, choices.selected = [ColumnChoice(chunker, dict(preset.parameters))], 0
    app.session_state[f"choices/{COMPARE}"] = choices
    app.session_state[f"complaints/{COMPARE}"] = []
    app.run()
    assert not app.exception
    assert any(caption.value.startswith(f"{preset.title}.") for caption in app.sidebar.caption)


def test_a_link_to_the_guide_leads_to_the_defaults_of_today():
    assert guide_link("change_point") == "[More in the Guide](guide?c1=change_point&c1.cuts_at=auto)"
    assert guide_link("breakpoint") == "[More in the Guide](guide?c1=breakpoint)"
    assert guide_link("nobody") == ""
