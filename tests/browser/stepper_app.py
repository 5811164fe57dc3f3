"""An app of a stepper and nothing else, which "Build anew" moves to another place, so that Streamlit builds it anew.

That run takes its time, and names the step that the server knew when it began.
"""

import time

import streamlit as st

from viz.components.stepper.stepper import Step, stepper

words = st.session_state.setdefault("words", {"step": "5"})
moves = st.session_state.setdefault("moves", [0])
steps: list[Step] = [
    {
        "title": f"Title {number}",
        "story": [],
        "numbers": [],
        "tone": "",
        "mark": {"growing": None, "next": None, "middle": None, "gap": number},
    }
    for number in range(1, 21)
]
if st.button("Build anew"):
    moves[0] += 1
    time.sleep(0.2)
st.write(f"Built {moves[0]} times")
place = st.container()
for _ in range(moves[0]):
    place = place.container(border=True)
with place:
    stepper(steps, words, key="steps")
if moves[0]:
    time.sleep(0.5)
st.write(f"The server knows step {words['step']}")
