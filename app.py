"""Seamark: see where text chunkers cut, and why."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
# An icon by name would be fetched from its maker's server; the app asks nobody for anything.
st.set_page_config("Seamark", str(HERE / "viz" / "icon.svg"), layout="wide", initial_sidebar_state=304)
st.html(HERE / "viz" / "page.css")
page = st.navigation([st.Page("pages/compare.py", title="Compare", default=True)])
with st.sidebar:
    st.html('<div class="brand"><b>Seamark</b><span>see where chunkers cut, and why</span></div>')
page.run()
