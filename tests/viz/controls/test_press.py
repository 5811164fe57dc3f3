"""A press of a button counts once, also where the run that brought it ended before the button was drawn."""

from types import SimpleNamespace

import streamlit as st

from viz.controls.widgets import button_pressed


def test_a_press_waits_for_the_next_run_that_draws_the_button(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    drawn = {}

    def button(label, key, on_click, args, **options):
        drawn[key] = lambda: on_click(*args)

    place = SimpleNamespace(button=button)
    assert not button_pressed(place, "Undo", "undo")
    drawn["undo"]()
    # The run that Streamlit began then was interrupted here; another button is drawn meanwhile.
    assert not button_pressed(place, "Remove", "remove")
    assert button_pressed(place, "Undo", "undo")
    assert not button_pressed(place, "Undo", "undo")
