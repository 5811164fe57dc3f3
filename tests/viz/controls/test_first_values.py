"""Every widget's first value is the one that it shows, so that a browser that never got another shows it all the same."""

import pytest

from tests.viz.app_steps import box_of
from tests.viz.shell.test_page import ABOUT_A_TEXT, WITHOUT_A_TEXT, on_page, own_controls

NOT_OURS = {"below", "code_for", "size_unit"}
"""Widgets that nothing but the user sets."""


def values(app):
    """Return the first value and the shown value of every widget that has a key."""
    kinds = {
        "selectbox": lambda control: (control.proto.default if control.proto.HasField("default") else None, control.index),
        "radio": lambda control: (control.proto.default if control.proto.HasField("default") else None, control.index),
        "segmented_control": lambda control: (list(control.proto.default), control.indices),
        "multiselect": lambda control: (list(control.proto.default), control.indices),
        "slider": lambda control: (list(control.proto.default), [control.value]),
        "number_input": lambda control: (
            control.proto.default if control.proto.HasField("default") else None,
            control.value,
        ),
        "text_input": lambda control: (control.proto.default, control.value),
        "text_area": lambda control: (control.proto.default, control.value),
        "toggle": lambda control: (control.proto.default, control.value),
        "checkbox": lambda control: (control.proto.default, control.value),
    }
    return {
        control.key: pair(control)
        for kind, pair in kinds.items()
        for control in getattr(app, kind)
        if control.key not in NOT_OURS
    }


def differing(app):
    assert not app.exception
    pairs = values(app)
    assert len(pairs) >= 3
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


@pytest.mark.full
@pytest.mark.parametrize("name", [*ABOUT_A_TEXT, *WITHOUT_A_TEXT])
def test_a_widgets_first_value_is_the_one_it_shows_also_after_the_user_has_changed_it(app, name):
    app.query_params["sentences"] = "lines"
    app.query_params["document"] = "article"
    assert not differing(on_page(app, name))
    kind, key, value, _ = own_controls(app)[name]
    kind(key=key).set_value(value).run()
    assert not differing(app)
    assert not differing(app.run())


def test_the_users_own_text_and_embedder_are_first_values_too(app):
    on_page(app, "compare")
    box_of(app).set_value("One sentence.\n---\nAnother sentence.").run()
    app.selectbox(key="embedder").select("another").run()
    assert not differing(app)
    app.checkbox(key="dashes_are_boundaries").set_value(False).run()
    assert not differing(app)
