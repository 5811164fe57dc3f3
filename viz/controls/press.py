"""Buttons whose press counts after the inputs that the same message of the browser brings, and is not lost."""

from __future__ import annotations

from typing import Any

from streamlit.delta_generator import DeltaGenerator

from viz.state.keys import session


def pressed(place: DeltaGenerator, label: str, key: str, **options: Any) -> bool:
    """Draw a button, and return whether it was pressed.

    A callback alone would come before a setting or a mark that arrives with the press. What Streamlit's button returns is
    lost if another input interrupts the run before it reaches the button. So a callback notes the press for the next run
    that draws the button.
    """
    place.button(label, key=key, on_click=session.pressed.add, args=(key,), **options)
    if key not in session.pressed:
        return False
    session.pressed.remove(key)
    return True
