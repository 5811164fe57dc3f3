"""An app that takes files while it is drawn again and again, and whose server is slow to send."""

import time

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz.server.streamlit_patches import stop_dropping_upload_address_replies

if not hasattr(ForwardMsgQueue.clear, "__wrapped__"):
    stop_dropping_upload_address_replies()


@st.fragment(run_every=0.3)
def again() -> None:
    get_instance()._get_async_objs().eventloop.call_soon_threadsafe(time.sleep, 0.2)
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        st.rerun()


files = st.file_uploader("Files", accept_multiple_files=True)
st.code(", ".join(sorted(file.name for file in files)))
again()
