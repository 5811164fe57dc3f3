"""A press of a button counts once, also where its run ended before the button was drawn; so does the choice of a value."""

from types import SimpleNamespace

import streamlit as st

from viz.controls.widgets import build_widget_key_and_callback, draw_button_and_return_press


def test_a_press_waits_for_the_next_run_that_draws_the_button(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    drawn = {}

    def button(label, key, on_click, args, **options):
        drawn[key] = lambda: on_click(*args)

    place = SimpleNamespace(button=button)
    assert not draw_button_and_return_press(place, "Undo", "undo")
    drawn["undo"]()
    # The run that Streamlit began then was interrupted here; another button is drawn meanwhile.
    assert not draw_button_and_return_press(place, "Remove", "remove")
    assert draw_button_and_return_press(place, "Undo", "undo")
    assert not draw_button_and_return_press(place, "Undo", "undo")


def test_a_value_that_the_browser_reports_once_more_is_no_choice(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    chosen = []
    told = build_widget_key_and_callback("Kamradt", "preset", chosen.append)
    for reported in ("Kamradt", "Greedy", "Greedy", "Kamradt", "Kamradt"):
        st.session_state[told["key"]] = reported
        told["on_change"]()
    assert chosen == ["Greedy", "Kamradt"]


def test_options_in_another_order_are_the_same_choice(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    chosen = []
    told = build_widget_key_and_callback(["recall", "iou"], "measures", chosen.append)
    for reported in (["iou", "recall"], ["recall"]):
        st.session_state[told["key"]] = reported
        told["on_change"]()
    assert chosen == [["recall"]]
