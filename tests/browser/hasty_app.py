"""An app whose callbacks take their time; Streamlit is as it came where the environment says so."""

import os
import time

import streamlit as st

from viz.server.callbacks import keep_inputs_of_fragments, let_callbacks_end

if "AS_IT_CAME" not in os.environ:
    let_callbacks_end()
    keep_inputs_of_fragments()


def count() -> None:
    """Note the word that was written."""
    word = st.session_state["word"]
    time.sleep(0.5)
    st.session_state["noted"] = [*st.session_state.get("noted", []), word]


st.text_area("Word", key="word", on_change=count)
st.text_area("Another", key="another")
st.query_params["noted"] = " ".join(st.session_state.get("noted", []))
st.query_params["another"] = st.session_state["another"]
