"""Seamark: see where text chunkers cut, and why."""

from pathlib import Path

import streamlit as st

from viz.shell import lecture
from viz.shell.navigation import navigation

HERE = Path(__file__).parent
# An icon by name would be fetched from its maker's server; the app asks nobody for anything.
st.set_page_config("Seamark", str(HERE / "viz" / "theme" / "icon.svg"), layout="wide", initial_sidebar_state=304)
st.html(HERE / "viz" / "theme" / "page.css")
page = navigation()
lecture.enlarge()
page.run()
with st.sidebar:
    lecture.control()
