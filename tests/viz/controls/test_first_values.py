"""Every widget's first value is the one that it shows, so that a browser that never got another shows it all the same."""

import pytest

from tests.viz.app_steps import box_of
from tests.viz.shell.test_page import ABOUT_A_TEXT, WITHOUT_A_TEXT, on_page, own_controls

NOT_OURS = {"below", "code_for", "size_unit"}
"""Widgets that nothing but the user sets."""


def values(app):
    """Return the first value and the shown value of every widget that has a key."""
    kinds = {
        "selectbox": lambda one: (one.proto.default if one.proto.HasField("default") else None, one.index),
        "radio": lambda one: (one.proto.default if one.proto.HasField("default") else None, one.index),
        "segmented_control": lambda one: (list(one.proto.default), one.indices),
        "multiselect": lambda one: (list(one.proto.default), one.indices),
        "slider": lambda one: (list(one.proto.default), [one.value]),
        "number_input": lambda one: (one.proto.default if one.proto.HasField("default") else None, one.value),
        "text_input": lambda one: (one.proto.default, one.value),
        "text_area": lambda one: (one.proto.default, one.value),
        "toggle": lambda one: (one.proto.default, one.value),
        "checkbox": lambda one: (one.proto.default, one.value),
    }
    return {one.key: pair(one) for kind, pair in kinds.items() for one in getattr(app, kind) if one.key not in NOT_OURS}


def differing(app):
    assert not app.exception
    found = values(app)
    assert len(found) >= 3
    return {key: pair for key, pair in found.items() if pair[0] != pair[1]}


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
    app.checkbox(key="dashes").set_value(False).run()
    assert not differing(app)
