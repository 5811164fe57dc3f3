"""An app of a stepper and nothing else, which "Elsewhere" moves to another place, so that Streamlit builds it anew.

That run takes its time, and names the step that the server knew when it began.
"""

import time

import streamlit as st

from viz.components.stepper.stepper import DEFAULT_STEPPER_PARAMETERS, Step, draw_stepper_at_linked_step

words = st.session_state.setdefault("words", {**DEFAULT_STEPPER_PARAMETERS, "step": "5"})
steps: list[Step] = [
    {
        "title": f"Title {number}",
        "story": [],
        "numbers": [],
        "tone": "",
        "mark": {"growing": None, "next": None, "middle": None, "gap": number},
        "placed": (number, number + 1),
        "prediction": None,
        "gauge": None,
    }
    for number in range(1, 21)
]
elsewhere = st.toggle("Elsewhere")
if elsewhere:
    time.sleep(0.2)
st.write("It is elsewhere" if elsewhere else "It is in its place")
with st.container().container(border=True) if elsewhere else st.container():
    draw_stepper_at_linked_step(steps, words, key="steps")
if elsewhere:
    time.sleep(0.5)
st.write(f"The server knows step {words['step']}")
